import pg from 'pg'
import { type Check, failed, type Look, ok } from './look.ts'

const CONSOLE_MS = 1_000

type Pooled = { name: string; hasDirect: boolean }

/** PostgreSQL reports its process id on connect. A pooler reports one that it made up. */
async function isPooled(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return rows[0].pid !== (client as pg.Client & { processID: number }).processID
}

const settingOf = (name: string) => (name === 'main' ? 'DATABASE_URL' : 'its url')
const directOf = (name: string) => (name === 'main' ? 'DATABASE_DIRECT_URL' : 'its directUrl')

/** Through a pooler only a part of the service works; the rest needs the address of PostgreSQL itself. */
export const pooler = ({ name, hasDirect }: Pooled): Look => ({
  name: 'pooler',
  fix:
    name === 'main'
      ? 'Set DATABASE_DIRECT_URL to the address of PostgreSQL itself; DATABASE_URL can stay as it is.'
      : 'Give the cell the address of PostgreSQL itself as well: cli cells set --url … --direct-url …, or "directUrl" in CELLS.',
  async run(client) {
    if (!(await isPooled(client))) return ok(hasDirect ? 'none, though there is a direct address' : 'none')
    return hasDirect
      ? ok(`a pooler is in between, and ${directOf(name)} leads past it`)
      : failed(`${settingOf(name)} leads through a pooler such as PgBouncer, and ${directOf(name)} is not set`)
  },
})

export const noPooler = (name: string): Look => ({
  name: 'pooler',
  fix: 'Point it to PostgreSQL itself: LISTEN, the job queue and migrations need a session of their own.',
  async run(client) {
    return (await isPooled(client)) ? failed(`${directOf(name)} leads through a pooler, too`) : ok('none')
  },
})

const SILENCE =
  /^(timeout expired|Query read timeout|no answer within|server login|pgbouncer cannot connect|query_wait_timeout|server conn crashed)/

/** PgBouncer's errors, and the setting behind each. */
const REFUSALS: [RegExp, string][] = [
  [/^(no such database|bouncer config error)/, 'PgBouncer does not know this database: add it to [databases] there.'],
  [/^no more connections allowed/, 'PgBouncer takes no more clients: raise max_client_conn there.'],
]

/**
 * Explains a database that did not reply, if PgBouncer has no server connection. `direct`: the check of the direct
 * address.
 */
export async function blamePooler(url: string, check: Check, direct: Check | undefined): Promise<Check> {
  const refusal = REFUSALS.find(([pattern]) => pattern.test(check.says))
  if (refusal) return { ...check, fix: refusal[1] }
  if (!SILENCE.test(check.says)) return check
  const found = await askConsole(url)
  if (!found) return check
  const why = found.pool ? reasonIn(found.pool) : 'its pool is exhausted, or it cannot reach the server'
  const says = `PgBouncer at ${new URL(url).host} answers, but has no connection to the server for us: ${why}`
  return { ...check, says, fix: fixAfter(direct) }
}

function fixAfter(direct: Check | undefined): string {
  if (direct?.status === 'failed')
    return 'The direct address does not answer either: start PostgreSQL, then wait for PgBouncer (server_login_retry).'
  const settings = 'look at host and port in [databases], and at default_pool_size and max_db_connections of PgBouncer.'
  return direct
    ? `The direct address answers, so PostgreSQL is up: ${settings}`
    : `Is PostgreSQL up? If so, ${settings}`
}

type Pool = { inUse: number; waiting: number }

const reasonIn = ({ inUse, waiting }: Pool) =>
  inUse > 0 ? `its pool is exhausted (${inUse} in use, ${waiting} waiting)` : 'it cannot reach the server'

/** Undefined: no PgBouncer there. Without a pool: PgBouncer replies, but this user may not see its statistics. */
async function askConsole(url: string): Promise<{ pool?: Pool } | undefined> {
  const console = new URL(url)
  const database = decodeURIComponent(console.pathname.slice(1))
  console.pathname = '/pgbouncer'
  const client = new pg.Client({
    connectionString: console.href,
    connectionTimeoutMillis: CONSOLE_MS,
    query_timeout: CONSOLE_MS,
  })
  client.on('error', () => {}) // the failing statement reports it
  try {
    await client.connect()
    const { rows } = await client.query('show pools')
    const own = (rows as Record<string, string>[]).filter((row) => row.database === database)
    const sum = (column: string) => own.reduce((total, row) => total + Number(row[column]), 0)
    return { pool: { inUse: sum('sv_active'), waiting: sum('cl_waiting') } }
  } catch (error) {
    // PgBouncer uses this one code for all refusals. PostgreSQL would report a missing database.
    return (error as { code?: string }).code === '08P01' ? {} : undefined
  } finally {
    void client.end().catch(() => {})
  }
}
