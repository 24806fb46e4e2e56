import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { nameSome } from '../name-some.ts'
import { withTimeout } from '../with-timeout.ts'
import { forEachCell } from './cell-map.ts'
import { hangUp, type PatientPool } from './connection.ts'
import { type Cell, type Databases, MAIN_CELL } from './database.ts'
import { isFull, isNoAnswer, isUndefined } from './errors.ts'
import { loadNames, type MigrationSet, namesOf as namesIn } from './migrate.ts'

/**
 * `up`; `down`: it refuses connections; `silent`: it neither replies nor refuses; `read-only`: a standby, or a server
 * that refuses writes; `behind`: it lacks migrations of this version; `unknown`: it holds businesses, but this
 * process does not know it.
 */
export const CELL_STATES = ['up', 'down', 'silent', 'read-only', 'behind', 'unknown'] as const
export type CellState = (typeof CELL_STATES)[number]

/** The last known state of a database. */
export type Seen = {
  state: CellState
  isStandby: boolean
  missing: readonly string[]
  /** How far it has written, if it has a replica to compare. */
  position?: Position
}
/**
 * The end of what a server had written at a time, which is one of `performance.now()`; on which timeline; and of which database:
 * copies of it have the same.
 */
export type Position = { lsn: bigint; timeline: number; origin: string; atMs: number }

export type Watch = {
  /** Control and the cell `main` are one database. */
  control(): Seen
  cells: ReadonlyMap<string, Seen>
  stop(): Promise<void>
}

type Log = Pick<FastifyBaseLogger, 'info' | 'error'>
/** Asks a cell on a connection that somebody keeps and hears from all the time; undefined while it does not answer quickly. */
export type LineOf = (name: string) => ((text: string) => Promise<unknown[]>) | undefined
type Options = {
  log: Log
  everyMs?: number
  extensions?: readonly MigrationSet[]
  lineOf?: LineOf
  /** Told after each check. */
  onSeen?: (name: string, cell: Cell, seen: Seen) => void
}

const EVERY_MS = 1_000
/** The interval while the database is not `up`. */
const EVERY_WHILE_AWAY_MS = 400
/** The interval while somebody else hears from it. */
const EVERY_WHILE_HEARD_MS = 5_000
const CHECK_MS = 800
/** If a check took this much longer than its timeout, our own event loop was late, not the database. */
const MAX_LATE_MS = 250
const CHECKS_UNTIL_SILENT = 2

/**
 * Health checks of every database at an interval, each on its own connection and with a timeout, so that readers of the
 * result (health endpoints, placement, metrics) never wait for a database. A worker has a connection to each cell that
 * shows it to be alive (`lineOf`): as long as that answers, it is asked on the same one, and seldom. The pool of a silent database refuses at
 * once until it replies again (circuit breaker).
 */
export async function watchDatabases(
  databases: Databases,
  { log, everyMs = EVERY_MS, extensions = [], lineOf, onSeen }: Options,
): Promise<Watch> {
  const ofExtensions = extensions.map(({ schema, migrations }) => [schema, namesIn(migrations)] as const)
  const ofCell: Needs = { cell: await loadNames('cell'), ...Object.fromEntries(ofExtensions) }
  const ofMain: Needs = { control: await loadNames('control'), ...ofCell }
  const cells = new Map<string, Seen>([...databases.cells.keys()].map((name) => [name, UP])) // shown in this order
  const first: Promise<unknown>[] = []
  // One that comes later has no state until it was looked at.
  const watched = forEachCell(databases.cells, (name, cell) => {
    const { pool, address } = cell
    const lacks = name === MAIN_CELL ? ofMain : ofCell
    const watching = watchOne({
      name,
      url: address.url,
      pool,
      hasReplica: () => cell.replicaUrl !== undefined,
      // Behind PgBouncer, what a direct connection says is not what others would hear.
      line: () => (address.url === address.directUrl ? lineOf?.(name) : undefined),
      needs: lacks,
      everyMs,
      log,
      onSeen(seen) {
        if (databases.cells.get(name) !== cell) return // it is gone, or elsewhere
        cells.set(name, seen)
        onSeen?.(name, cell, seen)
      },
    })
    first.push(watching.checked)
    return {
      stop() {
        if (!databases.cells.has(name)) cells.delete(name)
        return watching.stop()
      },
    }
  })
  await Promise.all(first)
  return {
    control: () => cells.get(MAIN_CELL) as Seen,
    cells,
    async stop() {
      await watched.stop()
    },
  }
}

/** Checks every database once. */
export async function checkOnce(databases: Databases): Promise<ReadonlyMap<string, Seen>> {
  const watch = await watchDatabases(databases, { log: NO_LOG })
  await watch.stop()
  return watch.cells
}

const NO_LOG = { info() {}, error() {} }

/** The migrations of this version, by schema. */
type Needs = Readonly<Record<string, readonly string[]>>
type One = {
  name: string
  url: string
  pool: PatientPool
  hasReplica: () => boolean
  line: () => ReturnType<LineOf>
  needs: Needs
  everyMs: number
  log: Log
  onSeen: (seen: Seen) => void
}

