import { fork } from 'node:child_process'
import { once } from 'node:events'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fillCatalog } from '../../test/scenarios/fill-catalog.ts'
import type { OpenLoad, OpenReport } from '../../test/scenarios/open-load-child.ts'
import { startChild } from '../../test/support/child.ts'
import { onServer } from '../../test/support/database.ts'
import { createMake, type Make } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { type Chart, type Figure, median, percentile, type Run } from '../report/figures.ts'

export const title = 'Three times as much as it can do: what is still done, how fast, and how soon it is over'

const SLOW_SOCKETS = 2_000
const SLOW_READERS = 2_000
const PRODUCTS = 20_000

const pick = (...values: string[]) => values[Math.floor(Math.random() * values.length)] as string
const toBytes = (method: string, address: string, token: string, body?: object) => {
  const text = body ? JSON.stringify(body) : ''
  const head = `${method} ${address} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n`
  return body
    ? `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
    : `${head}\r\n`
}

/** What a shop's visitors do: mostly look, often search, sometimes ask for a price, now and then buy. */
async function mixOf(make: Make, note: Run['note']) {
  const shop = await make.shop({ cell: 'main' })
  await fillCatalog(shop.db, { businessId: shop.id, products: PRODUCTS, businesses: 20, productsEach: 10 }, note)
  const market = { marketId: 'us', price: 0 }
  const free = await make.product(shop, {
    variants: [
      {
        id: 'one',
        name: 'One',
        sku: 'FREE',
        pricing: { markets: [market] },
        inventory: { tracked: true, quantity: 1_000_000 },
      },
    ],
  })
  const tokens: string[] = []
  for (let count = 0; count < 32; count++) tokens.push((await make.guest()).token)
  const cart = { market: 'us', items: [{ productId: free.id, variantId: 'one', quantity: 1 }] }
  const requests = Array.from({ length: 2_000 }, (_, index) => {
    const token = tokens[index % tokens.length] as string
    const chance = Math.random()
    if (chance < 0.05) return toBytes('POST', `${shop.path}/orders/checkout`, token, cart)
    if (chance < 0.15) return toBytes('POST', '/v1/payments/quote', token, { businessId: shop.id, ...cart })
    const words = `${pick('red', 'blue', 'green', 'olive', 'plum')}%20${pick('shirt', 'lantern', 'chair', 'satchel', 'kettle')}`
    if (chance < 0.55) return toBytes('GET', `${shop.products}?query=${words}`, token)
    const number = 20 * Math.floor((Math.random() * PRODUCTS) / 20) + 1 // each twentieth is a draft
    return toBytes('GET', `${shop.products}/prod_${String(number).padStart(26, '0')}`, token)
  })
  return { shop, tokens, requests }
}

const kindOf = (request: string) =>
  /^POST \S+(checkout|quote)/.exec(request)?.[1] ?? (request.includes('?query') ? 'search' : 'product')

export async function run({ quick, note }: Run) {
  const seconds = quick ? 10 : 60
  const api = await startApi() // prepares; the one that bears the load is a process of its own
  const make = createMake(api)
  const { shop, tokens, requests } = await mixOf(make, note)
  await onServer((client) => client.query('vacuum analyze'), api.databases.main.url)
  const measured = await startChild('api', {
    ...api.databases.env,
    DATABASE_POOL_SIZE: '8',
    LOAD_SHEDDING: process.env.LOAD_SHEDDING ?? 'on',
  })
  const loader = fork(path.join(import.meta.dirname, '../../test/scenarios/open-load-child.ts'))
  async function bear(load: Omit<OpenLoad, 'url'>): Promise<OpenReport> {
    loader.send({ url: measured.url, ...load })
    const [report] = (await once(loader, 'message')) as [OpenReport]
    const odd = Object.entries(report.odd)
    if (odd.length > 0) note(`odd: ${odd.map(([what, count]) => `${count} × ${what}`).join('; ')}`)
    return report
  }
  const perSecond = ({ done, seconds }: OpenReport) => done.length / seconds
  const p99 = (report: OpenReport) =>
    percentile(
      report.done.map(([, ms]) => ms),
      99,
    )

  // What it can do: the best that any number of patient clients gets out of it. Many get more than few: reads are combined. The
  // median of three: the luckiest few seconds are not what it can do for a minute.
  await bear({ requests, connections: 16, ms: 3_000 })
  let capacity = 0
  for (const connections of [16, 64, 192]) {
    const rates: number[] = []
    for (let round = 0; round < 3; round++) {
      const report = await bear({ requests, connections, ms: quick ? 3_000 : 8_000 })
      note(
        `${connections} clients: ${perSecond(report).toFixed(0)}/s, p99 ${p99(report).toFixed(0)} ms, refused ${report.refused}`,
      )
      rates.push(perSecond(report))
    }
    capacity = Math.max(capacity, median(rates))
  }
  const half = await bear({ requests, connections: 300, rate: capacity / 2, ms: 5_000 })
  note(`half of it: ${perSecond(half).toFixed(0)}/s, p99 ${p99(half).toFixed(0)} ms, refused ${half.refused}`)

  const byKind = (report: OpenReport) => {
    const times = Object.groupBy(report.done, ([, , request]) => kindOf(requests[request] as string))
    for (const [kind, those = []] of Object.entries(times)) {
      const all = those.map(([, ms]) => ms)
      note(
        `  ${kind}: ${(all.length / report.seconds).toFixed(0)}/s, p50 ${percentile(all, 50).toFixed(0)} ms, p99 ${percentile(all, 99).toFixed(0)} ms`,
      )
    }
  }
  byKind(half)

  // Three times as much, and meanwhile somebody asks for its health.
  const health: number[] = []
  let over = false
  const asking = (async () => {
    while (!over) {
      const since = performance.now()
      const { status } = await fetch(`${measured.url}/healthz`)
      health.push(status === 200 ? performance.now() - since : Number.POSITIVE_INFINITY)
      if (health.length % 10 === 1) note(await gateOf(measured.metricsUrl))
      await sleep(100)
    }
  })()
  const storm = await bear({ requests, connections: 6_000, rate: capacity * 3, ms: seconds * 1_000 })
  over = true
  await asking
  note(
    `three times: ${perSecond(storm).toFixed(0)}/s done, p99 ${p99(storm).toFixed(0)} ms, refused ${(storm.refused / storm.seconds).toFixed(0)}/s after ${median(storm.refusedMs).toFixed(1)} ms, unasked ${storm.unasked}`,
  )
  byKind(storm)
  const after = await bear({ requests, connections: 300, rate: capacity / 2, ms: 8_000 })
  const recovered = recoveredAfter(after, capacity / 2, p99(half))

  // Many sockets that are slow, while others ask as usual: three times with and without them in turn, because a checkpoint of the
  // database in one of them would make any single comparison look good, or bad.
  async function besideMany(open: () => Promise<net.Socket[]>) {
    const rounds: { without: OpenReport; beside: OpenReport }[] = []
    for (let round = 0; round < 3; round++) {
      const usual = { requests, connections: 300, rate: capacity / 3, ms: 5_000 }
      const without = await bear(usual)
      const sockets = await open()
      rounds.push({ without, beside: await bear(usual) })
      for (const socket of sockets) socket.destroy()
      await sleep(1_000)
    }
    const withoutMs = median(rounds.map(({ without }) => p99(without)))
    const besideMs = median(rounds.map(({ beside }) => p99(beside)))
    const refused = rounds.reduce((sum, { beside }) => sum + beside.refused, 0)
    const each = rounds.map(
      ({ without, beside }) => `${p99(beside).toFixed(0)} instead of ${p99(without).toFixed(0)} ms`,
    )
    return { withoutMs, besideMs, refused, told: `p99 ${each.join(', ')}; refused ${refused}` }
  }
  const token = tokens[0] as string
  const senders = await besideMany(() => openSlowly(measured.url, shop.path, token))
  note(`beside ${SLOW_SOCKETS} slow sockets: ${senders.told}`)
  // They ask for much and hardly read it, all from one address.
  const readers = await besideMany(() => readSlowly(measured.url, `${shop.products}?limit=100`, token))
  note(`beside ${SLOW_READERS} slow readers: ${readers.told}`)

  loader.disconnect()
  await measured.kill()
  await api.close()
  const goodput = (100 * perSecond(storm)) / capacity
  const asked = (storm.done.length + storm.refused) / storm.seconds / capacity
  const oddities = Object.values(storm.odd).reduce((sum, count) => sum + count, 0)
  const figures: Figure[] = [
    { name: 'capacity', value: Math.round(capacity), unit: 'requests/s' },
    { name: 'asked for in the storm', value: asked, unit: '× the capacity', goal: '≥ 2.9', ok: asked >= 2.9 },
    { name: 'done in the storm', value: goodput, unit: '% of capacity', goal: '≥ 80', ok: goodput >= 80 },
    { name: 'done in the storm, p99', value: p99(storm), unit: 'ms', goal: '≤ 1000', ok: p99(storm) <= 1_000 },
    { name: 'neither done nor refused properly', value: oddities, unit: '', goal: '0', ok: oddities === 0 },
    { name: 'refused after, median', value: median(storm.refusedMs), unit: 'ms' },
    {
      name: 'health, p99 in the storm',
      value: percentile(health, 99),
      unit: 'ms',
      goal: '≤ 1000',
      ok: percentile(health, 99) <= 1_000,
    },
    { name: 'as before, after', value: recovered, unit: 's', goal: '≤ 5', ok: recovered <= 5 },
    {
      name: `p99 beside ${SLOW_SOCKETS} slow sockets`,
      value: senders.besideMs / senders.withoutMs,
      unit: '×',
      goal: '≤ 2',
      ok: senders.besideMs <= 2 * senders.withoutMs,
    },
    { name: 'p99 without slow readers', value: readers.withoutMs, unit: 'ms' },
    {
      name: `p99 beside ${SLOW_READERS} slow readers`,
      value: readers.besideMs,
      unit: 'ms',
      goal: '≤ 2 × without',
      ok: readers.besideMs <= 2 * readers.withoutMs,
    },
    {
      name: `refused beside ${SLOW_READERS} slow readers`,
      value: readers.refused,
      unit: '',
      goal: '0',
      ok: readers.refused === 0,
    },
  ]
  return { figures, charts: chartsOf(storm, after, capacity) }
}

/** Second by second, through the storm and what comes after it. */
function chartsOf(storm: OpenReport, after: OpenReport, capacity: number): Chart[] {
  const end = Math.floor(storm.seconds)
  const total = end + Math.floor(after.seconds)
  const times = Array.from({ length: total }, (): number[] => [])
  for (const [at, ms] of storm.done) times[Math.floor(at / 1_000)]?.push(ms)
  for (const [at, ms] of after.done) times[end + Math.floor(at / 1_000)]?.push(ms)
  const line = (label: string, valueOf: (those: number[]) => number) => ({
    label,
    points: times.map((those, second): [number, number] => [second, valueOf(those)]),
  })
  const x = `second; the storm ends after ${end}`
  return [
    {
      title: 'Done each second',
      unit: 'requests/s',
      x,
      lines: [line('done', ({ length }) => length), line('capacity', () => capacity)],
    },
    {
      title: 'How long what is done takes',
      unit: 'ms',
      goal: 1_000,
      x,
      lines: [50, 99].map((percent) => line(`p${percent}`, (those) => percentile(those, percent) || 0)),
    },
  ]
}

/** How many are worked on, how many wait, how many may be worked on. */
async function gateOf(metricsUrl: string): Promise<string> {
  const text = await (await fetch(metricsUrl)).text()
  const states = text.matchAll(/^kontor_http_gate_requests\{state="(\w+)"\} (\d+)/gm)
  const waiting = /^kontor_pool_connections\{database="main",state="waiting"\} (\d+)/m.exec(text)?.[1]
  const lag = /^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(text)?.[1]
  const cpu = /^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]
  return `CPU ${cpu} s, ${[...states].map(([, name, count]) => `${name} ${count}`).join(', ')}, for the pool ${waiting}, loop p99 ${lag}`
}

/** The first of three seconds in a row in which all is done, and as fast as before (or within 50 ms). */
function recoveredAfter({ done, refused, seconds }: OpenReport, rate: number, usualMs: number): number {
  const goodMs = Math.max(2 * usualMs, 50)
  const isGood = (second: number) => {
    const those = done.filter(([at]) => at >= second * 1_000 && at < (second + 1) * 1_000).map(([, ms]) => ms)
    return those.length >= rate * 0.9 && percentile(those, 99) <= goodMs
  }
  let since = refused > 0 ? 1 : 0
  while (since + 3 <= seconds && ![0, 1, 2].every((after) => isGood(since + after))) since++
  return since + 3 <= seconds ? since : Number.POSITIVE_INFINITY
}

/** A third each: half a header, half a body, and a letter of a header every second. */
async function openSlowly(url: string, shop: string, token: string): Promise<net.Socket[]> {
  const { hostname, port } = new URL(url)
  const sockets: net.Socket[] = []
  for (let count = 0; count < SLOW_SOCKETS; count++) {
    const socket = net.connect(Number(port), hostname)
    socket.on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    const post = `POST /v1/payments/quote HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"market"`
    socket.write(count % 3 === 0 ? post : `GET ${shop} HTTP/1.1\r\nho`)
    if (count % 3 !== 1) continue
    const timer = setInterval(() => socket.write('x'), 1_000)
    socket.once('close', () => clearInterval(timer))
  }
  return sockets
}

/** A third each: the reference’s script, its document, and a page of products. They take a kilobyte every three seconds. */
async function readSlowly(url: string, products: string, token: string): Promise<net.Socket[]> {
  const { hostname, port } = new URL(url)
  const paths = ['/docs/js/scalar.js', '/openapi.json', products]
  const sockets: net.Socket[] = []
  for (let count = 0; count < SLOW_READERS; count++) {
    const socket = net.connect(Number(port), hostname).pause()
    socket.on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    socket.write(`GET ${paths[count % paths.length]} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
    const timer = setInterval(() => socket.read(1_024), 3_000)
    socket.once('close', () => clearInterval(timer))
  }
  return sockets
}
