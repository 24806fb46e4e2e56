import { sql } from 'kysely'
import type { Static } from 'typebox'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { NewEvent } from '#platform/events/define.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { suppressionNotFound } from '../errors.ts'
import { subscriptionBounced, subscriptionComplained, subscriptionUnsuppressed } from '../events.ts'
import type * as shape from '../schemas.ts'
import { hiddenKeyOf } from '../subscriptions/erased-address.ts'
import { emailKeyOf } from '../subscriptions/subscription.ts'

/** Events about an address, the worst last. */
export const MAIL_EVENTS = ['SOFT_BOUNCE', 'HARD_BOUNCE', 'COMPLAINT'] as const

/** `sendId`: the send that the mail belonged to, if known. */
export type MailEvent = {
  type: (typeof MAIL_EVENTS)[number]
  businessId: string
  email: string
  sendId: string | undefined
}

const REASONS = { SOFT_BOUNCE: null, HARD_BOUNCE: 'BOUNCE', COMPLAINT: 'COMPLAINT' } as const
/** An event takes eight parameters of a statement, which allows 65,535. */
const RECORDED_AT_ONCE = 5_000

/**
 * The owner of an address has unsubscribed from everything: only they can bring it back. That outlasts a bounce, which is
 * lifted when the address works again.
 */
export const recordOptOut = (tx: Tx, businessId: string, emailKey: string) =>
  tx
    .insertInto('newsletter.suppressions')
    .values({ businessId, emailKey, reason: 'UNSUBSCRIBED', createdAt: now() })
    .onConflict((known) =>
      known
        .columns(['businessId', 'emailKey'])
        .doUpdateSet({ reason: 'UNSUBSCRIBED' })
        .where('newsletter.suppressions.reason', '=', 'BOUNCE'),
    )
    .execute()

export async function hasOptedOut(tx: Tx, businessId: string, emailKey: string): Promise<boolean> {
  const known = await tx
    .selectFrom('newsletter.suppressions')
    .select('reason')
    .where((known) => known.and({ businessId, emailKey, reason: 'UNSUBSCRIBED' }))
    .executeTakeFirst()
  return known !== undefined
}

/** Whether mail to the address bounces, or was called spam: not even the question whether it may be written to goes there. */
export async function isUnwanted(db: Db, businessId: string, emailKey: string): Promise<boolean> {
  const known = await db
    .selectFrom('newsletter.suppressions')
    .select('reason')
    .where((known) => known.and({ businessId, emailKey }))
    .where('reason', '<>', 'UNSUBSCRIBED')
    .executeTakeFirst()
  return known !== undefined
}

/** The owner is back: they have confirmed the address, or pay. */
export const clearOptOut = (tx: Tx, businessId: string, emailKey: string) =>
  tx
    .deleteFrom('newsletter.suppressions')
    .where((known) => known.and({ businessId, emailKey, reason: 'UNSUBSCRIBED' }))
    .execute()

/**
 * The owners of these addresses are forgotten. That they complained or left everything is kept, under a key that does
 * not show the address; a bounce is not.
 */
export function hideSuppressions(tx: Tx, businessId: string, emailKeys: readonly string[]): Promise<void> {
  const keys = [...new Set(emailKeys)]
  return renameSuppressions(tx, businessId, keys, hiddenKeysOf(businessId, keys))
}

/** The business has these addresses again: what was hidden of them counts. */
export async function showSuppressions(tx: Tx, businessId: string, emailKeys: readonly string[]): Promise<void> {
  if (emailKeys.length > 0) await renameSuppressions(tx, businessId, hiddenKeysOf(businessId, emailKeys), emailKeys)
}

const hiddenKeysOf = (businessId: string, emailKeys: readonly string[]) =>
  emailKeys.map((key) => hiddenKeyOf(businessId, key))

/** Bounces go: nothing was hidden of them. */
const renameSuppressions = async (
  tx: Tx,
  businessId: string,
  from: readonly string[],
  to: readonly string[],
): Promise<void> => {
  await sql`
    with gone as (
      delete from newsletter.suppressions
       where business_id = ${businessId} and email_key = any (${from}::text[])
      returning email_key, reason, created_at
    )
    insert into newsletter.suppressions (business_id, email_key, reason, created_at)
    select ${businessId}, renamed.key, reason, created_at
      from gone
      join unnest(${from}::text[], ${to}::text[]) as renamed (email_key, key) using (email_key)
     where reason <> 'BOUNCE'
    on conflict do nothing`.execute(tx)
}

/** Parses a Message-ID made by `messageIdOf`, with any host: the host may have changed since. */
export function readMessageId(messageId: string): { businessId: string; sendId: string } | undefined {
  const [, businessId, sendId] =
    /^\s*<?newsletter\.([\w-]{1,64})\.([\w-]{1,64})\.[\w-]{1,64}@[^\s@<>]{1,255}>?\s*$/.exec(messageId) ?? []
  return businessId && sendId ? { businessId, sendId } : undefined
}

