import { findGoods, findPromo, keyOf } from '#modules/catalog/index.ts'
import { wrongCurrency } from '#modules/orders/index.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import type { Business } from '#vocabulary/business.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { chooseMarket, mergeItems, priceCart } from './cart.ts'
import { itemsRequired, promoNotFound } from './errors.ts'
import type { Pricing } from './pricing.ts'
import type { Quote, QuoteBody } from './schemas.ts'

/** Prices a checkout without placing it. */
export async function quote(db: Db, business: Business, body: QuoteBody): Promise<Quote> {
  const sent = body.lines ?? body.items
  if (!sent) throw itemsRequired()
  const field = body.lines ? 'lines' : 'items'
  const { market, shippingMethod } = chooseMarket(business, body)
  if (body.currency !== undefined && body.currency !== market.currency)
    throw wrongCurrency({ currency: market.currency })
  const items = mergeItems(sent, field)
  const [goods, promo] = await Promise.all([
    findGoods(db, business.id, items),
    body.promoCode ? findPromo(db, business.id, body.promoCode) : undefined,
  ])
  if (body.promoCode && !promo) throw promoNotFound()
  const cart = { items, field, market, shippingMethod, promo, atSeconds: toSeconds(now()) }
  const { pricing } = priceCart(cart, new Map(goods.map((found) => [keyOf(found), found])))
  return presentQuote(pricing, body.explain)
}

export function presentQuote({ lines, steps, ...figures }: Pricing, withSteps = false): Quote {
  const shown = lines.map((line) => ({ type: 'PRODUCT_VARIANT' as const, ...line }))
  return { lines: shown, ...figures, ...(withSteps && { steps }) }
}
