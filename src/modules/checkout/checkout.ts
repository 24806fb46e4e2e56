import { createHash } from 'node:crypto'
import { findPayee, openSession, type PaymentContext } from '#modules/payments/index.ts'
import { createBatcher } from '#platform/batch.ts'
import type { Db } from '#platform/database/database.ts'
import { fault } from '#platform/faults.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { checkFreeBlocks } from '#vocabulary/blocks.ts'
import type { Business } from '#vocabulary/business.ts'
import { chooseMarket, mergeItems } from './cart.ts'
import { emailIn } from './contact.ts'
import { blocksTooLarge, redirectNotAllowed } from './errors.ts'
import { orderPayable } from './payable.ts'
import { type CheckoutRequest, type Placed, placeOrders } from './place-orders.ts'
import type { CheckoutBody, CheckoutResult } from './schemas.ts'

/** A larger batch would keep its first request waiting for the last. */
const MAX_TOGETHER = 50
const MAX_BLOCKS_LENGTH = 16 * 1024

export type CheckoutContext = PaymentContext & {
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
    const { order, isRepeated } = await place(business.id, { cell, request })
    await fault('checkout.after-commit')
    if (order.total === 0) return { orderId: order.id, status: 'COMPLETED', isRepeated }
    const checkoutUrl = await openSession(context, cell, orderPayable, order)
    return { orderId: order.id, checkoutUrl, isRepeated }
  }
}

async function prepare(
  context: CheckoutContext,
  { business, actor, isSeller, requestKey }: Caller,
  body: CheckoutBody,
): Promise<CheckoutRequest> {
  const { market, shippingMethod, paymentMethod } = chooseMarket(business, body)
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
