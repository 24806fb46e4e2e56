import { listMemberIds } from '#modules/access/index.ts'
import { type CarriedPerson, readPeople } from '#modules/accounts/index.ts'
import { listObjects } from '#modules/media/index.ts'
import type { WriteArchive } from '#modules/operator/index.ts'
import { now } from '#platform/clock.ts'
import type { Cell, Databases } from '#platform/database/database.ts'
import { loadNames } from '#platform/database/migrate.ts'
import { snapshot } from '#platform/database/transaction.ts'
import { readJobsOf } from '#platform/jobs/graphile-internals.ts'
import {
  describeTables,
  findUnlisted,
  findUsed,
  type KnownTable,
  readAllRows,
  readOldest,
} from '#platform/portable/rows.ts'
import { type BusinessTable, isCopied } from '#platform/portable/tables.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { VERSION } from '#platform/version.ts'
import type { Business } from '#vocabulary/business.ts'
import { BootError } from '../boot.ts'
import { findHome } from '../home.ts'
import { type ArchiveWriter, createArchive, type Sink, toStore } from './archive.ts'
import { CARRIED_JOBS } from './carried-jobs.ts'
import type { Manifest, TableParts } from './manifest.ts'
import { businessTables, cellTables, controlTables } from './tables.ts'

type Homes = Pick<Databases, 'control' | 'cells'>
type Options = {
  /** Called again where reading has failed and begins anew. */
  openSink: () => Sink | Promise<Sink>
  /** Puts the files of the business into the archive; undefined: they stay where they are. */
  media: Storage | undefined
  seen?: (rows: number) => void
  /** From where the rows of the cell are read: of a replica, perhaps. */
  readFrom?: (cell: Cell, read: (db: Cell) => Promise<Exported>) => Promise<Exported>
}
type Exported = { manifest: Manifest; bytes: number }

/**
 * Writes all that a business has into one archive. Rows of its cell are of one moment, and those of control of one
 * shortly after: whoever a row of the cell names has come to the business by then.
 */
export async function exportBusiness(
  databases: Homes,
  businessId: string,
  { openSink, media, seen = () => {}, readFrom = (cell, read) => read(cell) }: Options,
): Promise<Exported> {
  const { business, cell } = await findHome(databases, businessId)
  return readFrom(cell, async (db) => pack({ databases, cell: db, business, seen }, await openSink(), media))
}

async function pack(work: Omit<Work, 'archive'>, sink: Sink, media: Storage | undefined): Promise<Exported> {
  const { cell, business, seen } = work
  const { id: businessId } = business
  const archive = createArchive(sink)
  try {
    const { toSetAgain, ...rows } = await exportRows({ ...work, archive })
    const written = rows.tables.reduce((sum, table) => sum + table.rows, 0)
    const files = await exportFiles(cell, archive, businessId, { storage: media, seen: () => seen(written) })
    await assertStayed(work)
    const manifest: Manifest = {
      format: 1,
      kontor: VERSION,
      createdAt: now().toISOString(),
      business: {
        id: businessId,
        name: business.name,
        slug: business.slug,
        suspendedAt: business.suspendedAt?.toISOString() ?? null,
      },
      schema: { control: await loadNames('control'), cell: await loadNames('cell') },
      ...rows,
      leftOut: [...businessTables.filter(({ is }) => is === 'left out').map(({ table }) => table), ...rows.leftOut],
      toSetAgain: [...namedSettings(business), ...toSetAgain],
      media: {
        mode: media ? 'inside' : 'reference',
        prefixes: ['incoming', 'private', 'public'].map((area) => `${area}/${businessId}/`),
        ...files,
      },
    }
    return { manifest, bytes: await archive.finish(manifest) }
  } catch (error) {
    await archive.abandon()
    throw error
  }
}

/** Where a business lived, its rows are deleted soon: what was read of its files there may end early, and look whole. */
async function assertStayed({ databases, business: { id, cell, movedAt } }: Omit<Work, 'archive'>): Promise<void> {
  const { business } = await findHome(databases, id)
  if (business.cell !== cell || business.movedAt?.getTime() !== movedAt?.getTime())
    throw new BootError(`${id} has moved to the cell ${business.cell} meanwhile. Export it once more.`)
}

