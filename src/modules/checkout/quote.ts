import type { Asker, AskServices } from '#modules/callouts/index.ts'
import { findGoods, findPromo, keyOf } from '#modules/catalog/index.ts'
import { wrongCurrency } from '#modules/orders/index.ts'
import { now } from '#platform/clock.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { chooseMarket, mergeItems, priceCart } from './cart.ts'
import { asksForRates, consult, hasCallouts, inTime } from './consult.ts'
import { itemsRequired, promoNotFound } from './errors.ts'
import type { Pricing } from './pricing.ts'
import type { Quote, QuoteBody } from './schemas.ts'

type Quoted = { services: AskServices; customerId: string; asker: Omit<Asker, 'deadline'> }

/** Prices a checkout without placing it. */
export async function quote({ services, customerId, asker }: Quoted, body: QuoteBody): Promise<Quote> {
  const { cell, business } = asker
  const sent = body.lines ?? body.items
  if (!sent) throw itemsRequired()
  const field = body.lines ? 'lines' : 'items'
  const { market, shippingMethod } = chooseMarket(business, body, asksForRates(business))
  if (body.currency !== undefined && body.currency !== market.currency)
    throw wrongCurrency({ currency: market.currency })
  const items = mergeItems(sent, field)
  const [found, promo] = await Promise.all([
    findGoods(cell, business.id, items),
    body.promoCode ? findPromo(cell, business.id, body.promoCode) : undefined,
  ])
  if (body.promoCode && !promo) throw promoNotFound()
  const goods = new Map(found.map((one) => [keyOf(one), one]))
  const cart = { items, field, market, shippingMethod, promo, atSeconds: toSeconds(now()) }
  if (!hasCallouts(business)) return presentQuote(priceCart(cart, goods).pricing, body.explain)

  const buyer = {
    customerId,
    shippingAddress: body.shippingAddress ?? null,
    billingAddress: body.billingAddress ?? null,
    shippingMethodId: body.shippingMethodId || null,
  }
  const told = await consult(services, { asker: inTime(asker), buyer, cart, goods, needsShipping: false })
  const { pricing } = priceCart({ ...cart, shippingMethod: told.shippingMethod, toldTax: told.tax }, goods)
  return {
    ...presentQuote(pricing, body.explain),
    ...(told.rates && { shippingRates: told.rates }),
    ...(told.fallbacks.length > 0 && { fallbacks: told.fallbacks }),
  }
}

export function presentQuote({ lines, steps, ...figures }: Pricing, withSteps = false): Quote {
  const shown = lines.map((line) => ({ type: 'PRODUCT_VARIANT' as const, ...line }))
  return { lines: shown, ...figures, ...(withSteps && { steps }) }
}
