import { createHash } from 'node:crypto'
import { type ControlDb, type Db, handleOf } from './database.ts'

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
 * a product with its stock takes three times as long as running it. Behind PgBouncer, where a connection is somebody else's the
 * next moment, it is planned each time.
 */
export async function fetchPrepared<Row extends readonly unknown[]>(
  db: Db | ControlDb,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  const { pool, address } = handleOf(db)
  if (address.url !== address.directUrl) return fetchRows(db, text, values)
  const { rows } = await pool.query<Row & unknown[]>({ name: nameOf(text), text, values, rowMode: 'array' })
  return rows
}

const names = new Map<string, string>()

export function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  names.set(text, name)
  return name
}
