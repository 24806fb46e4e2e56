import { createKontor } from '@kontor/sdk'
import { QueryClient } from '@tanstack/react-query'
import { accessToken } from '../session/session.ts'

/** Writes go through the outbox, which repeats them by itself. */
export const kontor = createKontor({ baseUrl: location.origin, accessToken, retries: 1 })

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The stream of events says what has changed: what is in the cache is shown at once.
      staleTime: 30_000,
      gcTime: 30 * 60_000,
      retry: false,
      refetchOnWindowFocus: true,
    },
  },
})
