import { sql } from 'kysely'
import { now } from '../clock.ts'
import type { Db, Tx } from '../database/database.ts'
import type { PartitionedLog } from '../database/partitions.ts'
import { transaction } from '../database/transaction.ts'
import { isHere } from '../moves/fence.ts'

/** The first word of the types of events that are followed; under a name of its own where several follow the same. */
export type Topic = string | { topic: string; of: string }

export const nameOf = (topic: Topic): string => (typeof topic === 'string' ? topic : topic.topic)

export const EVENT_LOG: PartitionedLog = { table: 'cell.events', keepMonths: 13 }

const BATCH = 5_000

/**
 * Moves committed events from the outbox to the feed and numbers them. An advisory lock lets one process work at a
 * time, so numbers become visible in order: a reader who has seen number n never misses one below it, however late its
 * transaction committed. Returns how many were moved; undefined when another process holds the lock. `topics`: whose
 * subjects somebody follows (`followSubjects`).
 */
export async function sequenceEvents(db: Db, topics: readonly Topic[] = [], tell?: Tell): Promise<number | undefined> {
  const moved = await moveEvents(db, topics)
  if (moved && moved.length > 0) await tell?.(moved.map(({ businessId }) => businessId))
  return moved?.reduce((sum, { count }) => sum + count, 0)
}

/** Whoever wants to know, soon after, in which businesses something happened. */
export type Tell = (businessIds: readonly string[]) => Promise<void>

function moveEvents(db: Db, topics: readonly Topic[]): Promise<{ businessId: string; count: number }[] | undefined> {
  const followed = topics.map((topic) => (typeof topic === 'string' ? { topic, of: topic } : topic))
  return transaction(db, async (tx) => {
    const { rows: locks } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('kontor.events', 0)) as locked`.execute(tx)
    if (!locks[0]?.locked) return undefined
    const { rows } = await sql<{ businessId: string; count: number }>`
      with taken as (
        delete from cell.event_outbox
         where position = any (array(
                 select position from cell.event_outbox where ${isHere('business_id')} order by position limit ${BATCH}))
        returning *
      ), counted as (
        insert into cell.event_counters as counter (business_id, last_number)
        select business_id, count(*) from taken group by business_id order by business_id
        on conflict (business_id) do update set last_number = counter.last_number + excluded.last_number
        returning business_id, last_number
      ), numbered as (
        select taken.*, last_number + 1 - row_number() over (partition by business_id order by position desc) as number
          from taken join counted using (business_id)
      ), followed as (
        insert into cell.followed (topic, business_id, subject, number)
        select follower.topic, business_id, subject, min(number)
          from numbered
          join unnest(${followed.map(({ topic }) => topic)}::text[], ${followed.map((each) => each.of)}::text[])
               as follower (topic, word) on follower.word = split_part(type, '.', 1)
         group by 1, 2, 3
         order by min(position)
      ), moved as (
        insert into cell.events
               (business_id, number, id, type, subject, actor_id, actor_kind, data, occurred_at, sequenced_at)
        select business_id, number, id, type, subject, actor_id, actor_kind, data, occurred_at, ${now()}
          from numbered
      )
      select business_id, count(*)::integer as count from taken group by business_id`.execute(tx)
    return rows
  })
}

/** Goes on at once while there is more than a batch. */
export async function sequenceAllEvents(
  db: Db,
  topics: readonly Topic[],
  signal: AbortSignal,
  tell?: Tell,
): Promise<void> {
  while ((await sequenceEvents(db, topics, tell)) === BATCH && !signal.aborted);
}

/** Whether events wait to be numbered. */
export const hasUnnumbered = () => sql`exists (select from cell.event_outbox where ${isHere('business_id')})`

/** Whether subjects of these topics wait, or skipped ones are due. */
export const hasFollowed = (...topics: readonly Topic[]) =>
  sql.join(
    topics.map(nameOf).map(
      (topic) => sql`
        exists (select from cell.followed where topic = ${topic} and ${isHere('business_id')})
        or exists (select from cell.skipped_subjects
                    where topic = ${topic} and retry_at <= ${now()} and ${isHere('business_id')})`,
    ),
    sql` or `,
  )

/**
 * What of a business waits to be looked at for this topic, as a query: what changes after an event is as of the last look only
 * if its subject is not among these. `of` is the first word of the events' types.
 */
export const waitingSubjects = ({ topic, of }: Exclude<Topic, string>, businessId: string, limit: number) => sql`
  select subject
    from (select subject from cell.event_outbox where business_id = ${businessId} and starts_with(type, ${`${of}.`})
           union
          select subject from cell.followed where topic = ${topic} and business_id = ${businessId}) as waiting
   limit ${limit}`

/**
 * The number of the last event of a business after which everything was looked at for this topic, as an expression: the
 * one before the first that waits. 0 while a subject waits that no event has brought.
 */
export const lookedUpTo = (topic: string, businessId: string) => sql<number>`
  coalesce((select min(coalesce(number, 1)) - 1 from cell.followed where topic = ${topic} and business_id = ${businessId}),
           (select last_number from cell.event_counters where business_id = ${businessId}), 0)`

/** Puts subjects into the queue, as if an event had come. */
export async function addFollowed(
  tx: Tx,
  topic: string,
  subjects: readonly { businessId: string; id: string }[],
): Promise<void> {
  if (subjects.length === 0) return
  await sql`
    insert into cell.followed (topic, business_id, subject)
    select ${topic}, business_id, subject
      from unnest(${subjects.map(({ businessId }) => businessId)}::text[], ${subjects.map(({ id }) => id)}::text[])
           as added (business_id, subject)`.execute(tx)
}
