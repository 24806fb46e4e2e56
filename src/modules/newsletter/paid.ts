import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { lockCollection } from '#modules/content/index.ts'
import {
  endPayment,
  findPayee,
  findPayment,
  findPaymentById,
  lockPayment,
  newPayments,
  noPayee,
  notePage,
  noteState,
  noteWrong,
  type Payment,
} from '#modules/payments/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { NewsletterCheckouts } from '#platform/database/cell-tables.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { write } from '#platform/database/write.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { keyReused } from '#platform/http/idempotency.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { isPayable } from '#platform/payments/amounts.ts'
import {
  type PageState,
  type PaymentProvider,
  type Payments,
  ProviderRefusal,
  type SubscriptionState,
  UnknownPage,
} from '#platform/payments/provider.ts'
import type { Business } from '#vocabulary/business.ts'
import { providerFailed, unavailable } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { alreadySubscribed, priceOutOfRange, returnUrlInvalid } from './errors.ts'
import { cancelRenewal } from './jobs.ts'
import { findByEmail, lockByEmail, lockSubscription, saveSubscription } from './queries.ts'
import type { NewSubscription, SubscriptionStatus } from './schemas.ts'
import { type Subscriber, tell, toRow, type Wish } from './subscribe.ts'
import { isPaidFor, type SubscriptionRow } from './subscription.ts'
import { forgetLeaving } from './suppressions.ts'

const EXPIRES_AFTER_MS = 60 * 60_000
const GRACE_MS = 60_000

type Checkout = Selectable<NewsletterCheckouts>

export type PaidContext = {
  payments: Payments
  publicUrl: string
}
type Opening = PaidContext & { isAllowedUrl: (business: Business, url: string) => boolean | Promise<boolean> }

export const subjectOf = (checkoutId: string) => `newsletter:${checkoutId}`
const checkoutIdOf = (subject: string) => subject.slice('newsletter:'.length)

/**
 * Answers where the plan is paid; the subscription comes with the money. Who pays for that plan already gets their subscription.
 * With a key, asking again gives the same page.
 */
export async function subscribePaid(
  context: Opening,
  db: Db,
  subscriber: Subscriber,
  { collection, plan }: Wish,
  sent: NewSubscription,
  requestKey: string | undefined,
): Promise<SubscriptionRow | { checkoutUrl: string; isReplayed: boolean }> {
  const { business, actor } = subscriber
  if (!plan?.price) throw new Error('A plan without a price is not paid for')
  for (const field of ['returnUrl', 'cancelUrl'] as const) {
    const url = sent[field]
    if (url !== undefined && !(await context.isAllowedUrl(business, url))) throw returnUrlInvalid(field)
  }
  const currency = plan.price.currency.toUpperCase()
  if (!isPayable(plan.price.amount, currency)) throw priceOutOfRange()
  const payee = findPayee(context.payments, business)
  if (!payee) throw noPayee()
  const known = await findByEmail(db, business.id, collection.id, sent.email)
  if (known && isPaidFor(known)) {
    if (known.planId === plan.id) return known
    throw alreadySubscribed()
  }

  const checkout: Checkout = {
    businessId: business.id,
    id: requestKey === undefined ? newId('chk') : idFor(actor.userId, requestKey),
    collectionId: collection.id,
    email: sent.email,
    name: sent.name ?? '',
    planId: plan.id,
    planName: `${collection.name}: ${plan.name}`,
    interval: plan.price.interval,
    userId: actor.userId,
    returnUrl: sent.returnUrl ?? null,
    cancelUrl: sent.cancelUrl ?? null,
    providerId: null,
    createdAt: now(),
  }
  const { amount } = plan.price
  const isNew = await transaction(db, async (tx) => {
    const isNew = await insertCheckout(tx, checkout)
    if (isNew) {
      const expiresAt = new Date(nowMs() + EXPIRES_AFTER_MS)
      const subject = subjectOf(checkout.id)
      const payment = { businessId: business.id, subject, amount, currency, account: payee.account, expiresAt }
      await write(tx, newPayments([payment]))
    }
    await fault('subscribe.before-commit')
    return isNew
  })
  const payment = await findPayment(db, business.id, subjectOf(checkout.id))
  if (!payment) throw new Error(`The subscription checkout ${checkout.id} has no payment`)
  // The provider refused it, and would know its key: a page that it opened all the same would not be ours.
  if (payment.url === null && payment.status === 'ENDED') throw providerFailed('payment')
  return { checkoutUrl: payment.url ?? (await open(context, db, checkout, payment)), isReplayed: !isNew }
}