/**
 * Suppresses addresses after hard bounces and complaints, and records an event for each subscription. Repeated events
 * change nothing, except soft bounces, which leave nothing to recognise them by.
 */
export async function applyMailEvents(tx: Tx, events: readonly MailEvent[]): Promise<void> {
  const worst = worstOf(events)
  const all = [...worst.values()]
  const { rows } = await sql<Bounced>`
    with happened as (
      select * from unnest(
        ${all.map(({ businessId }) => businessId)}::text[], ${all.map(({ email }) => emailKeyOf(email))}::text[],
        ${all.map(({ type }) => REASONS[type])}::text[])
        as happened (business_id, email_key, reason)
    ), suppressed as (
      insert into newsletter.suppressions as known (business_id, email_key, reason, created_at)
      select business_id, email_key, reason, ${now()} from happened where reason is not null
       order by business_id collate "C", email_key collate "C"
      on conflict on constraint suppressions_pkey
        do update set reason = excluded.reason where excluded.reason = 'COMPLAINT' and known.reason <> 'COMPLAINT'
      returning business_id, email_key
    )
    select business_id, email_key, subscription.id, collection_id, plan_id, status
      from happened
      join newsletter.subscriptions as subscription using (business_id, email_key)
     where happened.reason is null or (business_id, email_key) in (select business_id, email_key from suppressed)
     order by business_id collate "C", subscription.id`.execute(tx)

  const recorded = rows.flatMap((row) => {
    const event = worst.get(keyOf(row.businessId, row.emailKey))
    return event ? [toEvent(row, event)] : []
  })
  for (let from = 0; from < recorded.length; from += RECORDED_AT_ONCE) {
    await record(tx, ...recorded.slice(from, from + RECORDED_AT_ONCE))
  }
}

const keyOf = (businessId: string, emailKey: string) => `${businessId} ${emailKey}`

/** One event per address, the worst: a statement must not update a row twice. */
function worstOf(events: readonly MailEvent[]): Map<string, MailEvent> {
  const rankOf = ({ type }: MailEvent) => MAIL_EVENTS.indexOf(type)
  const worst = new Map<string, MailEvent>()
  for (const event of events) {
    const key = keyOf(event.businessId, emailKeyOf(event.email))
    const known = worst.get(key)
    if (!known || rankOf(event) > rankOf(known)) worst.set(key, event)
  }
  return worst
}

type Subscribed = {
  businessId: string
  id: string
  collectionId: string
  planId: string | null
  status: shape.SubscriptionStatus
}
type Bounced = Subscribed & { emailKey: string }

const dataOf = ({ collectionId, planId, status }: Subscribed) => ({ collectionId, planId, status })

function toEvent(row: Bounced, { type, sendId }: MailEvent): NewEvent {
  const common = { businessId: row.businessId, subject: row.id }
  const data = { ...dataOf(row), ...(sendId !== undefined && { sendId }) }
  if (type === 'COMPLAINT') return subscriptionComplained({ ...common, data })
  return subscriptionBounced({ ...common, data: { ...data, bounce: type === 'HARD_BOUNCE' ? 'HARD' : 'SOFT' } })
}

type Suppression = Static<typeof shape.Suppression>
type SuppressionRow = { emailKey: string; reason: string; createdAt: Date }

const presentSuppression = ({ emailKey, reason, createdAt }: SuppressionRow): Suppression => ({
  email: emailKey,
  reason: reason as Suppression['reason'],
  createdAt: toSeconds(createdAt),
})

/** By address. */
export async function listSuppressions(
  db: Db,
  businessId: string,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<Suppression>> {
  const filters = { list: 'suppressions', businessId }
  const after = (decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined) ?? ''
  const { rows } = await sql<SuppressionRow>`
    select email_key, reason, created_at
      from newsletter.suppressions
     where business_id = ${businessId} and email_key > ${after}
     order by email_key
     limit ${limit + 1}`.execute(db)
  return toPage(rows, limit, filters, ({ emailKey }) => [emailKey], presentSuppression)
}

/** Lifts the suppression: the address receives its newsletters again. */
export async function deleteSuppression(
  tx: Tx,
  { businessId, actor }: { businessId: string; actor: Actor },
  email: string,
): Promise<void> {
  const emailKey = emailKeyOf(email)
  const { numDeletedRows } = await tx
    .deleteFrom('newsletter.suppressions')
    .where((suppression) => suppression.and({ businessId, emailKey }))
    .executeTakeFirstOrThrow()
  if (numDeletedRows === 0n) throw suppressionNotFound()
  const rows = await tx
    .selectFrom('newsletter.subscriptions')
    .select(['businessId', 'id', 'collectionId', 'planId', 'status'])
    .where((subscription) => subscription.and({ businessId, emailKey }))
    .orderBy('id')
    .execute()
  const events = (rows as Subscribed[]).map((row) =>
    subscriptionUnsuppressed({ businessId, subject: row.id, actor, data: dataOf(row) }),
  )
  await record(tx, ...events)
}
