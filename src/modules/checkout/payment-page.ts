import type { FastifyBaseLogger } from 'fastify'
import { findOrder, lockOrder, type OrderRow } from '#modules/orders/index.ts'
import { endPayment, findPayment, notePage, type Payment } from '#modules/payments/index.ts'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { type Payments, ProviderRefusal, UnknownPage } from '#platform/payments/provider.ts'
import { within } from '#platform/within.ts'
import { providerFailed, unavailable } from '#vocabulary/errors.ts'
import { orderEnded, paidMeanwhile } from './errors.ts'
import { itemsOf } from './page-items.ts'
import type { Trace } from './place-orders.ts'
import { endUnpaid, settle } from './settle.ts'
import { orderIdOf, subjectOf } from './subject.ts'

const GRACE_MS = 60_000
/** A caller waits for it who has been kept waiting already. */
const MAX_CLOSING_MS = 1_000

const isOpen = ({ status }: Payment) => status === 'OPENING' || status === 'OPEN'
/** By now the page has ended by itself, whether or not there is anybody who could say so. */
const isOver = ({ expiresAt }: Payment) => nowMs() > expiresAt.getTime() + GRACE_MS

export type PageContext = { payments: Payments; publicUrl: string; log?: Pick<FastifyBaseLogger, 'warn'> }

const resultUrl = (publicUrl: string, order: OrderRow, outcome: 'paid' | 'cancelled') =>
  `${publicUrl}/checkout/result?order=${order.number}&outcome=${outcome}`

function withOrder(url: string | null, order: OrderRow, fallback: string): string {
  if (url === null) return fallback
  const address = new URL(url)
  address.searchParams.set('orderId', order.id)
  return address.href
}

/** Opens the page where an order is paid, or answers where it is: the same key at the provider means the same page. */
async function open({ payments, publicUrl }: PageContext, order: OrderRow, payment: Payment) {
  if (!payments.provider) throw providerFailed('payment')
  return payments.provider.openPage({
    businessId: order.businessId,
    subject: payment.subject,
    key: `${payment.subject}:${payment.attempt}`,
    account: payment.account,
    currency: order.currency,
    ...itemsOf(order),
    business: (order.trace as Trace | null)?.business,
    email: order.contactEmail,
    successUrl: withOrder(order.returnUrl, order, resultUrl(publicUrl, order, 'paid')),
    cancelUrl: withOrder(order.cancelUrl, order, resultUrl(publicUrl, order, 'cancelled')),
    expiresAt: payment.expiresAt,
  })
}

/**
 * The address at which an order is paid. Refused by the provider: the order is cancelled, and that is final (502). No answer: the
 * page may be there or not. Who can ask again (`isResumable`) gets 503 and the same page next time; for anybody else the order
 * is of no use, and is cancelled.
 */
export async function openPage(context: PageContext, db: Db, order: OrderRow, isResumable: boolean): Promise<string> {
  const payment = await findPayment(db, order.businessId, subjectOf(order.id))
  if (!payment) throw new Error(`Order ${order.id} is to be paid, but has no payment`)
  if (payment.url) return payment.url
  if (order.status === 'CANCELLED') throw orderEnded()
  await fault('checkout.before-page')
  try {
    const page = await open(context, order, payment)
    await fault('checkout.after-page')
    await notePage(db, payment, page)
    await fault('checkout.page-noted')
    return page.url
  } catch (error) {
    if (error instanceof ProviderRefusal) {
      await giveUp(db, payment)
      throw providerFailed('payment')
    }
    const late = unavailable('The payment provider does not answer. Try again shortly.')
    // It goes on after that; what it cannot do, the sweep does.
    if (!isResumable) await within(MAX_CLOSING_MS, closePage(context, db, payment), () => late).catch(() => {})
    throw late
  }
}

type Closing = {
  /** False for a person who cancels: the history shall say who it was. */
  endsOrder?: boolean
}

/** There is no page, and there will be none. */
async function giveUp(db: Db, payment: Payment, { endsOrder = true }: Closing = {}): Promise<void> {
  await transaction(db, async (tx) => {
    const order = await lockOrder(tx, payment.businessId, orderIdOf(payment.subject) ?? '')
    await endPayment(tx, payment)
    if (endsOrder) await endUnpaid(tx, order)
    await fault('give-up.before-commit')
  })
  await fault('give-up.after-commit')
}

/** Sees to it that nobody can pay any more: expires the page at the provider first, then believes what that says. */
export async function closePage(context: PageContext, db: Db, payment: Payment, closing: Closing = {}): Promise<void> {
  const { provider } = context.payments
  if (!isOpen(payment)) return
  if (!provider && isOver(payment)) return giveUp(db, payment, closing)
  if (!provider) throw providerFailed('payment')
  const pageId = payment.pageId ?? (await reopen(context, db, payment))
  if (pageId === undefined) return giveUp(db, payment, closing)
  await fault('close-page.before-provider')
  const state = await provider.expirePage(payment.account, pageId).catch((error: unknown) => {
    if (error instanceof UnknownPage) return tellUnknown(context, payment)
    if (error instanceof ProviderRefusal && isOver(payment)) return undefined
    throw error
  })
  if (!state) return giveUp(db, payment, closing)
  await fault('close-page.expired')
  await settle(db, payment, state, closing)
}

/** We do not know whether the page is there: asking for it with its key again tells. Undefined: it is not, and cannot be. */
async function reopen(context: PageContext, db: Db, payment: Payment): Promise<string | undefined> {
  const order = await findOrder(db, payment.businessId, orderIdOf(payment.subject) ?? '')
  if (!order) return undefined
  try {
    const page = await open(context, order, payment)
    await notePage(db, payment, page)
    return page.pageId
  } catch (error) {
    // Nobody ever got the address of a page that we do not know of.
    if (error instanceof ProviderRefusal || isOver(payment)) return undefined
    throw error
  }
}

/**
 * Asks the provider, and makes the order agree with it. A page that the provider does not know ends with its order's hour, no
 * sooner: with the key of another account, every open page looks like that.
 */
export async function syncPage(context: PageContext, db: Db, payment: Payment): Promise<void> {
  const { provider } = context.payments
  if (!provider || payment.pageId === null) return
  const state = await provider.readPage(payment.account, payment.pageId).catch((error: unknown) => {
    if (error instanceof UnknownPage) return tellUnknown(context, payment)
    throw error
  })
  await fault('sync-page.read')
  if (state) await settle(db, payment, state)
}

function tellUnknown({ log }: PageContext, { businessId, subject, pageId, account }: Payment): undefined {
  log?.warn({ businessId, subject, pageId, account }, 'the payment provider does not know this page')
}

/** Before a person cancels an order: its page must not be payable any more. */
export async function closePageOf(context: PageContext, db: Db, businessId: string, orderId: string): Promise<void> {
  const payment = await findPayment(db, businessId, subjectOf(orderId))
  if (!payment || !isOpen(payment)) return
  await closePage(context, db, payment, { endsOrder: false }).catch(() => {
    throw providerFailed('payment')
  })
  const after = await findPayment(db, businessId, subjectOf(orderId))
  if (after?.status === 'PAID') throw paidMeanwhile()
}
