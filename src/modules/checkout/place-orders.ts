import {
  changeStock,
  findPromo,
  type Goods,
  keyOf,
  lockGoods,
  lockGoodsAsking,
  type Promo,
  redeemPromo,
} from '#modules/catalog/index.ts'
import {
  countUnpaid,
  findRequested,
  newOrderNumber,
  newOrders,
  type OrderRow,
  outOfStock,
  stockOf,
  toLine,
  withHistories,
} from '#modules/orders/index.ts'
import { newPayments, noPayee } from '#modules/payments/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { isDatabaseUnavailable, isSerializationFailure, violatedConstraint } from '#platform/database/errors.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type NewEvent, newEvents } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { keyReused } from '#platform/http/idempotency.ts'
import { isPayable } from '#platform/payments/amounts.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Block } from '#vocabulary/blocks.ts'
import type { Business, Market, ShippingMethod } from '#vocabulary/business.ts'
import { AppError } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { appendStatuses } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { type MergedItem, priceCart } from './cart.ts'
import { amountOutOfRange, promoExhausted, promoNeedsCustomer, promoNotFound, tooManyUnpaid } from './errors.ts'
import type { Pricing, PricingInput } from './pricing.ts'
import { mailPaid, toPaid } from './settle.ts'
import { subjectOf } from './subject.ts'

const EXPIRES_AFTER_MS = 60 * 60_000
/** More at a time would hold goods that nobody means to pay. Each API process counts for itself what is under way. */
const MAX_UNPAID = 10

/** A checkout that was found well-formed; everything that depends on the state of things is still to be decided. */
export type CheckoutRequest = {
  business: Business
  actor: Actor
  market: Market
  shippingMethod: ShippingMethod | undefined
  paymentMethod: string
  items: readonly MergedItem[]
  blocks: Block[]
  contactEmail: string | null
  /** The ids under which the caller has ordered, if they may not have any number of unpaid orders. */
  limitedIds: readonly string[]
  promoCode: string | undefined
  /** By whom a promo code is used: as far as a limit for each customer goes. */
  promoCustomer: string | undefined
  /** Who is to be paid. Nobody is needed where there is nothing to pay. */
  payee: { account: string | null } | undefined
  returnUrl: string | null
  cancelUrl: string | null
  requestKey: string | undefined
  /** Of what was sent with the key. */
  requestHash: Buffer | null
}

/** Kept with an order: what its figures were computed from, and whose name its payment page bears. A page is opened again as it was. */
export type Trace = PricingInput & { business?: string }

export type Placed = { order: OrderRow; isRepeated: boolean }
export type Outcome = PromiseSettledResult<Placed>

/**
 * Places the orders of one business that came in at the same time: one transaction, the rows that they fight for locked once. They
 * are served in the order in which they came; one that is refused (out of stock, mostly) leaves no trace and holds up nobody.
 */
export async function placeOrders(db: Db, requests: readonly CheckoutRequest[], isRetried = false): Promise<Outcome[]> {
  try {
    return await transaction(db, (tx) => placeAll(tx, requests))
  } catch (error) {
    // It is not known whether that was committed: whoever sent a key may ask again, and nobody gets two orders.
    if (isDatabaseUnavailable(error) && !isSerializationFailure(error))
      return requests.map(() => ({ status: 'rejected', reason: error }))
    if (requests.length === 1 && (isRetried || !isTaken(error))) return [{ status: 'rejected', reason: error }]
    if (requests.length === 1) return placeOrders(db, requests, true)
    // Something is wrong with one of them (a number taken twice, a repeated key): it must not be everybody's problem.
    const outcomes: Outcome[] = []
    for (const request of requests) outcomes.push(...(await placeOrders(db, [request])))
    return outcomes
  }
}

/** Another process was faster with the same key, or number: now there is something to be found, or another number. */
const isTaken = (error: unknown) =>
  ['orders_request_key', 'orders_number_key'].includes(violatedConstraint(error) ?? '')

