import { changeStock, type Goods, keyOf, lockGoods } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { write } from '#platform/database/write.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { type Block, checkFreeBlocks, type NewBlock } from '#vocabulary/blocks.ts'
import type { Business } from '#vocabulary/business.ts'
import { type Detail, invalidFields } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { appendStatuses } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { FINAL } from './change-status.ts'
import { blocksTooLarge, marketNotFound, orderNotOpen, outOfStock, paymentOpen, wrongCurrency } from './errors.ts'
import { newOrderNumber, type OrderLine, type OrderRow, withHistories } from './order.ts'
import { lockOrder, newOrders, saveOrder } from './queries.ts'
import type { NewLine, NewOrder, OrderChanges } from './schemas.ts'

type Writer = { business: Business; actor: Actor }

/** An order that did not come through a checkout: prices as a person says, but they must add up, and stock is taken. */
export async function createOrder(tx: Tx, { business, actor }: Writer, body: NewOrder): Promise<OrderRow> {
  const market = business.markets.find(({ id }) => id === body.market)
  if (!market) throw marketNotFound(body.market)
  if (body.currency !== undefined && body.currency !== market.currency) throw wrongCurrency(market.currency)
  checkSums({ ...body, discount: body.discount ?? 0 })

  const id = newId('ord')
  const at = { actor, atSeconds: toSeconds(now()) }
  const histories = withHistories(
    appendStatuses([], [...(body.statuses?.length ? body.statuses : [{ status: 'PENDING' as const }])], {
      field: 'statuses',
      ...at,
    }),
    appendStatuses([], [...(body.paymentStatus?.length ? body.paymentStatus : [{ status: 'PENDING' as const }])], {
      field: 'paymentStatus',
      ...at,
    }),
  )
  const isOpen = !FINAL.includes(histories.status)
  const lines = await takeLines(tx, business.id, id, [], body.lines, actor, isOpen)
  const order: OrderRow = {
    businessId: business.id,
    id,
    number: newOrderNumber(),
    customerId: body.customerId,
    market: market.id,
    currency: market.currency,
    lines,
    subtotal: body.subtotal,
    tax: body.tax,
    shipping: body.shipping,
    discount: body.discount ?? 0,
    total: body.total,
    promoCode: null,
    promoId: null,
    promoCustomer: null,
    shippingMethodId: null,
    paymentMethod: null,
    blocks: checkBlocks(body.blocks ?? []),
    contactEmail: body.contactEmail ?? null,
    ...histories,
    trace: null,
    returnUrl: null,
    cancelUrl: null,
    requestKey: null,
    requestCaller: null,
    requestHash: null,
    expiresAt: null,
    expiredAt: null,
    sweptAt: null,
    releasedAt: isOpen ? null : now(),
    version: 1,
    createdAt: now(),
    updatedAt: now(),
  }
  await write(tx, newOrders([order]))
  await record(tx, {
    businessId: business.id,
    type: 'order.created',
    subject: id,
    actor,
    data: { number: order.number },
  })
  return order
}

/** Changes an order that nobody has paid and nobody is paying; stock follows the lines. */
export async function updateOrder(
  tx: Tx,
  { business, actor }: Writer,
  check: (order: OrderRow) => void,
  { id, lines, blocks, ...changes }: OrderChanges,
): Promise<OrderRow> {
  const before = await lockOrder(tx, business.id, id)
  check(before)
  if (before.status !== 'PENDING' && before.status !== 'PROCESSING') throw orderNotOpen(before.status)
  const isPaid = before.paymentStatus !== 'PENDING' && before.paymentStatus !== 'FAILED'
  // Whatever a person says of the payment: until then the page may be open.
  const isBeingPaid = before.expiresAt !== null && (before.paymentStatus === 'PENDING' || before.expiresAt > now())
  if (isPaid || isBeingPaid) throw paymentOpen()

  const merged = { ...before, ...changes, version: before.version + 1, updatedAt: now() }
  checkSums({ ...merged, lines: lines ?? before.lines })
  const after: OrderRow = {
    ...merged,
    ...(blocks && { blocks: checkBlocks(blocks) }),
    ...(lines && { lines: await takeLines(tx, business.id, id, before.lines, lines, actor, true), trace: null }),
  }
  await saveOrder(tx, after)
  const fields = Object.keys({ ...changes, ...(lines && { lines }), ...(blocks && { blocks }) })
  await record(tx, {
    businessId: business.id,
    type: 'order.updated',
    subject: id,
    actor,
    data: { number: after.number, fields },
  })
  return after
}

