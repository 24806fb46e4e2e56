import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { readLastNumbers } from '#platform/events/feed.ts'
import type { Followed, ReadersOrder, ReadersReport } from '../../test/scenarios/stream-readers-child.ts'
import { type Child, startChild } from '../../test/support/child.ts'
import { createMake, type Make } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { until } from '../../test/support/until.ts'
import { type Figure, median, none, percentile, type Run } from '../report/figures.ts'

export const title = 'Two thousand open streams: what does each cost, and does everybody come back without a gap?'

const MANY_MS = 120_000
const BUSINESSES = 10
const SESSIONS = 40
const STREAMS = 5
const ALL = BUSINESSES * SESSIONS * STREAMS
/** Events a second, in each business. */
const RATE = 2
const PROBES_A_SECOND = 20

type Business = Awaited<ReturnType<Make['business']>>

/** As many as one process takes: 5 streams a session, 200 a business. */
async function newReaders(make: Make): Promise<{ businesses: Business[]; streams: Followed[] }> {
  const businesses: Business[] = []
  const streams: Followed[] = []
  for (let index = 0; index < BUSINESSES; index++) {
    const business = await make.business({ cell: 'main' })
    businesses.push(business)
    const members = await Promise.all(Array.from({ length: SESSIONS }, () => make.member(business.id, 'ADMIN')))
    for (const { token } of members)
      for (let count = 0; count < STREAMS; count++) streams.push({ path: `${business.path}/events/stream`, token })
  }
  return { businesses, streams }
}

const happen = (db: Db, businesses: readonly Business[]) =>
  sql`
    insert into cell.event_outbox (business_id, id, type, subject, actor_kind, data, occurred_at)
    select business_id, 'evt_' || replace(gen_random_uuid()::text, '-', ''), 'order.commented', 'ord_1', 'system',
           json_build_object('ms', ${Date.now()}::bigint), now()
      from unnest(${businesses.map(({ id }) => id)}::text[]) as business (business_id)`.execute(db)

/** Something happens everywhere, again and again, until it is told to stop. */
function startEvents(db: Db, businesses: readonly Business[]) {
  let count = 0
  let isOver = false
  const running = (async () => {
    while (!isOver) {
      await Promise.all([happen(db, businesses), sleep(1_000 / RATE)])
      count += businesses.length
    }
  })()
  return {
    count: () => count,
    stop: async () => {
      isOver = true
      await running
    },
  }
}

function startReaders() {
  const child = fork(path.join(import.meta.dirname, '../../test/scenarios/stream-readers-child.ts'))
  const tell = (order: ReadersOrder) => void child.send(order)
  return {
    open: (url: string, streams: Followed[]) => tell({ kind: 'open', url, streams }),
    async report(): Promise<ReadersReport> {
      tell({ kind: 'report' })
      const [report] = (await once(child, 'message')) as [ReadersReport]
      return report
    },
    close: () => (child.connected ? tell({ kind: 'close' }) : undefined),
  }
}

/** What somebody else waits for a plain request: of those that found the service there. */
function startProbing(url: string, { path: address, admin }: Business) {
  const answered: { at: number; ms: number; status: number }[] = []
  let isOver = false
  const ask = async () => {
    const at = performance.now()
    const response = await fetch(`${url}${address}`, { headers: { authorization: `Bearer ${admin.token}` } }).catch(
      () => undefined, // nobody listens
    )
    await response?.arrayBuffer().catch(() => undefined)
    if (response) answered.push({ at, ms: performance.now() - at, status: response.status })
  }
  const running = (async () => {
    while (!isOver) {
      void ask()
      await sleep(1_000 / PROBES_A_SECOND)
    }
  })()
  return {
    between: (from: number, to: number) => answered.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms),
    failed: () => answered.filter(({ status }) => status >= 500 && status !== 503).length,
    stop: async () => {
      isOver = true
      await running
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Resident memory, once nothing more can be given back. */
async function memoryOf(api: Child): Promise<number> {
  await api.collectGarbage()
  const text = await (await fetch(api.metricsUrl)).text()
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1])
}

