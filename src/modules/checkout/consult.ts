import type { Answers, Asker, AskServices, CalloutCart } from '#modules/callouts/index.ts'
import { type Goods, keyOf } from '#modules/catalog/index.ts'
import { ADDRESS_FIELDS, type Address } from '#vocabulary/address.ts'
import type { Business, CalloutPoint, Market, ShippingMethod } from '#vocabulary/business.ts'
import { AppError, conflictingFields, withFields } from '#vocabulary/errors.ts'
import { type Cart, chooseShipping, type PricedCart, priceCart } from './cart.ts'
import { cartRefused, noShippingOffered, rateNotFound, rateRequired } from './errors.ts'
import type { Pricing, ToldTax } from './pricing.ts'
import type { Quote } from './schemas.ts'

/** All callouts of a request together. */
const IN_ALL_MS = 5_000

/** What services of the business said about a cart. */
export type Told = {
  /** Of what they said it: an order is placed by it only while the cart still is so. */
  about: string
  shippingMethod: ShippingMethod | undefined
  /** In the place of the market's shipping methods. */
  rates: Quote['shippingRates']
  tax: ToldTax | undefined
  /** Whose services failed, so that the business's own settings count. */
  fallbacks: CalloutPoint[]
}

export const hasCallouts = ({ callouts }: Business): boolean =>
  callouts !== null && Object.values(callouts).some(({ isEnabled }) => isEnabled)

/** Whether shipping methods come from a service, not from the market. */
export const asksForRates = ({ callouts }: Business): boolean => callouts?.['shipping.rates']?.isEnabled === true

export type Buyer = {
  customerId: string
  shippingAddress: Address | null
  billingAddress: Address | null
  shippingMethodId: string | null
}

/** All that is asked for a request, however often, ends in time. */
export const inTime = (asker: Omit<Asker, 'deadline'>): Asker => ({
  ...asker,
  deadline: AbortSignal.timeout(IN_ALL_MS),
})

type Asked = {
  asker: Asker
  buyer: Buyer
  cart: Cart
  goods: ReadonlyMap<string, Goods>
  /** A quote may be asked for before shipping is chosen. */
  needsShipping: boolean
}

/**
 * Asks the services that the business has set up about a cart: shipping first, then tax, and whether the cart is accepted. Never
 * within a transaction. What was said before is used again, so a checkout gets what its quote got.
 */
export async function consult(
  services: AskServices,
  { asker, buyer, cart, goods, needsShipping }: Asked,
): Promise<Told> {
  const bare = priceCart(cart, goods)
  const asked = toCalloutCart(cart, bare.pricing, goods, buyer)
  const unshipped = { ...asked, shippingMethodId: null, shipping: 0 }
  const { 'shipping.rates': offered } = await services.ask(asker, ['shipping.rates'], unshipped)
  const choice = { market: cart.market, pricing: bare.pricing, id: buyer.shippingMethodId, needsShipping }
  const { shippingMethod = cart.shippingMethod, rates } = offered === undefined ? {} : chooseRate(offered, choice)

  const { pricing } = priceCart({ ...cart, shippingMethod }, goods)
  const shipped = { ...asked, shippingMethodId: shippingMethod?.id ?? null, shipping: pricing.shipping }
  const told = await services.ask(asker, ['tax.calculate', 'cart.validate'], shipped)
  const { 'tax.calculate': tax, 'cart.validate': verdict } = told
  if (verdict && !verdict.isValid) throw refused(verdict, cart)
  return {
    about: aboutOf(pricing, goods),
    shippingMethod,
    rates,
    tax: tax ? toToldTax(tax, asked) : undefined,
    fallbacks: failedOf({ 'shipping.rates': offered, ...told }),
  }
}

const failedOf = (told: { [Point in CalloutPoint]?: unknown }) =>
  (Object.keys(told) as CalloutPoint[]).filter((point) => told[point] === null)

/** What the services' answers depend on and a checkout reads anew. */
export const aboutOf = (pricing: Pricing, goods: ReadonlyMap<string, Goods>): string =>
  JSON.stringify([pricing.currency, pricing.discount, toLines(pricing, goods)])

