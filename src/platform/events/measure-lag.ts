import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { isHere } from '../moves/fence.ts'
import { openGauge } from '../observability/define-metric.ts'
import { feedLagSeconds, skippedSubjects } from '../observability/metric-list.ts'
import type { Metrics } from '../observability/metrics.ts'
import { withTimeout } from '../with-timeout.ts'
import { nameOf, type Topic } from './sequencer.ts'

const MAX_SCRAPE_MS = 800
const MAX_SKIPPED = 10_000

type Measured = { follower: string; value: number }

/** How far the feed of each cell and its followers are behind, and what followers have skipped. A cell that is away has no value. */
export function measureFeedLag(metrics: Metrics, cells: ReadonlyMap<string, Db>, topics: readonly Topic[]): void {
  const names = topics.map(nameOf)
  const gauges = [
    [feedLagSeconds, readLags],
    [skippedSubjects, countSkipped],
  ] as const
  for (const [definition, read] of gauges)
    openGauge(metrics, definition, async function () {
      const late = () => new Error('this cell does not answer')
      const values = await Promise.all(
        [...cells].map(async ([cell, db]) => {
          const rows = await withTimeout(MAX_SCRAPE_MS, read(db, names), late).catch(() => [])
          return rows.map((row) => ({ cell, ...row }))
        }),
      )
      this.reset()
      for (const { cell, follower, value } of values.flat()) this.set({ cell, follower }, value)
    })
}

/** The heads of the queues, by their keys: as quick with a million that wait as with one. */
export async function readLags(db: Db, topics: readonly string[]): Promise<Measured[]> {
  const { rows } = await sql<Measured>`
    select 'numbering' as follower, greatest(0, coalesce(extract(epoch from now() - (
             select occurred_at from cell.event_outbox where ${isHere('business_id')} order by position limit 1)), 0))::float as value
     union all
    select wanted.topic, greatest(0, coalesce(extract(epoch from now() - event.sequenced_at), 0))::float
      from unnest(${[...topics]}::text[]) as wanted (topic)
      left join lateral (select business_id, number from cell.followed
                          where followed.topic = wanted.topic and ${isHere('business_id')} order by position limit 1) as head on true
      left join lateral (select sequenced_at from cell.events
                          where business_id = head.business_id and number = head.number limit 1) as event on true`.execute(
    db,
  )
  return rows
}

async function countSkipped(db: Db, topics: readonly string[]): Promise<Measured[]> {
  const { rows } = await sql<Measured>`
    select topic as follower, count(skipped.topic) as value
      from unnest(${[...topics]}::text[]) as topic
      full join (select topic from cell.skipped_subjects where ${isHere('business_id')} limit ${MAX_SKIPPED}) as skipped
           using (topic)
     group by topic`.execute(db)
  return rows
}
