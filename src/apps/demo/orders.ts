import { findPromo, type Promo, promoRefusal, redeemPromo } from '#modules/catalog/index.ts'
import { price, toPricingInput } from '#modules/checkout/index.ts'
import { createOrder, findRequested, lockOrder, move, type OrderRow } from '#modules/orders/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import type { NewBlock } from '#vocabulary/blocks.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { openPeople } from './customers.ts'
import { actorOf, type Demo } from './demo.ts'
import type { Outcome, Tell } from './make-demo.ts'
import { ORDERS, type PlannedOrder } from './order-plan.ts'
import { planSteps, type Step } from './order-steps.ts'
import { inThePast } from './past.ts'
import type { Person } from './people.ts'
import { readProductIds } from './products.ts'

type Shop = Demo & {
  productIds: ReadonlyMap<string, string>
  /** Of customers, by address. */
  userIds: ReadonlyMap<string, string>
}

/** So many are done together, or not at all. */
const BATCH = 20

/**
 * Everything that has happened to every order, one after another as it happened, so that ledger and events tell it in order.
 * Nobody pays or mails: no payment page is opened, no job is enqueued.
 */
export async function makeOrders(demo: Demo, tell: Tell): Promise<Outcome> {
  const { ids: userIds } = await openPeople(demo)
  const shop: Shop = { ...demo, userIds, productIds: await readProductIds(demo) }
  const requests = ORDERS.map(({ key, person }) => ({ caller: userIds.get(person.email) ?? '', requestKey: key }))
  const known = await findRequested(demo.cell, demo.business.id, requests)
  const orders = new Map(known.map((order) => [order.requestKey ?? '', order]))
  const steps = planSteps(demo.endMs).filter((step) => !isDone(orders.get(step.order.key), step))
  for (let at = 0; at < steps.length; at += BATCH) {
    const done = await transaction(demo.cell, (tx) => takeSteps(tx, shop, orders, steps.slice(at, at + BATCH)))
    for (const [key, order] of done) orders.set(key, order)
    tell(Math.min(at + BATCH, steps.length), steps.length)
  }
  return { count: orders.size, made: orders.size - known.length }
}

/** What stands in a history has happened. */
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
  const moved = await move(tx, order, change, byPerson ? owner : undefined)
  const { id, number, total, currency } = moved
  const isPaid = payment === 'PAID'
  if (isPaid) await record(tx, { businessId: business.id, type: 'order.paid', subject: id, data: { number, total, currency } }) // biome-ignore format: one line
  return moved
}

/** As a checkout would have placed it, except that nobody is asked for money. */
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
  }))
  const promo = await choosePromo(tx, shop, planned, cart)
  const input = toPricingInput(cart, market, shippingMethod, promo)
  const { lines, subtotal, tax, shipping, discount, total } = price(input)
  const order = await createOrder(
    tx,
    { business, actor: actorOf(customerId, person.email) },
    {
      customerId,
      market: market.id,
      lines,
      subtotal,
      tax,
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
  return move(tx, order, {}, undefined, { changes })
}

type Cart = { quantity: number; unitPrice: number }[]

/** The code that was planned, if it can be used for this by then. */
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