const toCalloutCart = (
  { market }: Cart,
  pricing: Pricing,
  goods: ReadonlyMap<string, Goods>,
  { customerId, shippingAddress, billingAddress }: Buyer,
): CalloutCart => ({
  market: market.id,
  currency: market.currency,
  pricesIncludeTax: market.pricesIncludeTax,
  customerId,
  shippingAddress: toAddress(shippingAddress),
  billingAddress: toAddress(billingAddress),
  shippingMethodId: null,
  shipping: 0,
  discount: pricing.discount,
  lines: toLines(pricing, goods),
})

const toLines = ({ lines }: Pricing, goods: ReadonlyMap<string, Goods>): CalloutCart['lines'] =>
  lines.map((line, index) => ({
    id: String(index + 1),
    productId: line.productId,
    variantId: line.variantId,
    sku: goods.get(keyOf(line))?.sku ?? '',
    quantity: line.quantity,
    unitPrice: line.unitPrice,
    totalPrice: line.totalPrice,
    discount: line.discount,
    taxClass: line.taxClass,
  }))

/** Every field, in one order: the same address is the same question. */
const toAddress = (address: Address | null): Address | null =>
  address && (Object.fromEntries(ADDRESS_FIELDS.map((field) => [field, address[field] ?? null])) as Address)

type Choice = { market: Market; pricing: Pricing; id: string | null; needsShipping: boolean }

/** Rates of the service; where it failed, the market's own methods. No rate at all: it is not shipped there. */
function chooseRate(offered: Answers['shipping.rates'] | null, { market, pricing, id, needsShipping }: Choice) {
  if (!offered) {
    const shippingMethod = id === null && !needsShipping ? undefined : chooseShipping(market, id)
    return { shippingMethod, rates: market.shippingMethods.map((method) => toRate(method, pricing)) }
  }
  const { rates } = offered
  const shippingMethod = rates.find((rate) => rate.id === id)
  if (id !== null && !shippingMethod) throw rateNotFound({ id })
  if (needsShipping && !shippingMethod) throw rates.length > 0 ? rateRequired() : noShippingOffered()
  return { shippingMethod: shippingMethod && { ...shippingMethod, isTold: true }, rates }
}

function toRate({ id, name, price, freeFrom }: ShippingMethod, { subtotal, discount }: Pricing) {
  const isFree = freeFrom !== undefined && subtotal - discount >= freeFrom
  return { id, name, price: isFree ? 0 : price }
}

/** Lines in the order of the cart; of a group's classes and whether it is inside the prices it need not speak. */
function toToldTax({ lines, shippingTax, taxes }: Answers['tax.calculate'], cart: CalloutCart): ToldTax {
  const byId = new Map(lines.map((line) => [line.id, line]))
  return {
    lines: cart.lines.map(({ id }) => {
      const { taxBps, tax } = byId.get(id) ?? { taxBps: 0, tax: 0 } // the answer was checked: every line is there
      return { taxBps, tax }
    }),
    shippingTax,
    taxes: taxes.map(({ taxBps, taxClasses = [], base, amount }) => ({
      taxBps,
      taxClasses,
      base,
      amount,
      included: cart.pricesIncludeTax,
    })),
  }
}

function refused({ problems }: Answers['cart.validate'], { items, field }: Cart) {
  const details = problems.map(({ lineId, message }) => {
    const item = lineId === null ? undefined : items[Number(lineId) - 1]
    return cartRefused.asDetail({ field: item ? `${field}.${item.index}` : field, message })
  })
  return withFields(conflictingFields(details), { problems })
}

/** An order that is placed by what services said, although the cart is another by now, would not add up. */
export const isStillSo = ({ about }: Told, { pricing }: PricedCart, goods: ReadonlyMap<string, Goods>): boolean =>
  about === aboutOf(pricing, goods)

export const isCartChanged = (error: unknown): boolean =>
  error instanceof AppError && error.details.some((detail) => detail.error === 'CART_CHANGED')