const MAX_BLOCKS_BYTES = 100_000

function checkBlocks(sent: readonly NewBlock[]): Block[] {
  const blocks = checkFreeBlocks(sent)
  if (Buffer.byteLength(JSON.stringify(blocks)) > MAX_BLOCKS_BYTES) throw blocksTooLarge()
  return blocks
}

type Sums = Pick<NewOrder, 'subtotal' | 'tax' | 'shipping' | 'total'> & {
  discount: number
  lines: readonly Pick<NewLine, 'quantity' | 'unitPrice' | 'totalPrice'>[]
}

/** In whole numbers of any size: what is sent may be as large as a number gets. */
function checkSums({ lines, subtotal, tax, shipping, discount, total }: Sums): void {
  const details: Detail[] = []
  const check = (field: string, is: number, expected: bigint, rule: string) => {
    if (BigInt(is) !== expected)
      details.push({ field, error: 'INVALID', message: `${field} must be ${rule}, ${expected}.` })
  }
  for (const [index, { unitPrice, quantity, totalPrice }] of lines.entries()) {
    check(`lines.${index}.totalPrice`, totalPrice, BigInt(unitPrice) * BigInt(quantity), 'unitPrice × quantity')
  }
  check('subtotal', subtotal, lines.reduce((sum, line) => sum + BigInt(line.totalPrice), 0n), 'the sum of its lines') // biome-ignore format: one line
  const sum = BigInt(subtotal) + BigInt(tax) + BigInt(shipping) - BigInt(discount)
  check('total', total, sum, 'subtotal + tax + shipping − discount')
  if (details.length > 0) throw invalidFields(details)
}

/** Finds what the lines name, moves the stock by what they want more or less than before, and notes what each line holds. */
async function takeLines(
  tx: Tx,
  businessId: string,
  orderId: string,
  before: readonly OrderLine[],
  lines: readonly NewLine[],
  actor: Actor,
  takes: boolean,
): Promise<OrderLine[]> {
  const goods = new Map((await lockGoods(tx, businessId, [...before, ...lines])).map((found) => [keyOf(found), found]))
  const missing = lines.flatMap((line, index) => (goods.has(keyOf(line)) ? [] : [notThere(index, line)]))
  if (missing.length > 0) throw invalidFields(missing)

  const held = new Map<string, number>()
  for (const line of before) held.set(keyOf(line), (held.get(keyOf(line)) ?? 0) + line.taken)
  const wanted = new Map<string, number>()
  const isTracked = (line: NewLine) => takes && goods.get(keyOf(line))?.tracked
  for (const line of lines) {
    if (isTracked(line)) wanted.set(keyOf(line), (wanted.get(keyOf(line)) ?? 0) + line.quantity)
  }
  const keys = new Map(
    [...before, ...lines].map((line) => [keyOf(line), { productId: line.productId, variantId: line.variantId }]),
  )
  const deltas = [...keys].map(([key, variant]) => ({
    ...variant,
    delta: (held.get(key) ?? 0) - (wanted.get(key) ?? 0),
    reference: orderId,
  }))
  const outcomes = [
    ...(await changeStock(
      tx,
      businessId,
      deltas.filter(({ delta }) => delta < 0),
      { kind: 'ORDER', userId: actor.userId },
    )),
    ...(await changeStock(
      tx,
      businessId,
      deltas.filter(({ delta }) => delta > 0),
      { kind: 'CANCEL', userId: actor.userId },
    )),
  ]
  const short = outcomes.find(({ moved, delta }) => !moved && delta < 0)
  if (short)
    throw outOfStock(`lines.${lines.findIndex((line) => keyOf(line) === keyOf(short))}.quantity`, short.quantity)
  return lines.map((line) => toLine(line, goods.get(keyOf(line)) as Goods, isTracked(line) ? line.quantity : 0))
}

const notThere = (index: number, { productId, variantId }: NewLine): Detail => ({
  field: `lines.${index}.variantId`,
  error: 'NOT_FOUND',
  message: `This business has no variant ${variantId} of product ${productId}.`,
})

export const toLine = (
  { productId, variantId, quantity, unitPrice, totalPrice }: Omit<NewLine, 'type'>,
  { name, sku }: Goods,
  taken: number,
): OrderLine => ({ type: 'PRODUCT_VARIANT', productId, variantId, quantity, unitPrice, totalPrice, name, sku, taken })
