import { lockCollection } from '#modules/content/index.ts'
import type { Payable, Payment } from '#modules/payments/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import type { SubscriptionState } from '#platform/payments/provider.ts'
import { clearOptOut, showSuppressions } from '../bounces/suppress.ts'
import { paymentUnexpected, subscriptionCancelled, subscriptionPaid, subscriptionPastDue } from '../events.ts'
import type { SubscriptionStatus } from '../schemas.ts'
import { cancelRenewal } from './cancel-renewal.ts'
import { type Checkout, findCheckout, lockCheckout } from './checkouts.ts'
import { isErasedAddress } from './erased-address.ts'
import { findByEmail, lockByEmail, lockSubscription, saveSubscription } from './queries.ts'
import { recordSubscriptionEvent, toRow } from './subscribe.ts'
import { isPaidFor, type SubscriptionRow } from './subscription.ts'

/** How plans are paid: the subject is a checkout, and the payment activates the subscription. */
export const newsletterPayable: Payable<Checkout> = {
  kind: 'newsletter',
  find: findCheckout,
  lock: lockCheckout,
  describe: ({ planName, interval, email, returnUrl, cancelUrl }, publicUrl) => {
    const back = (outcome: string) => `${publicUrl}/newsletters/result?outcome=${outcome}`
    return {
      title: planName,
      interval: interval as 'MONTHLY' | 'YEARLY',
      email,
      successUrl: returnUrl ?? back('paid'),
      cancelUrl: cancelUrl ?? back('cancelled'),
    }
  },
  isResumable: () => true, // a session that nobody asks for again expires
  settle: async (tx, checkout, { after, state, recurring }) => {
    if (recurring && state.status === 'PAID') await settleSubscription(tx, checkout, after, recurring)
  },
  abandon: async () => {}, // there is no subscription yet
}

const STATUSES: Record<SubscriptionState['status'], SubscriptionStatus> = {
  ACTIVE: 'ACTIVE',
  PAST_DUE: 'PAST_DUE',
  ENDED: 'CANCELLED',
}

/** Applies the provider's state of the recurring charge to the subscription. */
async function settleSubscription(
  tx: Tx,
  checkout: Checkout,
  { account }: Payment,
  state: SubscriptionState,
): Promise<void> {
  const { businessId, collectionId } = checkout
  if (checkout.providerId === null) return begin(tx, checkout, state, account)
  const known = await findByEmail(tx, businessId, collectionId, checkout.email)
  const row = known && (await lockSubscription(tx, businessId, known.id))
  const status = STATUSES[state.status]
  // The subscriber has left, or pays through a later checkout: cancels this charge until the provider confirms that it
  // has ended.
  if (row?.providerId !== state.id || row.status === 'CANCELLED') {
    if (state.status !== 'ENDED') return cancelRenewal(tx, businessId, checkout.id, state.id)
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
  if (status === 'ENDED') return // ended before we learned of it
  // The newsletter or plan was removed while the session was open: stops the charge; a person must refund what was
  // paid.
  const collection = await lockCollection(tx, businessId, collectionId, 'share')
  const isForNobody = isErasedAddress(checkout.email) // they deleted their account while the session was open
  if (isForNobody || collection?.type !== 'NEWSLETTER' || !collection.plans.some((plan) => plan.id === planId)) {
    await recordUnexpectedPayment(tx, checkout, id)
    return cancelRenewal(tx, businessId, checkout.id, id)
  }
  const { row, isNew } = await lockByEmail(tx, toRow(businessId, collectionId, checkout, null))
  if (isNew) await showSuppressions(tx, businessId, [row.emailKey])
  // Paid twice, in two sessions: the later one counts, the earlier is cancelled.
  if (isPaidFor(row) && row.checkoutId && row.providerId) {
    await recordUnexpectedPayment(tx, checkout, row.providerId)
    await cancelRenewal(tx, businessId, row.checkoutId, row.providerId)
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

/** A payment without a purpose: a person must refund it. */
const recordUnexpectedPayment = (tx: Tx, { businessId, id, collectionId, planId }: Checkout, providerId: string) =>
  record(tx, paymentUnexpected({ businessId, subject: id, data: { collectionId, planId, providerId } }))

async function save(tx: Tx, row: SubscriptionRow): Promise<void> {
  const isActive = row.status === 'ACTIVE'
  const activatedAt = isActive ? (row.activatedAt ?? now()) : row.status === 'CANCELLED' ? null : row.activatedAt
  const after = { ...row, activatedAt, updatedAt: now() }
  await saveSubscription(tx, after)
  if (isActive) await clearOptOut(tx, row.businessId, row.emailKey)
  await recordSubscriptionEvent(
    tx,
    after,
    isActive ? subscriptionPaid : row.status === 'CANCELLED' ? subscriptionCancelled : subscriptionPastDue,
  )
}
