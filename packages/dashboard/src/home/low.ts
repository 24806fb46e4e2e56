import { KontorError, type Variant } from '@kontor/sdk'
import { queryOptions } from '@tanstack/react-query'
import { kontor } from '../api/client.ts'
import { keyOf } from '../api/query.ts'

export type Low = { productId: string; product: string; variant: Variant; left: number; threshold: number }

const DAYS = 7
const MOST = 6

/**
 * What the feed told of in the last days and is low still. The service has no list of all that is low: what ran low
 * before and was never filled up is not here.
 */
export const lowQuery = (businessId: string) =>
  queryOptions({
    queryKey: [...keyOf(businessId, 'listEvents', { low: true })],
    queryFn: async ({ signal }): Promise<Low[]> => {
      const asked = { path: { businessId }, query: { type: 'stock.low', limit: 50 } }
      const { items } = await kontor.operations.listEvents(asked, { signal })
      const since = Date.now() / 1_000 - DAYS * 86_400
      const told = items.filter((event) => event.type === 'stock.low' && event.timestamp > since)
      const productIds = [...new Set(told.map(({ subject }) => subject))].slice(0, MOST)
      const low = await Promise.all(productIds.map((id) => lowOf(businessId, id, signal)))
      return low
        .flat()
        .toSorted((a, b) => a.left - b.left)
        .slice(0, MOST)
    },
  })

async function lowOf(businessId: string, id: string, signal: AbortSignal): Promise<Low[]> {
  try {
    const product = await kontor.operations.getProduct({ path: { businessId, id } }, { signal })
    return product.variants.flatMap((variant) => {
      const { tracked, quantity: left, lowStockThreshold: threshold } = variant.inventory
      const isLow = tracked && threshold !== null && threshold !== undefined && left <= threshold
      return isLow ? [{ productId: id, product: product.name, variant, left, threshold }] : []
    })
  } catch (error) {
    if (error instanceof KontorError && error.status === 404) return []
    throw error
  }
}
