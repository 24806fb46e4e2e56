import { type ControlDb, type Db, handleOf } from './database.ts'

/**
 * For the few hot reads: plain SQL on the pool, no builder, columns by position. The statement is unnamed, so any PgBouncer
 * works; stored documents are `text` columns and come through as they are, never parsed.
 */
export async function fetchRows<Row extends readonly unknown[]>(
  db: Db | ControlDb,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const { rows } = await handleOf(db).pool.query<Row & unknown[]>({ text, values, rowMode: 'array' })
  return rows
}
