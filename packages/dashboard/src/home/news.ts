import { queryOptions } from '@tanstack/react-query'
import { kontor } from '../api/client.ts'
import { keyOf } from '../api/query.ts'
import { findNeeds, type May, typesOfNeeds } from './needs.ts'

const MOST_EVENTS = 100

/** What the feed tells this page of what went wrong: one question to the feed, then one a record. */
export function newsQuery(businessId: string, may: May) {
  const types = typesOfNeeds(may)
  return queryOptions({
    queryKey: [...keyOf(businessId, 'listEvents', { types })],
    queryFn: async ({ signal }) => {
      const query = { type: types, limit: MOST_EVENTS }
      const { items } = await kontor.operations.listEvents({ path: { businessId }, query }, { signal })
      return findNeeds({ businessId, signal }, items)
    },
    enabled: types.length > 0,
  })
}

export type Asking = { businessId: string; signal: AbortSignal }
