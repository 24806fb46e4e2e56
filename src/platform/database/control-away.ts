import pg from 'pg'
import { hangUp } from './connection.ts'
import type { Control } from './database.ts'
import type { Listener } from './listener.ts'

/** Control must answer within this time, or it is away. */
const ASK_MS = 250
const ASK_EVERY_MS = 250

export type ControlAway = ReturnType<typeof createControlAway>

/**
 * Whether control is away. Caches are true only while its notifications arrive. Without them control is asked each time, as long as
 * it answers; once it does not, what was known may be read for `seconds`.
 */
export function createControlAway(control: Control, listener: Listener, seconds: number) {
  let isAway = false
  let asked = Number.NEGATIVE_INFINITY
  let asking: Promise<boolean> | undefined

  const isWithin = () => listener.lost !== undefined && performance.now() - listener.lost.since <= seconds * 1_000

  async function ask(): Promise<boolean> {
    isAway = !(await answers(control.address.url))
    asked = performance.now()
    asking = undefined
    return isAway
  }

  return {
    /** Nothing has to be asked. */
    isTrusted: () => listener.connected || seconds === 0,
    /** For how long it has been lost does not matter yet. */
    isWithin,
    /** Waits for an answer, unless it is known that there is none. */
    async isAway(): Promise<boolean> {
      if (listener.connected || !isWithin()) return false
      const isFresh = performance.now() - asked < ASK_EVERY_MS && asked > (listener.lost?.since ?? 0)
      if (isFresh) return isAway
      const wasAway = isAway && asked > (listener.lost?.since ?? 0)
      asking ??= ask()
      return wasAway || asking
    },
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'kontor control',
    connectionTimeoutMillis: ASK_MS,
    query_timeout: ASK_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    void client.end().catch(() => {})
    return true
  } catch {
    hangUp(client)
    return false
  }
}
