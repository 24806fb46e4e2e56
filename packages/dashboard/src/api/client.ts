import { createKontor, KontorError } from '@kontor/sdk'
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { accessToken } from '../session/session.ts'
import { proven } from './proven.ts'

/** Links in emails that the dashboard requests lead back to it. */
export const reserveDomain = `${location.origin}/admin`

/** Writes go through the outbox, which repeats them by itself. */
export const kontor = proven(createKontor({ baseUrl: location.origin, accessToken, retries: 1 }))

const MOST_RETRIES = 3
const FIRST_WAIT_MS = 250

/** Nobody should have to press a button for a line that was gone for a moment. What the service itself said, it said. */
const isWorthAnother = (failures: number, error: Error) =>
  failures < MOST_RETRIES && error instanceof KontorError && error.code === 'NETWORK'

/** The business has begun to want a second factor, and shows itself as shut from now on: the frame says the rest. */
function noticeShut(error: Error): void {
  if (error instanceof KontorError && error.has('SECOND_FACTOR_REQUIRED'))
    void queryClient.invalidateQueries({ queryKey: ['-', 'listBusinesses'] })
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeShut }),
  defaultOptions: {
    queries: {
      // The stream of events says what has changed: what is in the cache is shown at once.
      staleTime: 30_000,
      gcTime: 30 * 60_000,
      retry: isWorthAnother,
      retryDelay: (failures) => FIRST_WAIT_MS * 2 ** failures,
      refetchOnWindowFocus: true,
    },
  },
})
