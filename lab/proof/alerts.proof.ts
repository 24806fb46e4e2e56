import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { ALERTS, type Alert } from '../../scripts/monitoring/alerts.ts'
import { expressionsOf, renderBoard } from '../../scripts/monitoring/board.ts'
import { renderRules } from '../../scripts/monitoring/rules.ts'
import { METRICS } from '../../src/apps/metrics.ts'
import { type Fired, type Prometheus, startPrometheus } from '../../test/scenarios/drill/prometheus.ts'
import { freePort } from '../../test/scenarios/private-postgres.ts'
import { type Child, runKontor, startChild } from '../../test/support/child.ts'
import { createMake } from '../../test/support/make.ts'
import { startProxy } from '../../test/support/proxy.ts'
import { createTestDatabases, startApi } from '../../test/support/start-api.ts'
import { until } from '../../test/support/until.ts'
import { type Figure, none, type Run, type Table } from '../report/figures.ts'

export const title = 'A drill: what breaks fires its alerts in a real Prometheus, and mending it ends them'

const EXTENSION = path.join(import.meta.dirname, '../../test/scenarios/drill/drill.ts')
/** They tell of what happened once, and are over when it is long ago. */
const LOOKING_BACK = new Set(['KontorWorkerDied', 'KontorPaymentEventsForged'])
const RATE = 10 // requests a second, for each cell

/** Quick: everything that is a span of time in the rules is a tenth of it. Otherwise they are as they are shipped. */
const hasten = (alerts: readonly Alert[], factor: number): Alert[] =>
  alerts.map((alert) => ({
    ...alert,
    forSeconds: Math.round(alert.forSeconds * factor),
    expr: alert.expr.replaceAll(/\[(\d+)m\]/g, (_span, minutes: string) => `[${Number(minutes) * 60 * factor}s]`),
  }))

type Wanted = { alert: string; labels?: Record<string, string> }
type Step = {
  what: string
  breakIt: () => Promise<void>
  mendIt: () => Promise<void>
  fires: Wanted[]
  /** Others that this may set off, as they are about the same. */
  mayFire?: string[]
  /** Workers lose a database by it: others find out, and tell. */
  losesWorkers?: true
}

const matches = ({ alert, labels = {} }: Wanted, fired: Fired) =>
  fired.labels.alertname === alert && Object.entries(labels).every(([name, value]) => fired.labels[name] === value)
const nameOf = ({ alert, labels = {} }: Wanted) => [alert, ...Object.values(labels)].join(' ')

export async function run(options: Run) {
  const closing: (() => Promise<unknown>)[] = []
  try {
    return await drill(options, closing)
  } finally {
    for (const close of closing.toReversed()) await close()
  }
}

