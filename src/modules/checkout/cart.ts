import {
  type Goods,
  keyOf,
  type Promo,
  type Purchase,
  priceAt,
  promoNotApplicable,
  promoRefusal,
} from '#modules/catalog/index.ts'
import { MAX_LINE_QUANTITY, marketNotFound } from '#modules/orders/index.ts'
import { type Business, type Market, type ShippingMethod, STANDARD_TAX_CLASS, taxRateOf } from '#vocabulary/business.ts'
import { type Detail, invalidFields } from '#vocabulary/errors.ts'
import { findOffStep } from '#vocabulary/money.ts'
import {
  noPrice,
  paymentMethodNotTaken,
  priceOffStep,
  promoOffStep,
  shippingMethodNotFound,
  shippingMethodRequired,
  shippingOffStep,
  tooManyAtOnce,
  tooManyOfVariant,
  variantNotFound,
} from './errors.ts'
import { type CartLine, type Pricing, type PricingInput, price, type ToldTax, toPricingInput } from './pricing.ts'
import type { Item } from './schemas.ts'

/** `index` is that of the first item with this variant, for error details. */
export type MergedItem = Omit<Item, 'type'> & { index: number }

/** Merges items of the same variant, so that the demand for a variant is one number. */
export function mergeItems(items: readonly Item[], field: string): MergedItem[] {
  const merged = new Map<string, MergedItem>()
  for (const [index, { productId, variantId, quantity }] of items.entries()) {
    const known = merged.get(keyOf({ productId, variantId }))
    const sum = (known?.quantity ?? 0) + quantity
    if (sum > MAX_LINE_QUANTITY) throw tooManyOfVariant({ at: `${field}.${index}` })
    merged.set(keyOf({ productId, variantId }), { productId, variantId, quantity: sum, index: known?.index ?? index })
  }
  return [...merged.values()]
}

type Choice = { market: string; paymentMethod?: string; shippingMethodId?: string | null }

/**
 * The market with the chosen shipping and payment methods; throws when the choice is invalid. `asksForRates`: shipping is
 * chosen later, from what a service offers.
 */
export function chooseMarket(business: Business, choice: Choice, asksForRates = false) {
  const market = business.markets.find(({ id }) => id === choice.market)
  if (!market) throw marketNotFound({ id: choice.market })
  const methods: readonly string[] = market.paymentMethods
  if (choice.paymentMethod !== undefined && methods.length > 0 && !methods.includes(choice.paymentMethod)) {
    throw paymentMethodNotTaken()
  }
  const paymentMethod = choice.paymentMethod ?? methods[0] ?? 'CREDIT_CARD'
  const shippingMethod = asksForRates ? undefined : chooseShipping(market, choice.shippingMethodId)
  return { market, shippingMethod, paymentMethod }
}

export function chooseShipping({ shippingMethods }: Market, id: string | null | undefined): ShippingMethod | undefined {
  if (shippingMethods.length === 0) return undefined
  if (id === undefined || id === null || id === '') throw shippingMethodRequired()
  const found = shippingMethods.find((method) => method.id === id)
  if (!found) throw shippingMethodNotFound({ id })
  return found
}

export type Cart = {
  items: readonly MergedItem[]
  /** Name of the list in the request, for error details. */
  field: string
  market: Market
  shippingMethod: ShippingMethod | undefined
  promo: Promo | undefined
  atSeconds: number
  /** What the business's service for taxes said, if it has one. */
  toldTax?: ToldTax | undefined
}

export type PricedCart = { input: PricingInput; pricing: Pricing }

/** Prices a cart from the catalog; prices that the caller sends are ignored. Refuses a promo code that does not apply. */
export function priceCart(cart: Cart, goods: ReadonlyMap<string, Goods>): PricedCart {
  const priced = priceGoods(cart, goods)
  const refusal = cart.promo && promoRefusal(cart.promo, purchaseOf(cart, priced.pricing))
  if (refusal) throw promoNotApplicable(refusal)
  return priced
}

export const purchaseOf = ({ market, atSeconds }: Cart, { subtotal }: Pricing): Purchase => ({
  marketId: market.id,
  currency: market.currency,
  subtotal,
  atSeconds,
})

/** The same, whether the promo code applies or not. */
export function priceGoods(
  { items, field, market, shippingMethod, promo, atSeconds, toldTax }: Cart,
  goods: ReadonlyMap<string, Goods>,
): PricedCart {
  const details: Detail[] = []
  const lines = items.map(({ productId, variantId, quantity, index }): CartLine => {
    const found = goods.get(keyOf({ productId, variantId }))
    const at = `${field}.${index}`
    if (!found || found.status !== 'ACTIVE') {
      details.push(variantNotFound.asDetail({ at, variantId, productId }))
    }
    const unit = found && priceAt(found.prices, market, atSeconds)
    const off = found?.status === 'ACTIVE' && unit && findOffStep(unit.price, market.currency)
    if (off) details.push(priceOffStep.asDetail({ at, name: found.name, ...off }))
    if (found?.status === 'ACTIVE' && !unit) details.push(noPrice.asDetail({ at, name: found.name }))
    if (found?.status === 'ACTIVE' && quantity > (found.maxPerOrder ?? MAX_LINE_QUANTITY))
      details.push(tooManyAtOnce.asDetail({ at, maxPerOrder: String(found.maxPerOrder), name: found.name }))
    const taxClass = found?.taxClass ?? STANDARD_TAX_CLASS
    return {
      productId,
      variantId,
      quantity,
      unitPrice: unit?.price ?? 0,
      taxClass,
      taxBps: taxRateOf(market, taxClass),
    }
  })
  const promoOff =
    promo?.type === 'FIXED' && promo.currency === market.currency && findOffStep(promo.value, market.currency)
  if (promoOff) details.push(promoOffStep.asDetail({ code: promo.code, ...promoOff }))
  if (details.length > 0) throw invalidFields(details)

  const input = toPricingInput(lines, market, shippingMethod, promo, toldTax)
  const pricing = price(input)
  // Only what is charged: from some subtotal on, shipping may be free.
  const shippingOff = shippingMethod && findOffStep(pricing.shipping, market.currency)
  if (shippingOff) throw shippingOffStep({ name: shippingMethod.name, ...shippingOff })
  return { input, pricing }
}
