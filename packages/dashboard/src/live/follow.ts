import type { BusinessEvent } from '@kontor/sdk'
import type { Feed } from './feed.ts'

export type Following = {
  /**
   * `live`: events arrive as they happen. `polling`: there is no stream, the feed is read every few seconds. `waiting`: the
   * service can't be reached. `offline`: the browser has no network. `off`: this person lacks the permission to read the feed.
   */
  state: 'starting' | 'live' | 'polling' | 'waiting' | 'offline' | 'off'
  /** Everything up to this event is on the screen. */
  number: number
  /** When the service last confirmed that, in ms. Current only while it can't be reached. */
  at: number
}

const POLL_MS = 2_000
const POLL_HIDDEN_MS = 15_000
/** The stream sends a heartbeat every 5 s, so two were missed and the third is late. */
const QUIET_MS = 12_000
const CHECK_MS = 1_000
/** The service ends a stream with its token, or when it stops. */
const AGAIN_MS = 500

type Listener = {
  /** From here on each event is heard. What was read before may have missed one. */
  begin: () => void
  hear: (events: readonly BusinessEvent[]) => void
  tell: (following: Following) => void
}

/** Follows the feed of a business without a gap: by its stream, and where there is none by reading it every few seconds. */
export async function follow(feed: Feed, { begin, hear, tell }: Listener, signal: AbortSignal): Promise<void> {
  const following: Following = { state: 'starting', number: 0, at: Date.now() }
  let number: number | undefined
  let failures = 0
  let hasStream = true
  const say = (state: Following['state']) => {
    if (following.state === state && following.number === (number ?? 0)) return
    Object.assign(following, { state, number: number ?? 0 })
    tell({ ...following })
  }
  const sayLost = () => say(navigator.onLine ? 'waiting' : 'offline')
  const confirm = (state: 'live' | 'polling', last: number) => {
    following.at = Date.now()
    failures = 0
    number = Math.max(number ?? 0, last)
    say(state)
  }
  const read = async (after: number, ended: AbortSignal, isAlive: () => void) => {
    for await (const { events, last } of feed.pages(after, ended)) {
      isAlive()
      if (events.length > 0) hear(events)
      confirm('polling', last)
    }
    return document.hidden ? POLL_HIDDEN_MS : POLL_MS
  }
  const listen = async (after: number, ended: AbortSignal, isAlive: () => void) => {
    const messages = await feed.open(after, ended)
    hasStream = messages !== 'none'
    if (messages === 'none') return 0
    if (messages === 'refused') return backoffMs(++failures)
    isAlive()
    confirm('live', after)
    let retryMs = AGAIN_MS
    for await (const message of messages) {
      isAlive()
      retryMs = message.retryMs ?? retryMs
      const event = message.data ? (JSON.parse(message.data) as BusinessEvent) : undefined
      if (event) hear([event])
      confirm('live', Number(message.id ?? event?.number ?? 0))
    }
    return retryMs
  }
  while (!signal.aborted) {
    if (!navigator.onLine) {
      say('offline')
      await sleep(POLL_HIDDEN_MS, signal)
      continue
    }
    try {
      const pauseMs = await whileAlive(
        async (ended, isAlive) => {
          if (number === undefined) {
            number = await feed.newest(ended)
            isAlive()
            begin()
          }
          return hasStream ? listen(number, ended, isAlive) : read(number, ended, isAlive)
        },
        sayLost,
        signal,
      )
      await sleep(pauseMs, signal)
    } catch (error) {
      if (signal.aborted) return
      if (feed.isForbidden(error)) {
        say('off')
        return
      }
      sayLost()
      await sleep(backoffMs(++failures), signal)
    }
  }
}

const backoffMs = (failures: number) => Math.min(500 * 2 ** failures, 15_000)

/**
 * Runs requests until they end, nothing has arrived for QUIET_MS, or the browser goes offline; then it aborts them and returns
 * 0 to reconnect at once. Compares times instead of setting a timeout: timers stand still while a machine sleeps.
 */
async function whileAlive(
  work: (ended: AbortSignal, isAlive: () => void) => Promise<number>,
  onLost: () => void,
  signal: AbortSignal,
): Promise<number> {
  const lost = new AbortController()
  let aliveAt = Date.now()
  const lose = () => {
    if (lost.signal.aborted) return
    onLost()
    lost.abort()
  }
  const checking = setInterval(() => Date.now() - aliveAt > QUIET_MS && lose(), CHECK_MS)
  addEventListener('offline', lose)
  try {
    return await work(AbortSignal.any([signal, lost.signal]), () => {
      aliveAt = Date.now()
    })
  } catch (error) {
    if (signal.aborted || !lost.signal.aborted) throw error
    return 0
  } finally {
    clearInterval(checking)
    removeEventListener('offline', lose)
  }
}

/** Ends early when the browser goes online or offline. */
const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted || ms === 0) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      removeEventListener('online', end)
      removeEventListener('offline', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    addEventListener('online', end)
    addEventListener('offline', end)
  })
