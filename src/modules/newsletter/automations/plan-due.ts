import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { findBusiness } from '#modules/access/index.ts'
import { findCollection, findEntry } from '#modules/content/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { ControlDb, Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { isHere } from '#platform/moves/fence.ts'
import type { Business } from '#vocabulary/business.ts'
import { AppError } from '#vocabulary/errors.ts'
import { automationFailed } from '../events.ts'
import { composeSend, type Letter } from '../sending/start-send.ts'
import type { AutomationRow } from './automation.ts'
import { learnOccasions, type Occasion, returnWishes } from './occasions.ts'
import { findOpenSend, isFresh, joinSend } from './open-send.ts'
import { problemOf } from './queries.ts'

const BATCH = 1_000
const AT_ONCE = 100
const HOUR_MS = 3_600_000
/** A welcome that comes days later is none. */
const LATE_AFTER_MS = 24 * HOUR_MS
/** A letter that cannot be sent is looked at again after this. */
const AGAIN_MS = 60_000

/** Makes those to whom a letter is due recipients of a send. Returns how many letters were looked at. */
export async function planDue(control: ControlDb, db: Db, publicUrl: string, log: FastifyBaseLogger): Promise<number> {
  const until = now()
  let count = 0
  for (let after: Listed | undefined; ; ) {
    const due = await listWithDue(db, until, after)
    for (const automation of due) {
      try {
        await planOne(control, db, automation, publicUrl)
      } catch (error) {
        const { businessId, id } = automation
        log.error(
          { err: error, businessId, automationId: id },
          'a letter that goes out by itself cannot be planned yet',
        )
      }
    }
    count += due.length
    if (due.length < AT_ONCE) return count
    after = due.at(-1) // also past those that failed or wait: the others must not wait for them
  }
}

const isDue = () => sql`
  is_enabled and ${isHere('automation.business_id')} and (problem_at is null or problem_at <= ${new Date(nowMs() - AGAIN_MS)})
  and (select true from newsletter.due_letters -- limit 1: an index lookup, even without statistics
        where business_id = automation.business_id and automation_id = automation.id and state = 'WAITING'
          and due_at <= ${now()}
        order by due_at, cause
        limit 1)`

/** Whether a letter is due to somebody. */
export const hasDueLetters = () => sql`exists (select from newsletter.automations as automation where ${isDue()})`

type Listed = AutomationRow & { position: string }

async function listWithDue(db: Db, until: Date, after: Listed | undefined): Promise<Listed[]> {
  const { rows } = await sql<Listed>`
    select automation.*, updated_at::text as position
      from newsletter.automations as automation
     where ${isDue()} and updated_at <= ${until}
       and (updated_at, business_id, id) > (${after?.position ?? '-infinity'}::timestamptz, ${after?.businessId ?? ''}, ${after?.id ?? ''})
     order by updated_at, business_id, id
     limit ${AT_ONCE}`.execute(db)
  return rows
}

async function planOne(control: ControlDb, db: Db, automation: AutomationRow, publicUrl: string): Promise<void> {
  const business = await findBusiness(control, automation.businessId)
  if (!business || business.suspendedAt) return // they wait; a day later they are passed over
  const letter = await readLetter(db, automation, { ...business, publicUrl })
  await transaction(db, async (tx) => {
    const row = await lockEnabled(tx, automation)
    if (row?.version !== automation.version) return // changed meanwhile, or another process is at it
    await noteProblem(tx, row, letter)
    await decide(tx, row, business, letter instanceof AppError ? undefined : letter)
    await fault('automation.planned')
  })
}

/** Composed before the transaction, because it may take seconds; null while a send of it is open that has it. */
async function readLetter(
  db: Db,
  automation: AutomationRow,
  sender: Business & { publicUrl: string },
): Promise<Letter | AppError | null> {
  const { businessId, collectionId, entryId } = automation
  const [newsletter, entry] = await Promise.all([
    findCollection(db, businessId, collectionId),
    findEntry(db, businessId, entryId),
  ])
  const problem = problemOf(newsletter, entry)
  if (problem || !entry) return problem ?? null
  const open = await findOpenSend(db, automation)
  return open && isFresh(open, entry) ? null : composeSend(db, automation, sender)
}

async function lockEnabled(tx: Tx, { businessId, id }: AutomationRow): Promise<AutomationRow | undefined> {
  const row = await tx
    .selectFrom('newsletter.automations')
    .selectAll()
    .where((automation) => automation.and({ businessId, id, isEnabled: true }))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  return row as AutomationRow | undefined
}

/** An event when it begins, not each time. */
async function noteProblem(tx: Tx, row: AutomationRow, letter: Letter | AppError | null): Promise<void> {
  const problem = letter instanceof AppError ? letter.message : null
  if (problem === null && row.problem === null) return
  const { businessId, id, collectionId, trigger } = row
  await sql`
    update newsletter.automations
       set problem = ${problem}, problem_at = ${problem === null ? null : now()}
     where business_id = ${businessId} and id = ${id}`.execute(tx)
  if (row.problem === null)
    await record(tx, automationFailed({ businessId, subject: id, data: { collectionId, trigger } }))
}

