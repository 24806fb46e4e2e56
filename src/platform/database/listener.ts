import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { type ControlDb, type ControlTx, handleOf } from './database.ts'
import { addNews, hearOwnNews } from './own-news.ts'

const CHANNEL = 'kontor'
// Together less than a second: for no longer may a process go on without knowing that it is deaf.
const PING_MS = 400
const PING_TIMEOUT_MS = 500
const TIMEOUT_MS = 2_000

/**
 * News from the control database to every process: `topic:id`. While the connection is away nothing can be heard, so whoever
 * caches must not trust the cache (`connected` is false), and must start afresh once it is back (`onGap`).
 */
export type Listener = {
  readonly connected: boolean
  on(topic: string, handler: (id: string) => void): void
  onGap(handler: () => void): void
  close(): Promise<void>
}

/** Reaches the listeners when, and only if, `tx` commits; this process's own before the commit is answered. */
export async function notify(tx: ControlTx, topic: string, id: string): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${`${topic}:${id}`})`.execute(tx)
  addNews(tx, topic, id)
}

/** Says goodbye, but does not wait for a peer that has gone silent: its answer may never come. */
async function hangUp(client: pg.Client): Promise<void> {
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection
  const timer = setTimeout(() => stream.destroy(), PING_TIMEOUT_MS)
  await client.end().catch(() => {})
  clearTimeout(timer)
}

/** Answers as soon as it listens, or after a short wait; it keeps trying until it is closed. */
export async function openListener(control: ControlDb): Promise<Listener> {
  const { address } = handleOf(control)
  const handlers = new Map<string, ((id: string) => void)[]>()
  const gapHandlers: (() => void)[] = []
  const hear = (topic: string, id: string) => {
    for (const handler of handlers.get(topic) ?? []) handler(id)
  }
  hearOwnNews(control, hear)
  let connected = false
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
    const lost = new Promise<void>((resolve) => {
      client?.on('error', () => resolve())
      client?.on('end', () => resolve())
    })
    client.on('notification', ({ payload = '' }) => {
      const [topic = '', id = ''] = payload.split(':')
      hear(topic, id)
    })
    await client.connect()
    await client.query(`listen ${CHANNEL}`)
    for (const handler of gapHandlers) handler()
    connected = true
    started()
    // A peer that is gone without a word is found by asking: revocations must not be missed for longer than that.
    const mine = client
    const pings = (async () => {
      while (client === mine && !closed) {
        await sleep(PING_MS, undefined, { ref: false })
        if (client === mine && connected && !closed)
          await mine.query({ text: 'select 1', query_timeout: PING_TIMEOUT_MS } as pg.QueryConfig)
      }
    })()
    await Promise.race([lost, pings])
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
      for (const handler of gapHandlers) handler()
      if (client) await hangUp(client)
      if (!closed) await sleep(Math.min(2_000, 50 * 2 ** failures), undefined, { ref: false })
    }
  })()
  const impatience = setTimeout(() => started(), TIMEOUT_MS) // holds the process: until here nothing else may
  await start
  clearTimeout(impatience)

  return {
    get connected() {
      return connected
    },
    on(topic, handler) {
      handlers.set(topic, [...(handlers.get(topic) ?? []), handler])
    },
    onGap(handler) {
      gapHandlers.push(handler)
    },
    async close() {
      closed = true
      connected = false
      if (client) await hangUp(client)
      await running
    },
  }
}
