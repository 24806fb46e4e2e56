import os from 'node:os'
import { sql } from 'kysely'
import pg from 'pg'
import type { Tx } from './database.ts'
import { isFull, isReadOnly, isServerAnswer, isSlow, readOnlyServer } from './errors.ts'
import { preparedName } from './statement-names.ts'

export type PoolOptions = {
  /** Behind PgBouncer, settings cannot travel with the connection: they are set in each transaction instead. */
  behindPooler?: boolean
  max?: number | undefined
  statementTimeoutMs?: number
  applicationName?: string
  /** How long a connection that nobody uses is kept. */
  idleMs?: number
  /** Connections are replaced at about this age. */
  maxAgeSeconds?: number | undefined
  /** A replica: a standby is what is wanted. */
  isReplica?: boolean
}

// More connections than about 2 × cores + 4 make PostgreSQL slower, not faster (measured).
const DEFAULT_MAX = 2 * os.availableParallelism() + 4
const CONNECT_TIMEOUT_MS = 2_000
const MAX_WAIT_MS = 5_000
const RETRY_MS = 50
const STATEMENT_TIMEOUT_MS = 5_000
/** The server ends a statement first, and says so. */
const SERVER_FIRST_MS = 2_000
const LOCK_TIMEOUT_MS = 3_000
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000
const IDLE_MS = 30_000
const MAX_AGE_SECONDS = 600

// JIT is off: statements that PostgreSQL estimates as costly are mostly short here, and compiling them takes longer
// than running them (measured: 50 to 300 ms). `random_page_cost` is that of an SSD: with the default, made for spinning
// disks, PostgreSQL reads small tables whole instead of using the index.
export const PLANNER = { jit: 'off', random_page_cost: 1.1 }
export const PLANNER_OPTIONS = Object.entries(PLANNER)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ')

// How values are written as text, the same on every server: rows of two cells are compared as text, and keys are logged as text.
// These two travel through PgBouncer as well, which keeps them for each client.
const FORMATS = { TimeZone: 'UTC', DateStyle: 'ISO, MDY' }
const RARE_FORMATS = '-c IntervalStyle=postgres -c bytea_output=hex -c extra_float_digits=1'

// int8 arrives as a number: counts and money stay below 2^53, and a value above must be an error, never a wrong number.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, (text: string) => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`int8 ${text} does not fit a JavaScript number`)
  return value
})

/**
 * A pool on which no wait is unbounded: connecting, queueing for a connection, a statement, a lock and an idle
 * transaction all have a limit, and a connection on which a limit was hit on our side is closed instead of being used
 * again.
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
    idleTimeoutMillis: options.idleMs ?? IDLE_MS,
    keepAlive: true,
    Client: DatabaseClient,
    ...(options.isReplica ? {} : { verify: refuseStandby }),
    types,
    // The client's own timeout, for a server that no longer responds: a little later than the server's.
    query_timeout: statementTimeoutMs + SERVER_FIRST_MS,
    ...(options.behindPooler
      ? { eachTransaction: { ...timeouts, ...PLANNER } }
      : { ...timeouts, options: `${PLANNER_OPTIONS} ${RARE_FORMATS}` }),
  })
  renewConnections(pool, options.maxAgeSeconds ?? MAX_AGE_SECONDS)
  pool.on('error', () => {}) // an idle connection broke; the pool has dropped it and opens another when asked
  return pool
}

type Reported = { parameterName: string; parameterValue: string }
type Settings = Record<string, string | number>
type Starting = { getStartupConf(this: pg.Client): Record<string, string> }
type ClientConfig = pg.ClientConfig & { eachTransaction?: Settings }

/**
 * A connection of the pool. It names frequent statements (prepared statements), and knows when it must not be used
 * again.
 */
export class DatabaseClient extends pg.Client {
  /** Failed or timed out: a late reply on this connection would be taken for the reply to the next statement. */
  isBroken = false
  /** PostgreSQL 14 and newer reports `in_hot_standby` when a connection begins and whenever it changes. */
  isStandby = false
  readonly #begin: string | undefined
  /** Of the transaction that is open, if it has asked for more (`allowSeconds`). */
  #timeoutMs: number | undefined

