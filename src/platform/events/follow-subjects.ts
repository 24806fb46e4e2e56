import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { now } from '../clock.ts'
import type { Db, Tx } from '../database/database.ts'
import { isCanceled, isDatabaseUnavailable, isMoving } from '../database/errors.ts'
import { transaction } from '../database/transaction.ts'
import { isHere } from '../moves/fence.ts'

const BATCH = 500
/** Time for retries in each round. The last retry may run until its statement timeout. */
const RETRY_MS = 500
const MAX_RETRIES = 100
const MIN_BACKOFF_SECONDS = 60
const MAX_BACKOFF_SECONDS = 3_600

export type Subject = { businessId: string; id: string }
type Queued = Subject & { positions: number[] }

/**
 * Writes the rows that are derived from these subjects. It may run twice for a subject. Returns how many subjects it processed, from
 * the first on, if there are too many for one transaction.
 */
export type Project = (tx: Tx, subjects: readonly Subject[]) => Promise<number | void>

/** `prepare` runs before the lock is taken. */
export type Follower = { topic: string } & (
  | { project: Project }
  | { prepare: (db: Db, subjects: readonly Subject[]) => Promise<Project> }
)

export type Projection = {
  /** Name of the advisory lock: a projection has one writer at a time in a cell. */
  lock: string
  followers: readonly Follower[]
}

export type FollowerLog = Pick<FastifyBaseLogger, 'error'>
type Run = { db: Db; lock: string; follower: Follower; log: FollowerLog }

/** A failure that has nothing to do with the subjects: the whole batch is retried. */
export class Outage extends Error {
  constructor(cause: unknown) {
    super('Outage', { cause })
  }
}

/** Processes all subjects in the queues of these followers and the skipped subjects that are due. */
export async function followSubjects(
  db: Db,
  projection: Projection,
  log: FollowerLog,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && (await followRound(db, projection, log))) {}
}

/** One batch of each topic, so that no topic holds up another. Returns 0 when done, undefined when another process holds the lock. */
async function followRound(db: Db, projection: Projection, log: FollowerLog): Promise<number | undefined> {
  const { lock, followers } = projection
  let count = 0
  for (const follower of followers) {
    const run = { db, lock, follower, log }
    const queued = await takeNew(db, follower.topic)
    if (!(await processBatch(run, queued))) return undefined
    const retried = await retrySkipped(run)
    if (retried === undefined) return undefined
    count += queued.length + retried
  }
  return count
}

/** Returns false when another process holds the lock. */
const processBatch = (run: Run, subjects: readonly Queued[]): Promise<boolean> =>
  processInHalves(
    subjects,
    (part) => processOnce(run, part),
    (subject, error) => skip(run, subject, error),
  )

/**
 * Halves a batch that fails until the failing items are found. `process` returns how many items it processed, from the first on, and
 * undefined to stop. Throws failures that have nothing to do with the items. Returns whether all were processed.
 */
export async function processInHalves<Item>(
  items: readonly Item[],
  process: (items: readonly Item[]) => Promise<number | undefined>,
  skipOne: (item: Item, error: unknown) => Promise<void>,
): Promise<boolean> {
  const [first] = items
  if (first === undefined) return true
  let rest = items
  try {
    const processed = await process(items)
    if (processed === undefined) return false
    rest = items.slice(processed)
  } catch (error) {
    throwOutage(error)
    if (items.length === 1) {
      await skipOne(first, error)
      return true
    }
  }
  const half = Math.ceil(rest.length / 2)
  return (
    (await processInHalves(rest.slice(0, half), process, skipOne)) &&
    processInHalves(rest.slice(half), process, skipOne)
  )
}

/** The derived rows and the removal from the queue are one transaction. */
async function processOnce({ db, lock, follower }: Run, subjects: readonly Queued[]): Promise<number | undefined> {
  const project = await projectOf(db, follower, subjects)
  return transaction(db, async (tx) => {
    if (!(await tryLock(tx, lock))) return undefined
    const processed = (await project(tx, subjects)) ?? subjects.length
    const positions = subjects.slice(0, processed).flatMap((subject) => subject.positions)
    await sql`
      delete from cell.followed where topic = ${follower.topic} and position = any (${positions}::bigint[])`.execute(tx)
    return processed
  })
}

const projectOf = async (db: Db, follower: Follower, subjects: readonly Subject[]): Promise<Project> =>
  'prepare' in follower ? follower.prepare(db, subjects) : follower.project

/** A timeout counts as a failure of the batch: fewer subjects take less time. */
function throwOutage(error: unknown): void {
  if (error instanceof Outage) throw error.cause
  if (isMoving(error) || (isDatabaseUnavailable(error) && !isCanceled(error))) throw error
}

