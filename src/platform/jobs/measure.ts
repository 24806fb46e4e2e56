import { openCounter, openGauge, openHistogram } from '../observability/define-metric.ts'
import * as list from '../observability/metric-list.ts'
import type { Metrics } from '../observability/metrics.ts'
import { withTimeout } from '../with-timeout.ts'
import type { JobCounts } from './graphile-internals.ts'
import type { Queue } from './queue.ts'

export type JobMeter = ReturnType<typeof measureJobs>

/** What jobs come to, in this worker. */
export const measureJobs = (metrics: Metrics) => ({
  jobs: openCounter(metrics, list.jobsDone),
  seconds: openHistogram(metrics, list.jobSeconds),
  recovered: openCounter(metrics, list.jobsRecovered),
  lost: openCounter(metrics, list.workersLost),
})

/** A scrape of the metrics does not wait for a silent database. */
const MAX_SCRAPE_MS = 800

/** What waits in the queues. `open` has those of `isToServe` that this worker takes jobs of now. */
export function measureQueues(
  metrics: Metrics,
  isToServe: () => Iterable<string>,
  open: ReadonlyMap<string, Queue>,
): void {
  openGauge(metrics, list.queueServed, function () {
    this.reset()
    for (const database of isToServe()) this.set({ database }, open.has(database) ? 1 : 0)
  })
  let asking: Promise<(readonly [string, JobCounts | undefined])[]> | undefined
  /** Once for a scrape: both gauges come from one statement. */
  function askAll() {
    asking ??= Promise.all([...open].map(async ([database, queue]) => [database, await ask(queue)] as const)).finally(
      () => {
        asking = undefined
      },
    )
    return asking
  }
  openGauge(metrics, list.queueJobs, async function () {
    const answers = await askAll()
    this.reset() // no reply: no value
    for (const [database, counts] of answers)
      for (const [state, count] of Object.entries(counts?.jobs ?? {})) this.set({ database, state }, count)
  })
  openGauge(metrics, list.queueOldestSeconds, async function () {
    const answers = await askAll()
    this.reset()
    for (const [database, counts] of answers) if (counts) this.set({ database }, counts.oldestSeconds)
  })
}

const ask = (queue: Queue): Promise<JobCounts | undefined> =>
  withTimeout(MAX_SCRAPE_MS, queue.counts(), () => new Error('this queue does not answer')).catch(() => undefined)
