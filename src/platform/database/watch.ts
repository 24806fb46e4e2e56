import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { hangUp, type PatientPool } from './connection.ts'
import { type Databases, handleOf, MAIN_CELL } from './database.ts'
import { isFull, isNoAnswer, isUndefined } from './errors.ts'
import { loadNames } from './migrate.ts'

/**
 * `up`; `down`: it refuses us; `silent`: it neither answers nor refuses; `read-only`: a standby, or a server that takes no writes;
 * `behind`: it lacks migrations of this version; `unknown`: businesses live there, but CELLS does not name it.
 */
export const CELL_STATES = ['up', 'down', 'silent', 'read-only', 'behind', 'unknown'] as const
export type CellState = (typeof CELL_STATES)[number]

/** What was last seen of a database. */
export type Seen = { state: CellState; isStandby: boolean; missing: readonly string[] }

export type Watch = {
  /** Of control, and of each cell. Control and the cell `main` are one database. */
  control(): Seen
  cells: ReadonlyMap<string, Seen>
  stop(): Promise<void>
}

type Log = Pick<FastifyBaseLogger, 'info' | 'error'>
type Options = { log: Log; everyMs?: number }

const EVERY_MS = 1_000
/** Until it is well again it is looked at more often. */
const EVERY_WHILE_AWAY_MS = 400
const LOOK_MS = 800
/** Our own process was late, not the database, when a look took so much longer than it may. */
const MAX_LATE_MS = 250
const LOOKS_UNTIL_SILENT = 2

/**
 * Looks at every database again and again, each on a connection of its own and within a time limit, so that whoever asks how they
 * are (health checks, placement, metrics) never waits for one. A pool whose database is silent refuses at once, until it answers.
 */
export async function watchDatabases(databases: Databases, { log, everyMs = EVERY_MS }: Options): Promise<Watch> {
  const names = { control: await loadNames('control'), cell: await loadNames('cell') }
  const cells = new Map<string, Seen>([...databases.cells.keys()].map((name) => [name, UP])) // told in this order
  const watched = await Promise.all(
    [...databases.cells].map(([name, cell]) => {
      const { pool, address } = handleOf(cell)
      const lacks = name === MAIN_CELL ? names : { cell: names.cell }
      return watchOne({
        name,
        url: address.url,
        pool,
        needs: lacks,
        everyMs,
        log,
        told: (seen) => cells.set(name, seen),
      })
    }),
  )
  return {
    control: () => cells.get(MAIN_CELL) as Seen,
    cells,
    async stop() {
      await Promise.all(watched.map((stop) => stop()))
    },
  }
}

/** How they are right now. */
export async function lookOnce(databases: Databases): Promise<ReadonlyMap<string, Seen>> {
  const watch = await watchDatabases(databases, { log: NOBODY })
  await watch.stop()
  return watch.cells
}

const NOBODY = { info() {}, error() {} }

type Needs = Partial<Record<'control' | 'cell', readonly string[]>>
type One = {
  name: string
  url: string
  pool: PatientPool
  needs: Needs
  everyMs: number
  log: Log
  told: (seen: Seen) => void
}

/** Answers when it has looked once. */
async function watchOne({ name, url, pool, needs, everyMs, log, told }: One): Promise<() => Promise<void>> {
  let last: Seen | undefined
  let late = 0
  let client: pg.Client | undefined
  let isStopped = false
  let wake = () => {}

  const drop = () => {
    if (client) hangUp(client)
    client = undefined
  }

  async function look(): Promise<Seen> {
    const since = performance.now()
    try {
      client ??= await connect(url)
      const seen = judge(await ask(client, needs), needs)
      late = 0
      if (seen.state === 'read-only') drop() // what makes it so may be this connection's: the next one may lead elsewhere
      return seen
    } catch (error) {
      drop()
      if (isUndefined(error)) return { state: 'behind', isStandby: false, missing: namesOf(needs) }
      if (isFull(error as Error)) return last ?? UP // it lives
      if (!isNoAnswer(error)) return { ...UP, state: 'down' }
      const isOurs = performance.now() - since > 2 * LOOK_MS + MAX_LATE_MS
      if (isOurs || pool.hasAnswered(performance.now() - since)) return last ?? UP // busy, or we are
      late++
      return late < LOOKS_UNTIL_SILENT ? (last ?? UP) : { ...UP, state: 'silent' }
    }
  }

  async function lookAndTell() {
    const seen = await look()
    if (isStopped) return
    pool.isSilent = seen.state === 'silent'
    if (last?.state !== seen.state && (last || seen.state !== 'up')) {
      const { state, missing } = seen
      if (state === 'up') log.info({ cell: name }, 'this cell is well again')
      else log.error({ cell: name, state, ...(missing.length > 0 && { missing }) }, 'this cell is not well')
    }
    last = seen
    told(seen)
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

  do await lookAndTell()
  while (late === 1)
  const running = (async () => {
    while (!isStopped) {
      if (late !== 1) await pause(last?.state === 'up' ? everyMs : Math.min(everyMs, EVERY_WHILE_AWAY_MS))
      if (!isStopped) await lookAndTell()
    }
  })()
  return async () => {
    isStopped = true
    wake()
    drop()
    await running
  }
}

const UP: Seen = { state: 'up', isStandby: false, missing: [] }

const namesOf = (needs: Needs) =>
  Object.entries(needs).flatMap(([kind, names]) => (names ?? []).map((name) => `${kind}/${name}`))

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'kontor watch',
    connectionTimeoutMillis: LOOK_MS,
    query_timeout: LOOK_MS,
    keepAlive: true,
  })
  client.on('error', () => {}) // told by the next look
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
  const kinds = Object.keys(needs) // ours: no text of anybody else's
  const { rows } = await client.query<Answer>(`
    select pg_is_in_recovery() as "isStandby", current_setting('default_transaction_read_only')::boolean as "isReadOnly",
           array(${kinds.map((kind) => `select '${kind}/' || name from ${kind}.migrations`).join(' union all ')}) as done`)
  return rows[0] as Answer
}

function judge({ isStandby, isReadOnly, done }: Answer, needs: Needs): Seen {
  const there = new Set(done)
  const missing = namesOf(needs).filter((name) => !there.has(name))
  const state = missing.length > 0 ? 'behind' : isStandby || isReadOnly ? 'read-only' : 'up'
  return { state, isStandby, missing }
}
