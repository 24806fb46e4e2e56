import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Cell } from '#platform/database/database.ts'
import { openBalancer } from '../../test/scenarios/balancer.ts'
import { type LoadWorld, openLoadWorld } from '../../test/scenarios/load-world.ts'
import { startMixedLoad } from '../../test/scenarios/mixed-load.ts'
import { FORMER_WAYS, type PreviousVersion, withPreviousVersion } from '../../test/scenarios/previous-version.ts'
import { startRefundLoad } from '../../test/scenarios/refund-load.ts'
import { TABLES } from '../../test/scenarios/upgrade-tables.ts'
import { onServer } from '../../test/support/database.ts'
import { createMake } from '../../test/support/make.ts'
import { until } from '../../test/support/until.ts'
import { none, type Outcome, type Run } from '../report/figures.ts'

export const title = 'From the version before to this one, under load: processes of both, and nobody notices'

const CLIENTS = 4
const MAX_SETTLE_MS = 120_000
const GOAL_MS = 500

export async function run(options: Run): Promise<Outcome> {
  const { PREVIOUS } = process.env
  if (PREVIOUS) return withPreviousVersion(PREVIOUS, (previous) => upgrade(previous, options))
  const note = 'PREVIOUS names no commit to upgrade from'
  options.note(`not measured: ${note}, for example PREVIOUS=HEAD~5; it must have the baseline migrations`)
  return { figures: [{ name: 'failed requests', value: null, unit: '', note }] }
}

async function upgrade(previous: PreviousVersion, { quick, note }: Run): Promise<Outcome> {
  const { root, databases } = previous
  const [rows, phaseMs] = quick ? [50_000, 4_000] : [1_000_000, 20_000]
  await onServer((client) => client.query(TABLES['access.businesses']?.fill(rows) ?? ''), databases.main.url)
  await onServer((client) => client.query(TABLES['cell.events']?.fill(rows) ?? ''), databases.second.url)
  const world = await openLoadWorld(databases)
  const balancer = await openBalancer()
  try {
    const before = [await world.start('api', { root }), await world.start('api', { root })]
    const workerBefore = await world.start('worker', { root })
    for (const { url } of before) balancer.add(url)
    world.listen(balancer.url)
    await until('the old ones are ready', () => balancer.ready() === before.length, { withinMs: 30_000 })
    const make = createMake({ url: balancer.url, services: world.aside.services }, FORMER_WAYS)
    const load = await startMixedLoad({ ...world, make, url: () => balancer.url, clients: CLIENTS, isStrict: true })
    const refunds = await startRefundLoad({ make, twin: world.twin })
    const failed = () => load.failures.length + refunds.failures.length
    const longestSince = (index: number) => 1_000 * Math.max(0, ...load.seconds.slice(index))

    await sleep(phaseMs) // the first requests of a process take longer
    const warm = load.seconds.length
    await sleep(phaseMs)
    const usualMs = longestSince(warm)
    const answeredBefore = load.seconds.length
    const started = performance.now()
    const applied = await previous.upgrade()
    const seconds = (performance.now() - started) / 1_000
    await sleep(1_000)
    const meanwhileMs = longestSince(answeredBefore)
    note(`${applied.length} migrations in ${seconds.toFixed(1)} s: ${failed()} requests failed so far`)
    await sleep(phaseMs)
    note(`old processes on the new schema: ${load.answered()} answers, ${failed()} failed`)

    const after = [await world.start('api'), await world.start('api')]
    for (const { url } of after) balancer.add(url)
    const workerAfter = await world.start('worker')
    await until('all are ready', () => balancer.ready() === before.length + after.length, { withinMs: 30_000 })
    await sleep(phaseMs)
    note(`old and new ones side by side: ${load.answered()} answers, ${failed()} failed`)
    const exits = await Promise.all([...before, workerBefore].map((child) => child.stop()))
    for (const { url } of before) balancer.remove(url)
    await sleep(phaseMs)
    await Promise.all([load.stop(), refunds.stop()])
    note(`new ones only: ${load.answered()} answers, ${failed()} failed`)

    const settled = async () => (await load.unpaid()) + (await refunds.open()) === 0
    await until('payments and refunds are known', settled, { withinMs: MAX_SETTLE_MS, everyMs: 500 }).catch(() =>
      note('not all payments and refunds are known'),
    )
    const open = (await load.unpaid()) + (await refunds.open())
    const { lost, doubled } = await load.compare()
    const events = await eventProblems(world)
    const violations = await world.findViolations()
    for (const found of [load.failures, refunds.failures, lost, doubled, events, violations])
      for (const text of found.slice(0, 5)) note(text)
    await workerAfter.stop()
    const unclean = exits.filter(({ code }) => code !== 0).length
    return {
      figures: [
        { name: 'migrations applied', value: applied.length, unit: '' },
        { name: 'requests', value: load.answered() + failed(), unit: '' },
        { name: 'acknowledged writes that were compared', value: load.writes() + refunds.requested(), unit: '' },
        { name: 'refunds requested', value: refunds.requested(), unit: '' },
        none('failed requests', failed()),
        none('acknowledged and lost', lost.length),
        none('doubled', doubled.length),
        none('paid or to be refunded, and not known to be', open),
        none('events missing or out of order', events.length),
        none('rules broken in the end', violations.length),
        none('processes that did not end well', unclean),
        { name: 'migrating takes', value: seconds, unit: 's' },
        { name: 'longest answer before', value: usualMs, unit: 'ms' },
        {
          name: 'longest answer while migrating',
          value: meanwhileMs,
          unit: 'ms',
          goal: `≤ ${GOAL_MS} ms more than before`,
          ok: meanwhileMs <= usualMs + GOAL_MS,
        },
      ],
    }
  } finally {
    await balancer.close()
    await world.close()
  }
}

async function eventProblems({ aside }: LoadWorld): Promise<string[]> {
  const cells = [...aside.services.databases.cells.values()]
  const waiting = async (cell: Cell) => Number((await outbox.execute(cell)).rows[0]?.count)
  await until(
    'all events are in the feed',
    async () => (await Promise.all(cells.map(waiting))).every((count) => count === 0),
    {
      withinMs: MAX_SETTLE_MS,
    },
  )
  return (await Promise.all(cells.map(async (cell) => (await problems.execute(cell)).rows)))
    .flat()
    .map(({ text }) => text)
}

const outbox = sql<{ count: string }>`select count(*) from cell.event_outbox`

const problems = sql<{ text: string }>`
  select 'events of ' || business_id || ': ' || count(*) || ' of ' || last_number as text
    from cell.event_counters join cell.events using (business_id)
   group by business_id, last_number
  having count(*) <> last_number or count(distinct number) <> last_number or max(number) <> last_number
  union all
  select 'order ' || id || ' has no event of its beginning' from orders.orders
   where not exists (select from cell.events where events.business_id = orders.business_id and subject = orders.id
                        and type = 'order.created')`