/** The same caller and key: the same checkout. */
const idFor = (userId: string, requestKey: string) =>
  `chk_${createHash('sha256').update(`${userId} ${requestKey}`).digest('hex').slice(0, 26)}`

/** False when it is there already, asked for by the same request before. */
async function insertCheckout(tx: Tx, checkout: Checkout): Promise<boolean> {
  const inserted = await tx
    .insertInto('newsletter.checkouts')
    .values(checkout)
    .onConflict((known) => known.constraint('checkouts_pkey').doNothing())
    .returning('id')
    .execute()
  if (inserted.length > 0) return true
  const known = await findCheckout(tx, checkout.businessId, checkout.id)
  const isSame = (['collectionId', 'email', 'planId', 'name', 'returnUrl', 'cancelUrl'] as const).every(
    (name) => known?.[name] === checkout[name],
  )
  if (!isSame) throw keyReused()
  return false
}

const findCheckout = (db: Db, businessId: string, id: string) =>
  db
    .selectFrom('newsletter.checkouts')
    .selectAll()
    .where((checkout) => checkout.and({ businessId, id }))
    .executeTakeFirst()

async function open(
  { payments, publicUrl }: PaidContext,
  db: Db,
  checkout: Checkout,
  payment: Payment,
): Promise<string> {
  if (!payments.provider) throw providerFailed('payment')
  const back = (outcome: string) => `${publicUrl}/newsletters/result?outcome=${outcome}`
  try {
    const page = await payments.provider.openPage({
      businessId: checkout.businessId,
      subject: payment.subject,
      key: `${payment.subject}:${payment.attempt}`,
      account: payment.account,
      currency: payment.currency,
      items: [{ name: Array.from(checkout.planName).slice(0, 250).join(''), quantity: 1, amount: payment.amount }],
      interval: checkout.interval as 'MONTHLY' | 'YEARLY',
      email: checkout.email,
      successUrl: checkout.returnUrl ?? back('paid'),
      cancelUrl: checkout.cancelUrl ?? back('cancelled'),
      expiresAt: payment.expiresAt,
    })
    await fault('subscribe.after-page')
    await notePage(db, payment, page)
    return page.url
  } catch (error) {
    if (!(error instanceof ProviderRefusal))
      throw unavailable('The payment provider does not answer. Try again shortly.')
    await transaction(db, (tx) => endPayment(tx, payment))
    throw providerFailed('payment')
  }
}

/** Asks the provider what has become of a checkout and its subscription, and makes ours agree. */
export async function syncSubscription(context: PaidContext, db: Db, payment: Payment): Promise<void> {
  const { provider } = context.payments
  if (!provider) return
  const page = payment.pageId === null ? undefined : await readKnown(provider, payment.account, payment.pageId)
  if (!page) {
    // Nobody has got the address of a page that we do not know of, and nobody can pay one that the provider does not know.
    if (nowMs() > payment.expiresAt.getTime() + GRACE_MS) await transaction(db, (tx) => endPayment(tx, payment))
    return
  }
  const subscription = page.subscriptionId && (await provider.readSubscription(payment.account, page.subscriptionId))
  await fault('subscription.read')
  const isStale = await transaction(db, async (tx) => {
    const locked = await lockPayment(tx, payment.businessId, payment.id)
    // Somebody else has asked meanwhile, and may have got a newer answer than this one.
    if (locked.updatedAt.getTime() !== payment.updatedAt.getTime()) return true
    const isWrong = page.status === 'PAID' && (page.amount !== locked.amount || page.currency !== locked.currency)
    if (isWrong) await noteMismatch(tx, locked, page)
    if (isWrong) return false
    await noteState(tx, locked, page)
    const checkout = await findCheckout(tx, payment.businessId, checkoutIdOf(payment.subject))
    if (checkout && subscription && page.status === 'PAID') await apply(tx, checkout, payment, subscription)
    await fault('subscription.before-commit')
    return false
  })
  if (!isStale) return
  const newer = await findPaymentById(db, payment.businessId, payment.id)
  if (newer) await syncSubscription(context, db, newer)
}

