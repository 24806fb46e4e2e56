import pg from 'pg'
import { PLANNER } from '../database/connection.ts'
import { isServerAnswer } from '../database/errors.ts'
import { JOB_CHANNELS } from './graphile-internals.ts'

const PING_MS = 1_000
const TIMEOUT_MS = 3_000
/** The server ends a statement first, and says so: a slow look is no lost connection. */
const STATEMENT_MS = 2_000

export type Heartbeat = Awaited<ReturnType<typeof openHeartbeat>>
/** `name`: of a statement that is asked again and again, so that it is planned once. */
export type HeartbeatQuery = <Row extends pg.QueryResultRow>(
  text: string,
  values?: unknown[],
  name?: string,
) => Promise<Row[]>

/** The channel on which other processes say that something happened in this cell. */
export const CELL_CHANNEL = 'kontor_cell'
const CHANNELS = [CELL_CHANNEL, ...JOB_CHANNELS]

/**
 * The heartbeat connection: it holds a session-level advisory lock for this process, and PostgreSQL releases the lock
 * the moment the connection is gone. The pings detect a lost connection from this side. It also hears what is announced
 * in this database, so that nobody else needs a connection for that.
 */
export async function openHeartbeat(directUrl: string, onNotification: (message: pg.Notification) => void = () => {}) {
  const client = new pg.Client({
    connectionString: directUrl,
    application_name: 'kontor worker heartbeat',
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    keepAlive: true,
  })
  const { promise: lost, resolve } = Promise.withResolvers<void>()
  let gone = false
  const lose = () => {
    gone = true
    resolve()
  }
  client.on('error', () => lose())
  client.on('end', () => lose())
  client.on('notification', onNotification)
  try {
    await client.connect()
    // A machine that vanishes closes nothing: TCP keepalives make the server notice within seconds, too. And waiting
    // for a lock must not make this connection look dead. What is asked here again and again is the head of an index;
    // a plan from when a table was empty would read all of it, and making the plan takes longer than running it.
    await client.query(`
      set tcp_keepalives_idle = 3; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3;
      set lock_timeout = '1s'; set statement_timeout = ${STATEMENT_MS}; set jit = ${PLANNER.jit}; set enable_seqscan = off;
      set plan_cache_mode = force_generic_plan;
      ${CHANNELS.map((channel) => `listen "${channel}"`).join('; ')}`)
  } catch (error) {
    void client.end().catch(() => {}) // connected, but too slow: left open, it would keep the process alive
    throw error
  }

  let turn: Promise<unknown> = Promise.resolve()
  let askedMs = 0
  const query: HeartbeatQuery = async <Row extends pg.QueryResultRow>(
    text: string,
    values: unknown[] = [],
    name?: string,
  ) => {
    askedMs = performance.now()
    const mine = turn.then(() => {
      if (gone) throw new Error('The connection is lost')
      return client.query<Row>(name === undefined ? { text, values } : { text, values, name })
    })
    turn = mine.catch((error: unknown) => {
      if (!isServerAnswer(error)) lose()
    })
    return (await mine).rows
  }
  /** Whatever is asked shows the same as a ping. */
  const ping = () => {
    if (performance.now() - askedMs > PING_MS) void query('select 1').catch(() => {})
  }
  const pings = setInterval(ping, PING_MS / 4)
  void lost.then(() => clearInterval(pings))

  return {
    lost,
    query,
    /** Takes the lock before it inserts the row: a row whose lock is free belongs to a dead worker. */
    async announce(poolId: string) {
      try {
        await query("select pg_advisory_lock(hashtextextended('kontor.worker:' || $1, 0))", [poolId])
        await query('insert into cell.workers (pool_id) values ($1)', [poolId])
      } catch (error) {
        lose()
        throw error
      }
    },
    async end() {
      clearInterval(pings)
      await client.end()
    },
  }
}
