import { type Collection, findCollection, isPaidPlan, lockCollection, type Plan } from '#modules/content/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { EventKind } from '#platform/events/define.ts'
import { record } from '#platform/events/record.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { newId } from '#vocabulary/ids.ts'
import { clearOptOut, hasOptedOut, showSuppressions } from '../bounces/suppress.ts'
import {
  alreadySubscribed,
  collectionNotFound,
  marketNotFound,
  notANewsletter,
  planNotFound,
  planRequired,
  plansDiffer,
} from '../errors.ts'
import { subscriptionChanged, subscriptionConfirmed, subscriptionCreated } from '../events.ts'
import type { NewSubscription } from '../schemas.ts'
import { mailConfirmation } from './mail-confirmation.ts'
import { lockByEmail, saveSubscription } from './queries.ts'
import { emailKeyOf, isPaidFor, nextUserId, type SubscriptionRow, subscriberIdOf } from './subscription.ts'

/** Limits confirmation mails to an address that somebody types again and again. */
const CONFIRM_AGAIN_MS = 10 * 60_000
const CONFIRM_RARELY_MS = 24 * 3_600_000

/** `keepsReaders`: may bring readers and their names, as with an import. */
export type Subscriber = { business: Business; actor: Actor; seesDrafts: boolean; keepsReaders: boolean }
export type PlanChoice = { collection: Collection; plan: Plan | undefined }

/** The requested newsletter and plan; throws when they are not available. */
export async function readPlanChoice(
  db: Db,
  { business, seesDrafts }: Subscriber,
  collectionId: string,
  sent: NewSubscription,
): Promise<PlanChoice> {
  const collection = await findCollection(db, business.id, collectionId)
  const isPublished = collection?.statuses.at(-1)?.status === 'PUBLISHED'
  if (!collection || !(isPublished || seesDrafts)) throw collectionNotFound()
  if (sent.market !== undefined && !business.markets.some(({ id }) => id === sent.market)) throw marketNotFound()
  return { collection, plan: planOf(collection, sent) }
}

function planOf({ type, plans }: Collection, { planId, plan_id }: NewSubscription): Plan | undefined {
  if (type !== 'NEWSLETTER') throw notANewsletter({ field: 'collectionId' })
  if (planId !== undefined && plan_id !== undefined && planId !== plan_id) throw plansDiffer()
  const wanted = planId ?? plan_id
  if (wanted === undefined && plans.length > 0) throw planRequired()
  if (wanted === undefined) return undefined
  const plan = plans.find(({ id }) => id === wanted)
  if (!plan) throw planNotFound({ field: planId === undefined ? 'plan_id' : 'planId' })
  return plan
}

/** Subscribes an address for free. Idempotent: a repeated request changes only the plan. */
export async function subscribeFree(
  tx: Tx,
  { business, actor, keepsReaders }: Subscriber,
  collectionId: string,
  sent: NewSubscription,
): Promise<SubscriptionRow> {
  // Keeps plans from being removed until this commits.
  const collection = await lockCollection(tx, business.id, collectionId, 'share')
  if (!collection) throw collectionNotFound()
  const plan = planOf(collection, sent)
  if (plan && isPaidPlan(plan)) throw planNotFound({ field: 'planId' }) // it was free a moment ago
  const { row: before, isNew } = await lockByEmail(
    tx,
    toRow(business.id, collectionId, sent, subscriberIdOf(actor, sent.email)),
  )
  if (isPaidFor(before)) throw alreadySubscribed()
  if (isNew) await showSuppressions(tx, business.id, [before.emailKey])

  // An earlier paid period has ended, and must not be taken for this subscription.
  const free = { planId: plan?.id ?? null, checkoutId: null, providerId: null, account: null }
  // Anybody may type an address, so only its owner may change the name, or staff.
  const mayRename = isNew || before.name === '' || before.userId === actor.userId || keepsReaders
  const name = mayRename ? (sent.name ?? before.name) : before.name
  const userId = isNew ? before.userId : nextUserId(before, actor, { isNamed: name !== before.name && !keepsReaders })
  const at = isNew ? before.createdAt : now()
  const market = mayRename ? (sent.market ?? before.market) : before.market
  const after = await activate(
    tx,
    { ...before, ...free, name, market, userId },
    { at, doubleOptIn: collection.doubleOptIn },
  )
  const isChanged = isNew || before.status !== after.status || before.planId !== after.planId
  if (isChanged)
    await recordSubscriptionEvent(
      tx,
      after,
      isNew || before.status === 'CANCELLED' ? subscriptionCreated : subscriptionChanged,
      actor,
    )
  return after
}

