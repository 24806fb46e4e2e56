import { randomInt } from 'node:crypto'
import type { Selectable } from 'kysely'
import { now } from '#platform/clock.ts'
import type { OrdersOrders } from '#platform/database/cell-tables.ts'
import type { Address } from '#vocabulary/address.ts'
import type { Block } from '#vocabulary/blocks.ts'
import { newId } from '#vocabulary/ids.ts'
import { currentOf, type StatusEntry, withoutActors } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Fulfillment, Order, OrderStatus, PaymentStatus, TaxGroup } from './schemas.ts'

export type OrderLine = {
  id: string
  type: 'PRODUCT_VARIANT'
  productId: string
  variantId: string
  quantity: number
  unitPrice: number
  totalPrice: number
  /** Its share of the order's discount. */
  discount: number
  taxClass: string
  /** Null where a person sent the sums only. */
  taxBps: number | null
  /** Its share of the order's tax, on top of the price or inside. */
  tax: number
  name: string
  sku: string
  /** Units of stock that the line holds; 0 when the variant is not tracked. Of an order that was cancelled: held then. */
  taken: number
  /** Of these, the units that the cancelled order still holds: they had been shipped. */
  kept?: number
  /** Pieces that came back. */
  returned?: number
  /** Of these, the ones that had never gone out. */
  returnedUnshipped?: number
}

/** An order as stored. */
export type OrderRow = Omit<
  Selectable<OrdersOrders>,
  | 'lines'
  | 'taxes'
  | 'shippingAddress'
  | 'billingAddress'
  | 'fulfillment'
  | 'blocks'
  | 'statuses'
  | 'paymentStatuses'
  | 'status'
  | 'paymentStatus'
> & {
  shippingAddress: Address | null
  billingAddress: Address | null
  /** Null while there is no shipment: then the statuses tell. */
  fulfillment: Fulfillment | null
  lines: OrderLine[]
  taxes: TaxGroup[]
  blocks: Block[]
  statuses: StatusEntry<OrderStatus>[]
  paymentStatuses: StatusEntry<PaymentStatus>[]
  status: OrderStatus
  paymentStatus: PaymentStatus
}

/** Defaults of a new order. */
const ORDER_DEFAULTS = {
  shippingAddress: null,
  billingAddress: null,
  phone: null,
  customerNote: null,
  tags: [],
  refundedAmount: 0,
  fulfillment: null,
  taxIncluded: 0,
  promoCode: null,
  promoId: null,
  promoCustomer: null,
  shippingMethodId: null,
  paymentMethod: null,
  trace: null,
  returnUrl: null,
  cancelUrl: null,
  requestKey: null,
  requestCaller: null,
  requestHash: null,
  expiresAt: null,
  expiredAt: null,
  sweptAt: null,
  releasedAt: null,
} satisfies Partial<OrderRow>

type Optional = keyof typeof ORDER_DEFAULTS | 'id' | 'number' | 'version' | 'createdAt' | 'updatedAt'
type Draft = Omit<OrderRow, Optional | 'status' | 'paymentStatus'> & Partial<Pick<OrderRow, Optional>>

/** The only constructor of an order row: a new column gets a default in `ORDER_DEFAULTS`, or every caller must provide it. */
export function draftOrder(draft: Draft): OrderRow {
  const at = now()
  const fresh = { id: newId('ord'), number: newOrderNumber(), version: 1, createdAt: at, updatedAt: at }
  return { ...ORDER_DEFAULTS, ...fresh, ...draft, ...withHistories(draft.statuses, draft.paymentStatuses) }
}

const presentLine = (line: OrderLine) => ({
  id: line.id,
  type: line.type,
  productId: line.productId,
  variantId: line.variantId,
  quantity: line.quantity,
  unitPrice: line.unitPrice,
  totalPrice: line.totalPrice,
  discount: line.discount,
  taxClass: line.taxClass,
  taxBps: line.taxBps,
  tax: line.tax,
  name: line.name,
  sku: line.sku,
})

