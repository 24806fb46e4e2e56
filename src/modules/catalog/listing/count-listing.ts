import type { Cell } from '#platform/database/database.ts'
import { fetchRows } from '#platform/database/prepared.ts'
import { and, baseSql, createValues, lookedSql, MAX_LOOKED, type Matching, matchesSql } from './matching.ts'
import type { ProductCounts } from './schemas.ts'

type Row = [found: number, status: string | null, count: number]

/** How many of what matches have each status. */
export async function countListing(db: Cell, matching: Matching): Promise<ProductCounts> {
  const { values, add } = createValues()
  const statuses = add(matching.statuses, 'text[]')
  const text = `
    with looked as materialized (${lookedSql(matching, add)})
    select total.found, counted.status, counted.count
      from (select count(*)::integer as found from looked) as total
      left join (select status, count(*)::integer as count
                   from looked
                  where ${and([baseSql(matching, add), `status = any (${statuses})`, matchesSql(matching, add)])}
                  group by status) as counted on true`
  const rows = await fetchRows<Row>(db, text, values)
  const items = rows.flatMap(([, value, count]) => (value === null ? [] : [{ value, count }]))
  return {
    items: items.toSorted((one, other) => other.count - one.count),
    isExact: (rows[0]?.[0] ?? 0) < MAX_LOOKED,
  }
}
