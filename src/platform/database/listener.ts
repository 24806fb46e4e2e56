import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { nowMs } from '../clock.ts'
import { hangUp } from './connection.ts'
import type { Control, ControlTx } from './database.ts'
import { announce } from './local-invalidation.ts'

const CHANNEL = 'kontor'
// Ping interval and timeout together are less than a second: the longest time that a process may miss invalidations
// without knowing it.
const PING_MS = 400
const PING_TIMEOUT_MS = 500
const TIMEOUT_MS = 2_000

/**
 * Cache invalidations from the control database to every process, as `topic:id` (LISTEN/NOTIFY). Nothing arrives while
 * the connection is down: caches must not be trusted then (`connected` is false), and must be cleared once it is back
 * (`onGap`).
 */
export type Listener = {
  readonly connected: boolean
  /** Since when nothing arrives, by the clock and as `performance.now()`; undefined while it is connected. */
  readonly lost: { atMs: number; since: number } | undefined
  on(topic: string, handler: (id: string) => void): void
  /** Told when it is lost, and again before it is back. What was cached may be kept in between, but not used as if it were true. */
  onGap(handler: (when: 'lost' | 'back') => void): void
  close(): Promise<void>
}

/** Reaches the listeners if, and only if, `tx` commits; those of this process before the commit returns. */
export async function notify(tx: ControlTx, topic: string, id: string): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${`${topic}:${id}`})`.execute(tx)
  announce(tx, topic, id)
}

/** Says goodbye, but does not wait for a silent peer to confirm it. */
async function disconnect(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => hangUp(client), PING_TIMEOUT_MS)
  await client.end().catch(() => {})
  clearTimeout(timer)
}

/** Resolves as soon as it listens, or after a short wait; it keeps trying until it is closed. */
export async function openListener(control: Control): Promise<Listener> {
  const { address } = control
  const handlers = new Map<string, ((id: string) => void)[]>()
  const gapHandlers: ((when: 'lost' | 'back') => void)[] = []
  const hear = (topic: string, id: string) => {
    for (const handler of handlers.get(topic) ?? []) handler(id)
  }
  control.onAnnounced = hear
  let connected = false
  let lost: Listener['lost'] = { atMs: nowMs(), since: performance.now() }
  let closed = false
  let client: pg.Client | undefined

  async function listen() {
    client = new pg.Client({
      connectionString: address.directUrl,
      application_name: 'kontor listener',
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      keepAlive: true,
    })
    const ended = new Promise<void>((resolve) => {
      client?.on('error', () => resolve())
      client?.on('end', () => resolve())
    })
    client.on('notification', ({ payload = '' }) => {
      const [topic = '', id = ''] = payload.split(':')
      hear(topic, id)
    })
    await client.connect()
    await client.query(`listen ${CHANNEL}`)
    for (const handler of gapHandlers) handler('back')
    connected = true
    lost = undefined
    started()
    // Only a ping detects a peer that vanished without closing: revocations must not be missed for longer.
    const mine = client
    const pings = (async () => {
      while (client === mine && !closed) {
        await sleep(PING_MS, undefined, { ref: false })
        if (client === mine && connected && !closed)
          await mine.query({ text: 'select 1', query_timeout: PING_TIMEOUT_MS } as pg.QueryConfig)
      }
    })()
    await Promise.race([ended, pings])
  }

  let started = () => {}
  const start = new Promise<void>((resolve) => {
    started = resolve
  })
  const running = (async () => {
    for (let failures = 0; !closed; failures++) {
      try {
        await listen()
        failures = 0
      } catch {
        // reported by /readyz and by the requests that need the database; here only: try again
      }
      connected = false
      lost ??= { atMs: nowMs(), since: performance.now() }
      for (const handler of gapHandlers) handler('lost')
      if (client) await disconnect(client)
      if (!closed) await sleep(Math.min(2_000, 50 * 2 ** failures), undefined, { ref: false })
    }
  })()
  // Not unref'ed: nothing else may keep the process alive yet.
  const impatience = setTimeout(() => started(), TIMEOUT_MS)
  await start
  clearTimeout(impatience)

  return {
    get connected() {
      return connected
    },
    get lost() {
      return lost
    },
    on(topic, handler) {
      handlers.set(topic, [...(handlers.get(topic) ?? []), handler])
    },
    onGap(handler) {
      gapHandlers.push(handler)
    },
    async close() {
      closed = true
      // While it connects, `end` would leave `connect` without an answer for ever.
      if (client && connected) await disconnect(client)
      else if (client) hangUp(client)
      connected = false
      await running
    },
  }
}
