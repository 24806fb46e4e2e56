import type { RawBuilder } from 'kysely'
import type { Cell, Control, Db } from './database.ts'
import { prepare, renewStalePlans } from './statement-names.ts'

/**
 * For the few hot reads: plain SQL on a connection, no query builder, columns by position. Stored documents are `text`
 * columns and are passed through, never parsed.
 */
export async function fetchRows<Row extends readonly unknown[]>(
  db: Cell | Control,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const { client, release } = await db.lease()
  try {
    const { rows } = (await client.query({ text, values, rowMode: 'array' })) as { rows: Row[] }
    return rows
  } finally {
    release()
  }
}

/**
 * `fetchRows` as a prepared statement with a generic plan: for statements whose best plan does not depend on the
 * values. Planning the read of a product with its stock takes three times as long as running it.
 */
export function fetchPrepared<Row extends readonly unknown[]>(
  db: Cell | Control,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  prepare(text)
  return withFreshPlan(() => fetchRows(db, text, values))
}

/**
 * `fetchPrepared` for a query of the builder, also in a transaction. PostgreSQL prefers a custom plan, made anew for
 * each call, where it expects the values to matter, as it does for short arrays: `unnest((select $1::text[]))` hides
 * the array's length from the planner, so it keeps the generic plan. A generic plan does not know the business either,
 * so each row has to be found by its whole key.
 */
export async function executePrepared<Row>(db: Db, query: RawBuilder<Row>): Promise<Row[]> {
  const compiled = query.compile(db)
  prepare(compiled.sql)
  const run = () => db.executeQuery(compiled)
  const { rows } = await (db.isTransaction ? run() : withFreshPlan(run)) // a transaction is retried as a whole
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
