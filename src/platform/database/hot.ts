import type { RawBuilder } from 'kysely'
import { type ControlDb, type Db, handleOf } from './database.ts'
import { prepare, renewStalePlans } from './prepared.ts'

/**
 * For the few hot reads: plain SQL on the pool, no builder, columns by position. Stored documents are `text` columns and come
 * through as they are, never parsed.
 */
export async function fetchRows<Row extends readonly unknown[]>(
  db: Db | ControlDb,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await handleOf(db).pool.query<Row & unknown[]>({ text, values, rowMode: 'array' })
  return rows
}

/**
 * The same, planned once for each connection: for statements whose best plan does not depend on the values. Planning the read of
 * a product with its stock takes three times as long as running it.
 */
export function fetchPrepared<Row extends readonly unknown[]>(
  db: Db | ControlDb,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  prepare(text)
  return withFreshPlan(() => fetchRows(db, text, values))
}

/**
 * The same for what the builder made, also in a transaction. PostgreSQL plans anew whenever it thinks that knowing the values
 * pays, as it does for short lists: `unnest((select $1::text[]))` keeps their length to itself, and the plan is kept. It knows
 * nothing of the business either, so each row has to be found by its whole key.
 */
export async function executePrepared<Row>(db: Db, query: RawBuilder<Row>): Promise<Row[]> {
  const compiled = query.compile(db)
  prepare(compiled.sql)
  const run = () => db.executeQuery(compiled)
  const { rows } = await (db.isTransaction ? run() : withFreshPlan(run)) // a transaction is repeated as a whole
  return rows
}

async function withFreshPlan<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!renewStalePlans(error)) throw error
    return run()
  }
}
