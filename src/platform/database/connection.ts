import os from 'node:os'
import pg from 'pg'
import { isFull, isReadOnly, isServerAnswer, isSlow, readOnlyServer } from './errors.ts'
import { preparedName } from './prepared.ts'

export type PoolOptions = {
  /** Behind PgBouncer, settings cannot travel with the connection: they are set in each transaction instead. */
  behindPooler?: boolean
  max?: number | undefined
  statementTimeoutMs?: number
  applicationName?: string
  /** A connection is renewed at about this age. */
  maxAgeSeconds?: number | undefined
}

// More connections than about 2 × cores + 4 make PostgreSQL slower, not faster (measured).
const DEFAULT_MAX = 2 * os.availableParallelism() + 4
const CONNECT_TIMEOUT_MS = 2_000
const MAX_WAIT_MS = 5_000
const RETRY_MS = 50
const STATEMENT_TIMEOUT_MS = 5_000
const LOCK_TIMEOUT_MS = 3_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
const MAX_AGE_SECONDS = 600

// What is estimated as costly here is mostly short: compiling it takes longer than running it (measured: 50 to 300 ms). And
// finding rows by their key is what this service does: as on a spinning disk, PostgreSQL would rather read small tables whole.
export const PLANNER = { jit: 'off', random_page_cost: 1.1 }
export const PLANNER_OPTIONS = Object.entries(PLANNER)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

// int8 arrives as a number: counts and money stay below 2^53, and a value above must be an error, never a wrong number.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, (text: string) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} does not fit a JavaScript number`)
  return value
})

/**
 * A pool on which no wait is unbounded: connecting, queueing for a connection, a statement, a lock and an idle transaction
 * all have a limit, and a connection on which a limit was hit on our side is closed instead of being used again.
 */
export function openPool(url: string, options: PoolOptions = {}): PatientPool {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS
  const timeouts = {
    statement_timeout: statementTimeoutMs,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  }
  const pool = new PatientPool({
    connectionString: url,
    application_name: options.applicationName ?? 'kontor',
    max: options.max ?? DEFAULT_MAX,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    Client: WatchfulClient,
    verify: refuseStandby,
    types,
    // Our own deadline, for a server that has gone silent: a little later than the server's.
    query_timeout: statementTimeoutMs + 2_000,
    ...(options.behindPooler ? {} : { ...timeouts, options: PLANNER_OPTIONS }),
  })
  renewConnections(pool, options.maxAgeSeconds ?? MAX_AGE_SECONDS)
  pool.on('error', () => {}) // an idle connection broke; the pool has dropped it and opens another when asked
  pool.on('connect', (client) => guard(client, options.behindPooler ? { ...timeouts, ...PLANNER } : undefined))
  return pool
}

type Reported = { parameterName: string; parameterValue: string }

const standby = new WeakSet<object>()

/** PostgreSQL 14 and newer tells each connection whether it is a standby's, when it begins and when that changes. */
class WatchfulClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    const { connection } = this as unknown as { connection: NodeJS.EventEmitter }
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Reported) => {
      if (parameterName !== 'in_hot_standby') return
      if (parameterValue === 'on') standby.add(this)
      else standby.delete(this)
    })
  }
}

/**
 * While an address leads to a standby, which happens in the middle of a failover, nothing is to be had there: what is read may be
 * old, and a connection that was kept would go on failing after the address leads to the primary again.
 */
function refuseStandby(client: pg.PoolClient, done: (error?: Error) => void): void {
  done(standby.has(client) ? readOnlyServer() : undefined)
}

/** Not all at once: each gets an age of its own. The pool reads the setting anew for each connection. */
function renewConnections(pool: pg.Pool, maxAgeSeconds: number): void {
  Object.defineProperty(pool.options, 'maxLifetimeSeconds', { get: () => maxAgeSeconds * (0.8 + 0.4 * Math.random()) })
}

/**
 * When the server has no connection left to give, or is slow to give one, but answers on those that we have, then waiting is right:
 * nobody is refused because a pool wanted to grow. When it does not answer at all, nobody is kept waiting.
 */
export class PatientPool extends pg.Pool {
  /** Set while the database neither answers nor refuses: then nobody is made to wait to find that out. */
  isSilent = false
  #answeredAt = Number.NEGATIVE_INFINITY

  constructor(config: pg.PoolConfig) {
    super(config)
    this.on('release', (error) => {
      if (!error) this.#answeredAt = performance.now()
    })
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<pg.PoolClient> | void {
    if (!callback) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => (client ? resolve(client) : reject(error)))
      })
    }
    if (this.isSilent) return callback(silent(), undefined, () => {})
    const since = performance.now()
    const attempt = () =>
      super.connect((error, client, done) => {
        const isAlive = error && (isFull(error) || (isSlow(error) && this.hasAnswered(CONNECT_TIMEOUT_MS)))
        if (isAlive && performance.now() - since < MAX_WAIT_MS) setTimeout(attempt, RETRY_MS)
        else callback(error, client, done)
      })
    attempt()
  }

  hasAnswered(withinMs: number): boolean {
    return performance.now() - this.#answeredAt < withinMs
  }
}

const silent = () => Object.assign(new Error('This database is silent'), { code: 'ETIMEDOUT' })

export type Connected = Parameters<pg.Pool['connect']>[0]

/** Without a goodbye: a silent peer would never answer it. */
export function hangUp(client: pg.Client | pg.PoolClient): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}

const broken = new WeakSet<pg.PoolClient>()

/** True when the connection failed or timed out: whatever is still on its wire belongs to nobody. */
export const isBroken = (client: pg.PoolClient) => broken.has(client)

type Query = (config: unknown, values?: unknown, callback?: unknown) => unknown

/** Behind PgBouncer, where a connection is somebody else's the next moment: nothing is left on it. */
function withSettings(settings: Record<string, string | number>) {
  const each = Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`)
  const begin = `begin; ${each.join('; ')}`
  return (config: unknown) => (config === 'begin' ? begin : config)
}

/** Without it, statements that are run often have a name, and are planned once. */
function withName(config: unknown): unknown {
  const text = typeof config === 'string' ? config : (config as { text?: string }).text
  const name = text === undefined ? undefined : preparedName(text)
  if (name === undefined) return config
  return typeof config === 'string' ? { name, text } : { ...(config as object), name }
}

function guard(client: pg.PoolClient, settings: Record<string, string | number> | undefined): void {
  // The pool listens only while a connection is idle. One that breaks in somebody's hands, between two statements, must not
  // end the process: its next statement fails, and that is told to whoever waits for it.
  client.on('error', () => void broken.add(client))
  const query = client.query.bind(client) as Query
  const adapt = settings ? withSettings(settings) : withName
  const guarded: Query = (config, values, callback) => {
    const answer = query(adapt(config), values, callback)
    if (answer instanceof Promise) {
      answer.catch((error: unknown) => {
        if (!isServerAnswer(error) || isReadOnly(error)) broken.add(client)
      })
    }
    return answer
  }
  client.query = guarded as typeof client.query
}
