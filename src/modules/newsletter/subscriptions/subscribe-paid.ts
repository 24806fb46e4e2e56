import { createHash } from 'node:crypto'
import {
  findPayee,
  newPayments,
  noPayee,
  openSession,
  type PaymentContext,
  sessionEnd,
  subjectOf,
} from '#modules/payments/index.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { write } from '#platform/database/write.ts'
import { fault } from '#platform/faults.ts'
import type { Business } from '#vocabulary/business.ts'
import { newId } from '#vocabulary/ids.ts'
import { alreadySubscribed, priceOutOfRange, returnUrlInvalid } from '../errors.ts'
import type { NewSubscription } from '../schemas.ts'
import { type Checkout, insertCheckout } from './checkouts.ts'
import { newsletterPayable } from './payable.ts'
import { findByEmail } from './queries.ts'
import type { PlanChoice, Subscriber } from './subscribe.ts'
import { isPaidFor, type SubscriptionRow, subscriberIdOf } from './subscription.ts'

export type PaidContext = PaymentContext & {
  isAllowedUrl: (business: Business, url: string) => boolean | Promise<boolean>
}

/**
 * Returns where to pay for the plan; the payment activates the subscription. A caller who pays for that plan already
 * gets their subscription. With an idempotency key, asking again returns the same session.
 */
export async function subscribePaid(
  context: PaidContext,
  db: Db,
  subscriber: Subscriber,
  { collection, plan }: PlanChoice,
  sent: NewSubscription,
  requestKey: string | undefined,
): Promise<SubscriptionRow | { checkoutUrl: string; isReplayed: boolean }> {
  const { business, actor } = subscriber
  if (!plan?.price) throw new Error('A plan without a price is not paid for')
  for (const field of ['returnUrl', 'cancelUrl'] as const) {
    const url = sent[field]
    if (url !== undefined && !(await context.isAllowedUrl(business, url))) throw returnUrlInvalid({ field })
  }
  const currency = plan.price.currency.toUpperCase()
  const payee = findPayee(context.payments, business)
  if (!payee) throw noPayee()
  if (!payee.provider.isPayable(plan.price.amount, currency)) throw priceOutOfRange()
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
    userId: subscriberIdOf(actor, sent.email),
    returnUrl: sent.returnUrl ?? null,
    cancelUrl: sent.cancelUrl ?? null,
    providerId: null,
    market: sent.market ?? null,
    createdAt: now(),
  }
  const { amount } = plan.price
  const isNew = await transaction(db, async (tx) => {
    const isNew = await insertCheckout(tx, checkout)
    if (isNew) {
      const { provider, account } = payee
      const payment = {
        subject: subjectOf('newsletter', checkout.id),
        amount,
        currency,
        account,
        expiresAt: sessionEnd(payee),
      }
      await write(tx, newPayments([{ ...payment, businessId: business.id, provider: provider.name }]))
    }
    await fault('subscribe.before-commit')
    return isNew
  })
  const checkoutUrl = await openSession(context, db, newsletterPayable, checkout)
  return { checkoutUrl, isReplayed: !isNew }
}

/** The same user and idempotency key give the same checkout. */
const idFor = (userId: string, requestKey: string) =>
  `chk_${createHash('sha256').update(`${userId} ${requestKey}`).digest('hex').slice(0, 26)}`
