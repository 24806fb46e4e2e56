import type { BusinessEvent } from '@kontor/sdk'
import { queryOptions } from '@tanstack/react-query'
import { kontor } from '../api/client.ts'
import { keyOf } from '../api/query.ts'
import { findLow } from './low.ts'
import { findNeeds, type May, typesOfNeeds } from './needs.ts'

const RAN_LOW = 'stock.low'
const MOST_EVENTS = 100

/** What the feed tells this page: what went wrong, and what ran low. One question to the feed, then one a kind of record. */
export function newsQuery(businessId: string, may: May) {
  const needs = typesOfNeeds(may)
  const types = [...needs, ...(may('PRODUCTS_WRITE') ? [RAN_LOW] : [])]
  return queryOptions({
    queryKey: [...keyOf(businessId, 'listEvents', { types })],
    queryFn: async ({ signal }) => {
      const asked = { businessId, signal }
      const events = await eventsOf(asked, needs, types)
      const [found, low] = await Promise.all([
        findNeeds(
          asked,
          events.filter(({ type }) => type !== RAN_LOW),
        ),
        findLow(
          asked,
          events.filter(({ type }) => type === RAN_LOW),
        ),
      ])
      return { needs: found, low }
    },
    enabled: types.length > 0,
  })
}

export type Asking = { businessId: string; signal: AbortSignal }

/** Newest first. On a day when so much ran low that it fills the page, the rest is asked for by itself: nothing hides it. */
async function eventsOf({ businessId, signal }: Asking, needs: string[], types: string[]): Promise<BusinessEvent[]> {
  const ask = async (type: string[]) => {
    const query = { type, limit: MOST_EVENTS }
    return (await kontor.operations.listEvents({ path: { businessId }, query }, { signal })).items
  }
  const events = await ask(types)
  const low = events.filter(({ type }) => type === RAN_LOW)
  if (events.length < MOST_EVENTS || low.length === 0 || needs.length === 0) return events
  return [...(await ask(needs)), ...low]
}
