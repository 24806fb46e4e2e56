import { changeStock, type Goods, keyOf, lockGoods, toStockChanged } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { write } from '#platform/database/write.ts'
import type { NewEvent } from '#platform/events/define.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { type Block, checkFreeBlocks, type NewBlock } from '#vocabulary/blocks.ts'
import type { Business } from '#vocabulary/business.ts'
import { invalidFields } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { appendStatuses, currentOf } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { FINAL } from './change-status.ts'
import { checkSums, checkTaxIncluded, toFigures } from './check-sums.ts'
import {
  blocksTooLarge,
  marketNotFound,
  orderIsFinal,
  orderNotOpen,
  paymentOpen,
  piecesUsed,
  variantNotFound,
  wrongCurrency,
} from './errors.ts'
import { orderCreated, orderUpdated } from './events.ts'
import { draftOrder, type OrderLine, type OrderRow } from './order.ts'
import { outOfStock } from './out-of-stock.ts'
import { lockOrder, newOrders, saveOrder } from './queries.ts'
import { isCounted, listRefundLines } from './refund-lines.ts'
import type { NewLine, NewOrder, OrderChanges } from './schemas.ts'
import { fulfillmentWith } from './shipments/settle-fulfillment.ts'
import { shippedPieces } from './shipped-pieces.ts'

/** Figures whose change makes those of the lines void. */
const FIGURES = ['subtotal', 'tax', 'taxIncluded', 'shipping', 'shippingTax', 'discount', 'total', 'taxes'] as const

const withoutShares = ({ discount: _discount, tax: _tax, taxBps: _taxBps, ...line }: OrderLine): NewLine => line

/** An order by hand, once it is known whose it is. */
type OrderByHand = Omit<NewOrder, 'customerId' | 'customer'> & { customerId: string }

type Writer = { business: Business; actor: Actor }

/** Creates an order by hand. Prices are as sent, but must add up, and stock is taken. */
export async function createOrder(tx: Tx, { business, actor }: Writer, body: OrderByHand): Promise<OrderRow> {
  const market = business.markets.find(({ id }) => id === body.market)
  if (!market) throw marketNotFound({ id: body.market })
  if (body.currency !== undefined && body.currency !== market.currency)
    throw wrongCurrency({ currency: market.currency })
  const sums = { ...body, discount: body.discount ?? 0, taxIncluded: body.taxIncluded ?? 0 }
  checkTaxIncluded(sums.taxIncluded, market)
  checkSums(sums)

  const id = newId('ord')
  const at = { actor, atSeconds: toSeconds(now()) }
  const statuses = appendStatuses([], body.statuses?.length ? body.statuses : [{ status: 'PENDING' }], {
    field: 'statuses',
    ...at,
  })
  const paymentStatuses = appendStatuses(
    [],
    body.paymentStatus?.length ? body.paymentStatus : [{ status: 'PENDING' }],
    {
      field: 'paymentStatus',
      ...at,
    },
  )
  const isOpen = !FINAL.includes(currentOf(statuses) ?? 'PENDING')
  const { lines, stock } = await takeLines(tx, business.id, id, [], body.lines, actor, isOpen)
  const order = draftOrder({
    businessId: business.id,
    id,
    customerId: body.customerId,
    market: market.id,
    currency: market.currency,
    ...toFigures(sums, lines, market.taxShipping),
    subtotal: body.subtotal,
    tax: body.tax,
    taxIncluded: sums.taxIncluded,
    shipping: body.shipping,
    discount: sums.discount,
    total: body.total,
    blocks: checkBlocks(body.blocks ?? []),
    contactEmail: body.contactEmail ?? null,
    shippingAddress: body.shippingAddress ?? null,
    billingAddress: body.billingAddress ?? null,
    phone: body.phone ?? null,
    customerNote: body.customerNote ?? null,
    tags: body.tags ?? [],
    statuses,
    paymentStatuses,
    releasedAt: isOpen ? null : now(),
  })
  await write(tx, newOrders([order]))
  const data = { number: order.number }
  await record(tx, orderCreated({ businessId: business.id, subject: id, actor, data }), ...stock)
  return order
}