async function drill({ quick, note }: Run, closing: (() => Promise<unknown>)[]) {
  const factor = quick ? 0.1 : 1
  const everySeconds = quick ? 1 : 5
  const service = await startService(closing)
  const { workers, proxy, boss, mainUrl } = service
  const prometheus = await startPrometheus({
    rules: renderRules(hasten(ALERTS, factor)),
    targets: { 'kontor-api': [service.apiTarget], 'kontor-worker': service.workerTargets },
    everySeconds,
  })
  closing.push(() => prometheus.close())
  const figures: Figure[] = []
  const rows: string[][] = []

  const load = keepAsking(service.requests)
  closing.push(load.stop)

  // Healthy: as long as the rules that look back for five minutes need, and the longest wait that is drilled.
  const healthyMs = (quick ? 60 : 420) * 1_000
  const seen = new Set<string>()
  const healthyUntil = performance.now() + healthyMs
  while (performance.now() < healthyUntil) {
    for (const { labels, state } of await prometheus.alerts()) seen.add(`${labels.alertname} ${state}`)
    await sleep(1_000)
  }
  note(`healthy for ${healthyMs / 1_000} s: ${seen.size === 0 ? 'no alert' : [...seen].join(', ')}`)
  figures.push({ name: 'healthy, seconds watched', value: healthyMs / 1_000, unit: 's' })
  figures.push(none('healthy: alerts that fired', [...seen].filter((each) => each.endsWith(' firing')).length))
  figures.push(...(await askBoard(prometheus, note)))

  const addJobs = (count: number, dueAgo: string) =>
    inDatabase(mainUrl, async (client) => {
      await client.query(
        `select graphile_worker.add_job('drill.work', '{}'::json, max_attempts := 1, run_at := now() - $2::interval)
           from generate_series(1, $1)`,
        [count, dueAgo],
      )
    })
  const steps: Step[] = [
    {
      what: 'payment events are forged',
      breakIt: async () => {
        const { status } = await fetch(`${service.apiUrl}/v1/payments/webhooks/stripe`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=00' },
          body: '{}',
        })
        if (status !== 400) throw new Error(`a forged event got ${status}`)
      },
      mendIt: async () => {}, // it is over by itself
      fires: [{ alert: 'KontorPaymentEventsForged' }],
    },
    {
      what: 'one of two workers is killed',
      breakIt: () => workers.kill(0),
      mendIt: () => workers.start(0),
      fires: [
        { alert: 'KontorProcessDown', labels: { instance: service.workerTargets[0] ?? '' } },
        { alert: 'KontorWorkerDied' },
      ],
    },
    {
      what: 'jobs fail until they are dead',
      breakIt: async () => {
        boss.answer = 500
        await addJobs(50, '0 s')
      },
      mendIt: async () => {
        boss.answer = 200
        const { code, output } = await runKontor(['cli', 'jobs', 'retry', '--dead'], service.env, { isPacked: false })
        if (code !== 0) throw new Error(output)
      },
      fires: [{ alert: 'KontorJobsDead', labels: { database: 'main' } }],
    },
    {
      what: 'the queue fills: 500 jobs, each held up',
      breakIt: async () => {
        boss.answer = 'never'
        // Due for ten minutes already: nobody has to wait five for the drill.
        await addJobs(500, '10 minutes')
      },
      mendIt: async () => boss.goOn(),
      fires: [{ alert: 'KontorJobsWait', labels: { database: 'main' } }],
    },
    {
      what: 'the database of a cell cannot be reached',
      losesWorkers: true,
      breakIt: async () => proxy.cut(),
      mendIt: async () => proxy.restore(),
      fires: [
        { alert: 'KontorCellDown', labels: { cell: 'second' } },
        { alert: 'KontorQueueNotServed', labels: { database: 'second' } },
        { alert: 'KontorCellErrors', labels: { cell: 'second' } },
      ],
      mayFire: ['KontorErrors', 'KontorDatabaseWaits'],
    },
    {
      what: 'all workers are killed',
      losesWorkers: true,
      breakIt: async () => {
        await workers.kill(0)
        await workers.kill(1)
      },
      mendIt: async () => {
        await workers.start(0)
        await workers.start(1)
      },
      fires: [{ alert: 'KontorNoWorker' }, { alert: 'KontorProcessDown' }],
    },
  ]
  const odd = new Set<string>()
  const rules = hasten(ALERTS, factor)
  const tell = (what: string, { name, fired, ended }: Told) => {
    rows.push([what, name, fired.toFixed(1), ended.toFixed(1)])
    note(`${what}: ${name} fired after ${fired.toFixed(1)} s, was over ${ended.toFixed(1)} s after mending`)
    const rule = rules.find((alert) => alert.name === name.split(' ')[0])
    // For how long it must hold; 20 s until a heartbeat counts as lost; scrapes and evaluations in between.
    const goal = (rule?.forSeconds ?? 0) + 30 + 4 * everySeconds
    figures.push(
      { name: `${what}: ${name} fires after`, value: fired, unit: 's', goal: `≤ ${goal}`, ok: fired <= goal },
      { name: `${what}: ${name} over, after mending`, value: ended, unit: 's' },
    )
  }
  const lingering: Promise<void>[] = []
  for (const step of steps) {
    if (step.losesWorkers) await Promise.all(lingering) // it would set off again what is to be over
    const { over, later } = await tryStep(prometheus, step, odd)
    for (const told of over) tell(step.what, told)
    lingering.push(later.then((all) => all.forEach((told) => tell(step.what, told))))
  }
  for (const each of odd) note(`fired without a reason: ${each}`)
  figures.push(none('alerts that fired for another reason', odd.size))
  const left = async () =>
    (await prometheus.alerts()).filter(({ labels }) => quick || !LOOKING_BACK.has(labels.alertname ?? ''))
  await until('nothing fires any more', async () => (await left()).length === 0, { withinMs: 600_000, everyMs: 500 })
  figures.push(none('alerts left at the end', (await left()).length))
  const table: Table = { title: 'Alerts', columns: ['broken', 'alert', 'fired after s', 'over after s'], rows }
  return { figures, tables: [table] }
}

