import { sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import { importNotFound } from '#platform/transfer/refusals.ts'
import { type ImportRow, presentImport } from '#platform/transfer/report.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { productImport } from './import-products.ts'
import { type Import, MAX_FAILURES } from './schemas.ts'

type Counter = keyof typeof productImport.counters
type Row = ImportRow<Counter> &
  Pick<Import, 'format' | 'marketId' | 'fileName' | 'undone' | 'kept'> & {
    dryRun: boolean
    isUndoable: boolean
    fetchesPictures: boolean
  }
export type FoundImport = Row & Pick<Import, 'warnings'> & { pictures: Counted | null }
type Counted = Omit<NonNullable<Import['pictures']>, 'total'>

/** The rows that `matching` finds, each with its warnings counted. */
async function readImports(db: Db, businessId: string, matching: ReturnType<typeof sql>): Promise<FoundImport[]> {
  const { rows } = await sql<FoundImport>`
    select found.*,
           (select coalesce(json_agg(json_build_object('code', code, 'count', count) order by code), '[]')
              from (select code, count(*) as count
                      from catalog.import_items as item, unnest(item.warnings) as code
                     where item.business_id = ${businessId} and item.import_id = found.id and item.warnings <> '{}'
                     group by code) as counted) as warnings,
           case when fetches_pictures then
           (select json_build_object(
                     'waiting', count(*) filter (where status in ('WAITING', 'FETCHED')),
                     'fetched', count(*) filter (where status = 'DONE'),
                     'failed', count(*) filter (where status = 'FAILED'),
                     'failures', (select coalesce(json_agg(json_build_object('address', address, 'problem', problem)), '[]')
                                    from (select address, problem
                                            from catalog.import_pictures
                                           where business_id = ${businessId} and import_id = found.id and status = 'FAILED'
                                           order by number, address_hash
                                           limit ${MAX_FAILURES}) as failed))
              from catalog.import_pictures as picture
             where picture.business_id = ${businessId} and picture.import_id = found.id) end as pictures
      from (select * from catalog.imports where business_id = ${businessId} ${matching}) as found
     order by id desc`.execute(db)
  return rows
}

export async function getImport(db: Db, businessId: string, id: string): Promise<Import> {
  const [found] = await readImports(db, businessId, sql`and id = ${id}`)
  if (!found) throw importNotFound()
  return present(found)
}

/** Newest first. */
export async function listImports(db: Db, businessId: string, { limit = 20, cursor }: PageOnly): Promise<Page<Import>> {
  const filters = { list: 'imports', businessId }
  const [before] = decodeCursor(filters, cursor, ['string']) ?? []
  const older = before === undefined ? sql`` : sql`and id < ${before}`
  const rows = await readImports(db, businessId, sql`${older} order by id desc limit ${limit + 1}`)
  return toPage(rows, limit, filters, (row) => [row.id], present)
}

/** Waits for the batch that is under way, so that its state is settled. */
export async function lockImport(tx: Tx, businessId: string, id: string): Promise<Row> {
  const { rows } = await sql<Row>`
    select * from catalog.imports where business_id = ${businessId} and id = ${id} for update`.execute(tx)
  if (!rows[0]) throw importNotFound()
  return rows[0]
}

const present = (row: FoundImport): Import => ({
  ...presentImport(productImport, row),
  isDryRun: row.dryRun,
  format: row.format,
  marketId: row.marketId,
  fileName: row.fileName,
  isUndoable: row.isUndoable,
  undone: row.undone,
  kept: row.kept,
  warnings: row.warnings,
  pictures: row.pictures && {
    total: row.pictures.waiting + row.pictures.fetched + row.pictures.failed,
    ...row.pictures,
  },
  createdBy: row.actor?.userId ?? null,
})
