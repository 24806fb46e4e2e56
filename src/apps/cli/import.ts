import { accessSync, constants, createReadStream, statSync } from 'node:fs'
import type { TSchema } from 'typebox'
import type { ControlDb, Db } from '#platform/database/database.ts'
import type { FileFormat } from '#platform/transfer/file.ts'
import type { ImportKind, ImportReport, Place } from '#platform/transfer/kind.ts'
import { getImport, listImportErrors } from '#platform/transfer/report.ts'
import { takeFile, type Upload } from '#platform/transfer/staging.ts'
import { importBatch, type Worker } from '#platform/transfer/work-off.ts'
import type { Business } from '#vocabulary/business.ts'
import { BootError } from '../boot.ts'
import { showProgress } from '../progress.ts'
import { printJson } from './output.ts'

type Counter = 'created' | 'updated' | 'unchanged' | 'skipped'
type Kind<Schema extends TSchema, Count extends Counter, Context> = ImportKind<Schema, Count, Context> &
  Worker<Schema, Count, Context>
/** The target of the import, and what its records are called. */
type Home = {
  cell: Db
  control: ControlDb
  business: Business
  place?: Place
  about?: Upload['about']
  unit: string
}

/** Imports a file in this process, or resumes an interrupted import, and prints the outcome. */
export async function runImport<Schema extends TSchema, Count extends Counter, Context>(
  kind: Kind<Schema, Count, Context>,
  home: Home,
  {
    file = '',
    format,
    resume,
    json,
  }: { file?: string | undefined; format: FileFormat; resume?: string | undefined; json: boolean },
): Promise<void> {
  const importId = resume ?? (await readFileIn(kind, home, file, format))
  const end = await workOff(kind, home, importId)
  await tellOutcome(kind, home, end, json)
}

/** Stages the whole file first: a file that cannot be read to its end is not imported at all. */
async function readFileIn<Schema extends TSchema, Count extends Counter, Context>(
  kind: Kind<Schema, Count, Context>,
  { cell, business, place, about }: Home,
  file: string,
  format: FileFormat,
): Promise<string> {
  const size = sizeOf(file)
  const bar = showProgress('reading  ', 'bytes')
  const { id } = await takeFile(kind, cell, {
    business,
    ...(place && { place }),
    ...(about && { about }),
    actor: undefined,
    file: createReadStream(file),
    format,
    maxBytes: Number.POSITIVE_INFINITY,
    progress: (bytes) => bar.update(bytes, size),
  })
  bar.end(size, size)
  return id
}

function sizeOf(file: string): number {
  try {
    accessSync(file, constants.R_OK)
    const found = statSync(file)
    if (!found.isDirectory()) return found.size
  } catch {}
  throw new BootError(`${file} cannot be read.`)
}

const SHOWN_ERRORS = 20

async function tellOutcome<Schema extends TSchema, Count extends Counter, Context>(
  kind: Kind<Schema, Count, Context>,
  { cell, business, place }: Home,
  end: ImportReport<Count>,
  json: boolean,
): Promise<void> {
  const { id: importId, failed } = end
  const { created, updated, unchanged, skipped } = end as Partial<Record<Counter, number>>
  const page = { limit: SHOWN_ERRORS, ...(place && { place }) }
  const { items } = failed > 0 ? await listImportErrors(kind, cell, business.id, importId, page) : { items: [] }
  const errors = items.map(({ number, details }) => ({
    line: number,
    message: details.map(({ message }) => message).join(' '),
  }))
  if (failed > 0) process.exitCode = 1
  const { unknownColumns } = end
  if (json) return printJson({ importId, created, updated, unchanged, skipped, failed, unknownColumns, errors })
  const same = unchanged ? `, ${unchanged} unchanged` : ''
  const left = skipped !== undefined && unchanged === undefined ? `, ${skipped} left alone` : ''
  console.log(`${created} created, ${updated} updated${same}${left}, ${failed} failed`)
  for (const { name, suggestions } of unknownColumns)
    console.error(
      `column ${name} was not imported${suggestions.length > 0 ? `; did you mean ${suggestions.join(' or ')}?` : ''}`,
    )
  for (const { line, message } of errors) console.error(`line ${line}: ${message}`)
  if (failed > errors.length) console.error(`and ${failed - errors.length} more`)
}

async function workOff<Schema extends TSchema, Count extends Counter, Context>(
  kind: Kind<Schema, Count, Context>,
  { cell, control, business, place, unit }: Home,
  importId: string,
): Promise<ImportReport<Count>> {
  const businessId = business.id
  const read = () => getImport(kind, cell, businessId, importId, place)
  let progress = await read()
  if (progress.status === 'RECEIVING')
    throw new BootError('This import was interrupted while reading. Import the file again.')
  const context = await kind.prepare(control, businessId)
  if (context === undefined) return progress
  process.stderr.write(`${importId} (if this is interrupted: --resume ${importId})\n`)
  const bar = showProgress('importing', unit, progress.done + progress.failed)
  while (progress.status === 'RUNNING') {
    bar.update(progress.done + progress.failed, progress.total)
    progress = (await importBatch(kind, cell, { businessId, importId, context })) ?? (await read())
  }
  bar.end(progress.done + progress.failed, progress.total)
  return progress
}
