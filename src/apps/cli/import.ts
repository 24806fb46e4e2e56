import { accessSync, constants, createReadStream, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import * as catalog from '#modules/catalog/index.ts'
import * as newsletter from '#modules/newsletter/index.ts'
import type { ControlDb, Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Business } from '#vocabulary/business.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { BootError } from '../boot.ts'
import { showProgress } from '../progress.ts'
import { printJson } from './output.ts'

export type Format = 'ndjson' | 'csv'

type Progress = {
  status: string
  total: number
  done: number
  created: number
  updated: number
  skipped?: number
  failed: number
}

/** What importing products and importing subscribers have in common. */
type Work = {
  unit: string
  begin(): Promise<string>
  stage(id: string, file: Readable, format: Format, progress: (bytes: number) => void): Promise<number>
  seal(id: string, total: number): Promise<unknown>
  drop(id: string): Promise<unknown>
  read(id: string): Promise<Progress>
  /** Undefined when somebody else has finished it. */
  next(id: string): Promise<Progress | undefined>
  errors(id: string, limit: number): Promise<{ items: { number: number; details: Detail[] }[] }>
}

const NO_LIMIT = Number.POSITIVE_INFINITY

export function productImport(cell: Db, business: Business, control: ControlDb): Work {
  const { id: businessId } = business
  const resolvers = catalog.catalogResolvers(control)
  return {
    unit: 'products',
    begin: () => catalog.beginImport(cell, businessId, undefined),
    stage: (id, file, format, progress) =>
      catalog.stageFile(cell, business, id, file, { format, maxBytes: NO_LIMIT, progress }),
    seal: (id, total) => transaction(cell, (tx) => catalog.sealImport(tx, businessId, id, total)),
    drop: (id) => catalog.dropImport(cell, businessId, id),
    read: (id) => catalog.getImport(cell, businessId, id),
    next: (importId) => catalog.importBatch(cell, { business, importId, resolvers }),
    errors: (id, limit) => catalog.listImportErrors(cell, businessId, id, { limit }),
  }
}

export function subscriberImport(cell: Db, place: { businessId: string; collectionId: string }): Work {
  const { businessId } = place
  return {
    unit: 'subscribers',
    begin: () => newsletter.beginSubscriberImport(cell, place, undefined),
    stage: (id, file, format, progress) =>
      newsletter.stageSubscribers(cell, businessId, id, file, format, { maxBytes: NO_LIMIT, progress }),
    seal: (id, total) => transaction(cell, (tx) => newsletter.sealSubscriberImport(tx, businessId, id, total)),
    drop: (id) => newsletter.dropSubscriberImport(cell, businessId, id),
    read: (id) => newsletter.getSubscriberImport(cell, place, id),
    next: (importId) => newsletter.importSubscriberBatch(cell, { businessId, importId }),
    errors: (id, limit) => newsletter.listSubscriberImportErrors(cell, place, id, { limit }),
  }
}

/** Reads all of the file first: what is not readable to its end is not imported at all. */
export async function readFileIn(work: Work, file: string, format: Format): Promise<string> {
  const size = sizeOf(file)
  const id = await work.begin()
  const bar = showProgress('reading  ', 'bytes')
  try {
    const total = await work.stage(id, createReadStream(file), format, (bytes) => bar.update(bytes, size))
    bar.end(size, size)
    await work.seal(id, total)
  } catch (error) {
    await work.drop(id)
    throw error
  }
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

/** Works the rows off here, in this process, and tells what came of it. */
export async function tellOutcome(work: Work, importId: string, json: boolean): Promise<void> {
  const end = await run(work, importId)
  const { created, updated, skipped, failed } = end
  const { items } = failed > 0 ? await work.errors(importId, SHOWN_ERRORS) : { items: [] }
  const errors = items.map(({ number, details }) => ({
    line: number,
    message: details.map(({ message }) => message).join(' '),
  }))
  if (failed > 0) process.exitCode = 1
  if (json) return printJson({ importId, created, updated, skipped, failed, errors })
  const left = skipped === undefined ? '' : `, ${skipped} left alone`
  console.log(`${created} created, ${updated} updated${left}, ${failed} failed`)
  for (const { line, message } of errors) console.error(`line ${line}: ${message}`)
  if (failed > errors.length) console.error(`and ${failed - errors.length} more`)
}

async function run(work: Work, importId: string): Promise<Progress> {
  let progress = await work.read(importId)
  if (progress.status === 'RECEIVING')
    throw new BootError('This import was interrupted while reading. Import the file again.')
  process.stderr.write(`${importId} (if this is interrupted: --resume ${importId})\n`)
  const bar = showProgress('importing', work.unit, progress.done + progress.failed)
  while (progress.status === 'RUNNING') {
    bar.update(progress.done + progress.failed, progress.total)
    progress = (await work.next(importId)) ?? (await work.read(importId))
  }
  bar.end(progress.done + progress.failed, progress.total)
  return progress
}
