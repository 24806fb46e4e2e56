import { randomInt } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { OrdersOrders } from '#platform/database/cell-tables.ts'
import type { Block } from '#vocabulary/blocks.ts'
import { currentOf, type StatusEntry, withoutActors } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Order, OrderStatus, PaymentStatus } from './schemas.ts'

export type OrderLine = {
  type: 'PRODUCT_VARIANT'
  productId: string
  variantId: string
  quantity: number
  unitPrice: number
  totalPrice: number
  name: string
  sku: string
  /** How much of its stock it holds: nothing when the variant is not tracked. */
  taken: number
}

/** An order as its row holds it. */
export type OrderRow = Omit<
  Selectable<OrdersOrders>,
  'lines' | 'blocks' | 'statuses' | 'paymentStatuses' | 'status' | 'paymentStatus'
> & {
  lines: OrderLine[]
  blocks: Block[]
  statuses: StatusEntry<OrderStatus>[]
  paymentStatuses: StatusEntry<PaymentStatus>[]
  status: OrderStatus
  paymentStatus: PaymentStatus
}

const presentLine = ({ type, productId, variantId, quantity, unitPrice, totalPrice, name, sku }: OrderLine) => ({
  type,
  productId,
  variantId,
  quantity,
  unitPrice,
  totalPrice,
  name,
  sku,
})

export const presentOrder = (row: OrderRow): Order => ({
  id: row.id,
  businessId: row.businessId,
  number: row.number,
  customerId: row.customerId,
  market: row.market,
  currency: row.currency,
  lines: row.lines.map(presentLine),
  subtotal: row.subtotal,
  tax: row.tax,
  shipping: row.shipping,
  total: row.total,
  discount: row.discount,
  promoCode: row.promoCode,
  shippingMethodId: row.shippingMethodId,
  paymentMethod: row.paymentMethod as Order['paymentMethod'],
  blocks: row.blocks,
  contactEmail: row.contactEmail,
  statuses: row.statuses,
  paymentStatus: row.paymentStatuses,
  expiresAt: row.expiresAt && toSeconds(row.expiresAt),
  createdAt: toSeconds(row.createdAt),
  updatedAt: toSeconds(row.updatedAt),
})

/** As its customer gets it: without who of the staff has done what. */
export const presentToCustomer = (row: OrderRow): Order =>
  presentOrder({
    ...row,
    statuses: withoutActors(row.statuses, row.customerId),
    paymentStatuses: withoutActors(row.paymentStatuses, row.customerId),
  })

/** What its lines take out of stock, or give back to it. */
export const stockOf = ({ id, lines }: Pick<OrderRow, 'id' | 'lines'>, direction: 'TAKEN' | 'GIVEN') =>
  lines
    .filter(({ taken }) => taken > 0)
    .map(({ productId, variantId, taken }) => ({
      productId,
      variantId,
      delta: direction === 'TAKEN' ? -taken : taken,
      reference: id,
    }))

/** Both histories with what they say now. */
export const withHistories = (statuses: StatusEntry<OrderStatus>[], paymentStatuses: StatusEntry<PaymentStatus>[]) => ({
  statuses,
  status: currentOf(statuses) ?? ('PENDING' as const),
  paymentStatuses,
  paymentStatus: currentOf(paymentStatuses) ?? ('PENDING' as const),
})

// No I, L, O, U, 0 and 1: to be read out on the telephone.
const LETTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Two groups of four, random, so that nobody can tell from it how much is sold. */
export function newOrderNumber(): string {
  const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)])
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`
}
