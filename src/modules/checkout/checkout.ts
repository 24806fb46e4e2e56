import { createHash } from 'node:crypto'
import type { Asker, AskServices } from '#modules/callouts/index.ts'
import { findGoods, findPromo, keyOf } from '#modules/catalog/index.ts'
import { findRequested } from '#modules/orders/index.ts'
import { findPayee, openSession, type PaymentContext } from '#modules/payments/index.ts'
import { createBatcher } from '#platform/batch.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { fault } from '#platform/faults.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { checkFreeBlocks } from '#vocabulary/blocks.ts'
import type { Business } from '#vocabulary/business.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { chooseMarket, mergeItems } from './cart.ts'
import { asksForRates, consult, hasCallouts, inTime, isCartChanged, type Told } from './consult.ts'
import { emailIn } from './contact.ts'
import { blocksTooLarge, promoNotFound, redirectNotAllowed } from './errors.ts'
import { orderPayable } from './payable.ts'
import { type CheckoutRequest, type Placed, placeOrders } from './place-orders.ts'
import type { CheckoutBody, CheckoutResult } from './schemas.ts'

/** A larger batch would keep its first request waiting for the last. */
const MAX_TOGETHER = 50
/** How often services are asked anew because prices have changed meanwhile. */
const MAX_ATTEMPTS = 3
const MAX_BLOCKS_LENGTH = 16 * 1024

export type CheckoutContext = PaymentContext & {
  services: AskServices
  rememberCustomer: (businessId: string, userId: string) => Promise<void>
  /** A phone number that the user has confirmed, if any. */
  findContact: (userId: string) => Promise<{ phone: string | undefined }>
  isAllowedUrl: (business: Business, url: string) => boolean | Promise<boolean>
  /** Whether the number of a caller's unpaid orders is limited. */
  limitsUnpaid: boolean
}

export type Caller = {
  cell: Db
  business: Business
  actor: Actor
  /** Places orders for others, without that limit. */
  isSeller: boolean
  requestKey: string | undefined
  asker: Omit<Asker, 'deadline'>
}

export function createCheckout(context: CheckoutContext) {
  // Request batching: checkouts of one business run one batch at a time, so that buyers of the same article do not
  // contend for its row.
  const place = createBatcher<string, { cell: Db; request: CheckoutRequest }, Placed>(
    (_businessId, items) =>
      placeOrders(
        (items[0] as { cell: Db }).cell,
        items.map(({ request }) => request),
      ),
    { maxItems: MAX_TOGETHER, lanes: 1 },
  )

  /** Services are asked before the transaction. If prices change in between, they are asked again. */
  async function placeConsulted({ cell, business, asker }: Caller, request: CheckoutRequest): Promise<Placed> {
    const timed = inTime(asker)
    for (let attempt = 1; ; attempt++) {
      const told = await consultFor(context.services, timed, request)
      await fault('checkout.consulted')
      const shippingMethod = told?.shippingMethod ?? request.shippingMethod
      try {
        return await place(business.id, { cell, request: { ...request, told, shippingMethod } })
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isCartChanged(error)) throw error
      }
    }
  }

  /**
   * Places an order and returns where to pay it. With an idempotency key a repeated request gets the same answer,
   * whatever happened to the first.
   */
  return async function checkout(
    caller: Caller,
    body: CheckoutBody,
  ): Promise<CheckoutResult & { isRepeated: boolean }> {
    const request = await prepare(context, caller, body)
    const { cell, business, actor } = caller
    await context.rememberCustomer(business.id, actor.userId)
    await fault('checkout.before-transaction')
    const { order, isRepeated } = hasCallouts(business)
      ? await placeConsulted(caller, request)
      : await place(business.id, { cell, request })
    await fault('checkout.after-commit')
    if (order.total === 0) return { orderId: order.id, status: 'COMPLETED', isRepeated }
    const checkoutUrl = await openSession(context, cell, orderPayable, order)
    return { orderId: order.id, checkoutUrl, isRepeated }
  }
}

/** Undefined: the order of this key is there already, and nobody has to be asked. */
async function consultFor(services: AskServices, asker: Asker, request: CheckoutRequest): Promise<Told | undefined> {
  const { cell, business } = asker
  const { actor, requestKey, promoCode, items, market, shippingMethod, shippingAddress, billingAddress } = request
  const [known, found, promo] = await Promise.all([
    requestKey === undefined ? [] : findRequested(cell, business.id, [{ caller: actor.userId, requestKey }]),
    findGoods(cell, business.id, items),
    promoCode === undefined ? undefined : findPromo(cell, business.id, promoCode),
  ])
  if (known.length > 0) return undefined
  if (promoCode !== undefined && !promo) throw promoNotFound()
  return consult(services, {
    asker,
    buyer: {
      customerId: actor.userId,
      shippingAddress,
      billingAddress,
      shippingMethodId: request.shippingMethodId,
    },
    cart: { items, field: 'items', market, shippingMethod, promo, atSeconds: toSeconds(now()) },
    goods: new Map(found.map((one) => [keyOf(one), one])),
    needsShipping: true,
  })
}

async function prepare(
  context: CheckoutContext,
  { business, actor, isSeller, requestKey }: Caller,
  body: CheckoutBody,
): Promise<CheckoutRequest> {
  const { market, shippingMethod, paymentMethod } = chooseMarket(business, body, asksForRates(business))
  // Anybody may check out, so the work per request must be bounded.
  if (JSON.stringify(body.blocks ?? []).length > MAX_BLOCKS_LENGTH) throw blocksTooLarge()
  const blocks = checkFreeBlocks(body.blocks ?? [])
  for (const field of ['returnUrl', 'cancelUrl'] as const) {
    const url = body[field]
    if (url !== undefined && !(await context.isAllowedUrl(business, url))) throw redirectNotAllowed({ field })
  }
  const contactEmail = actor.email ?? body.email ?? emailIn(blocks) ?? null
  const promoCode = body.promoCode || undefined
  return {
    business,
    actor,
    market,
    shippingMethod,
    shippingMethodId: body.shippingMethodId || null,
    told: undefined,
    paymentMethod,
    items: mergeItems(body.items, 'items'),
    blocks,
    contactEmail,
    isEmailTyped: !actor.email && contactEmail !== null,
    shippingAddress: body.shippingAddress ?? null,
    billingAddress: body.billingAddress ?? null,
    phone: body.phone ?? null,
    customerNote: body.customerNote ?? null,
    limitedIds: context.limitsUnpaid && !isSeller ? [actor.userId, ...(actor.formerIds ?? [])] : [],
    promoCode,
    promoCustomer: promoCode && (contactEmail?.toLowerCase() ?? (await context.findContact(actor.userId)).phone),
    payee: findPayee(context.payments, business),
    returnUrl: body.returnUrl ?? null,
    cancelUrl: body.cancelUrl ?? null,
    requestKey,
    requestHash: requestKey === undefined ? null : createHash('sha256').update(JSON.stringify(body)).digest(),
  }
}
