import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { noChange, outOfStock, stockTooLarge, variantNotFound } from '../errors.ts'
import type { StockMovement, VariantParams } from '../schemas.ts'
import { changeStock } from './change-stock.ts'
import { findGoods } from './goods.ts'
import { toStockChanged } from './stock-changed.ts'

/** A manual correction: goods counted, received or thrown away. */
export async function adjustStock(
  tx: Tx,
  { businessId, id: productId, variantId }: VariantParams,
  actor: Actor,
  { delta, reason = null }: { delta: number; reason?: string | null },
): Promise<StockMovement> {
  if (delta === 0) throw noChange()
  const [known] = await findGoods(tx, businessId, [{ productId, variantId }])
  if (!known) throw variantNotFound()
  const { userId } = actor
  const at = now()
  const [outcome] = await changeStock(tx, businessId, [{ productId, variantId, delta }], {
    kind: 'MANUAL',
    reason,
    userId,
    at,
  })
  if (!outcome) throw variantNotFound()
  const { moved, quantity, version } = outcome
  if (!moved) throw delta < 0 ? outOfStock({ field: 'delta', quantity }) : stockTooLarge()
  const base = { number: version, productId, variantId, delta, quantity, kind: 'MANUAL' as const, reference: null }
  await record(tx, ...toStockChanged({ ...base, businessId, subject: productId, actor }, [outcome]))
  return { ...base, reason, userId, createdAt: toSeconds(at) }
}
