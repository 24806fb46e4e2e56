import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** Up to here the rows of a business in a table are counted; beyond, the statistics of the table say how many there are. */
const COUNTED = 1_000
const BUSINESSES_AT_ONCE = 200

type Table = { name: string; rows: number; most: string[] | null; shares: number[] | null }

/**
 * About how many rows each of these businesses has in the cell. Cheap for any size: of a large business PostgreSQL's own
 * statistics know the share, of a small one a look into an index counts a thousand rows at most.
 */
export async function estimateRows(db: Db, businessIds: readonly string[]): Promise<Map<string, number>> {
  const sums = new Map(businessIds.map((id) => [id, 0]))
  for (const { name, rows, most, shares } of await listTables(db)) {
    const large = new Map((most ?? []).map((id, index) => [id, Math.round((shares?.[index] ?? 0) * rows)]))
    for (let first = 0; first < businessIds.length; first += BUSINESSES_AT_ONCE) {
      const some = businessIds.slice(first, first + BUSINESSES_AT_ONCE)
      for (const { id, count } of await countSome(db, name, some)) {
        const known = large.get(id) ?? 0
        sums.set(id, (sums.get(id) ?? 0) + (count < COUNTED ? count : Math.max(count, known)))
      }
    }
  }
  return sums
}

/** Tables of businesses: those that are found by business first. */
async function listTables(db: Db): Promise<Table[]> {
  const { rows } = await sql<Table>`
    select class.oid::regclass::text as name, greatest(class.reltuples, 0)::float8 as rows,
           most_common_vals::text::text[] as most, most_common_freqs::float8[] as shares
      from pg_class as class
      join pg_attribute as attribute on attrelid = class.oid and attname = 'business_id' and not attisdropped
      left join pg_stats on schemaname = relnamespace::regnamespace::text and tablename = relname and pg_stats.attname = 'business_id'
     where relkind in ('r', 'p') and not relispartition
       and relnamespace::regnamespace::text not in ('access', 'accounts', 'control', 'graphile_worker', 'pg_catalog', 'information_schema')
       and class.oid not in ('cell.usage'::regclass, 'cell.usage_days'::regclass)
       and exists (select from pg_index where indrelid = class.oid and indisvalid and indkey[0] = attnum and indpred is null)
     order by 1`.execute(db)
  return rows
}

async function countSome(db: Db, table: string, ids: readonly string[]) {
  const { rows } = await sql<{ id: string; count: number }>`
    select id, (select count(*)::integer
                  from (select from ${sql.raw(table)} as one where one.business_id = asked.id limit ${COUNTED}) as few) as count
      from unnest(${[...ids]}::text[]) as asked (id)`.execute(db)
  return rows
}
