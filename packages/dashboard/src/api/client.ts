import { createKontor, KontorError } from '@kontor/sdk'
import { QueryClient } from '@tanstack/react-query'
import { accessToken } from '../session/session.ts'
import { proven } from './proven.ts'

/** Writes go through the outbox, which repeats them by itself. */
export const kontor = proven(createKontor({ baseUrl: location.origin, accessToken, retries: 1 }))

const MOST_RETRIES = 3
const FIRST_WAIT_MS = 250

/** Nobody should have to press a button for a line that was gone for a moment. What the service itself said, it said. */
const isWorthAnother = (failures: number, error: Error) =>
  failures < MOST_RETRIES && error instanceof KontorError && error.code === 'NETWORK'

export const queryClient = new QueryClient({
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
