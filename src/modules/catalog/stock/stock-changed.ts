import type { NewEvent } from '#platform/events/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { stockChanged } from '../events.ts'
import type { StockKind } from '../schemas.ts'
import type { VariantKey } from './change-stock.ts'

type StockNews = {
  businessId: string
  /** The order, or the product where no order is the cause. */
  subject: string
  kind: StockKind
  reference: string | null
  actor: Actor | undefined
}

/** The one event of all that a cause has moved; none where nothing moved. For whoever writes it with other events. */
export function toStockChanged(
  { businessId, subject, kind, reference, actor }: StockNews,
  moved: readonly (VariantKey & { delta: number; moved?: boolean })[],
): NewEvent[] {
  const changes = moved
    .filter((change) => change.moved !== false)
    .map(({ productId, variantId, delta }) => ({ productId, variantId, delta }))
  if (changes.length === 0) return []
  return [stockChanged({ businessId, subject, actor, data: { kind, reference, changes } })]
}
