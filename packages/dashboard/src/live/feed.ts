import { type BusinessEvent, KontorError } from '@kontor/sdk'
import { kontor } from '../api/client.ts'
import { accessToken } from '../session/session.ts'
import { type Message, readStream } from './read-stream.ts'

const PAGE = 100

/** The feed of events of a business. */
export type Feed = {
  /** The number of the latest event. */
  newest: (signal: AbortSignal) => Promise<number>
  /** Pages of the events after this number. */
  pages: (after: number, signal: AbortSignal) => AsyncIterable<{ events: readonly BusinessEvent[]; last: number }>
  /** `none`: there is no stream for this page, as a session has five at most. `refused`: the token has expired. */
  open: (after: number, signal: AbortSignal) => Promise<AsyncIterable<Message> | 'none' | 'refused'>
  /** The session has ended, or lacks the permission. */
  isForbidden: (error: unknown) => boolean
}

export const feedOf = (businessId: string): Feed => ({
  async newest(signal) {
    const { items } = await kontor.operations.listEvents({ path: { businessId }, query: { limit: 1 } }, { signal })
    return items[0]?.number ?? 0
  },
  /** A page may be short, or empty, and still have a cursor: what this person may not see is left out of it. */
  async *pages(after, signal) {
    let last = after
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query = { after, limit: PAGE, ...(cursor && { cursor }) }
      const page = await kontor.operations.listEvents({ path: { businessId }, query }, { signal })
      last = page.items.at(-1)?.number ?? last
      yield { events: page.items, last }
      cursor = page.cursor
    }
  },
  async open(after, signal) {
    const token = await accessToken()
    const headers = { authorization: `Bearer ${token}`, 'last-event-id': String(after), accept: 'text/event-stream' }
    const response = await fetch(`/v1/businesses/${businessId}/events/stream`, { headers, signal })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    if ([404, 429].includes(response.status) || (response.ok && !isStream)) return 'none'
    if (response.status === 401) {
      await accessToken(token) // fails if the session has ended
      return 'refused'
    }
    if (!response.ok || !response.body) {
      throw new KontorError({
        status: response.status,
        code: 'UNAVAILABLE',
        message: 'The event stream is unavailable.',
      })
    }
    return readStream(response.body)
  },
  isForbidden: (error) => error instanceof KontorError && [401, 403].includes(error.status),
})
