import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { exportProducts, productImport } from '#modules/catalog/index.ts'
import { listNewsletters } from '#modules/content/index.ts'
import { exportSubscribers, subscriberImport } from '#modules/newsletter/index.ts'
import type { Cell, Db } from '#platform/database/database.ts'
import { FILE_FORMATS, type FileFormat } from '#platform/transfer/file.ts'
import { BootError } from '../boot.ts'
import { findHome } from '../home.ts'
import { cliReaders } from '../open-cells.ts'
import { showProgress } from '../progress.ts'
import { addCommand, type Cli, type Json, UsageError } from './command.ts'
import { runImport } from './import.ts'
import { printJson } from './output.ts'

const STATEMENT_TIMEOUT_MS = 60_000

type Options = Json & { format?: FileFormat; resume?: string; newsletter?: string }

const formatOption = () => new Option('--format <format>', 'default: by the file’s ending').choices(FILE_FORMATS)
const formatOf = (file: string | undefined): FileFormat => (file?.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson')
const NEWSLETTER = [
  '--newsletter <collectionId>',
  'whose subscribers; not needed when the business has one newsletter',
] as const

export function addImportCommands(program: Command, { withDatabases }: Cli): void {
  const imports = program.command('import').description('Import data from a file.')
  const says = (what: string) =>
    `Import ${what} from NDJSON or CSV, of any size, without a worker. The same file can be imported again without duplicates.`

  addCommand(imports, 'products <businessId> [file]', {
    says: says('products'),
    examples: ['import products biz_4k7q2m9x1c3v products.csv'],
  })
    .addOption(formatOption())
    .option('--resume <importId>', 'go on with an import that was interrupted')
    .action((businessId: string, file: string | undefined, { format, resume, json = false }: Options) => {
      checkSource(file, resume)
      return withDatabases(async (databases) => {
        const { business, cell } = await findHome(databases, businessId)
        const type = format ?? formatOf(file)
        const home = { cell, control: databases.control, business, about: { format: type }, unit: 'products' }
        await runImport(productImport, home, { file, format: type, resume, json })
      })
    })

  addCommand(imports, 'subscribers <businessId> [file]', {
    says: `${says('subscribers of a newsletter')} No confirmation mails are sent: you need their consent.`,
    examples: [
      'import subscribers biz_4k7q2m9x1c3v readers.csv',
      'import subscribers biz_4k7q2m9x1c3v readers.csv --newsletter col_01jcq3v7k8f5t9x2m4n6p8r0sw',
    ],
  })
    .addOption(formatOption())
    .option(...NEWSLETTER)
    .option('--resume <importId>', 'go on with an import that was interrupted')
    .action((businessId: string, file: string | undefined, { format, resume, newsletter, json = false }: Options) => {
      checkSource(file, resume)
      return withDatabases(async (databases) => {
        const { business, cell } = await findHome(databases, businessId)
        const collectionId = await findNewsletterId(cell, businessId, newsletter)
        const home = { cell, control: databases.control, business, place: { collectionId }, unit: 'subscribers' }
        await runImport(subscriberImport, home, { file, format: format ?? formatOf(file), resume, json })
      })
    })
}

function checkSource(file: string | undefined, resume: string | undefined): void {
  if ((file === undefined) === (resume === undefined))
    throw new UsageError('Name a file to import, or --resume an import.')
}

export function addExportCommands(program: Command, { config, withDatabases }: Cli): void {
  /** Pages of a file: one that the replica does not give comes from the cell itself. */
  async function withReader(cell: Cell, work: (reader: Cell) => Promise<void>): Promise<void> {
    const readers = cliReaders(config(), STATEMENT_TIMEOUT_MS)
    try {
      await work(await readers.of(cell))
    } finally {
      await readers.close()
    }
  }

  const exports = program.command('export').description('Write data to a file, or to standard output.')
  const json = 'NDJSON on standard output, or one document about the file that was written'

  addCommand(exports, 'products <businessId> [file]', {
    says: 'Write all products to a file, or to standard output: as the import reads them.',
    examples: ['export products biz_4k7q2m9x1c3v products.csv', 'export products biz_4k7q2m9x1c3v | wc -l'],
    json,
  })
    .addOption(formatOption())
    .action((businessId: string, file: string | undefined, options: Options) => {
      const format = exportFormat(file, options)
      return withDatabases(async (databases) => {
        const { business, cell } = await findHome(databases, businessId)
        await withReader(cell, (reader) => write(exportProducts(reader, business, format), file, options))
      })
    })

  addCommand(exports, 'subscribers <businessId> [file]', {
    says: 'Write all subscribers of a newsletter, whatever their status, to a file or to standard output.',
    examples: ['export subscribers biz_4k7q2m9x1c3v readers.csv'],
    json,
  })
    .addOption(formatOption())
    .option(...NEWSLETTER)
    .action((businessId: string, file: string | undefined, options: Options) => {
      const format = exportFormat(file, options)
      return withDatabases(async (databases) => {
        const { cell } = await findHome(databases, businessId)
        const collectionId = await findNewsletterId(cell, businessId, options.newsletter)
        await withReader(cell, (reader) =>
          write(exportSubscribers(reader, businessId, collectionId, format), file, options),
        )
      })
    })
}

function exportFormat(file: string | undefined, { format, json }: Options): FileFormat {
  if (json && file === undefined && format === 'csv') throw new UsageError('--json and --format csv are two formats.')
  return format ?? formatOf(file)
}

/** Writes to a temporary name first: the file appears under its name only when it is complete. */
async function write(rows: AsyncIterable<string>, file: string | undefined, { json }: Options): Promise<void> {
  if (file === undefined) return pipeline(Readable.from(rows), process.stdout, { end: false })
  const part = `${file}.part`
  const bar = showProgress('writing', 'bytes')
  let bytes = 0
  async function* counted() {
    for await (const text of rows) {
      bytes += Buffer.byteLength(text)
      bar.update(bytes)
      yield text
    }
  }
  try {
    await pipeline(Readable.from(counted()), createWriteStream(part))
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true }).catch(() => {})
    const { path, message } = error as NodeJS.ErrnoException
    throw path === part ? new BootError(`${file} cannot be written: ${message}`) : error
  }
  bar.end(bytes)
  if (json) printJson({ file, bytes })
}

async function findNewsletterId(cell: Db, businessId: string, wanted: string | undefined): Promise<string> {
  const newsletters = await listNewsletters(cell, businessId)
  const known = newsletters.map(({ id, slug }) => `${id} (${slug})`).join(', ') || 'none'
  const found =
    wanted === undefined ? newsletters : newsletters.filter(({ id, slug }) => id === wanted || slug === wanted)
  const [only] = found
  if (!only)
    throw new BootError(`${businessId} has no newsletter ${wanted ?? ''}. It has: ${known}.`.replace(' .', '.'))
  if (found.length > 1)
    throw new BootError(`${businessId} has more than one newsletter; name it with --newsletter: ${known}.`)
  return only.id
}
