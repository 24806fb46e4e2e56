import { ORDERS, type PlannedOrder } from '#demo/order-plan.ts'
import { planSteps, type Step } from '#demo/order-steps.ts'
import type { Person } from '#demo/people.ts'
import { findPromo, type Promo, promoRefusal, redeemPromo, refreshStock } from '#modules/catalog/index.ts'
import { price, toPricingInput } from '#modules/checkout/index.ts'
import { applyChange, createOrder, findRequested, lockOrder, type OrderRow, orderPaid } from '#modules/orders/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import type { NewBlock } from '#vocabulary/blocks.ts'
import { STANDARD_TAX_CLASS, taxRateOf } from '#vocabulary/business.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { openPeople } from './customers.ts'
import { actorOf, type Demo } from './demo.ts'
import type { OnProgress, Outcome } from './make-demo.ts'
import { inThePast } from './past.ts'
import { readProductIds } from './products.ts'

type Shop = Demo & {
  productIds: ReadonlyMap<string, string>
  /** User ids of the customers, by email address. */
  userIds: ReadonlyMap<string, string>
}

/** Steps per transaction. */
const BATCH = 20

/**
 * Replays the steps of all orders in chronological order, so that ledger and events are in order. No payment session is
 * opened and no job is enqueued.
 */
export async function makeOrders(demo: Demo, onProgress: OnProgress): Promise<Outcome> {
  const { ids: userIds } = await openPeople(demo)
  const shop: Shop = { ...demo, userIds, productIds: await readProductIds(demo) }
  const requests = ORDERS.map(({ key, person }) => ({ caller: userIds.get(person.email) ?? '', requestKey: key }))
  const known = await findRequested(demo.cell, demo.business.id, requests)
  const orders = new Map(known.map((order) => [order.requestKey ?? '', order]))
  const steps = planSteps(demo.endMs).filter((step) => !isDone(orders.get(step.order.key), step))
  for (let at = 0; at < steps.length; at += BATCH) {
    const done = await transaction(demo.cell, (tx) => takeSteps(tx, shop, orders, steps.slice(at, at + BATCH)))
    for (const [key, order] of done) orders.set(key, order)
    onProgress(Math.min(at + BATCH, steps.length), steps.length)
  }
  // These sales are dated long ago, and lists look at what has moved lately.
  const places = [...shop.productIds.values()].map((productId) => ({ businessId: demo.business.id, productId }))
  if (steps.length > 0) await refreshStock(demo.cell, places)
  return { count: orders.size, made: orders.size - known.length }
}

/** A step is done if it is in the order's history. */
const isDone = (order: OrderRow | undefined, { status, payment }: Step) =>
  order !== undefined &&
  (status === undefined || order.statuses.some((entry) => entry.status === status)) &&
  (payment === undefined || order.paymentStatuses.some((entry) => entry.status === payment))

async function takeSteps(
  tx: Tx,
  shop: Shop,
  known: ReadonlyMap<string, OrderRow>,
  steps: readonly Step[],
): Promise<Map<string, OrderRow>> {
  const orders = new Map<string, OrderRow>()
  for (const step of steps) {
    const { key } = step.order
    const order = orders.get(key) ?? known.get(key)
    const moved = await inThePast(step.timeMs, () =>
      order ? takeStep(tx, shop, order.id, step) : place(tx, shop, step.order),
    )
    orders.set(key, moved)
  }
  return orders
}

async function takeStep(tx: Tx, { business, owner }: Shop, orderId: string, step: Step): Promise<OrderRow> {
  const { status, payment, byPerson } = step
  const change = { ...(status && { order: { status } }), ...(payment && { payment: { status: payment } }) }
  const order = await lockOrder(tx, business.id, orderId)
  const moved = await applyChange(tx, order, change, byPerson ? owner : undefined)
  const { id, number, total, currency } = moved
  const isPaid = payment === 'PAID'
  if (isPaid) await record(tx, orderPaid({ businessId: business.id, subject: id, data: { number, total, currency } }))
  return moved
}

/** Places the order like a checkout, but without a payment. */
async function place(tx: Tx, shop: Shop, planned: PlannedOrder): Promise<OrderRow> {
  const { business, productIds, userIds } = shop
  const { person } = planned
  const market = business.markets.find(({ id }) => id === person.market)
  const shippingMethod = market?.shippingMethods.find(({ id }) => id === planned.shippingMethodId)
  if (!market) throw new Error(`The demo has no market ${person.market} any more`)
  const customerId = userIds.get(person.email) ?? ''
  const cart = planned.lines.map(({ product, variant, quantity }) => ({
    productId: productIds.get(product.slug) ?? '',
    variantId: variant.id,
    quantity,
    unitPrice: variant.prices[person.market],
    taxClass: STANDARD_TAX_CLASS,
    taxBps: taxRateOf(market, STANDARD_TAX_CLASS),
  }))
  const promo = await choosePromo(tx, shop, planned, cart)
  const input = toPricingInput(cart, market, shippingMethod, promo)
  const { lines, subtotal, tax, taxIncluded, shippingTax, taxes, shipping, discount, total } = price(input)
  const order = await createOrder(
    tx,
    { business, actor: actorOf(customerId, person.email) },
    {
      customerId,
      market: market.id,
      lines,
      subtotal,
      tax,
      taxIncluded,
      shippingTax,
      taxes,
      shipping,
      discount,
      total,
      blocks: addressOf(person),
      contactEmail: person.email,
      statuses: [{ status: 'PENDING', changedBy: 'SYSTEM' }],
      paymentStatus: [{ status: 'PENDING', changedBy: 'SYSTEM' }],
    },
  )
  const changes: Partial<OrderRow> = {
    trace: input,
    shippingMethodId: shippingMethod?.id ?? null,
    paymentMethod: 'CREDIT_CARD',
    requestKey: planned.key,
    requestCaller: customerId,
    ...(promo && { promoCode: promo.code, promoId: promo.id, promoCustomer: person.email }),
  }
  return applyChange(tx, order, {}, undefined, { changes, isTold: true }) // by order.created
}

type Cart = { quantity: number; unitPrice: number }[]

/** The planned promo code, if it was valid at that time. */
async function choosePromo(tx: Tx, { business }: Shop, planned: PlannedOrder, cart: Cart): Promise<Promo | undefined> {
  const { person, promoCode } = planned
  const promo = promoCode === undefined ? undefined : await findPromo(tx, business.id, promoCode)
  const market = business.markets.find(({ id }) => id === person.market)
  if (!promo || !market) return undefined
  const subtotal = cart.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0)
  const purchase = { marketId: market.id, currency: market.currency, subtotal, atSeconds: toSeconds(now()) }
  if (promoRefusal(promo, purchase)) return undefined
  const outcome = await redeemPromo(tx, business.id, promo.id, person.email)
  return outcome === 'REDEEMED' ? promo : undefined
}

const addressOf = ({ name, address }: Person): NewBlock[] =>
  Object.entries({ name, ...address }).map(([id, value]) => ({ id, type: 'TEXT', label: LABELS[id] ?? id, value }))

const LABELS: Record<string, string> = {
  name: 'Name',
  street: 'Street',
  city: 'City',
  state: 'State',
  zip: 'Postal code',
  country: 'Country',
}
