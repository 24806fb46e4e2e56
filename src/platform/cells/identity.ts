import pg from 'pg'
import type { ControlDb } from '../database/database.ts'
import { MAIN_CELL } from '../database/database.ts'
import { MigrationError } from '../database/migrate.ts'
import { ORIGIN } from '../database/watch.ts'

const CONNECT_MS = 10_000

/** What a database says of itself. `undefined`: it has not been told yet. */
export type Identity = { isControl: boolean; cell: string | undefined; controlId: string | undefined }

export async function readControlId(control: ControlDb): Promise<string> {
  const { id } = await control.selectFrom('control.identity').select('id').executeTakeFirstOrThrow()
  return id
}

export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'kontor cells',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  })
  client.on('error', () => {}) // the statement that fails reports it
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export async function readIdentity(client: pg.Client): Promise<Identity> {
  const { rows: tables } = await client.query<{ isControl: boolean; isTold: boolean }>(
    `select to_regclass('control.migrations') is not null as "isControl",
            to_regclass('cell.identity') is not null as "isTold"`,
  )
  const [{ isControl, isTold } = { isControl: false, isTold: false }] = tables
  const { rows } = isTold
    ? await client.query<{ cell: string; controlId: string }>(
        `select cell, control_id as "controlId" from cell.identity`,
      )
    : { rows: [] }
  return { isControl, cell: rows[0]?.cell, controlId: rows[0]?.controlId }
}

/** Why this database is not that of the cell; undefined: nothing speaks against it. */
export function contradicts(found: Identity, cell: string, controlId: string | undefined): string | undefined {
  if (found.isControl && cell !== MAIN_CELL)
    return 'This is a control database, with accounts and businesses. A cell needs a database of its own.'
  if (found.cell === undefined) return undefined
  if (controlId !== undefined && found.controlId !== controlId)
    return `This is the database of the cell ${found.cell} of another deployment.`
  if (found.cell !== cell) return `This is the database of the cell ${found.cell}.`
  return undefined
}

/** Throws if the database at this address is not that of the cell, or of none yet. */
export async function checkIdentity(url: string, cell: string, controlId: string | undefined): Promise<Identity> {
  const found = await withClient(url, readIdentity)
  const problem = contradicts(found, cell, controlId)
  if (problem) throw new MigrationError(problem)
  return found
}

/** Throws if the server at this address follows another one: nobody can write there. */
export async function refuseStandby(url: string): Promise<void> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"'),
  )
  if (rows[0]?.isStandby) throw new MigrationError('this is a standby: promote it first')
}

/** Throws if the database at this address is no copy that follows the other. */
export async function checkReplica(primaryUrl: string, replicaUrl: string): Promise<void> {
  const ask = (url: string) =>
    withClient(url, async (client) => {
      const { rows } = await client.query<{ isStandby: boolean; origin: string }>(
        `select pg_is_in_recovery() as "isStandby", ${ORIGIN} as origin`,
      )
      return rows[0]
    })
  const [primary, replica] = await Promise.all([ask(primaryUrl), ask(replicaUrl)])
  if (!replica?.isStandby) throw new MigrationError('This is no replica: it follows no other server.')
  if (replica.origin !== primary?.origin) throw new MigrationError('This is the replica of another database.')
}

/** Tells a migrated database which cell it is. */
export async function noteIdentity(url: string, cell: string, controlId: string): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(
      'insert into cell.identity (cell, control_id) values ($1, $2) on conflict (is_only) do nothing',
      [cell, controlId],
    )
    const problem = contradicts(await readIdentity(client), cell, controlId) // somebody else may have been faster
    if (problem) throw new MigrationError(problem)
  })
}
