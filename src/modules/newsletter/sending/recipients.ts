import { type RawBuilder, sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { isHere } from '#platform/moves/fence.ts'
import { sendDone } from '../events.ts'
import type { SubscriptionStatus } from '../schemas.ts'
import type { SendRow } from './send.ts'

// PostgreSQL has no statistics about a send that was just planned, takes its recipients for few, and would scan all of
// them to find one. So rows are joined on the whole key from a CTE: with the key as constants, the planner would use
// only its first columns.

type Key = Pick<SendRow, 'businessId' | 'id'>

export type Claimed = {
  subscriptionId: string
  attempts: number
  email: string
  name: string
  countsClicks: boolean
  market: string | null
  status: SubscriptionStatus
  isSuppressed: boolean
}

export type Limits = {
  perSecond: number | undefined
  perSecondOfBusiness: number | undefined
  /** Set by the operator for this business; days are those of UTC. */
  perDayOfBusiness?: number | undefined
}

/**
 * Claims the next recipients for `sender`, as many as the limits allow. No other process sends to them from now on: if
 * this process dies, their state is uncertain.
 */
export async function claimRecipients(
  db: Db,
  { businessId, id }: Key,
  sender: string,
  wanted: number,
  limits: Limits,
): Promise<Claimed[]> {
  const granted = await takePermits(db, businessId, wanted, limits)
  if (granted <= 0) return []
  const { rows } = await sql<Claimed>`
    with next as materialized ( -- materialized: otherwise it could be evaluated, and limited, once per row
      select business_id, send_id, subscription_id
        from newsletter.recipients
       where business_id = ${businessId} and send_id = ${id} and state = 'PLANNED' and due_at <= ${now()}
         and exists (select from newsletter.sends
                      where business_id = ${businessId} and sends.id = ${id} and status = 'RUNNING')
       order by due_at, subscription_id
       limit ${granted}
         for update skip locked
    )
    update newsletter.recipients as recipient
       set state = 'SENDING', sender = ${sender}, attempts = attempts + 1, updated_at = ${now()}
      from next
      left join newsletter.subscriptions as subscription
        on subscription.business_id = next.business_id and subscription.id = next.subscription_id
      left join newsletter.suppressions as suppression
        on suppression.business_id = subscription.business_id and suppression.email_key = subscription.email_key
     where recipient.business_id = next.business_id and recipient.send_id = next.send_id
       and recipient.subscription_id = next.subscription_id
    returning recipient.subscription_id, recipient.attempts, coalesce(subscription.email, '') as email,
              coalesce(subscription.name, '') as name, coalesce(subscription.counts_clicks, false) as counts_clicks, subscription.market,
              coalesce(subscription.status, 'CANCELLED') as status, -- no row: deleted with its newsletter
              suppression.email_key is not null as is_suppressed`.execute(db)
  if (rows.length < granted) await returnPermits(db, businessId, granted - rows.length, limits)
  return rows
}

/**
 * How many of `wanted` may be sent in this second. All processes count on the same rows: one per business, and one ('')
 * for all. Where clocks differ, the fastest counts.
 */
async function takePermits(db: Db, businessId: string, wanted: number, limits: Limits): Promise<number> {
  const limited = limitedBy(businessId, limits)
  if (limited.length === 0) return wanted
  const keys = limited.map(({ key }) => key)
  const count = () =>
    sql<{ granted: number }>`
      with before as materialized (
        select key, "limit", case when second >= period then used else 0 end as used, greatest(second, period) as second
          from newsletter.rates
          join unnest(${keys}::text[], ${limited.map(({ limit }) => limit)}::int[], ${limited.map(({ period }) => period)}::bigint[])
            as limited (key, "limit", period) using (key)
         order by key
           for update of rates
      ), granted as (
        select greatest(0, least(${wanted}::int, min("limit" - used)))::int as granted from before
      )
      update newsletter.rates as rate
         set second = before.second, used = before.used + granted
        from before, granted
       where rate.key = before.key and (select count(*) from before) = ${keys.length}
      returning granted`.execute(db)
  const { rows } = await count()
  if (rows.length === keys.length) return rows[0]?.granted ?? 0
  await sql`
    insert into newsletter.rates (key, second, used)
    select key, 0, 0 from unnest(${keys}::text[]) as missing (key) on conflict do nothing`.execute(db)
  return (await count()).rows[0]?.granted ?? 0
}

const limitedBy = (businessId: string, { perSecond, perSecondOfBusiness, perDayOfBusiness }: Limits) => {
  const second = Math.floor(nowMs() / 1000)
  return [
    { key: '', limit: perSecond, period: second },
    { key: businessId, limit: perSecondOfBusiness, period: second },
    { key: dayKeyOf(businessId), limit: perDayOfBusiness, period: today() },
  ].filter(({ limit }) => limit !== undefined)
}

/** Days are counted in the same table, under a key of their own. */
const dayKeyOf = (businessId: string) => `${businessId}/day`
const today = () => Math.floor(nowMs() / 86_400_000)

/** How many letters a business with a limit a day has sent today. */
export async function countToday(db: Db, businessId: string): Promise<number> {
  const row = await db
    .selectFrom('newsletter.rates')
    .select('used')
    .where('key', '=', dayKeyOf(businessId))
    .where('second', '>=', today())
    .executeTakeFirst()
  return row?.used ?? 0
}

/** The count of a business that is deleted: its key is not the id alone. */
export async function forgetToday(db: Db, businessId: string): Promise<void> {
  await db.deleteFrom('newsletter.rates').where('key', '=', dayKeyOf(businessId)).execute()
}

/** Returns unused permits to the others, within the same second. */
async function returnPermits(db: Db, businessId: string, count: number, limits: Limits): Promise<void> {
  const limited = limitedBy(businessId, limits)
  if (limited.length === 0) return
  await sql`
    with given as (
      select key
        from newsletter.rates
        join unnest(${limited.map(({ key }) => key)}::text[], ${limited.map(({ period }) => period)}::bigint[]) as limited (key, period)
             using (key)
       where second = period and used >= ${count}
       order by key
         for update of rates
    )
    update newsletter.rates set used = used - ${count} from given where rates.key = given.key`.execute(db)
}

export type Result = {
  subscriptionId: string
  state: 'SENT' | 'FAILED' | 'SUPPRESSED' | 'UNCERTAIN' | 'PLANNED'
  response: string
  dueAt: Date | null
}

/**
 * Writes and counts the results of mails that `sender` has handed over, in one statement. Corrects recipients that
 * became UNCERTAIN meanwhile because this process was taken for dead.
 */
export async function saveResults(
  db: Db,
  { businessId, id }: Key,
  sender: string,
  results: readonly Result[],
): Promise<void> {
  await sql`
    with result as materialized (
      select ${businessId}::text as business_id, ${id}::text as send_id, * from unnest(
        ${results.map(({ subscriptionId }) => subscriptionId)}::text[], ${results.map(({ state }) => state)}::text[],
        ${results.map(({ response }) => response)}::text[], ${results.map(({ dueAt }) => dueAt)}::timestamptz[])
        as result (subscription_id, state, response, due_at)
    ), before as (
      select recipient.business_id, recipient.send_id, recipient.subscription_id, recipient.state
        from result
        join newsletter.recipients as recipient using (business_id, send_id, subscription_id)
       where recipient.sender = ${sender}
         and (recipient.state = 'SENDING' or (recipient.state = 'UNCERTAIN' and result.state <> 'PLANNED'))
       order by recipient.subscription_id
         for update of recipient
    ), noted as (
      update newsletter.recipients as recipient
         set state = result.state, response = result.response, due_at = coalesce(result.due_at, recipient.due_at),
             updated_at = ${now()}
        from before
        join result using (subscription_id)
       where recipient.business_id = before.business_id and recipient.send_id = before.send_id
         and recipient.subscription_id = before.subscription_id
      returning result.state, before.state as was
    )
    update newsletter.sends
       set sent = sent + (select count(*) from noted where state = 'SENT'),
           failed = failed + (select count(*) from noted where state = 'FAILED'),
           suppressed = suppressed + (select count(*) from noted where state = 'SUPPRESSED'),
           uncertain = uncertain + (select count(*) from noted where state = 'UNCERTAIN')
                                 - (select count(*) from noted where was = 'UNCERTAIN'),
           updated_at = ${now()}
     where business_id = ${businessId} and id = ${id}`.execute(db)
}

/** Heartbeat of a sender. */
export const recordHeartbeat = (db: Db, sender: string) =>
  sql`
    insert into newsletter.senders (id, seen_at) values (${sender}, ${now()})
    on conflict (id) do update set seen_at = excluded.seen_at`.execute(db)

/** About three days. */
export const MAX_ATTEMPTS = 24

const DEAD_AFTER_MS = 10_000
const ORPHANS = 1_000

/**
 * Gives up what dead processes were sending, because nobody knows whether it went out. By default it is not sent again;
 * a send may ask for the opposite. Returns how many.
 */
export const abandonOrphans = (db: Db): Promise<number> =>
  transaction(db, async (tx) => {
    const deadBefore = new Date(nowMs() - DEAD_AFTER_MS)
    const found = await giveUp(
      tx,
      sql`not exists (select from newsletter.senders where id = recipient.sender and seen_at >= ${deadBefore})`,
      'The process that was sending it died.',
    )
    if (found === 0) await sql`delete from newsletter.senders where seen_at < ${deadBefore}`.execute(tx)
    return found
  })

/** Gives up claims that `sender` lost although it is alive; only to be called when it has nothing in flight. */
export const abandonOwnClaims = (db: Db, sender: string): Promise<number> =>
  transaction(db, (tx) => giveUp(tx, sql`recipient.sender = ${sender}`, 'What became of it could not be noted.'))

async function giveUp(tx: Tx, whose: RawBuilder<unknown>, response: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with orphan as materialized (
      select recipient.business_id, recipient.send_id, recipient.subscription_id,
             (select on_uncertain from newsletter.sends as send
               where send.business_id = recipient.business_id and send.id = recipient.send_id) as on_uncertain
        from newsletter.recipients as recipient
       where recipient.state = 'SENDING' and ${whose} and ${isHere('recipient.business_id')}
       limit ${ORPHANS}
         for update skip locked
    ), given_up as (
      update newsletter.recipients as recipient
         set state = case when orphan.on_uncertain = 'RESEND' and attempts < ${MAX_ATTEMPTS} then 'PLANNED' else 'UNCERTAIN' end, updated_at = ${now()},
             response = ${response}
        from orphan
       where recipient.business_id = orphan.business_id and recipient.send_id = orphan.send_id
         and recipient.subscription_id = orphan.subscription_id
      returning recipient.business_id, recipient.send_id, recipient.state
    ), counted as (
      update newsletter.sends as send
         set uncertain = uncertain + lost.count, updated_at = ${now()}
        from (select business_id, send_id, count(*) from given_up where state = 'UNCERTAIN' group by 1, 2) as lost
       where send.business_id = lost.business_id and send.id = lost.send_id
    )
    select count(*) from orphan`.execute(tx)
  return rows[0]?.count ?? 0
}

/** A letter that goes out by itself takes in others for a while. */
export const isFinished = () => sql`
  status = 'RUNNING' and ${isHere('business_id')} and is_planned and sent + failed + suppressed + uncertain = total
  and (takes_until is null or takes_until <= ${now()})`

/** Whether a letter is being handed over: by this process, or by anybody. */
export const isSending = (sender?: string) => sql`
  exists (select from newsletter.recipients
           where state = 'SENDING' and ${isHere('business_id')} and ${sender === undefined ? sql`true` : sql`sender = ${sender}`})`

/** Ends sends whose recipients all have a final state. */
export const finishSends = (db: Db): Promise<void> =>
  transaction(db, async (tx) => {
    const { rows } = await sql<Key>`
      update newsletter.sends
         set status = 'DONE', finished_at = ${now()}, updated_at = ${now()}
       where ${isFinished()}
      returning business_id, id`.execute(tx)
    await record(tx, ...rows.map(({ businessId, id }) => sendDone({ businessId, subject: id })))
  })
