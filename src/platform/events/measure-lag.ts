import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { isHere } from '../moves/fence.ts'
import { openGauge } from '../observability/define-metric.ts'
import { feedLagSeconds } from '../observability/metric-list.ts'
import type { Metrics } from '../observability/metrics.ts'
import { withTimeout } from '../with-timeout.ts'
import type { Topic } from './sequencer.ts'

const MAX_SCRAPE_MS = 800

/** How far the feed of each cell, and those who follow it, are behind. A cell that does not answer has no value. */
export function measureFeedLag(metrics: Metrics, cells: ReadonlyMap<string, Db>, topics: readonly Topic[]): void {
  const names = topics.map((topic) => (typeof topic === 'string' ? topic : topic.topic))
  openGauge(metrics, feedLagSeconds, async function () {
    const late = () => new Error('this cell does not answer')
    const lags = await Promise.all(
      [...cells].map(async ([cell, db]) => {
        const rows = await withTimeout(MAX_SCRAPE_MS, readLags(db, names), late).catch(() => [])
        return rows.map((row) => ({ cell, ...row }))
      }),
    )
    this.reset()
    for (const { cell, follower, seconds } of lags.flat()) this.set({ cell, follower }, seconds)
  })
}

/** The heads of the queues, by their keys: as quick with a million that wait as with one. */
export async function readLags(db: Db, topics: readonly string[]): Promise<{ follower: string; seconds: number }[]> {
  const { rows } = await sql<{ follower: string; seconds: number }>`
    select 'numbering' as follower, greatest(0, coalesce(extract(epoch from now() - (
             select occurred_at from cell.event_outbox where ${isHere('business_id')} order by position limit 1)), 0))::float as seconds
     union all
    select topic, greatest(0, coalesce(extract(epoch from now() - event.sequenced_at), 0))::float
      from unnest(${[...topics]}::text[]) as topic
      left join lateral (select business_id, number from cell.followed
                          where followed.topic = topic and ${isHere('business_id')} order by position limit 1) as head on true
      left join lateral (select sequenced_at from cell.events
                          where business_id = head.business_id and number = head.number limit 1) as event on true`.execute(
    db,
  )
  return rows
}
