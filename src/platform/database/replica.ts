import type { FastifyBaseLogger } from 'fastify'
import pg from 'pg'
import { withTimeout } from '../with-timeout.ts'
import { forEachCell } from './cell-map.ts'
import { hangUp, openPool, type PoolClient, type PoolOptions } from './connection.ts'
import { type Cell, Database, type Lease, leaseFrom } from './database.ts'
import { isOfReplica } from './errors.ts'
import { ORIGIN, type Position, parseLsn, type Seen } from './watch.ts'

/**
 * `used`; `behind`: too far; `silent` or `down`: it does not answer, or refuses; `foreign`: no copy of this database, or one that
 * has parted from it (another timeline); `primary`: it follows nobody.
 */
export const REPLICA_STATES = ['used', 'behind', 'silent', 'down', 'foreign', 'primary'] as const
export type ReplicaState = (typeof REPLICA_STATES)[number]

/** `lagSeconds`: it has everything that was written until so long ago, at least. */
export type ReplicaSeen = { state: ReplicaState; lagSeconds: number }

type Log = Pick<FastifyBaseLogger, 'info' | 'warn'>
export type ReplicaOptions = {
  log: Log
  maxLagSeconds: number
  /** While the primary is away, a replica that was near then is read for so long. */
  awaySeconds?: number
  pool: PoolOptions
  /** Called with each read that was meant for the replica: whether it was answered there. */
  onRead?: (isOfReplica: boolean) => void
}

/** Whoever has no connection by then reads from the primary. */
const CONNECT_MS = 250
/** A statement that takes longer makes us ask whether the replica still answers. */
const SUSPECT_MS = 250
const LOOK_MS = 300
/** If a look took so much longer than its limit, our own event loop was late. */
const MAX_LATE_MS = 100
const IDLE_MS = 5_000
/** More than the seconds that a replica may be allowed to be behind. */
const KEPT_POSITIONS = 1_000

type Query = (config: unknown, values?: unknown) => Promise<unknown>

export type Replica = ReturnType<typeof openReplica>

/**
 * A copy of a cell that follows it by streaming replication. It is read only while it is known to have what the primary had
 * written `maxLagSeconds` ago: the primary is asked how far it has written, then the replica how far it has come. That is true
 * of an idle primary, too, and needs no clocks that agree. What fails because of the replica is asked of the primary, at once.
 */
export function openReplica(primary: Cell, url: string, options: ReplicaOptions) {
  const { log, maxLagSeconds, awaySeconds = 0, pool: given, onRead } = options
  const { name, address } = primary
  const behindPooler = address.url !== address.directUrl // then it may be, too
  const pool = openPool(url, { ...given, behindPooler, idleMs: IDLE_MS, isReplica: true })
  const leased = new Set<PoolClient>()
  let positions: Position[] = []
  let freshAsOfMs = Number.NEGATIVE_INFINITY
  let state: ReplicaState = 'behind'
  let client: pg.Client | undefined
  let looking: Promise<void> | undefined
  let isClosed = false

  /** Since when the primary is away: nothing newer can be anywhere. */
  let awaySinceMs: number | undefined

  function isFresh(): boolean {
    const at = performance.now()
    const since = awaySinceMs ?? at
    return since - freshAsOfMs <= maxLagSeconds * 1_000 && at - since <= awaySeconds * 1_000
  }
  const isUsable = () => state === 'used' && isFresh()

  function drop(): void {
    if (client) hangUp(client)
    client = undefined
  }

  /** Whoever waits for it reads from the primary instead. */
  function leave(): void {
    for (const each of leased) hangUp(each)
  }

  function enter(next: ReplicaState): void {
    if (isClosed) return
    pool.isSilent = next === 'silent'
    if (next === 'silent' || next === 'down') leave()
    if (next !== state) {
      const said = { cell: name, state: next }
      if (next === 'used') log.info(said, 'the replica of this cell is read')
      else log.warn(said, 'the replica of this cell is not read: the primary answers instead')
    }
    state = next
    primary.replica = isUsable() ? db : undefined
  }

  async function ask(): Promise<Answer> {
    const open = client ?? (await connect(url))
    client = open
    if (isClosed) drop() // meanwhile
    const { rows } = await open.query<Answer>(QUESTION)
    return rows[0] as Answer
  }

  async function lookOnce(): Promise<void> {
    const since = performance.now()
    try {
      const late = () => new Error('The replica does not answer')
      const answer = await withTimeout(client ? LOOK_MS : 2 * LOOK_MS, ask(), late)
      const newest = positions.at(-1)
      if (!answer.isStandby) return enter('primary')
      if (newest && (answer.origin !== newest.origin || answer.timeline !== newest.timeline)) return enter('foreign')
      const reached = positions.findLast(({ lsn }) => lsn <= parseLsn(answer.lsn ?? '0/0'))
      if (reached) freshAsOfMs = Math.max(freshAsOfMs, reached.atMs)
      enter(isFresh() ? 'used' : 'behind')
    } catch (error) {
      drop()
      if (performance.now() - since > 2 * LOOK_MS + MAX_LATE_MS && state === 'used') return // we were late ourselves
      enter(isRefusal(error) ? 'down' : 'silent')
    }
  }

  /** One look at a time. */
  function look(): Promise<void> {
    looking ??= lookOnce().finally(() => {
      looking = undefined
    })
    return looking
  }

  async function lease(): Promise<Lease> {
    const own = isUsable() ? await connectSoon() : undefined
    onRead?.(own !== undefined)
    if (!own) return primary.lease()
    /** Of the replica, then of the primary; undefined: given back, and the primary had none. */
    let current: Lease | undefined = own
    let isInTransaction = false
    leased.add(own.client)
    const giveBack = () => {
      current = undefined
      leased.delete(own.client)
      own.release()
    }

    async function queryPrimary(config: unknown, values?: unknown): Promise<unknown> {
      current ??= await primary.lease()
      return (current.client.query as Query).call(current.client, config, values)
    }

    async function query(config: unknown, values?: unknown): Promise<unknown> {
      if (!current || current !== own) return queryPrimary(config, values)
      const send = own.client.query as Query
      const text = typeof config === 'string' ? config : (config as { text: string }).text
      if (text === 'rollback' && own.client.isBroken) return { command: 'ROLLBACK', rows: [] }
      const suspect = setTimeout(() => void look(), SUSPECT_MS)
      try {
        const answer = await send.call(own.client, config, values)
        if (BEGIN.test(text)) isInTransaction = true
        return answer
      } catch (error) {
        if (!isOfReplica(error)) throw error
        log.warn({ err: error, cell: name }, 'a read on a replica failed')
        if (own.client.isBroken) void look()
        if (isInTransaction) throw error // all of it is done again: see `transaction`
        onRead?.(false)
        giveBack()
        return queryPrimary(config, values)
      } finally {
        clearTimeout(suspect)
      }
    }

    return {
      client: { query: query as PoolClient['query'] },
      release(destroy) {
        if (current === own) giveBack()
        else current?.release(destroy)
      },
    }
  }

  async function connectSoon() {
    const connecting = leaseFrom(pool)
    try {
      return await withTimeout(CONNECT_MS, connecting, () => new Error('No connection to the replica'))
    } catch {
      connecting.then(
        ({ release }) => release(),
        () => {},
      )
      void look()
      return undefined
    }
  }

  const db: Cell = new Database({ kind: 'cell', name, pool, address: { url, directUrl: url }, lease, primary })

  return {
    url,
    db,
    pool,
    /** After a look at the primary. `position`: how far that has written; undefined: it did not say. */
    async follow(position: Position | undefined, isPrimaryAway = false): Promise<void> {
      awaySinceMs = isPrimaryAway ? (awaySinceMs ?? performance.now()) : undefined
      if (position) {
        if (positions.at(-1)?.timeline !== position.timeline) positions = []
        positions = [...positions.slice(1 - KEPT_POSITIONS), position]
      }
      await look()
    },
    /** Whether it may be read now. */
    isUsable,
    hasReached: ({ atMs }: Position): boolean => isUsable() && freshAsOfMs >= atMs,
    seen: (): ReplicaSeen => ({
      state: state === 'used' && !isFresh() ? 'behind' : state,
      lagSeconds: (performance.now() - freshAsOfMs) / 1_000,
    }),
    async close(): Promise<void> {
      isClosed = true
      if (primary.replica === db) primary.replica = undefined
      drop()
      await pool.end()
    },
  }
}