/** Of the trace, which is the checkout's, the one part that is shown. */
function fallbacksOf({ trace }: OrderRow): Pick<Order, 'fallbacks'> {
  const { fallbacks } = (trace ?? {}) as Pick<Order, 'fallbacks'>
  return fallbacks ? { fallbacks } : {}
}

/** Tags are the staff's own: only those who may read all orders see them. */
export const presentOrder = (row: OrderRow, { seesTags }: { seesTags: boolean }): Order => ({
  id: row.id,
  businessId: row.businessId,
  number: row.number,
  customerId: row.customerId,
  market: row.market,
  currency: row.currency,
  lines: row.lines.map(presentLine),
  subtotal: row.subtotal,
  tax: row.tax,
  taxIncluded: row.taxIncluded,
  taxes: row.taxes,
  shipping: row.shipping,
  shippingTax: row.shippingTax,
  total: row.total,
  discount: row.discount,
  promoCode: row.promoCode,
  shippingMethodId: row.shippingMethodId,
  paymentMethod: row.paymentMethod as Order['paymentMethod'],
  blocks: row.blocks,
  contactEmail: row.contactEmail,
  shippingAddress: row.shippingAddress,
  billingAddress: row.billingAddress,
  phone: row.phone,
  customerNote: row.customerNote,
  ...(seesTags && { tags: row.tags, ...fallbacksOf(row) }),
  fulfillment: fulfillmentOf(row),
  refundedAmount: row.refundedAmount,
  statuses: row.statuses,
  paymentStatus: row.paymentStatuses,
  expiresAt: row.expiresAt && toSeconds(row.expiresAt),
  expiredAt: row.expiredAt && toSeconds(row.expiredAt),
  createdAt: toSeconds(row.createdAt),
  updatedAt: toSeconds(row.updatedAt),
})

/** The order as its customer sees it: without the staff members who changed it. */
export const presentToCustomer = (row: OrderRow): Order =>
  presentOrder(
    {
      ...row,
      statuses: withoutActors(row.statuses, row.customerId),
      paymentStatuses: withoutActors(row.paymentStatuses, row.customerId),
    },
    { seesTags: false },
  )

/** How much of it has gone out. A person may say so by the status alone; that the money went back later brings nothing back. */
export function fulfillmentOf({ fulfillment, statuses }: Pick<OrderRow, 'fulfillment' | 'statuses'>): Fulfillment {
  const last = statuses.findLast(({ status }) => status !== 'REFUNDED')?.status
  return fulfillment ?? (last === 'SHIPPED' || last === 'DELIVERED' ? 'FULFILLED' : 'UNFULFILLED')
}

/** Stock changes that take the order's lines, or give them back. What a cancelled order kept is neither. */
export const stockOf = ({ id, lines }: Pick<OrderRow, 'id' | 'lines'>, direction: 'TAKEN' | 'GIVEN') =>
  lines
    .map((line) => ({ line, moved: line.taken - (line.kept ?? 0) }))
    .filter(({ moved }) => moved > 0)
    .map(({ line: { productId, variantId }, moved }) => ({
      productId,
      variantId,
      delta: direction === 'TAKEN' ? -moved : moved,
      reference: id,
    }))

/** Units of stock that the line holds now. */
export const heldOf = ({ releasedAt }: Pick<OrderRow, 'releasedAt'>, line: OrderLine): number =>
  releasedAt ? (line.kept ?? 0) : line.taken

/** Pieces of the line that were shipped and have not come back. */
export const outOf = ({ returned = 0, returnedUnshipped = 0 }: OrderLine, shipped: number): number =>
  Math.max(shipped - (returned - returnedUnshipped), 0)

/** Both histories with their current statuses. */
export const withHistories = (statuses: StatusEntry<OrderStatus>[], paymentStatuses: StatusEntry<PaymentStatus>[]) => ({
  statuses,
  status: currentOf(statuses) ?? ('PENDING' as const),
  paymentStatuses,
  paymentStatus: currentOf(paymentStatuses) ?? ('PENDING' as const),
})

// Without I, L, O, U, 0 and 1, which are hard to tell apart when read out on the telephone.
const LETTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Two random groups of four characters, so that numbers do not reveal sales. */
function newOrderNumber(): string {
  const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)])
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}