/** Fields that may change after payment, and tags even when the order has ended. */
const ANY_TIME = new Set(['tags'])
const UNTIL_FINAL = new Set(['shippingAddress', 'billingAddress', 'phone', 'customerNote', ...ANY_TIME])

/** Changes an order; its figures and lines only while it is neither paid nor being paid. Stock follows its lines. */
export async function updateOrder(
  tx: Tx,
  { business, actor }: Writer,
  check: (order: OrderRow) => void,
  { id, lines, blocks, ...changes }: OrderChanges,
): Promise<OrderRow> {
  const before = await lockOrder(tx, business.id, id)
  check(before)
  const sent = Object.keys({ ...changes, ...(lines && { lines }), ...(blocks && { blocks }) })
  if (!sent.every((field) => UNTIL_FINAL.has(field))) checkOpen(before)
  else if (FINAL.includes(before.status) && !sent.every((field) => ANY_TIME.has(field)))
    throw orderIsFinal({ status: before.status })

  const merged = { ...before, ...changes, version: before.version + 1, updatedAt: now() }
  const isRefigured = lines !== undefined || FIGURES.some((field) => changes[field] !== undefined)
  const { shippingTax, taxes } = changes
  const sums = { ...merged, shippingTax, taxes, lines: lines ?? before.lines.map(withoutShares) }
  const market = business.markets.find((each) => each.id === before.market)
  if (changes.taxIncluded !== before.taxIncluded) checkTaxIncluded(changes.taxIncluded, market)
  if (isRefigured) checkSums(sums)
  if (lines) await checkUsed(tx, before, lines)
  const { lines: taken, stock } = lines
    ? await takeLines(tx, business.id, id, before.lines, lines, actor, true)
    : { lines: before.lines, stock: [] }
  const after: OrderRow = {
    ...merged,
    ...(lines && { fulfillment: await fulfillmentWith(tx, before, taken) }),
    ...(blocks && { blocks: checkBlocks(blocks) }),
    ...(isRefigured && { ...toFigures(sums, taken, market?.taxShipping ?? false), trace: null }),
  }
  await saveOrder(tx, after)
  const data = { number: after.number, fields: sent }
  await record(tx, orderUpdated({ businessId: business.id, subject: id, actor, data }), ...stock)
  return after
}

/** Lines and money change only while nobody has paid and nobody is about to. */
function checkOpen(order: OrderRow): void {
  if (order.status !== 'PENDING' && order.status !== 'PROCESSING') throw orderNotOpen({ status: order.status })
  const isPaid = order.paymentStatus !== 'PENDING' && order.paymentStatus !== 'FAILED'
  // Until it expires, the payment session may be open, whatever status a person has set.
  const isBeingPaid = order.expiresAt !== null && (order.paymentStatus === 'PENDING' || order.expiresAt > now())
  if (isPaid || isBeingPaid) throw paymentOpen()
}

const MAX_BLOCKS_BYTES = 100_000

function checkBlocks(sent: readonly NewBlock[]): Block[] {
  const blocks = checkFreeBlocks(sent)
  if (Buffer.byteLength(JSON.stringify(blocks)) > MAX_BLOCKS_BYTES) throw blocksTooLarge()
  return blocks
}

/** The sent lines that stay lines of the order. One with another variant, or an id that came before, is a new line. */
function stayingLines(before: readonly OrderLine[], lines: readonly NewLine[]): Map<NewLine, OrderLine> {
  const known = new Map(before.map((line) => [line.id, line]))
  const staying = new Map<NewLine, OrderLine>()
  for (const line of lines) {
    const found = line.id === undefined ? undefined : known.get(line.id)
    if (!found || keyOf(found) !== keyOf(line)) continue
    staying.set(line, found)
    known.delete(found.id)
  }
  return staying
}