async function placeAll(tx: Tx, requests: readonly CheckoutRequest[]): Promise<Outcome[]> {
  const [first] = requests
  if (!first) return []
  const businessId = first.business.id
  // Goods first: whoever sent one of these keys to another node, for the same goods, is then done and can be seen.
  const { goods, unpaid } = await readGoods(tx, businessId, requests)
  const keyed = requests.flatMap(({ actor, requestKey }) =>
    requestKey === undefined ? [] : [{ caller: actor.userId, requestKey }],
  )
  const known = new Map(
    (await findRequested(tx, businessId, keyed)).map((order) => [`${order.requestCaller} ${order.requestKey}`, order]),
  )
  const findKnown = ({ actor, requestKey }: CheckoutRequest) =>
    requestKey === undefined ? undefined : known.get(`${actor.userId} ${requestKey}`)
  const promos = await findPromos(
    tx,
    businessId,
    requests.filter((request) => !findKnown(request)),
  )

  const outcomes: Outcome[] = []
  const placed: Draft[] = []
  for (const request of requests) {
    const repeated = findKnown(request)
    const outcome = await (repeated ? repeat(repeated, request) : draft(tx, request, { goods, promos, unpaid })).then(
      (value): Outcome => ({ status: 'fulfilled', value }),
      (reason: unknown): Outcome => {
        if (reason instanceof AppError) return { status: 'rejected', reason }
        throw reason
      },
    )
    outcomes.push(outcome)
    if (outcome.status === 'rejected' || outcome.value.isRepeated) continue
    placed.push({ request, order: outcome.value.order })
    if (request.requestKey !== undefined)
      known.set(`${request.actor.userId} ${request.requestKey}`, outcome.value.order)
  }
  await save(tx, businessId, placed)
  return outcomes
}

/** What the requests are decided by, and use up. Unpaid orders are counted by customer. */
type Supplies = {
  goods: Map<string, Goods>
  promos: ReadonlyMap<string, Promo | undefined>
  unpaid: Map<string, number>
}

async function readGoods(
  tx: Tx,
  businessId: string,
  requests: readonly CheckoutRequest[],
): Promise<Omit<Supplies, 'promos'>> {
  const wanted = new Map(requests.flatMap(({ items }) => items.map((item) => [keyOf(item), item])))
  const variants = [...wanted.values()]
  const limited = [...new Set(requests.flatMap(({ limitedIds }) => limitedIds))]
  const { goods, answer } =
    limited.length > 0
      ? await lockGoodsAsking(tx, businessId, variants, countUnpaid(businessId, limited, MAX_UNPAID))
      : { goods: await lockGoods(tx, businessId, variants), answer: undefined }
  const unpaid = new Map(Object.entries(answer ?? {}))
  return { goods: new Map(goods.map((found) => [keyOf(found), found])), unpaid }
}

async function findPromos(
  tx: Tx,
  businessId: string,
  requests: readonly CheckoutRequest[],
): Promise<Map<string, Promo | undefined>> {
  const codes = new Set(requests.flatMap(({ promoCode }) => promoCode ?? []))
  const found = new Map<string, Promo | undefined>()
  for (const code of codes) found.set(code, await findPromo(tx, businessId, code)) // of one business: rarely more than one
  return found
}

async function repeat(order: OrderRow, { requestHash }: CheckoutRequest): Promise<Placed> {
  if (!requestHash || !order.requestHash?.equals(requestHash)) throw keyReused()
  return { order, isRepeated: true }
}

type Draft = { request: CheckoutRequest; order: OrderRow }

/** Decides on one order, and takes what it needs out of the supplies, for those that come after it. */
async function draft(tx: Tx, request: CheckoutRequest, { goods, promos, unpaid }: Supplies): Promise<Placed> {
  const { business, actor, items, market, shippingMethod, limitedIds, promoCode, promoCustomer, payee } = request
  const promo = promoCode === undefined ? undefined : promos.get(promoCode)
  if (promoCode !== undefined && !promo) throw promoNotFound()
  const cart = { items, field: 'items', market, shippingMethod, promo, atSeconds: toSeconds(now()) }
  const { input, pricing } = priceCart(cart, goods)
  if (pricing.total > 0 && !payee) throw noPayee()
  if (pricing.total > 0 && !isPayable(pricing.total, pricing.currency)) throw amountOutOfRange()
  const toPay = limitedIds.reduce((sum, id) => sum + (unpaid.get(id) ?? 0), 0)
  if (pricing.total > 0 && toPay >= MAX_UNPAID) throw tooManyUnpaid(toPay)

  const wanted = items.map((item) => ({ item, found: goods.get(keyOf(item)) as Goods }))
  const short = wanted.find(({ item, found }) => found.tracked && found.quantity < item.quantity)
  if (short) throw outOfStock(`items.${short.item.index}.quantity`, short.found.quantity)
  if (promo) await redeem(tx, business.id, promo, promoCustomer)
  for (const { item, found } of wanted) {
    if (found.tracked) goods.set(keyOf(item), { ...found, quantity: found.quantity - item.quantity })
  }
  if (pricing.total > 0) unpaid.set(actor.userId, (unpaid.get(actor.userId) ?? 0) + 1)
  return { order: toOrder(request, input, pricing, promo, goods), isRepeated: false }
}