type Told = { name: string; fired: number; ended: number }

/**
 * Breaks it, waits until all of its alerts fire, mends it, waits until none of them does. Those that look back for a quarter of an
 * hour are told later: the next step need not wait for them.
 */
async function tryStep(prometheus: Prometheus, { breakIt, mendIt, fires, mayFire = [] }: Step, odd: Set<string>) {
  const firing = async () => (await prometheus.alerts()).filter(({ state }) => state === 'firing')
  function judge(all: readonly Fired[]): void {
    for (const { labels } of all) {
      const { alertname = '' } = labels
      const isKnown = LOOKING_BACK.has(alertname) || mayFire.includes(alertname)
      if (!isKnown && !fires.some(({ alert }) => alert === alertname)) odd.add(JSON.stringify(labels))
    }
  }
  /** After how many seconds each of them is first as wanted. */
  async function timesUntil(
    isFiring: boolean,
    wanted: readonly Wanted[],
    isAlone = true,
  ): Promise<Map<string, number>> {
    const since = performance.now()
    const times = new Map<string, number>()
    const look = async () => {
      const all = await firing()
      if (isAlone) judge(all)
      for (const each of wanted)
        if (!times.has(nameOf(each)) && all.some((fired) => matches(each, fired)) === isFiring)
          times.set(nameOf(each), (performance.now() - since) / 1_000)
      return times.size === wanted.length
    }
    const what = `${isFiring ? 'these fire' : 'these are over'}: ${wanted.map(nameOf).join(', ')}`
    await until(what, look, { withinMs: 1_200_000, everyMs: 250 })
    return times
  }
  await breakIt()
  const began = await timesUntil(true, fires)
  await mendIt()
  const told = (ended: Map<string, number>) =>
    [...ended].map(([name, after]): Told => ({ name, fired: began.get(name) ?? Number.NaN, ended: after }))
  const later = timesUntil(
    false,
    fires.filter(({ alert }) => LOOKING_BACK.has(alert)),
    false, // other things are broken meanwhile
  ).then(told)
  const over = told(
    await timesUntil(
      false,
      fires.filter(({ alert }) => !LOOKING_BACK.has(alert)),
    ),
  )
  return { over, later }
}

/** Each expression of the board is one that Prometheus takes. */
async function askBoard(prometheus: Prometheus, note: Run['note']): Promise<Figure[]> {
  let [refused, empty] = [0, 0]
  const expressions = expressionsOf(renderBoard(METRICS))
  for (const expression of expressions) {
    try {
      if ((await prometheus.query(expression)).length > 0) continue
      empty++
      note(`nothing to show yet: ${expression}`)
    } catch (error) {
      refused++
      note(String(error))
    }
  }
  const series = await prometheus.query('sum by (job) (scrape_samples_scraped)')
  return [
    { name: 'panels of the board, asked of Prometheus', value: expressions.length, unit: '' },
    none('panels that Prometheus refuses', refused),
    { name: 'panels without data on a healthy system', value: empty, unit: '' },
    ...series.map(({ metric, value }) => ({ name: `series of ${metric.job}`, value: Number(value[1]), unit: '' })),
  ]
}