export type Due = {
  subscriptionId: string
  cause: string
  productId: string | null
  variantId: string | null
  dueAt: Date
  /** Why it is skipped. */
  reason: string | null
}

/** `letter`: null, if there is a send to join; undefined, if there is nothing to send. */
async function decide(
  tx: Tx,
  automation: AutomationRow,
  business: Business,
  letter: Letter | null | undefined,
): Promise<void> {
  const judged = await judge(tx, automation)
  const occasions = await learnOccasions(
    tx,
    business,
    automation,
    judged.filter(({ reason }) => reason === null),
  )
  const withOccasion = judged.map((due) => ({ ...due, ...occasions.get(due.cause) }))
  const wanted = withOccasion.filter(({ reason }) => reason === null)
  const skipped = withOccasion.filter(({ reason }) => reason !== null)
  const oldest = wanted[0]
  const joined =
    letter === undefined || !oldest
      ? undefined
      : await joinSend(tx, automation, letter, {
          subscriptionIds: wanted.map(({ subscriptionId }) => subscriptionId),
          isPressing: oldest.dueAt.getTime() < nowMs() - HOUR_MS,
        })
  const planned = joined ? wanted.filter(({ subscriptionId }) => !joined.has.has(subscriptionId)) : []
  await write(tx, automation, joined?.sendId ?? null, [...skipped, ...planned])
  await returnWishes(
    tx,
    automation,
    skipped.filter(({ reason }) => reason === 'SOLD_OUT'),
  )
}

/**
 * Of one person the first only that can go out: the next is judged when that is written down, and not while they are in a
 * send that has not ended. What cannot go out is skipped at once, so that many of one person keep nobody else waiting.
 */
async function judge(tx: Tx, { businessId, id, times, days }: AutomationRow): Promise<Due[]> {
  const since = new Date(nowMs() - days * 24 * HOUR_MS)
  const { rows } = await sql<Due>`
    with due as materialized (
      select subscription_id, cause, product_id, variant_id, due_at
        from newsletter.due_letters as waiting
       where business_id = ${businessId} and automation_id = ${id} and state = 'WAITING' and due_at <= ${now()}
         and not exists (select from newsletter.due_letters as planned
                           join newsletter.sends as send
                             on send.business_id = planned.business_id and send.id = planned.send_id
                          where planned.business_id = ${businessId} and planned.automation_id = ${id}
                            and planned.subscription_id = waiting.subscription_id and planned.state = 'PLANNED'
                            and send.status in ('RUNNING', 'PAUSED'))
       order by due_at, cause
       limit ${BATCH}
    )
    select *
      from (select due.*, row_number() over (partition by due.subscription_id order by due.due_at, due.cause) as place,
                   case when due.due_at < ${new Date(nowMs() - LATE_AFTER_MS)} then 'TOO_LATE'
                        when subscription.status is distinct from 'ACTIVE' then 'LEFT'
                        when exists (select from newsletter.suppressions as suppression
                                      where suppression.business_id = ${businessId}
                                        and suppression.email_key = subscription.email_key) then 'SUPPRESSED'
                        when (select count(*)
                                from newsletter.due_letters as earlier
                               where earlier.business_id = ${businessId} and earlier.automation_id = ${id}
                                 and earlier.subscription_id = due.subscription_id and earlier.state = 'PLANNED'
                                 and earlier.decided_at > ${since}) >= ${times} then 'LIMIT'
                   end as reason
              from due
              left join newsletter.subscriptions as subscription
                on subscription.business_id = ${businessId} and subscription.id = due.subscription_id) as judged
     where place = 1 or reason is not null
     order by due_at, cause`.execute(tx)
  return rows
}

/** Recipients like all others, and the counter of their send, in one statement. */
async function write(
  tx: Tx,
  { businessId, id }: AutomationRow,
  sendId: string | null,
  decided: readonly (Due & Partial<Occasion>)[],
): Promise<void> {
  if (decided.length === 0) return
  await sql`
    with decided as materialized (
      select * from unnest(
        ${decided.map(({ subscriptionId }) => subscriptionId)}::text[], ${decided.map(({ cause }) => cause)}::text[],
        ${decided.map(({ reason }) => reason)}::text[],
        ${decided.map(({ goods }) => (goods ? JSON.stringify(goods) : null))}::json[])
        as decided (subscription_id, cause, reason, goods)
    ), noted as (
      update newsletter.due_letters as due
         set state = case when decided.reason is null then 'PLANNED' else 'SKIPPED' end, reason = decided.reason,
             send_id = case when decided.reason is null then ${sendId}::text end, goods = decided.goods, decided_at = ${now()}
        from decided
       where due.business_id = ${businessId} and due.automation_id = ${id}
         and due.subscription_id = decided.subscription_id and due.cause = decided.cause
      returning due.subscription_id, due.state
    ), planned as (
      insert into newsletter.recipients (business_id, send_id, subscription_id, state, due_at, updated_at)
      select ${businessId}, ${sendId}::text, subscription_id, 'PLANNED', ${now()}, ${now()} from noted where state = 'PLANNED'
    )
    update newsletter.sends
       set total = total + (select count(*) from noted where state = 'PLANNED'), updated_at = ${now()}
     where business_id = ${businessId} and id = ${sendId}::text`.execute(tx)
}