async function tryLock(tx: Tx, name: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as locked`.execute(tx)
  return rows[0]?.locked ?? false
}

/**
 * The oldest subjects of the topic; they stay in the queue. Those that were skipped before leave it and are retried one by one,
 * because a batch with one of them would fail.
 */
async function takeNew(db: Db, topic: string): Promise<Queued[]> {
  const { rows } = await sql<{ position: number; businessId: string; id: string; isSkipped: boolean }>`
    select queued.*, skipped.subject is not null as is_skipped
      from (select position, business_id, subject as id from cell.followed
             where topic = ${topic} and ${isHere('business_id')} order by position limit ${BATCH}) as queued
      left join cell.skipped_subjects as skipped
        on skipped.business_id = queued.business_id and skipped.topic = ${topic} and skipped.subject = queued.id
     order by position`.execute(db)
  const queued = new Map<string, Queued>()
  for (const { position, businessId, id, isSkipped } of rows) {
    if (isSkipped) continue
    const key = `${businessId} ${id}`
    const subject = queued.get(key) ?? { businessId, id, positions: [] }
    subject.positions.push(position)
    queued.set(key, subject)
  }
  const skipped = rows.filter(({ isSkipped }) => isSkipped).map(({ position }) => position)
  if (skipped.length > 0) await retryNow(db, topic, skipped)
  return [...queued.values()]
}

/** A subject that was processed meanwhile stays in the queue: its event may be newer. */
async function retryNow(db: Db, topic: string, positions: readonly number[]): Promise<void> {
  await sql`
    with due as (
      update cell.skipped_subjects as skipped set retry_at = least(retry_at, ${now()})
        from (select distinct business_id, subject from cell.followed
               where topic = ${topic} and position = any (${positions}::bigint[])) as queued
       where skipped.business_id = queued.business_id and skipped.topic = ${topic} and skipped.subject = queued.subject
      returning skipped.business_id, skipped.subject
    )
    delete from cell.followed
     using due
     where topic = ${topic} and position = any (${positions}::bigint[])
       and followed.business_id = due.business_id and followed.subject = due.subject`.execute(db)
}

/** Returns how many were retried, undefined when another process holds the lock. */
async function retrySkipped(run: Run): Promise<number | undefined> {
  const { db, follower } = run
  const until = performance.now() + RETRY_MS
  let retried = 0
  for (const subject of await listDue(db, follower.topic)) {
    if (performance.now() > until) break
    try {
      if (!(await retry(run, subject))) return undefined
    } catch (error) {
      throwOutage(error)
      await skip(run, { ...subject, positions: [] }, error)
    }
    retried++
  }
  return retried
}

async function listDue(db: Db, topic: string): Promise<Subject[]> {
  const { rows } = await sql<Subject>`
    select business_id, subject as id from cell.skipped_subjects
     where topic = ${topic} and retry_at <= ${now()} and ${isHere('business_id')} order by retry_at limit ${MAX_RETRIES}`.execute(
    db,
  )
  return rows
}

async function retry({ db, lock, follower }: Run, subject: Subject): Promise<boolean> {
  const project = await projectOf(db, follower, [subject])
  return transaction(db, async (tx) => {
    if (!(await tryLock(tx, lock))) return false
    await sql`
      delete from cell.skipped_subjects
       where business_id = ${subject.businessId} and topic = ${follower.topic} and subject = ${subject.id}`.execute(tx)
    await project(tx, [subject])
    return true
  })
}

/** Moves the subject out of the queue. The time until its next retry doubles with each attempt. */
async function skip({ db, follower, log }: Run, { businessId, id, positions }: Queued, error: unknown): Promise<void> {
  const { topic } = follower
  const { rows } = await sql<{ attempts: number; retryAt: Date }>`
    with gone as (
      delete from cell.followed where topic = ${topic} and position = any (${positions}::bigint[])
    )
    insert into cell.skipped_subjects as skipped (business_id, topic, subject, attempts, retry_at)
    values (${businessId}, ${topic}, ${id}, 1, ${now()}::timestamptz + make_interval(secs => ${MIN_BACKOFF_SECONDS}))
    on conflict (business_id, topic, subject) do update
       set attempts = skipped.attempts + 1,
           retry_at = ${now()}::timestamptz
                      + make_interval(secs => least(${MAX_BACKOFF_SECONDS}, ${MIN_BACKOFF_SECONDS} * 2 ^ least(skipped.attempts, 30)))
    returning attempts, retry_at`.execute(db)
  log.error({ err: error, topic, businessId, subject: id, ...rows[0] }, 'subject skipped, retrying later')
}