/** An API and two workers, each a process, on two cells; one of the cells is reached by a line that can be cut. */
async function startService(closing: (() => Promise<unknown>)[]) {
  const databases = await createTestDatabases()
  closing.push(databases.drop)
  const proxy = await startProxy(databases.second.url)
  closing.push(() => proxy.close())
  const boss = await startBoss()
  closing.push(boss.close)
  const aside = await startApi({ databases }) // prepares
  const make = createMake(aside)
  const shops = [await make.business({ cell: 'main' }), await make.business({ cell: 'second' })]
  const requests = shops.map(({ path: address, admin }) => ({
    address: `${address}/orders?limit=1`,
    token: admin.token,
  }))
  await aside.close()
  const env = {
    ...databases.env,
    CELLS: JSON.stringify({ second: { url: proxy.url } }),
    KONTOR_EXTENSIONS: EXTENSION,
    DRILL_URL: boss.url,
    STRIPE_SECRET_KEY: 'sk_test_drill',
    STRIPE_WEBHOOK_SECRET: 'whsec_drill',
    LOAD_SHEDDING: 'on',
    BUSINESS_METRICS: '20',
    DATABASE_POOL_SIZE: '4',
  }
  const migrated = await runKontor(['cli', 'migrate'], env, { isPacked: false })
  if (migrated.code !== 0) throw new Error(migrated.output)
  const ports = [await freePort(), await freePort(), await freePort()]
  const [apiTarget = '', ...workerTargets] = ports.map((port) => `127.0.0.1:${port}`)
  const api = await startChild('api', { ...env, METRICS_PORT: `${ports[0]}` }, { isPacked: false })
  closing.push(() => api.stop())
  const running: (Child | undefined)[] = []
  const workers = {
    async start(at: number) {
      running[at] = await startChild('worker', { ...env, WORKER_METRICS_PORT: `${ports[at + 1]}` }, { isPacked: false })
    },
    async kill(at: number) {
      await running[at]?.kill()
      running[at] = undefined
    },
  }
  closing.push(() => Promise.all(running.flatMap((worker) => (worker ? [worker.stop()] : []))))
  await workers.start(0)
  await workers.start(1)
  return {
    env,
    proxy,
    boss,
    workers,
    apiTarget,
    workerTargets,
    apiUrl: api.url,
    mainUrl: databases.main.url,
    requests: requests.map(({ address, token }) => ({ url: api.url + address, token })),
  }
}

/** What the drill's jobs ask: answers, refuses, or says nothing until told to. */
async function startBoss() {
  const state = { answer: 200 as number | 'never' }
  const waiting = new Set<() => void>()
  const server = createServer((_request, response) => {
    const end = () => void response.writeHead(state.answer === 'never' ? 200 : state.answer).end()
    if (state.answer === 'never') waiting.add(end)
    else end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    goOn() {
      state.answer = 200
      for (const end of waiting) end()
      waiting.clear()
    },
    close: async () => {
      server.close()
      server.closeAllConnections()
    },
  })
}

/** A steady trickle of reads. What is answered is for the metrics to tell. */
function keepAsking(requests: readonly { url: string; token: string }[]) {
  let isOver = false
  const askers = requests.map(async ({ url, token }) => {
    while (!isOver) {
      const headers = { authorization: `Bearer ${token}` }
      await fetch(url, { headers, signal: AbortSignal.timeout(10_000) }).then(
        (answer) => answer.arrayBuffer(),
        () => {},
      )
      await sleep(1_000 / RATE)
    }
  })
  return {
    async stop() {
      isOver = true
      await Promise.all(askers)
    },
  }
}

async function inDatabase(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
