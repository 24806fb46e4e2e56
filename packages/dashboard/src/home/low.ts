import type { BusinessEvent, Variant } from '@kontor/sdk'
import { kontor } from '../api/client.ts'
import type { Asking } from './news.ts'

export type Low = { productId: string; product: string; variant: Variant; left: number; threshold: number }

const DAYS = 7
const MOST = 6

/**
 * What the feed told of in the last days and is low still. The service has no list of all that is low: what ran low
 * before and was never filled up is not here.
 */
export async function findLow({ businessId, signal }: Asking, events: readonly BusinessEvent[]): Promise<Low[]> {
  const since = Date.now() / 1_000 - DAYS * 86_400
  const told = events.filter(({ timestamp }) => timestamp > since)
  const id = [...new Set(told.map(({ subject }) => subject))].slice(0, MOST)
  if (id.length === 0) return []
  const { items } = await kontor.operations.listProducts({ path: { businessId }, query: { id } }, { signal })
  const low = items.flatMap((product) =>
    product.variants.flatMap((variant): Low[] => {
      const { tracked, quantity: left, lowStockThreshold: threshold } = variant.inventory
      const isLow = tracked && threshold !== null && threshold !== undefined && left <= threshold
      return isLow ? [{ productId: product.id, product: product.name, variant, left, threshold }] : []
    }),
  )
  return low.toSorted((a, b) => a.left - b.left).slice(0, MOST)
}
