/**
 * What a shop must be, said as simply as it can be: no database, no requests, nothing that goes wrong. `there` is what the
 * payment provider knows, `here` what the service has learned of it.
 */
export type Model = { seconds: number; products: ModelProduct[]; promos: ModelPromo[]; orders: ModelOrder[] }

export type ModelProduct = { price: number; stock: number; isTracked: boolean; isActive: boolean }
export type ModelPromo = { code: string; bps: number; max: number; used: number }
export type PageState = 'OPEN' | 'PAID' | 'ENDED'
/** A refund that a person has asked for. `pieces`, `unshipped` and `money` are what it takes of the order's line. */
export type ModelRefund = {
  amount: number
  pieces: number
  unshipped: number
  money: number
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED'
}

export type ModelOrder = {
  id: string
  /** None when there is nothing to pay. */
  pageId: string | undefined
  key: string
  body: object
  answer: object
  buyer: number
  product: ModelProduct
  quantity: number
  /** Of the stock: nothing when the product was not tracked. Less by what came back. */
  taken: number
  /** Of these, what it still held after it was cancelled, because it had gone out. */
  kept: number
  /** Pieces of each shipment. */
  shipments: number[]
  /** The last piece of a shipment made it SHIPPED, and nobody has set a status since. */
  isMovedByShipment: boolean
  returned: number
  /** Of these, pieces that had never gone out. */
  returnedUnshipped: number
  promo: ModelPromo | undefined
  unitPrice: number
  discount: number
  total: number
  status: 'PENDING' | 'PROCESSING' | 'SHIPPED' | 'CANCELLED'
  payment: 'PENDING' | 'PAID' | 'FAILED' | 'REFUNDED' | 'PARTIALLY_REFUNDED'
  isReleased: boolean
  there: PageState
  here: PageState
  refundedThere: number
  refundedHere: number
  refunds: ModelRefund[]
  /** An event about it is on its way. */
  hasNews: boolean
  createdAt: number
  checkedAt: number
}

const TAX_BPS = 1_000
const LASTS_SECONDS = 3_600
const SILENT_SECONDS = 300

export const createModel = (): Model => ({
  seconds: 0,
  products: [
    { price: 1_000, stock: 10, isTracked: true, isActive: true },
    { price: 2_000, stock: 6, isTracked: true, isActive: true },
  ],
  promos: [
    { code: 'TEN', bps: 1_000, max: 3, used: 0 },
    { code: 'FREE', bps: 10_000, max: 2, used: 0 },
  ],
  orders: [],
})

export type Cart = { product: ModelProduct; quantity: number; promo: ModelPromo | undefined }

/** `200`, or with what it is refused. */
export function judge({ product, quantity, promo }: Cart): string {
  if (!product.isActive) return '422 VALIDATION_FAILED items.0.variantId NOT_FOUND'
  if (product.isTracked && product.stock < quantity) return '409 CONFLICT items.0.quantity OUT_OF_STOCK'
  if (promo && promo.used >= promo.max) return '409 CONFLICT promoCode PROMO_EXHAUSTED'
  return '200'
}

// Prices are whole tens of a unit, so that no share is ever rounded: rounding has tests of its own.
export function priceOf({ product, quantity, promo }: Cart) {
  const subtotal = product.price * quantity
  const discount = promo ? (subtotal * promo.bps) / 10_000 : 0
  return { discount, total: subtotal - discount + ((subtotal - discount) * TAX_BPS) / 10_000 }
}

export type Placed = Pick<ModelOrder, 'id' | 'pageId' | 'key' | 'body' | 'answer' | 'buyer'>

