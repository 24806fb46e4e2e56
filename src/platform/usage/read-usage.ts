import { sql } from 'kysely'
import { nowMs } from '../clock.ts'
import type { Db } from '../database/database.ts'
import { SLICE_MS, type Used } from './count-usage.ts'

export const DAY_MS = 24 * 3_600_000
/** Longer than the day before, which is added up again until it is over for good. */
const KEEP_SLICES_MS = 50 * 3_600_000
const KEEP_DAYS = 400

const startOfDay = (ms: number) => new Date(Math.floor(ms / DAY_MS) * DAY_MS)

export type UsedBy = { businessId: string; requests: number; mails: number; jobs: number }

/** Those who used most since then, of one thing. */
export async function readTop(db: Db, sinceMs: number, by: Used, limit: number): Promise<UsedBy[]> {
  const since = new Date(Math.floor(sinceMs / SLICE_MS) * SLICE_MS)
  const { rows } = await sql<UsedBy>`
    select business_id, sum(requests)::float8 as requests, sum(mails)::float8 as mails, sum(jobs)::float8 as jobs
      from cell.usage
     where since >= ${since}
     group by business_id
    having sum(${sql.ref(by)}) > 0
     order by sum(${sql.ref(by)}) desc, business_id
     limit ${limit}`.execute(db)
  return rows
}

/** What every business used within a day; those that used nothing are missing. */
export async function readLastDay(db: Db): Promise<UsedBy[]> {
  const { rows } = await sql<UsedBy>`
    select business_id, sum(requests)::float8 as requests, sum(mails)::float8 as mails, sum(jobs)::float8 as jobs
      from cell.usage
     where since > ${new Date(nowMs() - DAY_MS)}
     group by business_id`.execute(db)
  return rows
}

export type UsedOnDay = Omit<UsedBy, 'businessId'> & { day: Date; rows: number | null; mediaBytes: number | null }

/** A row for each day on which there was anything. The last two days are as of now. */
export async function readDays(db: Db, businessId: string, from: Date, to: Date): Promise<UsedOnDay[]> {
  const { rows } = await sql<UsedOnDay>`
    with fresh as (
      select date_trunc('day', since, 'UTC') as day, sum(requests) as requests, sum(mails) as mails, sum(jobs) as jobs
        from cell.usage
       where business_id = ${businessId} and since >= ${yesterday()}
       group by 1
    ), kept as (
      select day, requests, mails, jobs, rows, media_bytes from cell.usage_days where business_id = ${businessId}
    )
    select day, coalesce(fresh.requests, kept.requests)::float8 as requests, coalesce(fresh.mails, kept.mails)::float8 as mails,
           coalesce(fresh.jobs, kept.jobs)::float8 as jobs, kept.rows::float8 as rows, kept.media_bytes::float8 as media_bytes
      from fresh full join kept using (day)
     where day >= ${startOfDay(from.getTime())} and day < ${to}
     order by day`.execute(db)
  return rows
}

const yesterday = () => new Date(startOfDay(nowMs()).getTime() - DAY_MS)

/** Adds up today and yesterday anew, and forgets what is too old. */
export async function rollUp(db: Db): Promise<void> {
  await sql`
    insert into cell.usage_days as known (business_id, day, requests, mails, jobs)
    select business_id, date_trunc('day', since, 'UTC') as day, sum(requests), sum(mails), sum(jobs)
      from cell.usage
     where since >= ${yesterday()}
     group by business_id, day
     order by business_id, day
        on conflict (business_id, day) do update
       set requests = excluded.requests, mails = excluded.mails, jobs = excluded.jobs
     where (known.requests, known.mails, known.jobs) is distinct from (excluded.requests, excluded.mails, excluded.jobs)`.execute(
    db,
  )
  await sql`delete from cell.usage where since < ${new Date(nowMs() - KEEP_SLICES_MS)}`.execute(db)
  await sql`delete from cell.usage_days where day < ${new Date(nowMs() - KEEP_DAYS * DAY_MS)}`.execute(db)
}

/** What a business has, beside what it used today. */
export async function saveSizes(
  db: Db,
  sizes: ReadonlyMap<string, { rows: number; mediaBytes: number }>,
): Promise<void> {
  const all = [...sizes].toSorted(([a], [b]) => (a < b ? -1 : 1))
  await sql`
    insert into cell.usage_days (business_id, day, rows, media_bytes)
    select business_id, ${startOfDay(nowMs())}, rows, media_bytes
      from unnest(${all.map(([id]) => id)}::text[], ${all.map(([, size]) => size.rows)}::bigint[],
                  ${all.map(([, size]) => size.mediaBytes)}::bigint[]) as sized (business_id, rows, media_bytes)
        on conflict (business_id, day) do update set rows = excluded.rows, media_bytes = excluded.media_bytes`.execute(
    db,
  )
}
