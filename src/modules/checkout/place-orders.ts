import {
  findPromo,
  type Goods,
  keyOf,
  lockGoods,
  lockGoodsAndQuery,
  type Promo,
  redeemPromo,
  stockChange,
  toStockChanged,
} from '#modules/catalog/index.ts'
import {
  countUnpaid,
  draftOrder,
  findRequested,
  newOrders,
  type OrderRow,
  orderCreated,
  outOfStock,
  stockOf,
  toLine,
} from '#modules/orders/index.ts'
import { newPayments, noPayee, type Payee, sessionEnd, subjectOf } from '#modules/payments/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { isDatabaseUnavailable, isSerializationFailure, violatedConstraint } from '#platform/database/errors.ts'
import { transaction } from '#platform/database/transaction.ts'
import { writeReturning } from '#platform/database/write.ts'
import type { NewEvent } from '#platform/events/define.ts'
import { newEvents } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { keyReused } from '#platform/http/refusals.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Address } from '#vocabulary/address.ts'
import type { Block } from '#vocabulary/blocks.ts'
import type { Business, CalloutPoint, Market, ShippingMethod } from '#vocabulary/business.ts'
import { AppError } from '#vocabulary/errors.ts'
import { appendStatuses } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { type MergedItem, priceCart } from './cart.ts'
import { hasCallouts, isStillSo, type Told } from './consult.ts'
import {
  amountOutOfRange,
  cartChanged,
  promoExhausted,
  promoNeedsCustomer,
  promoNotFound,
  tooManyUnpaid,
} from './errors.ts'
import type { Pricing, PricingInput } from './pricing.ts'
import { mailPaid, toPaid } from './settle-order.ts'

/**
 * More unpaid orders at a time would reserve goods that nobody means to pay for. Each API process counts its own
 * requests in flight.
 */
const MAX_UNPAID = 10

/** A checkout with a valid form; everything that depends on the state of the shop is still to be decided. */
export type CheckoutRequest = {
  business: Business
  actor: Actor
  market: Market
  shippingMethod: ShippingMethod | undefined
  /** As it was sent: it may name a rate that only a service knows. */
  shippingMethodId: string | null
  /** What services of the business said. */
  told: Told | undefined
  paymentMethod: string
  items: readonly MergedItem[]
  blocks: Block[]
  contactEmail: string | null
  /** Nobody has proven that it is theirs. */
  isEmailTyped: boolean
  shippingAddress: Address | null
  billingAddress: Address | null
  phone: string | null
  customerNote: string | null
  /** Ids under which the caller has ordered; empty when the number of unpaid orders is not limited. */
  limitedIds: readonly string[]
  promoCode: string | undefined
  /** The customer for a promo code's limit per customer. */
  promoCustomer: string | undefined
  /** The payee; needed only where there is something to pay. */
  payee: Payee | undefined
  returnUrl: string | null
  cancelUrl: string | null
  requestKey: string | undefined
  /** Hash of the body that was sent with the idempotency key. */
  requestHash: Buffer | null
}

/**
 * Stored with an order: the input of its figures, the business name of its payment session, which must be the same when
 * it is opened again, whether its address was only typed, and for which points services of the business failed.
 */
export type Trace = PricingInput & { business?: string; isEmailTyped?: boolean; fallbacks?: CalloutPoint[] }

export type Placed = { order: OrderRow; isRepeated: boolean }
export type Outcome = PromiseSettledResult<Placed>

/**
 * Places a batch of orders of one business in one transaction, and locks the rows that they compete for once. FIFO:
 * they are served in the order of arrival; a refused one (mostly: out of stock) leaves no trace and does not block the
 * others.
 */
export async function placeOrders(db: Db, requests: readonly CheckoutRequest[], isRetried = false): Promise<Outcome[]> {
  try {
    return await transaction(db, (tx) => placeAll(tx, requests))
  } catch (error) {
    // The commit may or may not have happened. Callers with an idempotency key may ask again, and nobody gets two
    // orders.
    if (isDatabaseUnavailable(error) && !isSerializationFailure(error))
      return requests.map(() => ({ status: 'rejected', reason: error }))
    if (requests.length === 1 && (isRetried || !isTaken(error))) return [{ status: 'rejected', reason: error }]
    if (requests.length === 1) return placeOrders(db, requests, true)
    // One of them fails (an order number or idempotency key taken twice): each is tried alone, so that the others
    // succeed.
    const outcomes: Outcome[] = []
    for (const request of requests) outcomes.push(...(await placeOrders(db, [request])))
    return outcomes
  }
}

/** Another process used the same key or order number first: the retry finds its order, or takes another number. */
const isTaken = (error: unknown) =>
  ['orders_request_key', 'orders_number_key'].includes(violatedConstraint(error) ?? '')

async function placeAll(tx: Tx, requests: readonly CheckoutRequest[]): Promise<Outcome[]> {
  const [first] = requests
  if (!first) return []
  const businessId = first.business.id
  // Goods are locked first: a concurrent request with the same key for the same goods, on another node, has then
  // committed and is visible.
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

/** What the requests are decided by and consume. `unpaid` counts by customer. */
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
      ? await lockGoodsAndQuery(tx, businessId, variants, countUnpaid(businessId, limited, MAX_UNPAID))
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
  for (const code of codes) found.set(code, await findPromo(tx, businessId, code)) // rarely more than one
  return found
}

