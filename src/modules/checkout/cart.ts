import { type Goods, keyOf, type Promo, promoNotApplicable, promoRefusal } from '#modules/catalog/index.ts'
import { marketNotFound } from '#modules/orders/index.ts'
import type { Business, Market, ShippingMethod } from '#vocabulary/business.ts'
import { type Detail, invalid, invalidFields } from '#vocabulary/errors.ts'
import { paymentMethodNotTaken, shippingMethodNotFound, shippingMethodRequired } from './errors.ts'
import { type CartLine, type Pricing, type PricingInput, price, toPricingInput } from './pricing.ts'
import type { Item } from './schemas.ts'

/** `index` is that of the first item that named it, for telling what is wrong with it. */
export type MergedItem = Omit<Item, 'type'> & { index: number }

const MAX_QUANTITY = 10_000

/** Equal lines become one: the demand for a variant is one number, whatever the order in which it was sent. */
export function mergeItems(items: readonly Item[], field: string): MergedItem[] {
  const merged = new Map<string, MergedItem>()
  for (const [index, { productId, variantId, quantity }] of items.entries()) {
    const known = merged.get(keyOf({ productId, variantId }))
    const sum = (known?.quantity ?? 0) + quantity
    if (sum > MAX_QUANTITY)
      throw invalid(`${field}.${index}.quantity`, 'TOO_LARGE', `At most ${MAX_QUANTITY} of a variant can be ordered.`)
    merged.set(keyOf({ productId, variantId }), { productId, variantId, quantity: sum, index: known?.index ?? index })
  }
  return [...merged.values()]
}

type Choice = { market: string; paymentMethod?: string; shippingMethodId?: string | null }

/** The market, its shipping method and payment method, or what is wrong with the choice. */
export function chooseMarket(business: Business, choice: Choice) {
  const market = business.markets.find(({ id }) => id === choice.market)
  if (!market) throw marketNotFound(choice.market)
  const methods: readonly string[] = market.paymentMethods
  if (choice.paymentMethod !== undefined && methods.length > 0 && !methods.includes(choice.paymentMethod)) {
    throw paymentMethodNotTaken()
  }
  const paymentMethod = choice.paymentMethod ?? methods[0] ?? 'CREDIT_CARD'
  return { market, shippingMethod: chooseShipping(market, choice.shippingMethodId), paymentMethod }
}

function chooseShipping({ shippingMethods }: Market, id: string | null | undefined): ShippingMethod | undefined {
  if (shippingMethods.length === 0) return undefined
  if (id === undefined || id === null || id === '') throw shippingMethodRequired()
  const found = shippingMethods.find((method) => method.id === id)
  if (!found) throw shippingMethodNotFound(id)
  return found
}

export type Cart = {
  items: readonly MergedItem[]
  /** The name of the list in the request. */
  field: string
  market: Market
  shippingMethod: ShippingMethod | undefined
  promo: Promo | undefined
  atSeconds: number
}

/** What the cart costs by the goods' own prices: what the caller may have said about prices is never looked at. */
export function priceCart(
  { items, field, market, shippingMethod, promo, atSeconds }: Cart,
  goods: ReadonlyMap<string, Goods>,
): { input: PricingInput; pricing: Pricing } {
  const details: Detail[] = []
  const lines = items.map(({ productId, variantId, quantity, index }): CartLine => {
    const found = goods.get(keyOf({ productId, variantId }))
    const wrong = (name: string, error: string, message: string) =>
      details.push({ field: `${field}.${index}.${name}`, error, message })
    if (!found || found.status !== 'ACTIVE') {
      wrong('variantId', 'NOT_FOUND', `There is no variant ${variantId} of product ${productId} to be bought.`)
    }
    const unit = found?.prices.find(({ marketId, currency }) => marketId === market.id && currency === market.currency)
    if (found?.status === 'ACTIVE' && !unit)
      wrong('variantId', 'NO_PRICE', `${found.name} has no price in this market.`)
    if (found?.status === 'ACTIVE' && quantity > (found.maxPerOrder ?? MAX_QUANTITY))
      wrong('quantity', 'TOO_LARGE', `At most ${found.maxPerOrder} of ${found.name} can be ordered at once.`)
    return { productId, variantId, quantity, unitPrice: unit?.price ?? 0 }
  })
  if (details.length > 0) throw invalidFields(details)

  const input = toPricingInput(lines, market, shippingMethod, promo)
  const pricing = price(input)
  const purchase = { marketId: market.id, currency: market.currency, subtotal: pricing.subtotal, atSeconds }
  const refusal = promo && promoRefusal(promo, purchase)
  if (refusal) throw promoNotApplicable(refusal)
  return { input, pricing }
}
