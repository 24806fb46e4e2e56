import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { newId } from '#vocabulary/ids.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { webhookEndpointDisabled } from './events.ts'
import { mailAdmins } from './mail-admins.ts'
import { nextAttemptMs } from './retry-policy.ts'
import type { Outcome, SentEvent } from './send.ts'

export type Target = { businessId: string; endpointId: string }
/** A delivery that failed before. `attempts`: of this round, so far. */
export type Waiting = { number: number; attempts: number; begunAt: Date }

export const failureOf = ({ status, problem, retryAfter }: Outcome) => ({
  status,
  isMisdirected: problem === 'REDIRECTED' || problem === 'ADDRESS_NOT_ALLOWED',
  retryAfter,
})

/** Writes that a delivery failed, and says when it is tried again; null: not any more. */
export async function writeFailure(
  db: Db,
  { businessId, endpointId }: Target,
  event: SentEvent,
  outcome: Outcome,
  before?: Waiting,
): Promise<Date | null> {
  const attempts = (before?.attempts ?? 0) + 1
  const begunAt = before && before.attempts > 0 ? before.begunAt : outcome.at
  const isOver = outcome.status === 410
  const next = isOver
    ? undefined
    : nextAttemptMs(failureOf(outcome), {
        attempts,
        begunMs: begunAt.getTime(),
        nowMs: nowMs(),
        chance: Math.random(),
      })
  const nextAt = next === undefined ? null : new Date(next)
  const status = nextAt ? 'PENDING' : 'FAILED'
  await sql`
    with attempt as (${insertAttempt({ businessId, endpointId }, event.number, outcome)})
    insert into webhooks.deliveries
           (business_id, endpoint_id, number, event_id, type, status, attempts, begun_at, next_at, created_at, updated_at)
    values (${businessId}, ${endpointId}, ${event.number}, ${event.id}, ${event.type}, ${status}, ${attempts}, ${begunAt},
            ${nextAt}, ${now()}, ${now()})
    on conflict (business_id, endpoint_id, number) do update
      set status = excluded.status, attempts = excluded.attempts, begun_at = excluded.begun_at, next_at = excluded.next_at,
          updated_at = excluded.updated_at`.execute(db)
  return nextAt
}

/** What failed before was delivered. */
export async function writeDelivered(db: Db, target: Target, number: number, outcome: Outcome): Promise<void> {
  await sql`
    with attempt as (${insertAttempt(target, number, outcome)})
    update webhooks.deliveries
       set status = 'DELIVERED', next_at = null, updated_at = ${now()}
     where business_id = ${target.businessId} and endpoint_id = ${target.endpointId} and number = ${number}`.execute(db)
}

const insertAttempt = ({ businessId, endpointId }: Target, number: number, outcome: Outcome) => sql`
  insert into webhooks.attempts (business_id, endpoint_id, number, id, at, status, problem, milliseconds, answer)
  values (${businessId}, ${endpointId}, ${number}, ${newId('wha')}, ${outcome.at}, ${outcome.status ?? null}, ${outcome.problem},
          ${outcome.milliseconds}, ${outcome.answer})`

/** The event of a delivery is not in the feed any more, or not of a type that the endpoint is told of. */
export const giveUp = (db: Db, { businessId, endpointId }: Target, numbers: readonly number[]) =>
  sql`
    update webhooks.deliveries
       set status = 'FAILED', next_at = null, updated_at = ${now()}
     where business_id = ${businessId} and endpoint_id = ${endpointId} and number = any (${[...numbers]}::bigint[])`.execute(
    db,
  )

/** What somebody wants to be tried again: it is due whenever there is nothing else to do. */
const BEHIND_THE_REST = sql<Date>`'infinity'::timestamptz`

/** They begin anew, with as many attempts as at first, behind new events and what failed by itself. */
export const retryFailed = (tx: Tx, { businessId, endpointId }: Target, limit: number) =>
  sql`
    update webhooks.deliveries
       set status = 'PENDING', attempts = 0, begun_at = ${now()}, next_at = ${BEHIND_THE_REST}, updated_at = ${now()}
     where business_id = ${businessId} and endpoint_id = ${endpointId}
       and number = any (array(select number
                                 from webhooks.deliveries
                                where business_id = ${businessId} and endpoint_id = ${endpointId} and status = 'FAILED'
                                order by number
                                limit ${limit}))`.execute(tx)

export async function readAgain(db: Db, { businessId, endpointId }: Target, limit: number): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select number, attempts, begun_at
      from webhooks.deliveries
     where business_id = ${businessId} and endpoint_id = ${endpointId} and status = 'PENDING'
       and next_at = ${BEHIND_THE_REST}
     limit ${limit}`.execute(db)
  return rows.toSorted((a, b) => a.number - b.number)
}

export async function readWaiting(db: Db, { businessId, endpointId }: Target, limit: number): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select number, attempts, begun_at
      from webhooks.deliveries
     where business_id = ${businessId} and endpoint_id = ${endpointId} and status = 'PENDING' and next_at <= ${now()}
     order by next_at
     limit ${limit}`.execute(db)
  return rows
}