async function repeat(order: OrderRow, { requestHash }: CheckoutRequest): Promise<Placed> {
  if (!requestHash || !order.requestHash?.equals(requestHash)) throw keyReused()
  return { order, isRepeated: true }
}

type Draft = { request: CheckoutRequest; order: OrderRow }

/** Decides on one order, and takes what it needs out of the supplies, so that later ones see less. */
async function draft(tx: Tx, request: CheckoutRequest, { goods, promos, unpaid }: Supplies): Promise<Placed> {
  const { business, actor, items, market, shippingMethod, limitedIds, promoCode, promoCustomer, payee, told } = request
  const promo = promoCode === undefined ? undefined : promos.get(promoCode)
  if (promoCode !== undefined && !promo) throw promoNotFound()
  const toldTax = told?.tax
  const cart = { items, field: 'items', market, shippingMethod, promo, atSeconds: toSeconds(now()), toldTax }
  const priced = priceCart(cart, goods)
  if (hasCallouts(business) && !(told && isStillSo(told, priced, goods))) throw cartChanged()
  const { input, pricing } = priced
  if (pricing.total > 0 && !payee) throw noPayee()
  if (pricing.total > 0 && !payee?.provider.isPayable(pricing.total, pricing.currency)) throw amountOutOfRange()
  const toPay = limitedIds.reduce((sum, id) => sum + (unpaid.get(id) ?? 0), 0)
  if (pricing.total > 0 && toPay >= MAX_UNPAID) throw tooManyUnpaid({ count: toPay })

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
  return draftOrder({
    businessId: request.business.id,
    customerId: request.actor.userId,
    market: request.market.id,
    currency: pricing.currency,
    lines: pricing.lines.map((line) => {
      const found = goods.get(keyOf(line)) as Goods
      return toLine(line, found, found.tracked ? line.quantity : 0)
    }),
    subtotal: pricing.subtotal,
    tax: pricing.tax,
    taxIncluded: pricing.taxIncluded,
    taxes: pricing.taxes,
    shipping: pricing.shipping,
    shippingTax: pricing.shippingTax,
    discount: pricing.discount,
    total: pricing.total,
    promoCode: promo?.code ?? null,
    promoId: promo?.id ?? null,
    promoCustomer: promo ? (request.promoCustomer ?? null) : null,
    shippingMethodId: request.shippingMethod?.id ?? null,
    paymentMethod: request.paymentMethod,
    blocks: request.blocks,
    contactEmail: request.contactEmail,
    shippingAddress: request.shippingAddress,
    billingAddress: request.billingAddress,
    phone: request.phone,
    customerNote: request.customerNote,
    statuses: appendStatuses([], [{ status: isFree ? 'PROCESSING' : 'PENDING' }], { field: 'statuses', ...sent }),
    paymentStatuses: appendStatuses([], [{ status: isFree ? 'PAID' : 'PENDING' }], { field: 'paymentStatus', ...sent }),
    trace: {
      ...input,
      business: request.business.name,
      ...(request.isEmailTyped && { isEmailTyped: true }),
      ...(request.told && request.told.fallbacks.length > 0 && { fallbacks: request.told.fallbacks }),
    } satisfies Trace,
    returnUrl: request.returnUrl,
    cancelUrl: request.cancelUrl,
    requestKey: request.requestKey ?? null,
    requestCaller: request.requestKey === undefined ? null : request.actor.userId,
    requestHash: request.requestHash,
    expiresAt: isFree || !request.payee ? null : sessionEnd(request.payee),
    createdAt: at,
    updatedAt: at,
  })
}

async function save(tx: Tx, businessId: string, placed: readonly Draft[]): Promise<void> {
  if (placed.length === 0) return
  const taken = placed.flatMap(({ order }) => stockOf(order, 'TAKEN'))
  const orders = placed.map(({ order }) => order)
  const free = orders.filter(({ total }) => total === 0)
  const outcomes = await writeReturning(
    tx,
    stockChange(businessId, taken, { kind: 'ORDER' }),
    newOrders(orders),
    newPayments(placed.flatMap(toPayment)),
    newEvents([...placed.map(toCreated), ...placed.flatMap(toTaken), ...free.map(toPaid)]),
  )
  if (outcomes.some(({ moved }) => !moved)) throw new Error('Stock that was locked and enough is not enough')
  await mailPaid(tx, free)
  await fault('checkout.before-commit')
}

const toCreated = ({ request: { actor }, order: { businessId, id, number, total, currency } }: Draft): NewEvent =>
  orderCreated({ businessId, subject: id, actor, data: { number, total, currency } })

const toTaken = ({ request: { actor }, order }: Draft): NewEvent[] => {
  const { businessId, id } = order
  return toStockChanged({ businessId, subject: id, kind: 'ORDER', reference: id, actor }, stockOf(order, 'TAKEN'))
}

const toPayment = ({ request: { payee }, order: { businessId, id, total, currency, expiresAt } }: Draft) =>
  expiresAt === null || !payee
    ? []
    : [
        {
          businessId,
          subject: subjectOf('order', id),
          amount: total,
          currency,
          provider: payee.provider.name,
          account: payee.account,
          expiresAt,
        },
      ]
