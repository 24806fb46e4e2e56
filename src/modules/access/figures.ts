import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'

/** What a business used within a day, has stored, and is troubled by. */
export type Figures = {
  businessId: string
  mediaBytes: number
  requests: number
  mails: number
  jobs: number
  deadJobs: number
  stoppedSends: number
  /** When its books were last checked, and how many rules did not hold then. */
  checkedAt: Date | null
  brokenRules: number
}

/** All businesses of a cell; those that are not told of have used nothing. Rows that stay the same are written once an hour. */
export async function saveFigures(control: ControlDb, cell: string, told: readonly Figures[]): Promise<void> {
  const column = (name: Exclude<keyof Figures, 'businessId'>) => told.map((figures) => figures[name])
  await sql`
    insert into access.business_figures as known
           (business_id, media_bytes, requests, mails, jobs, dead_jobs, stopped_sends, checked_at, broken_rules, measured_at)
    select business.id, coalesce(media_bytes, 0), coalesce(requests, 0), coalesce(mails, 0), coalesce(jobs, 0),
           coalesce(dead_jobs, 0), coalesce(stopped_sends, 0), checked_at, coalesce(broken_rules, 0), ${now()}
      from access.businesses as business
      left join unnest(${told.map(({ businessId }) => businessId)}::text[], ${column('mediaBytes')}::bigint[],
                       ${column('requests')}::bigint[], ${column('mails')}::bigint[], ${column('jobs')}::bigint[],
                       ${column('deadJobs')}::integer[], ${column('stoppedSends')}::integer[],
                       ${column('checkedAt')}::timestamptz[], ${column('brokenRules')}::integer[])
             as told (id, media_bytes, requests, mails, jobs, dead_jobs, stopped_sends, checked_at, broken_rules)
        on told.id = business.id
     where business.cell = ${cell}
     order by business.id
        on conflict (business_id) do update
       set media_bytes = excluded.media_bytes, requests = excluded.requests, mails = excluded.mails, jobs = excluded.jobs,
           dead_jobs = excluded.dead_jobs, stopped_sends = excluded.stopped_sends, checked_at = excluded.checked_at,
           broken_rules = excluded.broken_rules, measured_at = excluded.measured_at
     where (known.media_bytes, known.requests, known.mails, known.jobs, known.dead_jobs, known.stopped_sends,
            known.checked_at, known.broken_rules) is distinct from
           (excluded.media_bytes, excluded.requests, excluded.mails, excluded.jobs, excluded.dead_jobs, excluded.stopped_sends,
            excluded.checked_at, excluded.broken_rules)
        or known.measured_at is null or known.measured_at < excluded.measured_at - interval '1 hour'`.execute(control)
}

/** Estimated once a night. */
export async function saveRows(control: ControlDb, rows: ReadonlyMap<string, number>): Promise<void> {
  await sql`
    update access.business_figures as known set rows = told.rows
      from unnest(${[...rows.keys()]}::text[], ${[...rows.values()]}::bigint[]) as told (id, rows)
     where business_id = told.id and known.rows <> told.rows`.execute(control)
}

/** The businesses of a cell, some at a time. */
export async function* listIdsOfCell(control: ControlDb, cell: string, atOnce: number): AsyncGenerator<string[]> {
  for (let last = ''; ; ) {
    const rows = await control
      .selectFrom('access.businesses')
      .select('id')
      .where('cell', '=', cell)
      .where('id', '>', last)
      .orderBy('id')
      .limit(atOnce)
      .execute()
    if (rows.length > 0) yield rows.map(({ id }) => id)
    const end = rows.at(-1)
    if (!end || rows.length < atOnce) return
    last = end.id
  }
}