/** Into the store, as a job does it. */
export const writeArchive: WriteArchive = async ({ control, cells, storage }, { businessId, key, hasFiles, seen }) => {
  const openSink = () => toStore(storage, key)
  const media = hasFiles ? storage : undefined
  const { manifest, bytes } = await exportBusiness({ control, cells }, businessId, { openSink, media, seen })
  return { rows: manifest.tables.reduce((sum, table) => sum + table.rows, 0), bytes }
}

type Work = {
  databases: Homes
  cell: Cell
  archive: ArchiveWriter
  business: Business
  seen: (rows: number) => void
}
type Rows = Pick<Manifest, 'asOf' | 'tables' | 'jobs' | 'people' | 'leftOut' | 'toSetAgain'>

function exportRows({ databases: { control }, cell, archive, business, seen }: Work): Promise<Rows> {
  let done = 0
  async function write(db: Parameters<typeof readAllRows>[0], tables: readonly KnownTable[]): Promise<TableParts[]> {
    const written: TableParts[] = []
    for (const table of tables) {
      const { count, parts } = await archive.addLines(`tables/${table.table}`, counted(db, table))
      const since = await readOldest(db, table, business.id)
      written.push({ table: table.table, is: table.is, rows: count, since, parts })
    }
    return written
  }
  async function* counted(db: Parameters<typeof readAllRows>[0], table: KnownTable) {
    for await (const { lines } of readAllRows(db, table, business.id)) {
      done += lines.length
      seen(done)
      yield lines
    }
  }

  return snapshot(cell, (cellTx, cellAt) =>
    snapshot(control, async (controlTx, controlAt) => {
      const people: CarriedPerson[] = await readPeople(controlTx, await listMemberIds(controlTx, business.id))
      const ofControl = await write(controlTx, await describeTables(controlTx, controlTables.filter(isCopied)))
      const ofCell = await write(cellTx, await describeTables(cellTx, cellTables.filter(isCopied)))
      const jobs = await readJobsOf(cellTx, { businessId: business.id, names: CARRIED_JOBS })
      const secrets = businessTables.filter(({ toSetAgain }) => toSetAgain !== undefined)
      const used = [
        ...(await usedOf(controlTx, secrets, 'control', business.id)),
        ...(await usedOf(cellTx, secrets, 'cell', business.id)),
      ]
      const others = await findUnlisted(cellTx, businessTables, 'cell')
      return {
        asOf: { cell: cellAt.toISOString(), control: controlAt.toISOString() },
        tables: [...ofControl, ...ofCell],
        jobs: await archive.addLines('jobs', one(jobs)),
        people,
        leftOut: others.map(({ table }) => table),
        toSetAgain: secrets.filter(({ table }) => used.includes(table)).map(({ toSetAgain = '' }) => toSetAgain),
      }
    }),
  )
}

async function* one(lines: readonly string[]): AsyncGenerator<readonly string[]> {
  yield lines
}

async function usedOf(
  db: Parameters<typeof readAllRows>[0],
  tables: readonly BusinessTable[],
  place: BusinessTable['in'],
  businessId: string,
): Promise<string[]> {
  const theirs = tables.filter((table) => table.in === place)
  return findUsed(db, await describeTables(db, theirs), businessId)
}

const namedSettings = ({ paymentAccount, callouts }: Business): string[] => [
  ...(paymentAccount ? [`the payment account (here it was ${paymentAccount})`] : []),
  ...Object.entries(callouts ?? {}).map(([point, { url }]) => `the callout ${point} (here to ${url})`),
]

const FILES_AT_ONCE = 200

/** After the rows, because files take long and a snapshot should not. A file that was deleted meanwhile is missing. */
async function exportFiles(
  cell: Cell,
  archive: ArchiveWriter,
  businessId: string,
  { storage, seen }: { storage: Storage | undefined; seen: () => void },
) {
  let [files, missing] = [0, 0]
  async function* lines(): AsyncGenerator<string[]> {
    for (let after: string | undefined = ''; storage && after !== undefined; ) {
      const { objects, last } = await listObjects(cell, businessId, { after, limit: FILES_AT_ONCE })
      for (const { key, about } of objects) {
        seen()
        const found = await storage.get(key)
        if (!found) {
          missing++
          continue
        }
        files++
        yield [JSON.stringify({ ...(await archive.addStream(`media/${key}`, found.size, found.body)), key, about })]
      }
      after = last
    }
  }
  const { parts } = await archive.addLines('media-index', lines())
  return { files, missing, parts }
}
