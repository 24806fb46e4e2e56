import type { Cell } from '#platform/database/database.ts'
import { fetchRows } from '#platform/database/prepared.ts'
import { and, baseSql, createValues, isNamed, MAX_LOOKED, type Matching, matchesSql, namedSql } from './matching.ts'

/** `reached`: from there the walk goes on; undefined: that was all. */
export type Walked = { ids: string[]; reached: string | undefined }

/** The ids of all that matches, in their order, from the next 20,000 rows on: for work that takes whatever a list would show. */
export async function walkListing(db: Cell, matching: Matching, after: string): Promise<Walked> {
  const { values, add } = createValues()
  const looked = isNamed(matching)
    ? namedSql(matching, add)
    : `select *
         from catalog.listing
        where ${and([baseSql(matching, add), `product_id > ${add(after, 'text')}`])}
        order by product_id
        limit ${MAX_LOOKED}`
  const matches = and([`status = any (${add(matching.statuses, 'text[]')})`, matchesSql(matching, add)])
  const [row] = await fetchRows<[looked: number, last: string | null, ids: string[] | null]>(
    db,
    `select count(*)::integer, max(product_id), array_agg(product_id order by product_id) filter (where ${matches})
       from (${looked}) as looked`,
    values,
  )
  const [count, last, ids] = row ?? [0, null, null]
  return { ids: ids ?? [], reached: !isNamed(matching) && count === MAX_LOOKED ? (last ?? undefined) : undefined }
}
