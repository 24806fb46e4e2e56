import type { Db } from '#platform/database/database.ts'
import { countFitting, isFitting } from '#platform/database/page-bytes.ts'
import { writeFile } from '#platform/transfer/csv.ts'
import type { FileFormat } from '#platform/transfer/file.ts'
import { ADDRESS_FIELDS, type Address } from '#vocabulary/address.ts'
import { currentOf } from '#vocabulary/status-history.ts'
import { listCommentsOf, presentComment } from '../comments/queries.ts'
import { fulfillmentOf, type OrderLine, type OrderRow, presentOrder } from '../order.ts'
import { type Asked, toAsked } from './conditions.ts'
import { findOrders, type Place } from './find-orders.ts'

const BATCH = 200

/** All orders that match, oldest first. */
export const exportOrders = (db: Db, asked: Asked, format: FileFormat): AsyncGenerator<string> =>
  writeFile(readPages(db, asked), format, {
    columns: COLUMNS.map(([name]) => name),
    toRows: (order) => order.lines.map((line) => COLUMNS.map(([, cellOf]) => toCell(cellOf(order, line)))),
    toLine: (order) => JSON.stringify(presentOrder(order, { seesTags: true })),
  })

/** All orders of a person with what staff say of each, oldest first, as JSON. */
export async function* exportOrdersOf(
  db: Db,
  businessId: string,
  customerIds: readonly string[],
): AsyncGenerator<string[]> {
  for await (const orders of readPages(db, toAsked(businessId, {}, customerIds))) {
    const ids = orders.map(({ id }) => id)
    const comments = Map.groupBy(await listCommentsOf(db, businessId, ids), ({ orderId }) => orderId)
    yield orders.map((order) =>
      JSON.stringify({
        ...presentOrder(order, { seesTags: true }),
        comments: (comments.get(order.id) ?? []).map(presentComment),
      }),
    )
  }
}

async function* readPages(db: Db, asked: Asked): AsyncGenerator<OrderRow[]> {
  for (let after: Place | undefined; ; ) {
    const { rows, stop } = await findOrders(db, { asked, sort: 'createdAt', after, limit: BATCH })
    const shown = rows.slice(0, countFitting(rows, BATCH, isFitting))
    if (shown.length > 0) yield shown
    const last = shown.length < rows.length ? shown.at(-1) : undefined
    after = last ? { key: null, id: last.id } : stop
    if (!after) return
  }
}

type Value = string | number | null | undefined
const toCell = (value: Value) => (value === null || value === undefined ? '' : String(value))

/** As spreadsheets read times. */
const toTime = (at: Date) => at.toISOString().slice(0, 19).replace('T', ' ')

const addressColumns = (prefix: string, addressOf: (order: OrderRow) => Address | null) =>
  ADDRESS_FIELDS.map(
    (field): Column => [`${prefix}${field[0]?.toUpperCase()}${field.slice(1)}`, (order) => addressOf(order)?.[field]],
  )

type Column = readonly [name: string, cellOf: (order: OrderRow, line: OrderLine) => Value]

/** A row for each line. What belongs to the order stands in all of its rows. Sums are minor units (cents). */
const COLUMNS: readonly Column[] = [
  ['orderId', ({ id }) => id],
  ['number', ({ number }) => number],
  ['createdAt', ({ createdAt }) => toTime(createdAt)],
  ['status', ({ statuses }) => currentOf(statuses)],
  ['paymentStatus', ({ paymentStatuses }) => currentOf(paymentStatuses)],
  ['fulfillment', (order) => fulfillmentOf(order)],
  ['market', ({ market }) => market],
  ['currency', ({ currency }) => currency],
  ['customerId', ({ customerId }) => customerId],
  ['email', ({ contactEmail }) => contactEmail],
  ['phone', ({ phone }) => phone],
  ['tags', ({ tags }) => tags.join(', ')],
  ['promoCode', ({ promoCode }) => promoCode],
  ['paymentMethod', ({ paymentMethod }) => paymentMethod],
  ['shippingMethodId', ({ shippingMethodId }) => shippingMethodId],
  ['subtotal', ({ subtotal }) => subtotal],
  ['discount', ({ discount }) => discount],
  ['shipping', ({ shipping }) => shipping],
  ['tax', ({ tax }) => tax],
  ['taxIncluded', ({ taxIncluded }) => taxIncluded],
  ['total', ({ total }) => total],
  ['refundedAmount', ({ refundedAmount }) => refundedAmount],
  ['lineId', (_, { id }) => id],
  ['productId', (_, { productId }) => productId],
  ['variantId', (_, { variantId }) => variantId],
  ['sku', (_, { sku }) => sku],
  ['name', (_, { name }) => name],
  ['quantity', (_, { quantity }) => quantity],
  ['unitPrice', (_, { unitPrice }) => unitPrice],
  ['lineTotal', (_, { totalPrice }) => totalPrice],
  ['lineDiscount', (_, { discount }) => discount],
  ['lineTaxBps', (_, { taxBps }) => taxBps],
  ['lineTax', (_, { tax }) => tax],
  ...addressColumns('shipping', ({ shippingAddress }) => shippingAddress),
  ...addressColumns('billing', ({ billingAddress }) => billingAddress),
  ['customerNote', ({ customerNote }) => customerNote],
]
