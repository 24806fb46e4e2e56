import { EVER_PAID, type SoldOrder } from '#modules/orders/index.ts'
import { spread } from '#vocabulary/money.ts'
import { quarterOf } from './periods.ts'

/** What a variant has of an order. */
export type CountedLine = {
  productId: string
  variantId: string
  units: number
  subtotal: number
  discount: number
  tax: number
  total: number
  refunded: number
}

/** What of an order stands in the sums. Of one that does not count, the figures are 0. */
export type CountedOrder = {
  businessId: string
  orderId: string
  version: number
  customerId: string
  person: string
  isCounted: boolean
  createdAt: Date
  quarter: number
  market: string
  currency: string
  promoCode: string | null
  units: number
  subtotal: number
  discount: number
  shipping: number
  tax: number
  total: number
  refunded: number
  lines: CountedLine[] | null
}

const NOTHING = { units: 0, subtotal: 0, discount: 0, shipping: 0, tax: 0, total: 0, refunded: 0, lines: null }

export function countOrder(order: SoldOrder, person: string): CountedOrder {
  const isCounted = EVER_PAID.includes(order.paymentStatus)
  const facts = {
    businessId: order.businessId,
    orderId: order.id,
    version: order.version,
    customerId: order.customerId,
    person,
    isCounted,
    createdAt: order.createdAt,
    quarter: quarterOf(order.createdAt),
    market: order.market,
    currency: order.currency,
    promoCode: order.promoCode,
  }
  if (!isCounted) return { ...facts, ...NOTHING }
  const refunded = refundedOf(order)
  return {
    ...facts,
    units: order.lines.reduce((sum, { quantity }) => sum + quantity, 0),
    subtotal: order.subtotal,
    discount: order.discount,
    shipping: order.shipping,
    tax: order.tax + order.taxIncluded,
    total: order.total,
    refunded,
    lines: countLines(order, refunded),
  }
}

/** Staff may mark an order by hand as refunded, without a refund that has an amount: all of it went back. */
const refundedOf = ({ paymentStatus, total, refundedAmount }: SoldOrder) =>
  paymentStatus === 'REFUNDED' && refundedAmount === 0 ? total : refundedAmount

/** Tax is part of what was paid for a line where it came on top; elsewhere it is inside the prices. */
const worthOf = ({ tax }: SoldOrder, line: SoldOrder['lines'][number]) =>
  line.totalPrice - line.discount + (tax > 0 ? line.tax : 0)

/** Each variant once, in the order of the lines. */
function countLines(order: SoldOrder, refunded: number): CountedLine[] {
  const refunds = shareRefunds(order, refunded)
  const byVariant = new Map<string, CountedLine>()
  for (const [index, line] of order.lines.entries()) {
    const key = `${line.productId} ${line.variantId}`
    const known = byVariant.get(key)
    byVariant.set(key, {
      productId: line.productId,
      variantId: line.variantId,
      units: (known?.units ?? 0) + line.quantity,
      subtotal: (known?.subtotal ?? 0) + line.totalPrice,
      discount: (known?.discount ?? 0) + line.discount,
      tax: (known?.tax ?? 0) + line.tax,
      total: (known?.total ?? 0) + worthOf(order, line),
      refunded: (known?.refunded ?? 0) + (refunds[index] as number),
    })
  }
  return [...byVariant.values()]
}

/**
 * What of the refunds is each line's. Refunds that name their lines are theirs; the rest, and all where none does, is
 * spread over lines and shipping in proportion to what is left of them.
 */
function shareRefunds(order: SoldOrder, refunded: number): number[] {
  const worths = [
    ...order.lines.map((line) => worthOf(order, line)),
    order.shipping + (order.tax > 0 ? order.shippingTax : 0),
  ].map(BigInt)
  const ids = [...order.lines.map(({ id }) => id), '']
  const named = ids.map((id) =>
    order.refundLines.reduce((sum, { lineId, amount }) => (lineId === id ? sum + BigInt(amount) : sum), 0n),
  )
  const whole = BigInt(refunded)
  const ofNamed = named.reduce((sum, amount) => sum + amount, 0n)
  // Of a refund that is still under way, the lines are known before the money is counted.
  if (ofNamed >= whole) return spread(whole, named).map(Number)
  const left = worths.map((worth, index) => {
    const rest = worth - (named[index] as bigint)
    return rest > 0n ? rest : 0n
  })
  return spread(whole - ofNamed, left).map((share, index) => Number(share + (named[index] as bigint)))
}
