import { findGoods, keyOf, mergePromo, refusalsOf } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import type { Business } from '#vocabulary/business.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { chooseMarket, mergeItems, priceGoods, purchaseOf } from './cart.ts'
import { presentQuote } from './quote.ts'
import type { TriedPromo, TryPromoBody } from './schemas.ts'

/** What a promo code, saved or not, would do to a cart now, and why it would not be taken. */
export async function tryPromo(db: Db, business: Business, body: TryPromoBody): Promise<TriedPromo> {
  const at = now()
  const promo = mergePromo(undefined, body.promo, { business, at })
  const { market, shippingMethod } = chooseMarket(business, body)
  const items = mergeItems(body.lines, 'lines')
  const found = await findGoods(db, business.id, items)
  const goods = new Map(found.map((one) => [keyOf(one), one]))
  const cart = { items, field: 'lines', market, shippingMethod, promo: undefined, atSeconds: toSeconds(at) }
  const { pricing: without } = priceGoods(cart, goods)
  const refusals = refusalsOf(promo, purchaseOf(cart, without))
  // An amount of another currency is no amount here.
  const counted = refusals.includes('CURRENCY') ? undefined : promo
  const { pricing } = priceGoods({ ...cart, promo: counted }, goods)
  return { refusals, quote: presentQuote(pricing, true), without: presentQuote(without) }
}