  constructor(config: ClientConfig = {}) {
    super(config)
    this.#begin = config.eachTransaction && beginWith(config.eachTransaction)
    // The pool handles `error` only on idle connections. A connection that breaks while in use, between two statements,
    // must not end the process: its next statement fails instead.
    this.on('error', () => {
      this.isBroken = true
    })
    const { connection } = this as unknown as { connection: NodeJS.EventEmitter }
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Reported) => {
      if (parameterName === 'in_hot_standby') this.isStandby = parameterValue === 'on'
    })
  }

  /** What it asks of the server when it connects. pg has no option for these. */
  getStartupConf(): Record<string, string> {
    return { ...(pg.Client.prototype as unknown as Starting).getStartupConf.call(this), ...FORMATS }
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- pg has eight overloads, and all of them end here
  override query(config: unknown, values?: unknown, callback?: unknown): any {
    const answer = super.query(
      this.#adapt(this.#withTimeout(config)) as string,
      values as unknown[],
      callback as never,
    ) as unknown
    if (answer instanceof Promise) {
      answer.catch((error: unknown) => {
        if (!isServerAnswer(error) || isReadOnly(error)) this.isBroken = true
      })
    }
    return answer
  }

  /** The client waits as long as the server was told to. */
  #withTimeout(config: unknown): unknown {
    const text = textOf(config)
    const allowed = text?.startsWith(ALLOW) ? Number(text.slice(ALLOW.length)) : undefined
    if (allowed !== undefined) this.#timeoutMs = allowed + SERVER_FIRST_MS
    else if (text === 'commit' || text === 'rollback') this.#timeoutMs = undefined
    if (this.#timeoutMs === undefined || allowed !== undefined) return config
    const query = typeof config === 'string' ? { text: config } : config
    return Object.assign({}, query, { query_timeout: this.#timeoutMs })
  }

  #adapt(config: unknown): unknown {
    if (this.#begin === undefined) return withName(config)
    return config === 'begin' ? this.#begin : config
  }
}

const ALLOW = 'set local statement_timeout = '

/** How long each statement of this transaction may take, where a few seconds are not enough: it reads a great deal, rarely. */
export const allowSeconds = (tx: Tx, seconds: number): Promise<unknown> =>
  sql.raw(`${ALLOW}${seconds * 1_000}`).execute(tx)

const textOf = (config: unknown) => (typeof config === 'string' ? config : (config as { text?: string }).text)

/**
 * Behind PgBouncer, the next transaction may get another server connection: settings are local to the transaction, and
 * statements have no names.
 */
const beginWith = (settings: Settings) =>
  ['begin', ...Object.entries(settings).map(([name, value]) => `set local ${name} = ${value}`)].join('; ')

/** Frequent statements have a name (prepared statements): each connection plans them once. */
function withName(config: unknown): unknown {
  const text = textOf(config)
  const name = text === undefined ? undefined : preparedName(text)
  if (name === undefined) return config
  return typeof config === 'string' ? { name, text } : { ...(config as object), name }
}

/**
 * Refuses connections to a standby, which an address may lead to in the middle of a failover: reads could be stale, and
 * a pooled connection would keep failing after the address leads to the primary again.
 */
function refuseStandby(client: pg.PoolClient, done: (error?: Error) => void): void {
  done((client as PoolClient).isStandby ? readOnlyServer() : undefined)
}

/** Staggered: each connection gets its own maximum age. pg-pool reads the setting anew for each connection. */
function renewConnections(pool: pg.Pool, maxAgeSeconds: number): void {
  Object.defineProperty(pool.options, 'maxLifetimeSeconds', { get: () => maxAgeSeconds * (0.8 + 0.4 * Math.random()) })
}

/**
 * A pool that waits when it cannot grow. If the server has no connection left, or is slow to open one, but replies on
 * those that we have, callers wait for one of these. If the server does not reply at all, callers fail fast.
 */
export class PatientPool extends pg.Pool {
  /**
   * A circuit breaker: set while the database neither replies nor refuses, so that callers fail at once instead of each
   * waiting for a timeout.
   */
  isSilent = false
  /** Called with the time that a caller waited for a connection, whether or not there was one in the end. */
  onWaited: ((seconds: number) => void) | undefined
  #answeredAt = Number.NEGATIVE_INFINITY
  /** When it was asked for something, having owed no answer. */
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(config: pg.PoolConfig & Pick<ClientConfig, 'eachTransaction'>) {
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
    if (this.#owesNothing()) this.#askedAt = since
    const attempt = () =>
      super.connect((error, client, done) => {
        const isAlive = error && (isFull(error) || (isSlow(error) && this.hasAnswered(CONNECT_TIMEOUT_MS)))
        const waitedMs = performance.now() - since
        if (isAlive && waitedMs < MAX_WAIT_MS) return void setTimeout(attempt, RETRY_MS)
        this.onWaited?.(waitedMs / 1000)
        callback(error, client, done)
      })
    attempt()
  }

  hasAnswered(withinMs: number): boolean {
    return performance.now() - this.#answeredAt < withinMs
  }

  /** Whether nobody has waited for an answer for so long: a database that is asked nothing is not silent. */
  isAnswering(withinMs: number): boolean {
    if (this.isSilent) return false
    return this.#owesNothing() || performance.now() - Math.max(this.#answeredAt, this.#askedAt) < withinMs
  }

  #owesNothing(): boolean {
    return this.totalCount === this.idleCount && this.waitingCount === 0
  }
}

export type PoolClient = DatabaseClient & pg.PoolClient

const silent = () => Object.assign(new Error('This database is silent'), { code: 'ETIMEDOUT' })

type Connected = Parameters<pg.Pool['connect']>[0]

/** Destroys the socket without a goodbye: a silent peer would never confirm it. */
export function hangUp(client: pg.Client | pg.PoolClient): void {
  ;(client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
}