/** How many wait to be tried again, and when the first of them is due. `again`: because somebody wants it. */
export type Backlog = { businessId: string; endpointId: string; count: number; nextAt: Date | null; again: number }

export async function readBacklogs(db: Db, businessIds: readonly string[]): Promise<Backlog[]> {
  const { rows } = await sql<Backlog>`
    select business_id, endpoint_id,
           (count(*) filter (where next_at < ${BEHIND_THE_REST}))::integer as count,
           min(next_at) filter (where next_at < ${BEHIND_THE_REST}) as next_at,
           (count(*) filter (where next_at = ${BEHIND_THE_REST}))::integer as again
      from webhooks.deliveries
     where business_id = any (${[...businessIds]}::text[]) and status = 'PENDING'
     group by business_id, endpoint_id`.execute(db)
  return rows
}

/** The endpoint answers again: what waits for it need not wait any longer. */
export const hurry = (db: Db, { businessId, endpointId }: Target) =>
  sql`
    update webhooks.deliveries
       set next_at = ${now()}
     where business_id = ${businessId} and endpoint_id = ${endpointId} and status = 'PENDING'
       and next_at > ${now()} and next_at < ${BEHIND_THE_REST}`.execute(db)

export type Moved = Target & {
  number: number
  failures: number
  failingSince: Date | null
  pausedUntil: Date | null
  /** How far the replay is that this run knows of; null: it knows of none. */
  replayNumber: number | null
  /** Which one that is: somebody may have begun another. */
  replayStartedAt: Date | null
  isReplayDone: boolean
}

/** Only what is ours: whoever lost a business to another worker moves nothing. */
export async function movePositions(db: Db, lease: string, moved: readonly Moved[]): Promise<void> {
  const column = <Key extends keyof Moved>(key: Key) => moved.map((each) => each[key])
  const isSame = sql`(position.replay_started_at is not distinct from moved.replay_started_at)`
  const isDone = sql`(moved.is_replay_done and ${isSame})`
  await sql`
    update webhooks.positions as position
       set number = greatest(position.number, moved.number),
           failures = moved.failures, failing_since = moved.failing_since, paused_until = moved.paused_until,
           warned_at = case when moved.failing_since is null then null else position.warned_at end,
           replay_number = case when not ${isSame} then position.replay_number
                                when moved.is_replay_done then null
                                else coalesce(moved.replay_number, position.replay_number) end,
           replay_after = case when ${isDone} then null else position.replay_after end,
           replay_before = case when ${isDone} then null else position.replay_before end,
           replay_started_at = case when ${isDone} then null else position.replay_started_at end
      from unnest(${column('businessId')}::text[], ${column('endpointId')}::text[], ${column('number')}::bigint[],
                  ${column('failures')}::integer[], ${column('failingSince')}::timestamptz[],
                  ${column('pausedUntil')}::timestamptz[], ${column('replayNumber')}::bigint[],
                  ${column('replayStartedAt')}::timestamptz[], ${column('isReplayDone')}::boolean[])
           as moved (business_id, endpoint_id, number, failures, failing_since, paused_until, replay_number, replay_started_at,
                     is_replay_done)
     where position.business_id = moved.business_id and position.endpoint_id = moved.endpoint_id
       and exists (select from webhooks.feeds as feed where feed.business_id = moved.business_id and feed.lease = ${lease})`.execute(
    db,
  )
}

/** It is told nothing any more, until somebody enables it. */
export function disable(db: Db, { businessId, endpointId }: Target, reason: 'GONE' | 'FAILING', since: Date | null) {
  return transaction(db, async (tx) => {
    const disabled = await tx
      .updateTable('webhooks.endpoints')
      .set((row) => ({
        isEnabled: false,
        disabledReason: reason,
        disabledAt: now(),
        updatedAt: now(),
        version: row('version', '+', 1),
      }))
      .where((row) => row.and({ businessId, id: endpointId, isEnabled: true }))
      .returning('id')
      .executeTakeFirst()
    if (!disabled) return
    const data = { reason, failingSince: since && toSeconds(since) }
    await record(tx, webhookEndpointDisabled({ businessId, subject: endpointId, data }))
    if (reason === 'FAILING') await enqueue(tx, mailAdmins(), { businessId, endpointId, isDisabled: true })
  })
}

/** Once for each time that it fails. */
export function warn(db: Db, { businessId, endpointId }: Target) {
  return transaction(db, async (tx) => {
    const warned = await tx
      .updateTable('webhooks.positions')
      .set({ warnedAt: now() })
      .where((row) => row.and({ businessId, endpointId }))
      .where('warnedAt', 'is', null)
      .returning('endpointId')
      .executeTakeFirst()
    if (warned) await enqueue(tx, mailAdmins(), { businessId, endpointId, isDisabled: false })
  })
}