/** `checked` resolves after the first check. */
function watchOne({ name, url, pool, hasReplica, line, needs, everyMs, log, onSeen }: One) {
  let last: Seen | undefined
  let late = 0
  let heardMs = Number.NEGATIVE_INFINITY
  let client: pg.Client | undefined
  let isStopped = false
  let wake = () => {}

  const drop = () => {
    if (client) hangUp(client)
    client = undefined
  }

  /** What the line says, if there is one that answers; otherwise the next check has a connection of its own. */
  async function askOnLine(): Promise<Seen | undefined> {
    const ask = line()
    if (!ask || last?.state !== 'up') return undefined
    if (performance.now() - heardMs < EVERY_WHILE_HEARD_MS) return last
    const late = () => new Error('The line does not answer')
    const rows = await withTimeout(CHECK_MS, ask(questionFor(needs)), late).catch(() => [])
    const seen = rows[0] ? judge(rows[0] as Answer, needs) : undefined
    if (seen?.state !== 'up') return undefined
    heardMs = performance.now()
    drop()
    return seen
  }

  async function check(): Promise<Seen> {
    const heard = await askOnLine()
    if (heard) return heard
    const since = performance.now()
    try {
      client ??= await connect(url)
      const seen = judge(await ask(client, needs), needs)
      const position = hasReplica() && !seen.isStandby ? await readPosition(client).catch(() => undefined) : undefined
      late = 0
      if (position) return { ...seen, position }
      if (seen.state === 'read-only') drop() // the next connection may reach another server
      return seen
    } catch (error) {
      drop()
      if (isUndefined(error)) return { state: 'behind', isStandby: false, missing: namesOf(needs) }
      if (isFull(error as Error)) return last ?? UP // it is alive
      if (!isNoAnswer(error)) return { ...UP, state: 'down' }
      const isOurs = performance.now() - since > 2 * CHECK_MS + MAX_LATE_MS
      if (isOurs || pool.hasAnswered(performance.now() - since)) return last ?? UP // it or we are busy
      late++
      return late < CHECKS_UNTIL_SILENT ? (last ?? UP) : { ...UP, state: 'silent' }
    }
  }

  async function checkAndReport() {
    const seen = await check()
    if (isStopped) return
    pool.isSilent = seen.state === 'silent'
    if (last?.state !== seen.state && (last || seen.state !== 'up')) {
      const { state, missing } = seen
      if (state === 'up') log.info({ cell: name }, 'cell is healthy again')
      else
        log.error({ cell: name, state, ...(missing.length > 0 && { missing: nameSome(missing) }) }, 'cell is unhealthy')
    }
    last = seen
    onSeen(seen)
  }

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      timer.unref()
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })

  const checked = (async () => {
    do await checkAndReport()
    while (late === 1 && !isStopped)
  })()
  const running = (async () => {
    await checked
    while (!isStopped) {
      if (late !== 1) await pause(last?.state === 'up' ? everyMs : Math.min(everyMs, EVERY_WHILE_AWAY_MS))
      if (!isStopped) await checkAndReport()
    }
  })()
  return {
    checked,
    async stop() {
      isStopped = true
      wake()
      drop()
      await running
      drop() // of a check that was under way
    },
  }
}

const UP: Seen = { state: 'up', isStandby: false, missing: [] }

const namesOf = (needs: Needs) =>
  Object.entries(needs).flatMap(([schema, names]) => names.map((name) => `${schema}/${name}`))

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'kontor watch',
    connectionTimeoutMillis: CHECK_MS,
    query_timeout: CHECK_MS,
    keepAlive: true,
  })
  client.on('error', () => {}) // the next check reports it
  try {
    await client.connect()
    return client
  } catch (error) {
    hangUp(client)
    throw error
  }
}

type Answer = { isStandby: boolean; isReadOnly: boolean; done: string[] }

async function ask(client: pg.Client, needs: Needs): Promise<Answer> {
  const { rows } = await client.query<Answer>(questionFor(needs))
  return rows[0] as Answer
}

export async function readPosition(client: pg.Client): Promise<Position | undefined> {
  const atMs = performance.now() // before it is asked: it has at least what was there then
  const { rows } = await client.query<{ lsn: string; file: string; origin: string }>(
    `select pg_current_wal_lsn()::text as lsn, pg_walfile_name(pg_current_wal_lsn()) as file, ${ORIGIN} as origin`,
  )
  if (!rows[0]) return undefined
  const { lsn, file, origin } = rows[0]
  return { lsn: parseLsn(lsn), timeline: Number.parseInt(file.slice(0, 8), 16), origin, atMs }
}

/** The id that a server got when it was made, and the name of the database: its replicas have both. */
export const ORIGIN = `(select system_identifier from pg_control_system()) || '/' || current_database()`

/** `16/B374D848` is a number of 64 bits, in two halves. */
export function parseLsn(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`)
}

function questionFor(needs: Needs): string {
  const schemas = Object.keys(needs) // our own constants and checked names, safe to inline
  return `
    select pg_is_in_recovery() as "isStandby", current_setting('default_transaction_read_only')::boolean as "isReadOnly",
           array(${schemas.map((schema) => `select '${schema}/' || name from ${schema}.migrations`).join(' union all ')}) as done`
}

function judge({ isStandby, isReadOnly, done }: Answer, needs: Needs): Seen {
  const there = new Set(done)
  const missing = namesOf(needs).filter((name) => !there.has(name))
  const state = missing.length > 0 ? 'behind' : isStandby || isReadOnly ? 'read-only' : 'up'
  return { state, isStandby, missing }
}
