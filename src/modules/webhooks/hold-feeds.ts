import { type RawBuilder, sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { behindSql, withEventsSql } from '#platform/events/feed.ts'
import { isHere } from '#platform/moves/fence.ts'

/** After this long without a sign of life, another worker takes over. */
const LEASE_MS = 15_000

const leaseEnd = () => new Date(nowMs() + LEASE_MS)

/**
 * Told by whoever numbers events: these businesses have new ones. A business without endpoints has no row, and one that a worker
 * has needs none: its worker looks by itself. `all`: there are endpoints for all businesses, so each gets a row.
 */
export async function wakeFeeds(db: Db, businessIds: readonly string[], all: boolean): Promise<void> {
  if (all) {
    await sql`
      insert into webhooks.feeds (business_id)
      select business_id from unnest(${[...businessIds]}::text[]) as told (business_id)
       where not exists (select from webhooks.feeds as known where known.business_id = told.business_id)
      on conflict do nothing`.execute(db)
  }
  await sql`
    update webhooks.feeds
       set due_at = ${now()}
     where business_id = any (${[...businessIds]}::text[])
       and lease is null
       and (due_at is null or due_at > ${now()})
       and (quiet_until is null or quiet_until <= ${now()})`.execute(db)
}

/** Whoever numbered events may have died before telling. Rare, and the one statement that looks at every endpoint. */
export async function wakeForgotten(db: Db, all: boolean): Promise<void> {
  await sql`
    update webhooks.feeds
       set due_at = ${now()}
     where due_at is null and lease is null and business_id in (${behindSql(readyPositions(sql`true`))})`.execute(db)
  if (!all) return
  await sql`
    insert into webhooks.feeds (business_id, due_at)
    select business_id, ${now()}
      from (${withEventsSql}) as counted
     where not exists (select from webhooks.feeds as known where known.business_id = counted.business_id)
    on conflict do nothing`.execute(db)
}

/** How far the slowest endpoint of each business is that can be told something now. Those of the operator have no row of their own. */
const readyPositions = (which: RawBuilder<unknown>) => sql`(
  select position.business_id, min(position.number) as number
    from webhooks.positions as position
    left join webhooks.endpoints as endpoint
           on endpoint.business_id = position.business_id and endpoint.id = position.endpoint_id
   where ${which} and coalesce(endpoint.is_enabled, true)
     and (position.paused_until is null or position.paused_until <= ${now()})
   group by position.business_id)`

/**
 * Takes businesses that are due, the longest waiting first. No other worker has them until the lease ends. `wasHeld`: whoever had
 * it has died.
 */
export async function claimFeeds(db: Db, lease: string, limit: number) {
  const { rows } = await sql<{ businessId: string; wasHeld: boolean }>`
    with due as (
      select business_id, lease is not null as was_held
        from webhooks.feeds
       where due_at <= ${now()} and ${isHere('business_id')}
       order by due_at
       limit ${limit}
         for update skip locked
    )
    update webhooks.feeds as feed
       set lease = ${lease}, due_at = ${leaseEnd()}, is_changed = false, quiet_until = null
      from due
     where feed.business_id = due.business_id
    returning feed.business_id, due.was_held`.execute(db)
  return rows
}

/** Whether a business is due. */
export const hasDueFeeds = () =>
  sql`exists (select from webhooks.feeds where due_at <= ${now()} and ${isHere('business_id')})`

/** Since when the business waits that has waited longest for a worker. */
export async function readLongestDue(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ dueAt: Date }>`
    select due_at from webhooks.feeds where due_at <= ${now()} and lease is null order by due_at limit 1`.execute(db)
  return rows[0]?.dueAt ?? null
}

/** Returns those that are still ours. */
export async function renewFeeds(db: Db, lease: string, businessIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ businessId: string }>`
    update webhooks.feeds
       set due_at = ${leaseEnd()}
     where business_id = any (${[...businessIds]}::text[]) and lease = ${lease}
    returning business_id`.execute(db)
  return new Set(rows.map(({ businessId }) => businessId))
}

/** Those of ours whose endpoints somebody has changed. */
export async function takeChanged(db: Db, lease: string): Promise<string[]> {
  const { rows } = await sql<{ businessId: string }>`
    update webhooks.feeds set is_changed = false where is_changed and lease = ${lease} returning business_id`.execute(
    db,
  )
  return rows.map(({ businessId }) => businessId)
}

/** `dueAt`: when something has to be tried again. `quietUntil`: all endpoints wait until then, whatever happens. */
export type Released = { businessId: string; dueAt: Date | null; quietUntil: Date | null }

/** Afterwards looks for events that came meanwhile: nobody told of them, for the business was ours. */
export async function releaseFeeds(db: Db, lease: string, released: readonly Released[]): Promise<void> {
  if (released.length === 0) return
  const ids = released.map(({ businessId }) => businessId)
  await sql`
    update webhooks.feeds as feed
       set lease = null, quiet_until = given.quiet_until,
           due_at = case when feed.is_changed then ${now()} else given.due_at end
      from unnest(${ids}::text[], ${released.map(({ dueAt }) => dueAt)}::timestamptz[],
                  ${released.map(({ quietUntil }) => quietUntil)}::timestamptz[]) as given (business_id, due_at, quiet_until)
     where feed.business_id = given.business_id and feed.lease = ${lease}`.execute(db)
  const positions = readyPositions(sql`position.business_id = any (${ids}::text[])`)
  await sql`
    update webhooks.feeds
       set due_at = ${now()}
     where business_id in (${behindSql(positions)})
       and lease is null and (due_at is null or due_at > ${now()}) and (quiet_until is null or quiet_until <= ${now()})`.execute(
    db,
  )
}
