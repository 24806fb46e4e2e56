import { type Collection, findCollection, isPaidPlan, lockCollection, type Plan } from '#modules/content/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { notFound } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { alreadySubscribed, marketNotFound, notANewsletter, planNotFound, planRequired, plansDiffer } from './errors.ts'
import { mailConfirmation } from './jobs.ts'
import { lockByEmail, saveSubscription } from './queries.ts'
import type { NewSubscription } from './schemas.ts'
import { emailKeyOf, isPaidFor, type SubscriptionRow } from './subscription.ts'
import { forgetLeaving, hasLeft } from './suppressions.ts'

/** Nobody's mailbox is filled by somebody who types their address again and again. */
const CONFIRM_AGAIN_MS = 10 * 60_000

export type Subscriber = { business: Business; actor: Actor; seesDrafts: boolean }
export type Wish = { collection: Collection; plan: Plan | undefined }

/** What is asked for, if it can be had: the newsletter and its plan. */
export async function readWish(
  db: Db,
  { business, seesDrafts }: Subscriber,
  collectionId: string,
  sent: NewSubscription,
): Promise<Wish> {
  const collection = await findCollection(db, business.id, collectionId)
  const isPublished = collection?.statuses.at(-1)?.status === 'PUBLISHED'
  if (!collection || !(isPublished || seesDrafts)) throw notFound('collection')
  if (sent.market !== undefined && !business.markets.some(({ id }) => id === sent.market)) throw marketNotFound()
  return { collection, plan: planOf(collection, sent) }
}

function planOf({ type, plans }: Collection, { planId, plan_id }: NewSubscription): Plan | undefined {
  if (type !== 'NEWSLETTER') throw notANewsletter('collectionId')
  if (planId !== undefined && plan_id !== undefined && planId !== plan_id) throw plansDiffer()
  const wanted = planId ?? plan_id
  if (wanted === undefined && plans.length > 0) throw planRequired()
  if (wanted === undefined) return undefined
  const plan = plans.find(({ id }) => id === wanted)
  if (!plan) throw planNotFound(planId === undefined ? 'plan_id' : 'planId')
  return plan
}

/** Subscribes an address for free. Again: the same subscription, with the plan that was asked for last. */
export async function subscribeFree(
  tx: Tx,
  { business, actor }: Subscriber,
  collectionId: string,
  sent: NewSubscription,
): Promise<SubscriptionRow> {
  // Until this is done, no plan goes away.
  const collection = await lockCollection(tx, business.id, collectionId, 'share')
  if (!collection) throw notFound('collection')
  const plan = planOf(collection, sent)
  if (plan && isPaidPlan(plan)) throw planNotFound('planId') // it was free a moment ago
  const { row: before, isNew } = await lockByEmail(tx, toRow(business.id, collectionId, sent, actor))
  if (isPaidFor(before)) throw alreadySubscribed()

  // What was paid for before has ended, and must not be taken for this one.
  const free = { planId: plan?.id ?? null, checkoutId: null, providerId: null, account: null }
  // Anybody may type an address: what its owner is called is not theirs to change.
  const isOwn = isNew || before.name === '' || before.userId === actor.userId
  const name = isOwn ? (sent.name ?? before.name) : before.name
  const after = await activate(tx, { ...before, ...free, name }, collection)
  const isChanged = isNew || before.status !== after.status || before.planId !== after.planId
  if (isChanged) await tell(tx, after, isNew || before.status === 'CANCELLED' ? 'created' : 'changed', actor)
  return after
}

/**
 * Who is ACTIVE stays so. Anybody else becomes so, at once or, where the newsletter wants it, when the address is confirmed. Who has
 * left everything is always asked: anybody may type their address.
 */
async function activate(tx: Tx, row: SubscriptionRow, { doubleOptIn }: Collection): Promise<SubscriptionRow> {
  const isPending = (await hasLeft(tx, row.businessId, row.emailKey)) || (doubleOptIn && row.status !== 'ACTIVE')
  const at = now()
  const isMailed = isPending && (!row.confirmSentAt || at.getTime() - row.confirmSentAt.getTime() >= CONFIRM_AGAIN_MS)
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

/** A free one that is being made: PENDING until the same transaction says otherwise. */
export function toRow(
  businessId: string,
  collectionId: string,
  { email, name }: Pick<NewSubscription, 'email' | 'name'>,
  actor: Pick<Actor, 'userId'> | undefined,
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
    secret: '',
    mailedProofs: null,
    userId: actor?.userId ?? null,
    checkoutId: null,
    providerId: null,
    account: null,
    activatedAt: null,
    confirmSentAt: null,
    createdAt: at,
    updatedAt: at,
  }
}

/** Tells the business; addresses are not part of what is told. */
export const tell = (tx: Tx, row: SubscriptionRow, verb: string, actor?: Actor) =>
  record(tx, {
    businessId: row.businessId,
    type: `subscription.${verb}`,
    subject: row.id,
    actor,
    data: { collectionId: row.collectionId, planId: row.planId, status: row.status },
  })

/** Follows the mailed link. Once is enough; later it changes nothing. */
export async function confirmSubscription(tx: Tx, row: SubscriptionRow): Promise<SubscriptionRow> {
  if (row.status !== 'PENDING') return row
  const after: SubscriptionRow = { ...row, status: 'ACTIVE', activatedAt: now(), updatedAt: now() }
  await saveSubscription(tx, after)
  await forgetLeaving(tx, row.businessId, row.emailKey)
  await tell(tx, after, 'confirmed')
  return after
}