/** Opens the replicas of cells as they come, and looks at each when its primary was looked at. */
export function followReplicas(cells: ReadonlyMap<string, Cell>, options: FollowOptions) {
  const open = new Map<Cell, Replica>()
  let isStopped = false

  async function close(cell: Cell): Promise<void> {
    const replica = open.get(cell)
    open.delete(cell)
    await replica?.close()
  }

  function replicaOf(cell: Cell): Replica | undefined {
    const known = open.get(cell)
    if (known?.url === cell.replicaUrl) return known
    void close(cell)
    if (cell.replicaUrl === undefined) return undefined
    const { onRead, ...rest } = options
    const replica = openReplica(cell, cell.replicaUrl, {
      ...rest,
      onRead: (isOfReplica) => onRead?.(cell.name, isOfReplica),
    })
    open.set(cell, replica)
    return replica
  }

  const following = forEachCell(cells, (_name, cell) => ({ stop: () => close(cell) }))
  return {
    async look(cell: Cell, { position, state }: Seen): Promise<void> {
      const isAway = state === 'down' || state === 'silent'
      if (!isStopped && cells.get(cell.name) === cell) await replicaOf(cell)?.follow(position, isAway)
    },
    all: (): ReadonlyMap<string, Replica> => new Map([...open].map(([{ name }, replica]) => [name, replica])),
    async stop(): Promise<void> {
      isStopped = true
      await following.stop()
    },
  }
}

type FollowOptions = Omit<ReplicaOptions, 'onRead'> & { onRead?: (cell: string, isOfReplica: boolean) => void }
export type FollowedReplicas = ReturnType<typeof followReplicas>

const BEGIN = /^(begin|start transaction)/

type Answer = { isStandby: boolean; lsn: string | null; timeline: number; origin: string }

const QUESTION = `
  select pg_is_in_recovery() as "isStandby", pg_last_wal_replay_lsn()::text as lsn,
         (select timeline_id from pg_control_checkpoint()) as timeline, ${ORIGIN} as origin`

const isRefusal = (error: unknown) =>
  ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'EAI_AGAIN', '57P03', '3D000', '28P01', '28000', '42501'].includes(
    (error as { code?: string }).code ?? '',
  )

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'kontor replica',
    connectionTimeoutMillis: LOOK_MS,
    query_timeout: LOOK_MS,
    keepAlive: true,
  })
  client.on('error', () => {}) // the next look reports it
  try {
    await client.connect()
    return client
  } catch (error) {
    hangUp(client)
    throw error
  }
}