/**
 * An ACTIVE subscription stays so. Any other becomes ACTIVE, at once or, with double opt-in, after the address is
 * confirmed. An address that has unsubscribed from everything must always confirm, because anybody may type it.
 */
async function activate(
  tx: Tx,
  row: SubscriptionRow,
  { at, doubleOptIn }: { at: Date; doubleOptIn: boolean },
): Promise<SubscriptionRow> {
  const isPending = (await hasOptedOut(tx, row.businessId, row.emailKey)) || (doubleOptIn && row.status !== 'ACTIVE')
  const isMailed = isPending && mayAskAgain(row, at)
  const after: SubscriptionRow = {
    ...row,
    status: isPending ? 'PENDING' : 'ACTIVE',
    activatedAt: isPending ? null : row.status === 'ACTIVE' ? (row.activatedAt ?? at) : at,
    confirmSentAt: isMailed ? at : row.confirmSentAt,
    updatedAt: at,
  }
  await saveSubscription(tx, after)
  if (isMailed) await enqueue(tx, mailConfirmation, { businessId: row.businessId, subscriptionId: row.id })
  return after
}

/** After ten minutes, then after twice as long each time, and once a day in the end: whoever types it may not be its owner. */
function mayAskAgain({ createdAt, confirmSentAt }: SubscriptionRow, at: Date): boolean {
  if (!confirmSentAt) return true
  const askedForMs = confirmSentAt.getTime() - createdAt.getTime()
  const waitMs = Math.min(Math.max(CONFIRM_AGAIN_MS, askedForMs), CONFIRM_RARELY_MS)
  return at.getTime() - confirmSentAt.getTime() >= waitMs
}

/** A new row of a free subscription; PENDING until the same transaction activates it. */
export function toRow(
  businessId: string,
  collectionId: string,
  { email, name, market }: Pick<NewSubscription, 'email' | 'name'> & { market?: string | null | undefined },
  userId: string | null,
): SubscriptionRow {
  const at = now()
  return {
    businessId,
    id: newId('sub'),
    collectionId,
    email,
    emailKey: emailKeyOf(email),
    name: name ?? '',
    planId: null,
    status: 'PENDING',
    userId,
    checkoutId: null,
    providerId: null,
    account: null,
    countsClicks: true,
    market: market ?? null,
    activatedAt: null,
    confirmSentAt: null,
    createdAt: at,
    updatedAt: at,
  }
}

/** Records an event for the business, without the address. */
export const recordSubscriptionEvent = (
  tx: Tx,
  row: SubscriptionRow,
  what: EventKind<(typeof subscriptionCreated)['data']>,
  actor?: Actor,
) => {
  const { businessId, id, collectionId, planId, status } = row
  return record(tx, what({ businessId, subject: id, actor, data: { collectionId, planId, status } }))
}

/** Confirms a PENDING subscription from the mailed link. Idempotent. */
export async function confirmSubscription(tx: Tx, row: SubscriptionRow): Promise<SubscriptionRow> {
  if (row.status !== 'PENDING') return row
  const after: SubscriptionRow = { ...row, status: 'ACTIVE', activatedAt: now(), updatedAt: now() }
  await saveSubscription(tx, after)
  await clearOptOut(tx, row.businessId, row.emailKey)
  await recordSubscriptionEvent(tx, after, subscriptionConfirmed)
  return after
}
