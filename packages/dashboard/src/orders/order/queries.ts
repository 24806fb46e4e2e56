import type { Answer, Product } from '@kontor/sdk'
import { useQuery } from '@tanstack/react-query'
import { kontor } from '../../api/client.ts'
import { query } from '../../api/query.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'

export type TimelineItem = Answer<'getOrderTimeline'>['items'][number]
export type Goods = ReadonlyMap<string, Product>
export type RefundItem = Answer<'listRefunds'>['items'][number]

export const orderQuery = (businessId: string, id: string) => query(businessId, 'getOrder', { path: { id } })

const MOST = 100

/** All of them: they are added up. */
const refundsQuery = (businessId: string, id: string) => ({
  ...query(businessId, 'listRefunds', { path: { id }, query: { limit: MOST } }),
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Answer<'listRefunds'>> => {
    const items: RefundItem[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const asked = { path: { businessId, id }, query: { limit: MOST, ...(cursor && { cursor }) } }
      const page: Answer<'listRefunds'> = await kontor.operations.listRefunds(asked, { signal })
      items.push(...page.items)
      cursor = page.cursor
    }
    return { items, cursor: null }
  },
})

/** The order and all that belongs to it, side by side. */
export function useOrderRecord(id: string) {
  const { id: businessId } = useBusiness()
  const { may } = usePermissions()
  const path = { id }
  const enabled = may('ORDERS_READ')
  const order = useQuery(orderQuery(businessId, id))
  const shipments = useQuery(query(businessId, 'listShipments', { path }))
  const refunds = useQuery({ ...refundsQuery(businessId, id), enabled })
  const timeline = useQuery({ ...query(businessId, 'getOrderTimeline', { path }), enabled })
  const explanation = useQuery({ ...query(businessId, 'explainOrder', { path }), enabled })
  const parts = [shipments, refunds, timeline]
  return {
    order,
    /** One of them could not be read: what is missing is not the same as none. */
    problem: parts.find(({ error }) => error)?.error ?? undefined,
    retry: () => parts.filter(({ error }) => error).forEach(({ refetch }) => void refetch()),
    isKnown: shipments.data !== undefined && (!enabled || refunds.data !== undefined),
    shipments: shipments.data?.items ?? [],
    refunds: refunds.data?.items ?? [],
    timeline: timeline.data?.items ?? [],
    isTimelineKnown: timeline.isSuccess,
    explanation: explanation.data,
  }
}

/** What is sold by these lines as it is now: for a picture and for what is in stock. One question for all of them. */
export function useGoods(productIds: readonly string[]): Goods {
  const { id: businessId } = useBusiness()
  const id = [...new Set(productIds)].toSorted().slice(0, MOST)
  const { data } = useQuery({
    ...query(businessId, 'listProducts', { query: { id, limit: MOST } }),
    staleTime: 5 * 60_000,
    enabled: id.length > 0,
    select: byId,
  })
  return data ?? NONE
}

const NONE: Goods = new Map()
const byId = ({ items }: Answer<'listProducts'>): Goods => new Map(items.map((product) => [product.id, product]))