async function redeem(tx: Tx, businessId: string, { id }: Promo, customer: string | undefined): Promise<void> {
  const outcome = await redeemPromo(tx, businessId, id, customer)
  if (outcome === 'REDEEMED') return
  if (outcome === 'GONE') throw promoNotFound()
  throw outcome === 'NEEDS_CUSTOMER' ? promoNeedsCustomer() : promoExhausted()
}

function toOrder(
  request: CheckoutRequest,
  input: PricingInput,
  pricing: Pricing,
  promo: Promo | undefined,
  goods: ReadonlyMap<string, Goods>,
): OrderRow {
  const at = now()
  const isFree = pricing.total === 0
  const sent = { actor: undefined, atSeconds: toSeconds(at) }
  return {
    businessId: request.business.id,
    id: newId('ord'),
    number: newOrderNumber(),
    customerId: request.actor.userId,
    market: request.market.id,
    currency: pricing.currency,
    lines: pricing.lines.map((line) => {
      const found = goods.get(keyOf(line)) as Goods
      return toLine(line, found, found.tracked ? line.quantity : 0)
    }),
    subtotal: pricing.subtotal,
    tax: pricing.tax,
    shipping: pricing.shipping,
    discount: pricing.discount,
    total: pricing.total,
    promoCode: promo?.code ?? null,
    promoId: promo?.id ?? null,
    promoCustomer: promo ? (request.promoCustomer ?? null) : null,
    shippingMethodId: request.shippingMethod?.id ?? null,
    paymentMethod: request.paymentMethod,
    blocks: request.blocks,
    contactEmail: request.contactEmail,
    ...withHistories(
      appendStatuses([], [{ status: isFree ? 'PROCESSING' : 'PENDING' }], { field: 'statuses', ...sent }),
      appendStatuses([], [{ status: isFree ? 'PAID' : 'PENDING' }], { field: 'paymentStatus', ...sent }),
    ),
    trace: { ...input, business: request.business.name } satisfies Trace,
    returnUrl: request.returnUrl,
    cancelUrl: request.cancelUrl,
    requestKey: request.requestKey ?? null,
    requestCaller: request.requestKey === undefined ? null : request.actor.userId,
    requestHash: request.requestHash,
    expiresAt: isFree ? null : new Date(at.getTime() + EXPIRES_AFTER_MS),
    expiredAt: null,
    sweptAt: null,
    releasedAt: null,
    version: 1,
    createdAt: at,
    updatedAt: at,
  }
}

async function save(tx: Tx, businessId: string, placed: readonly Draft[]): Promise<void> {
  if (placed.length === 0) return
  const taken = placed.flatMap(({ order }) => stockOf(order, 'TAKEN'))
  const orders = placed.map(({ order }) => order)
  const free = orders.filter(({ total }) => total === 0)
  const outcomes = await changeStock(tx, businessId, taken, { kind: 'ORDER' }, [
    newOrders(orders),
    newPayments(placed.flatMap(toPayment)),
    newEvents([...placed.map(toCreated), ...free.map(toPaid)]),
  ])
  if (outcomes.some(({ moved }) => !moved)) throw new Error('Stock that was locked and enough is not enough')
  await mailPaid(tx, free)
  await fault('checkout.before-commit')
}

const toCreated = ({ request, order }: Draft): NewEvent => ({
  businessId: order.businessId,
  type: 'order.created',
  subject: order.id,
  actor: request.actor,
  data: { number: order.number, total: order.total, currency: order.currency },
})

const toPayment = ({ request: { payee }, order: { businessId, id, total, currency, expiresAt } }: Draft) =>
  expiresAt === null || !payee
    ? []
    : [{ businessId, subject: subjectOf(id), amount: total, currency, account: payee.account, expiresAt }]
