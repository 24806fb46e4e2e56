import pg from 'pg'
import { isServerAnswer } from '../database/errors.ts'

const PING_MS = 1_000
const TIMEOUT_MS = 3_000

export type Lifeline = Awaited<ReturnType<typeof openLifeline>>
export type LifelineQuery = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>

/**
 * The connection by which a database sees that this process lives: it holds an advisory lock for it, and PostgreSQL lets go of
 * that lock the moment the connection is gone. The pings find out the same from this side.
 */
export async function openLifeline(directUrl: string) {
  const client = new pg.Client({
    connectionString: directUrl,
    application_name: 'kontor worker lifeline',
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
    // A machine that vanishes sends no goodbye: the server has to notice within seconds, too. And nobody may make this
    // connection wait for a lock for so long that it looks dead.
    await client.query(`
      set tcp_keepalives_idle = 3; set tcp_keepalives_interval = 1; set tcp_keepalives_count = 3;
      set lock_timeout = '1s'`)
  } catch (error) {
    void client.end().catch(() => {}) // connected, but too slow to answer: it would stay open, and with it the process
    throw error
  }

  let turn: Promise<unknown> = Promise.resolve()
  const query: LifelineQuery = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) => {
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
    /** The lock first: a row whose lock can be had belongs to a dead worker. */
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
