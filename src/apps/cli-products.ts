import { accessSync, constants, createReadStream, createWriteStream, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import {
  beginImport,
  catalogResolvers,
  dropImport,
  exportProducts,
  getImport,
  IMPORT_FORMATS,
  type Import,
  importBatch,
  listImportErrors,
  rebuildProducts,
  sealImport,
  stageFile,
} from '#modules/catalog/index.ts'
import type { Databases, Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Business } from '#vocabulary/business.ts'
import { BootError } from './boot.ts'
import { findHome } from './home.ts'
import { showProgress } from './progress.ts'

type Format = (typeof IMPORT_FORMATS)[number]
type WithDatabases = (work: (databases: Databases) => Promise<void>) => Promise<void>

export function addProductCommands(program: Command, withDatabases: WithDatabases): void {
  const products = program.command('products').description('Products of a business.')
  const format = () => new Option('--format <format>', 'default: by the file’s ending').choices([...IMPORT_FORMATS])

  products
    .command('import <businessId> [file]')
    .description('Import products from NDJSON or CSV. The same file can be imported again: nothing is doubled.')
    .addOption(format())
    .option('--resume <importId>', 'go on with an import that was interrupted')
    .addHelpText('after', '\nExample:\n  npm run cli -- products import biz_4k7q2m9x1c3v products.csv')
    .action((businessId: string, file: string | undefined, options: { format?: Format; resume?: string }) =>
      withDatabases(async (databases) => {
        const { business, cell } = await findHome(databases, businessId)
        const id = options.resume ?? (await receive(cell, business, file, options.format))
        await run(databases, cell, business, id)
      }),
    )

  products
    .command('export <businessId> [file]')
    .description('Write all products to a file, or to standard output.')
    .addOption(format())
    .addHelpText('after', '\nExample:\n  npm run cli -- products export biz_4k7q2m9x1c3v products.csv')
    .action((businessId: string, file: string | undefined, options: { format?: Format }) =>
      withDatabases(async (databases) => {
        const { business, cell } = await findHome(databases, businessId)
        const rows = exportProducts(cell, business, options.format ?? formatOf(file))
        if (file === undefined) return pipeline(Readable.from(rows), process.stdout)
        await pipeline(Readable.from(rows), createWriteStream(file)).catch((error: NodeJS.ErrnoException) => {
          throw error.path === file ? new BootError(`${file} cannot be written: ${error.message}`) : error
        })
      }),
    )

  products
    .command('rebuild')
    .description('Make documents and search terms anew from the rows. The service can go on meanwhile.')
    .option('--business <businessId>', 'only those of one business')
    .action((options: { business?: string }) =>
      withDatabases(async ({ cells }) => {
        for (const [name, cell] of cells) {
          const progress = (done: number) => process.stderr.write(`${name}: ${done}\n`)
          const done = await rebuildProducts(cell, { businessId: options.business, progress })
          console.log(`${name}: ${done} products rebuilt`)
        }
      }),
    )
}

const formatOf = (file: string | undefined): Format => (file?.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson')

async function receive(cell: Db, { id: businessId }: Business, file: string | undefined, format: Format | undefined) {
  if (file === undefined) throw new BootError('Name a file to import, or --resume an import.')
  const size = sizeOf(file)
  const id = await beginImport(cell, businessId, undefined)
  const bar = showProgress('reading  ', 'bytes')
  const total = await stageFile(cell, businessId, id, createReadStream(file), {
    format: format ?? formatOf(file),
    maxBytes: Number.POSITIVE_INFINITY,
    progress: (bytes) => bar.update(bytes, size),
  }).catch(async (error: unknown) => {
    await dropImport(cell, businessId, id)
    throw error
  })
  bar.end(size, size)
  await transaction(cell, (tx) => sealImport(tx, businessId, id, total))
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

/** Works the rows off here, in this process: no worker is needed. */
async function run({ control }: Databases, cell: Db, business: Business, importId: string): Promise<void> {
  let progress: Import = await getImport(cell, business.id, importId)
  if (progress.status === 'RECEIVING')
    throw new BootError('This import was interrupted while reading. Import the file again.')
  process.stderr.write(`${importId} (if this is interrupted: --resume ${importId})\n`)
  const context = { business, importId, resolvers: catalogResolvers(control) }
  const bar = showProgress('importing', 'products', progress.done + progress.failed)
  while (progress.status === 'RUNNING') {
    bar.update(progress.done + progress.failed, progress.total)
    progress = (await importBatch(cell, context)) ?? (await getImport(cell, business.id, importId))
  }
  bar.end(progress.done + progress.failed, progress.total)
  console.log(`${progress.created} created, ${progress.updated} updated, ${progress.failed} failed`)
  if (progress.failed > 0) await tellErrors(cell, business.id, importId, progress.failed)
}

const SHOWN_ERRORS = 20

async function tellErrors(cell: Db, businessId: string, importId: string, failed: number): Promise<void> {
  const { items } = await listImportErrors(cell, businessId, importId, { limit: SHOWN_ERRORS })
  for (const { number, details } of items) {
    console.error(`line ${number}: ${details.map(({ message }) => message).join(' ')}`)
  }
  if (failed > items.length) console.error(`and ${failed - items.length} more`)
  process.exitCode = 1
}
