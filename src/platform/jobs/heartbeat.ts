import pg from 'pg'
import { isServerAnswer } from '../database/errors.ts'

const PING_MS = 1_000
const TIMEOUT_MS = 3_000

export type Heartbeat = Awaited<ReturnType<typeof openHeartbeat>>
export type HeartbeatQuery = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>

/**
 * The heartbeat connection: it holds a session-level advisory lock for this process, and PostgreSQL releases the lock
 * the moment the connection is gone. The pings detect a lost connection from this side.
 */
export async function openHeartbeat(directUrl: string) {
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
  try {
    await client.connect()
    // A machine that vanishes closes nothing: TCP keepalives make the server notice within seconds, too. And waiting
    // for a lock must not make this connection look dead.
    await client.query(`
      set tcp_keepalives_idle = 3; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3;
      set lock_timeout = '1s'`)
  } catch (error) {
    void client.end().catch(() => {}) // connected, but too slow: left open, it would keep the process alive
    throw error
  }

  let turn: Promise<unknown> = Promise.resolve()
  const query: HeartbeatQuery = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) => {
    const mine = turn.then(() => {
      if (gone) throw new Error('The connection is lost')
      return client.query<Row>(text, values)
    })
    turn = mine.catch((error: unknown) => {
      if (!isServerAnswer(error)) lose()
    })
    return (await mine).rows
  }
  const pings = setInterval(() => void query('select 1').catch(() => {}), PING_MS)
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