export function place(model: Model, cart: Cart, placed: Placed): ModelOrder {
  const { product, quantity, promo } = cart
  const taken = product.isTracked ? quantity : 0
  product.stock -= taken
  if (promo) promo.used++
  const figures = priceOf(cart)
  const isFree = figures.total === 0
  const order: ModelOrder = {
    ...placed,
    ...cart,
    ...figures,
    taken,
    kept: 0,
    shipments: [],
    isMovedByShipment: false,
    returned: 0,
    returnedUnshipped: 0,
    unitPrice: product.price,
    status: isFree ? 'PROCESSING' : 'PENDING',
    payment: isFree ? 'PAID' : 'PENDING',
    isReleased: false,
    there: isFree ? 'ENDED' : 'OPEN',
    here: isFree ? 'ENDED' : 'OPEN',
    refundedThere: 0,
    refundedHere: 0,
    refunds: [],
    hasNews: false,
    createdAt: model.seconds,
    checkedAt: model.seconds,
  }
  model.orders.push(order)
  return order
}

export const isPaidFor = ({ here }: ModelOrder) => here === 'PAID'
export const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0)
export const shippedOf = ({ shipments }: ModelOrder) => sumOf(shipments)
/** With the customer: shipped, and not come back. */
export const outOf = (order: ModelOrder) => Math.max(shippedOf(order) - (order.returned - order.returnedUnshipped), 0)
/** The provider was not asked for these yet. */
export const askedOf = ({ refunds }: ModelOrder) => refunds.filter(({ status }) => status === 'PENDING')

/** What can still be refunded, as far as is known here. */
export const leftOf = (order: ModelOrder) =>
  isPaidFor(order)
    ? Math.max(0, order.total - order.refundedHere - sumOf(askedOf(order).map(({ amount }) => amount)))
    : 0

/** The service has asked the provider about the page. */
export function learn({ seconds }: Model, order: ModelOrder): void {
  if (order.pageId === undefined) return
  order.checkedAt = seconds
  order.here = order.there
  if (order.there === 'PAID' && order.status === 'PENDING') order.status = 'PROCESSING'
  if (order.there === 'PAID' && order.payment === 'PENDING') order.payment = 'PAID'
  if (order.refundedThere > order.refundedHere) {
    order.refundedHere = order.refundedThere
    order.payment = order.refundedThere < order.total ? 'PARTIALLY_REFUNDED' : 'REFUNDED'
  }
  if (order.there === 'ENDED' && order.status === 'PENDING') {
    order.payment = 'FAILED'
    end(order)
  }
}

/** Cancelled, by whomever: stock and promo code are given back, once. What is with the customer stays out. */
export function end(order: ModelOrder): void {
  order.status = 'CANCELLED'
  order.isMovedByShipment = false
  if (order.isReleased) return
  order.isReleased = true
  order.kept = Math.min(order.taken, outOf(order))
  order.product.stock += order.taken - order.kept
  if (order.promo) order.promo.used--
}

/** Nobody can pay it any more, unless somebody has. */
export function closeThere(order: ModelOrder): void {
  if (order.there !== 'OPEN') return
  order.there = 'ENDED'
  order.hasNews = true
}

export const isExpired = ({ seconds }: Model, { status, createdAt }: ModelOrder) =>
  status === 'PENDING' && seconds >= createdAt + LASTS_SECONDS

/** Asked about after 5 minutes, then 10, 20, 40. */
export const isSilent = ({ seconds }: Model, { pageId, here, checkedAt, createdAt }: ModelOrder) =>
  pageId !== undefined &&
  here === 'OPEN' &&
  seconds - checkedAt > SILENT_SECONDS &&
  checkedAt - createdAt < seconds - checkedAt

/** The refunds that were asked for, as far as there is money left for them there. One that fails frees its pieces. */
export function refundAsked(model: Model, order: ModelOrder): void {
  for (const refund of askedOf(order)) {
    const isMade = refund.amount <= order.total - order.refundedThere
    refund.status = isMade ? 'SUCCEEDED' : 'FAILED'
    if (isMade) {
      order.refundedThere += refund.amount
      order.hasNews = true
    }
    learn(model, order)
  }
}
