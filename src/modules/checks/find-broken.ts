import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import { allowSeconds } from '#platform/database/connection.ts'
import type { Db } from '#platform/database/database.ts'
import { isDatabaseUnavailable, isMoving, isServerAnswer, isTooMuch } from '#platform/database/errors.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { Pieces, Rule } from './rule.ts'

export type Example = Record<string, unknown>
/** How much breaks a rule, and some of it. */
export type Broken = { count: number; examples: Example[] }
/** Keys after the first and up to the second; null: without an end. */
export type Range = { after: string | null; until: string | null }

const MAX_EXAMPLES = 10

/**
 * What breaks a rule in each of these businesses. The inner query is planned as for one business and run for each of them, so
 * a thousand small ones cost one statement.
 */
export function brokenSql(rule: Rule, businessIds: readonly string[], range?: Range): RawBuilder<BrokenRow> {
  return sql<BrokenRow>`
    select business.id as business_id, found.count, found.examples
      from unnest(${[...businessIds]}::text[]) as business (id)
     cross join lateral (
       select count(*)::integer as count, json_agg(broken.row order by broken.number) filter (where broken.number <= ${MAX_EXAMPLES}) as examples
         from (select row_number() over () as number, to_json(each) as row
                 from (${sql.raw(rule.query)}
                 ) as each
                where each.business_id = business.id ${withinSql(rule.pieces, range)}) as broken) as found
     where found.count > 0`
}
type BrokenRow = { businessId: string; count: number; examples: Example[] }

function withinSql(pieces: Pieces | undefined, range: Range | undefined): RawBuilder<unknown> {
  if (!pieces || !range) return sql``
  const key = sql.ref(`each.${pieces.key}`)
  const after = range.after === null ? sql`` : sql`and ${key} > ${range.after}`
  return range.until === null ? after : sql`${after} and ${key} <= ${range.until}`
}

export async function findBroken(
  tx: QueryExecutorProvider,
  rule: Rule,
  businessIds: readonly string[],
  range?: Range,
): Promise<Map<string, Broken>> {
  const { rows } = await brokenSql(rule, businessIds, range).execute(tx)
  return new Map(
    rows.map(({ businessId, count, examples }) => [businessId, { count, examples: examples.map(toExample) }]),
  )
}

/** In the spelling of the API, without the business, which the reader knows. */
const toExample = (row: Example): Example =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => name !== 'business_id')
      .map(([name, value]) => [name.replace(/_(\w)/g, (_match, letter) => letter.toUpperCase()), value]),
  )

/** The end of the piece after a key, and how many rows it has; null: the rest. */
export async function findPieceEnd(
  tx: QueryExecutorProvider,
  businessId: string,
  { table, column, where, size }: Pieces,
  after: string | null,
): Promise<{ until: string | null; rows: number }> {
  const key = sql.ref(column)
  const { rows } = await sql<{ until: string | null; rows: number }>`
    select max(piece.key) filter (where piece.place = ${size}) as until, count(*)::integer as rows
      from (select ${key} as key, row_number() over (order by ${key}) as place
              from ${sql.table(table)}
             where business_id = ${businessId} ${after === null ? sql`` : sql`and ${key} > ${after}`}
                   ${where ? sql`and ${sql.raw(where)}` : sql``}
             order by ${key}
             limit ${size}) as piece`.execute(tx)
  return rows[0] ?? { until: null, rows: 0 }
}

/** Those with more rows than a piece in one of the tables that are checked in pieces. */
export async function findLarge(
  tx: QueryExecutorProvider,
  businessIds: readonly string[],
  pieces: readonly Pieces[],
): Promise<Set<string>> {
  const large = new Set<string>()
  for (const { table, column, size } of pieces) {
    const { rows } = await sql<{ id: string }>`
      select business.id
        from unnest(${[...businessIds]}::text[]) as business (id)
       cross join lateral (
         select from ${sql.table(table)} as each
          where each.business_id = business.id
          order by each.business_id, ${sql.ref(`each.${column}`)}
         offset ${size} limit 1) as beyond`.execute(tx)
    for (const { id } of rows) large.add(id)
  }
  return large
}

/** One statement, in a transaction of its own that ends after `limitMs` at the latest. */
export const findWithin = <Result>(db: Db, limitMs: number, work: (tx: QueryExecutorProvider) => Promise<Result>) =>
  transaction(db, async (tx) => {
    await allowSeconds(tx, limitMs / 1_000)
    await sql`
      select set_config('jit', 'off', true), set_config('max_parallel_workers_per_gather', '0', true)`.execute(tx)
    return work(tx)
  })

/**
 * PostgreSQL answered that it cannot carry out a statement: its time is up, it wants too much disk, a text is no number, a page is
 * damaged. Trying again would fail again, and the rows are of one business: it keeps no other waiting.
 */
export const cannotBeChecked = (error: unknown): boolean =>
  isTooMuch(error) || (isServerAnswer(error) && !isDatabaseUnavailable(error) && !isMoving(error))
