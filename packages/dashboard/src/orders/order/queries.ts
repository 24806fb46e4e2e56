import type { Answer } from '@kontor/sdk'
import { useQueries, useQuery } from '@tanstack/react-query'
import { query } from '../../api/query.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'

export type TimelineItem = Answer<'getOrderTimeline'>['items'][number]
export type RefundItem = Answer<'listRefunds'>['items'][number]

/** Beyond this the pictures of an order would be a request each. */
const MOST_PICTURES = 8

/** Not shared with the answer before: a copy of an order would not know its ETag. */
export const orderQuery = (businessId: string, id: string) => ({
  ...query(businessId, 'getOrder', { path: { id } }),
  structuralSharing: false,
})

/** The order and all that belongs to it, side by side. */
export function useOrderRecord(id: string) {
  const { id: businessId } = useBusiness()
  const { may } = usePermissions()
  const path = { id }
  const enabled = may('ORDERS_READ')
  const order = useQuery(orderQuery(businessId, id))
  const shipments = useQuery(query(businessId, 'listShipments', { path }))
  const refunds = useQuery({ ...query(businessId, 'listRefunds', { path }), enabled })
  const timeline = useQuery({ ...query(businessId, 'getOrderTimeline', { path }), enabled })
  const explanation = useQuery({ ...query(businessId, 'explainOrder', { path }), enabled })
  return {
    order,
    shipments: shipments.data?.items ?? [],
    refunds: refunds.data?.items ?? [],
    timeline: timeline.data?.items ?? [],
    isTimelineKnown: timeline.isSuccess,
    explanation: explanation.data,
  }
}

/** What is sold by these lines as it is now: for a picture and for what is in stock. */
export function useGoods(productIds: readonly string[]) {
  const { id: businessId } = useBusiness()
  const wanted = [...new Set(productIds)]
  const asked = wanted.length > MOST_PICTURES ? [] : wanted
  return useQueries({
    queries: asked.map((id) => ({ ...query(businessId, 'getProduct', { path: { id } }), staleTime: 5 * 60_000 })),
    combine: (answers) => new Map(answers.flatMap(({ data }) => (data ? [[data.id, data] as const] : []))),
  })
}