/** Pieces that were shipped, refunded or returned cannot be taken out of an order. */
async function checkUsed(tx: Tx, order: OrderRow, lines: readonly NewLine[]): Promise<void> {
  const { businessId, id, lines: before } = order
  const shipped = await shippedPieces(tx, order)
  const refunded = new Map<string, number>()
  for (const { lineId, quantity } of (await listRefundLines(tx, businessId, id)).filter(isCounted))
    refunded.set(lineId, (refunded.get(lineId) ?? 0) + quantity)
  const kept = new Map([...stayingLines(before, lines)].map(([sent, line]) => [line.id, sent.quantity]))
  for (const { id: lineId, returned = 0 } of before) {
    const used = Math.max(returned, shipped.get(lineId) ?? 0, refunded.get(lineId) ?? 0)
    if ((kept.get(lineId) ?? 0) < used) throw piecesUsed({ lineId, used })
  }
}

/** Resolves the lines, changes stock by the difference to before, and notes how much stock each line holds. */
async function takeLines(
  tx: Tx,
  businessId: string,
  orderId: string,
  before: readonly OrderLine[],
  lines: readonly NewLine[],
  actor: Actor,
  takes: boolean,
): Promise<{ lines: OrderLine[]; stock: NewEvent[] }> {
  const goods = new Map((await lockGoods(tx, businessId, [...before, ...lines])).map((found) => [keyOf(found), found]))
  const missing = lines.flatMap((line, index) => (goods.has(keyOf(line)) ? [] : [notThere(index, line)]))
  if (missing.length > 0) throw invalidFields(missing)

  const held = new Map<string, number>()
  for (const line of before) held.set(keyOf(line), (held.get(keyOf(line)) ?? 0) + line.taken)
  const wanted = new Map<string, number>()
  const staying = stayingLines(before, lines)
  /** Pieces that came back are not taken again. */
  const needed = (line: NewLine) =>
    takes && goods.get(keyOf(line))?.tracked ? line.quantity - (staying.get(line)?.returned ?? 0) : 0
  for (const line of lines) wanted.set(keyOf(line), (wanted.get(keyOf(line)) ?? 0) + needed(line))
  const keys = new Map(
    [...before, ...lines].map((line) => [keyOf(line), { productId: line.productId, variantId: line.variantId }]),
  )
  const deltas = [...keys].map(([key, variant]) => ({
    ...variant,
    delta: (held.get(key) ?? 0) - (wanted.get(key) ?? 0),
    reference: orderId,
  }))
  const [less, more] = [deltas.filter(({ delta }) => delta < 0), deltas.filter(({ delta }) => delta > 0)]
  const taken = await changeStock(tx, businessId, less, { kind: 'ORDER', userId: actor.userId })
  const given = await changeStock(tx, businessId, more, { kind: 'CANCEL', userId: actor.userId })
  const short = taken.find(({ moved }) => !moved)
  if (short)
    throw outOfStock(`lines.${lines.findIndex((line) => keyOf(line) === keyOf(short))}.quantity`, short.quantity)
  const news = { businessId, subject: orderId, reference: orderId, actor }
  return {
    lines: lines.map((line) => {
      const { id, returned, returnedUnshipped } = staying.get(line) ?? {}
      return {
        ...toLine({ ...line, id }, goods.get(keyOf(line)) as Goods, needed(line)),
        ...(returned && { returned, returnedUnshipped }),
      }
    }),
    stock: [
      ...toStockChanged({ ...news, kind: 'ORDER' }, taken),
      ...toStockChanged({ ...news, kind: 'CANCEL' }, given),
    ],
  }
}

const notThere = (index: number, { productId, variantId }: NewLine) =>
  variantNotFound.asDetail({ index, productId, variantId })

type SentLine = Omit<NewLine, 'type' | 'id'> & { id?: string | undefined }

/** A line of an order: what was sent or priced, with the names and the tax class of what is sold. */
export const toLine = (line: SentLine, goods: Goods, taken: number): OrderLine => ({
  id: line.id ?? newId('line'),
  type: 'PRODUCT_VARIANT',
  productId: line.productId,
  variantId: line.variantId,
  quantity: line.quantity,
  unitPrice: line.unitPrice,
  totalPrice: line.totalPrice,
  discount: line.discount ?? 0,
  taxClass: line.taxClass ?? goods.taxClass,
  taxBps: line.taxBps ?? null,
  tax: line.tax ?? 0,
  name: goods.name,
  sku: goods.sku,
  taken,
})
