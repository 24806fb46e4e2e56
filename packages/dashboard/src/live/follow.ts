import { type BusinessEvent, KontorError } from '@kontor/sdk'
import { kontor } from '../api/client.ts'
import { accessToken } from '../session/session.ts'
import { readStream } from './read-stream.ts'

export type Following = {
  /** `live`: each event is heard as it comes. `polling`: asked for. `off`: this person may not read the feed. */
  state: 'starting' | 'live' | 'polling' | 'waiting' | 'off'
  /** Everything up to this event is on the screen. */
  number: number
  /** When that was last known to be so, in ms. */
  at: number
}

const POLL_MS = 2_000
const POLL_HIDDEN_MS = 15_000
/** The service says something every 15 s. Reckoned by the clock on the wall: timers stand still while a machine sleeps. */
const QUIET_MS = 25_000
const LISTEN_MS = 1_000
const PAGE = 100
/** The service ends a stream with its token, or when it stops. */
const AGAIN_MS = 500

type Listener = {
  /** From here on each event is heard. What was read before may have missed one. */
  begin: () => void
  hear: (events: readonly BusinessEvent[]) => void
  tell: (following: Following) => void
}

/** Follows the feed of a business without a gap: by its stream, and where there is none by asking again and again. */
export async function follow(businessId: string, listener: Listener, signal: AbortSignal): Promise<void> {
  const { begin, hear, tell } = listener
  let number: number | undefined
  let failures = 0
  let hasStream = true
  const say = (state: Following['state']) => tell({ state, number: number ?? 0, at: Date.now() })
  const take = (events: readonly BusinessEvent[], last: number, state: Following['state']) => {
    number = Math.max(number ?? 0, last)
    failures = 0
    if (events.length > 0) hear(events)
    say(state)
  }
  while (!signal.aborted) {
    try {
      if (number === undefined) {
        number = await newest(businessId, signal)
        begin()
      }
      if (hasStream) {
        const ended = await stream(
          businessId,
          number,
          (events, last) => take(events, last, 'live'),
          () => say('live'),
          signal,
        )
        hasStream = ended !== 'none'
        if (ended === 'refused') await sleep(backoffMs(++failures), signal)
      } else {
        await poll(businessId, number, (events, last) => take(events, last, 'polling'), signal)
        await sleep(document.hidden ? POLL_HIDDEN_MS : POLL_MS, signal)
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof KontorError && [401, 403].includes(error.status)) {
        say('off')
        return
      }
      say('waiting')
      await sleep(backoffMs(++failures), signal)
    }
  }
}

const backoffMs = (failures: number) => Math.min(500 * 2 ** failures, 15_000)

async function newest(businessId: string, signal: AbortSignal): Promise<number> {
  const { items } = await kontor.operations.listEvents({ path: { businessId }, query: { limit: 1 } }, { signal })
  return items[0]?.number ?? 0
}

type Take = (events: readonly BusinessEvent[], last: number) => void

/** A page may be short, or empty, and still have a cursor: what this person may not see is left out of it. */
async function poll(businessId: string, after: number, take: Take, signal: AbortSignal): Promise<void> {
  let last = after
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = { after, limit: PAGE, ...(cursor && { cursor }) }
    const page = await kontor.operations.listEvents({ path: { businessId }, query }, { signal })
    last = page.items.at(-1)?.number ?? last
    take(page.items, last)
    cursor = page.cursor
  }
}

/** How a stream ended. `none`: there is none for this page, one session has five at most. `refused`: not this token. */
async function stream(
  businessId: string,
  number: number,
  take: Take,
  onOpen: () => void,
  signal: AbortSignal,
): Promise<'ended' | 'none' | 'refused'> {
  const quiet = new AbortController()
  const both = AbortSignal.any([signal, quiet.signal])
  const token = await accessToken()
  const headers = { authorization: `Bearer ${token}`, 'last-event-id': String(number), accept: 'text/event-stream' }
  const response = await fetch(`/v1/businesses/${businessId}/events/stream`, { headers, signal: both })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if ([404, 429].includes(response.status) || (response.ok && !isStream)) return 'none'
  if (response.status === 401) {
    await accessToken(token) // fails if the session has ended
    return 'refused'
  }
  if (!response.ok || !response.body) {
    throw new KontorError({ status: response.status, code: 'UNAVAILABLE', message: 'There is no stream of events.' })
  }
  onOpen()
  let retryMs = AGAIN_MS
  // A line that died without a word is noticed, at once after a sleep.
  let heardAt = Date.now()
  const listening = setInterval(() => {
    if (Date.now() - heardAt > QUIET_MS) quiet.abort()
  }, LISTEN_MS)
  try {
    for await (const message of readStream(response.body)) {
      heardAt = Date.now()
      retryMs = message.retryMs ?? retryMs
      const events = message.data ? [JSON.parse(message.data) as BusinessEvent] : []
      take(events, Number(message.id ?? events[0]?.number ?? 0))
    }
  } catch (error) {
    if (signal.aborted || !quiet.signal.aborted) throw error
  } finally {
    clearInterval(listening)
  }
  if (!quiet.signal.aborted) await sleep(retryMs, signal)
  return 'ended'
}

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
    addEventListener('online', end)
  })