const readKnown = (provider: PaymentProvider, account: string | null, pageId: string) =>
  provider.readPage(account, pageId).catch((error: unknown) => {
    if (error instanceof UnknownPage) return undefined
    throw error
  })

/** Not what was asked for: somebody has to look at it. */
async function noteMismatch(tx: Tx, payment: Payment, { amount, currency, pageId }: PageState): Promise<void> {
  if (payment.status === 'WRONG') return
  const { businessId, subject } = payment
  await noteWrong(tx, payment)
  const data = { paid: amount, currency, expected: payment.amount, pageId }
  await record(tx, { businessId, type: 'payment.mismatch', subject: checkoutIdOf(subject), data })
}

const STATUSES: Record<SubscriptionState['status'], SubscriptionStatus> = {
  ACTIVE: 'ACTIVE',
  PAST_DUE: 'PAST_DUE',
  ENDED: 'CANCELLED',
}

async function apply(tx: Tx, checkout: Checkout, { account }: Payment, state: SubscriptionState): Promise<void> {
  const { businessId, collectionId } = checkout
  if (checkout.providerId === null) return begin(tx, checkout, state, account)
  const known = await findByEmail(tx, businessId, collectionId, checkout.email)
  const row = known && (await lockSubscription(tx, businessId, known.id))
  const status = STATUSES[state.status]
  // Who has left, or pays through a later checkout, does not pay here: it is cancelled until the provider says that it has ended.
  if (row?.providerId !== state.id || row.status === 'CANCELLED') {
    if (state.status !== 'ENDED') return enqueue(tx, cancelRenewal, { businessId, account, providerId: state.id })
    if (row?.providerId === state.id) await saveSubscription(tx, { ...row, providerId: null, checkoutId: null })
    return
  }
  if (row.status !== status) await save(tx, { ...row, status })
}

async function begin(
  tx: Tx,
  checkout: Checkout,
  { id, status }: SubscriptionState,
  account: string | null,
): Promise<void> {
  const { businessId, collectionId, planId, name, userId } = checkout
  await tx
    .updateTable('newsletter.checkouts')
    .set({ providerId: id })
    .where((known) => known.and({ businessId, id: checkout.id }))
    .execute()
  if (status === 'ENDED') return // over before we heard of it
  // Nobody goes on paying for a newsletter or a plan that went while its page was open; what was paid is for a person to give back.
  const collection = await lockCollection(tx, businessId, collectionId, 'share')
  if (collection?.type !== 'NEWSLETTER' || !collection.plans.some((plan) => plan.id === planId)) {
    await tellInVain(tx, checkout, id)
    return enqueue(tx, cancelRenewal, { businessId, account, providerId: id })
  }
  const { row } = await lockByEmail(tx, toRow(businessId, collectionId, checkout, undefined))
  // Paid twice, on two pages: the later one counts, the earlier ends.
  if (isPaidFor(row) && row.providerId) {
    await tellInVain(tx, checkout, row.providerId)
    await enqueue(tx, cancelRenewal, { businessId, account: row.account, providerId: row.providerId })
  }
  await save(tx, {
    ...row,
    name: name || row.name,
    userId: userId ?? row.userId,
    planId,
    checkoutId: checkout.id,
    providerId: id,
    account,
    status: STATUSES[status],
  })
}

/** Money came for nothing: somebody has to give it back. */
const tellInVain = (tx: Tx, { businessId, id, collectionId, planId }: Checkout, providerId: string) =>
  record(tx, { businessId, type: 'payment.in-vain', subject: id, data: { collectionId, planId, providerId } })

async function save(tx: Tx, row: SubscriptionRow): Promise<void> {
  const isActive = row.status === 'ACTIVE'
  const activatedAt = isActive ? (row.activatedAt ?? now()) : row.status === 'CANCELLED' ? null : row.activatedAt
  const after = { ...row, activatedAt, updatedAt: now() }
  await saveSubscription(tx, after)
  if (isActive) await forgetLeaving(tx, row.businessId, row.emailKey)
  await tell(tx, after, isActive ? 'paid' : row.status === 'CANCELLED' ? 'cancelled' : 'past-due')
}