export async function run({ quick, note }: Run) {
  const [openSeconds, restarts] = quick ? [10, 1] : [60, 3]
  const prepared = await startApi()
  const readers = startReaders()
  let worker: Child | undefined
  let api: Child | undefined
  try {
    const db = prepared.services.databases.cells.get('main')
    if (!db) throw new Error('There is no cell')
    const { businesses, streams } = await newReaders(createMake(prepared))
    const [first] = businesses
    if (!first) throw new Error('There is no business')
    const env = {
      ...prepared.databases.env,
      PORT: String(await freePort()),
      DATABASE_POOL_SIZE: '8',
      LOAD_SHEDDING: 'on',
    }
    worker = await startChild('worker', env)
    const start = () => startChild('api', env)
    api = await start()
    const { url } = api
    const probing = startProbing(url, first)
    await sleep(5_000)
    const quietFrom = performance.now()
    await sleep(quick ? 3_000 : 15_000)
    const alone = probing.between(quietFrom, performance.now())

    // What does a connection cost?
    const before = await memoryOf(api)
    const begun = performance.now()
    readers.open(url, streams)
    await until('all are open', async () => (await readers.report()).open === ALL, { withinMs: MANY_MS })
    const openingMs = performance.now() - begun
    const after = await memoryOf(api)
    const eachKib = (after - before) / ALL / 1_024
    note(`${ALL} open after ${Math.round(openingMs)} ms, ${eachKib.toFixed(1)} KiB each`)

    // Something happens, and all are told.
    const events = startEvents(db, businesses)
    const openFrom = performance.now()
    await sleep(openSeconds * 1_000)
    const open = probing.between(openFrom, performance.now())
    const { delaysMs } = await readers.report()
    const busyKib = ((await memoryOf(api)) - before) / ALL / 1_024
    note(`${events.count()} events, p95 ${Math.round(percentile(delaysMs, 95))} ms; p99 of others ${p99(open)} ms`)

    // The process ends, well or not, and all of them come to the next one.
    const returns: { isKill: boolean; seconds: number; others: number[] }[] = []
    for (let turn = 0; turn < restarts * 2; turn++) {
      const isKill = turn % 2 === 1
      if (isKill) await api.kill()
      else await api.stop()
      await until('all have noticed', async () => (await readers.report()).open === 0)
      api = await start()
      const [from, fromMs] = [Date.now(), performance.now()]
      await until('all are back', async () => (await readers.report()).open === ALL, {
        withinMs: MANY_MS,
        everyMs: 100,
      })
      const { lastOpenedAt } = await readers.report()
      const seconds = (lastOpenedAt - from) / 1_000
      const others = probing.between(fromMs, fromMs + Math.max(1, seconds) * 1_000)
      returns.push({ isKill, seconds, others })
      note(
        `${isKill ? 'killed' : 'restarted'}: all are back ${seconds.toFixed(1)} s after it listens; p99 of others ${p99(others)} ms`,
      )
      await sleep(quick ? 2_000 : 5_000)
    }

    await events.stop()
    await until('all have all', async () => isLevel(db, businesses, await readers.report()), { everyMs: 200 })
    await probing.stop()
    const report = await readers.report()
    const others = returns.flatMap((each) => each.others)
    const longest = (isKill: boolean) =>
      Math.max(...returns.filter((each) => each.isKill === isKill).map(({ seconds }) => seconds))
    const atMost = (name: string, value: number, unit: string, goal: number): Figure => ({
      name,
      value,
      unit,
      goal: `≤ ${goal.toLocaleString('en')}`,
      ok: value <= goal,
    })
    const refusals = Object.entries(report.refused).map(([status, count]) => `${count} × ${status}`)
    if (refusals.length > 0) note(`refused: ${refusals.join(', ')}`)
    return {
      figures: [
        { name: 'streams open in one process', value: ALL, unit: '' },
        { name: 'events that happened', value: events.count(), unit: '' },
        { name: 'events that came, over all streams', value: report.events, unit: '' },
        none('events that a stream has missed', report.missed),
        none('events that a stream was told twice', report.twice),
        atMost('memory of an open stream', eachKib, 'KiB', 100),
        atMost('memory of a stream through which events went', busyKib, 'KiB', 150),
        { name: 'opening all of them, 100 at a time', value: openingMs / 1_000, unit: 's' },
        { name: 'from happening to arriving, median', value: median(delaysMs), unit: 'ms' },
        atMost('from happening to arriving, p95', percentile(delaysMs, 95), 'ms', 2_000),
        { name: 'processes that were stopped, and killed', value: restarts * 2, unit: '' },
        none('streams that were killed off without a word by a stop', report.brokenOff - restarts * ALL),
        atMost('after a stop, the last is back, seconds after it listens', longest(false), 's', 10),
        atMost('after a kill, the last is back, seconds after it listens', longest(true), 's', 10),
        { name: 'answers that were no stream (they came again)', value: sum(Object.values(report.refused)), unit: '' },
        { name: 'other requests without streams, p99', value: p99(alone), unit: 'ms' },
        atMost('other requests beside open streams, p99', p99(open), 'ms', 250),
        atMost('other requests while all come back, p99', p99(others), 'ms', 1_000),
        none('other requests that failed', probing.failed()),
      ],
      charts: [
        {
          title: 'How long until the last of two thousand is back',
          unit: 's',
          goal: 10,
          bars: returns.map(({ isKill, seconds }, index) => ({
            label: `${index + 1}: ${isKill ? 'killed' : 'stopped'}`,
            value: seconds,
          })),
        },
      ],
    }
  } finally {
    readers.close()
    await api?.kill()
    await worker?.kill()
    await prepared.close()
  }
}

/** Every stream of each business is at the end of its feed, and nothing waits to be numbered. */
async function isLevel(db: Db, businesses: readonly Business[], { least, open }: ReadersReport): Promise<boolean> {
  const { rows } = await sql`select from cell.event_outbox limit 1`.execute(db)
  const last = await readLastNumbers(
    db,
    businesses.map(({ id }) => id),
  )
  return (
    rows.length === 0 &&
    open === ALL &&
    businesses.every(({ id, path: address }) => least[`${address}/events/stream`] === last.get(id))
  )
}

const p99 = (times: readonly number[]) => Math.round(percentile(times, 99))
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
