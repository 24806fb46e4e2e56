import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fillCatalog } from '../../test/scenarios/fill-catalog.ts'
import { floodJobs } from '../../test/scenarios/job-flood.ts'
import type { OpenLoad, OpenReport } from '../../test/scenarios/open-load-child.ts'
import { startChild } from '../../test/support/child.ts'
import { onServer } from '../../test/support/database.ts'
import { createMake, type Make } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { type Figure, median, none, percentile, type Run } from '../report/figures.ts'

export const title = 'A business that is asked for ten times the capacity, with 100,000 jobs: what the others notice'

const PRODUCTS = 5_000
const OTHERS = 4
const OTHERS_RATE = 40
const CONNECTIONS = 1_000
const JOBS = 100_000
const JOB_MS = 10

const scenario = (name: string) => fork(path.join(import.meta.dirname, `../../test/scenarios/${name}.ts`))
const pick = (...values: string[]) => values[Math.floor(Math.random() * values.length)] as string

function toBytes(method: string, address: string, token: string, body?: object): string {
  const text = body ? JSON.stringify(body) : ''
  const head = `${method} ${address} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n`
  return body
    ? `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
    : `${head}\r\n`
}

type Shop = Awaited<ReturnType<Make['shop']>>

/** What visitors of a shop do: mostly look, often search, sometimes ask for a price, now and then buy. */
async function mixOf(make: Make, shop: Shop, count: number): Promise<string[]> {
  const pricing = { markets: [{ marketId: 'us', price: 0 }] }
  const inventory = { tracked: true, quantity: 1_000_000 }
  const free = await make.product(shop, { variants: [{ id: 'one', name: 'One', sku: 'FREE', pricing, inventory }] })
  const tokens: string[] = []
  for (let guest = 0; guest < 8; guest++) tokens.push((await make.guest()).token)
  const cart = { market: 'us', items: [{ productId: free.id, variantId: 'one', quantity: 1 }] }
  return Array.from({ length: count }, (_, index) => {
    const token = tokens[index % tokens.length] as string
    const chance = Math.random()
    if (chance < 0.05) return toBytes('POST', `${shop.path}/orders/checkout`, token, cart)
    if (chance < 0.15) return toBytes('POST', '/v1/payments/quote', token, { businessId: shop.id, ...cart })
    const words = `${pick('red', 'blue', 'green', 'olive', 'plum')}%20${pick('shirt', 'lantern', 'chair', 'satchel')}`
    if (chance < 0.4) return toBytes('GET', `${shop.products}?query=${words}`, token)
    return toBytes('GET', `${shop.products}/${free.id}`, token)
  })
}

async function bear(loader: ChildProcess, load: OpenLoad): Promise<OpenReport> {
  loader.send(load)
  const [report] = (await once(loader, 'message')) as [OpenReport]
  return report
}

const timesOf = ({ done }: OpenReport) => done.map(([, ms]) => ms)
const failuresOf = ({ refused, odd }: OpenReport) => refused + Object.values(odd).reduce((sum, count) => sum + count, 0)

export async function run(options: Run) {
  const requests = await floodRequests(options)
  return { figures: [...requests, ...(await floodWithJobs(options))] }
}

async function floodRequests({ quick, note }: Run): Promise<Figure[]> {
  const [rounds, ms] = quick ? [3, 8_000] : [6, 15_000]
  const api = await startApi() // prepares; the one that bears the load is a process of its own
  const make = createMake(api)
  const shop = await make.shop({ cell: 'main' })
  await fillCatalog(shop.db, { businessId: shop.id, products: PRODUCTS, businesses: 20, productsEach: 10 })
  const noisy = await mixOf(make, shop, 2_000)
  const ofOthers: string[][] = []
  for (let other = 0; other < OTHERS; other++) {
    ofOthers.push(await mixOf(make, await make.shop({ cell: 'main' }), 250))
  }
  const quiet = Array.from({ length: 250 * OTHERS }, (_, index) => ofOthers[index % OTHERS]?.[index >> 2] as string)
  await onServer((client) => client.query('vacuum analyze'), api.databases.main.url)
  const env = { ...api.databases.env, DATABASE_POOL_SIZE: '8', LOAD_SHEDDING: process.env.LOAD_SHEDDING ?? 'on' }
  const measured = await startChild('api', env)
  const [flood, visitors, idle] = [
    scenario('open-load-child'),
    scenario('open-load-child'),
    scenario('paced-server-child'),
  ]
  const [idleUrl] = (await once(idle, 'message')) as [string]
  const { url } = measured

  await bear(flood, { url, requests: noisy, connections: 16, ms: 3_000 })
  const rates: number[] = []
  for (const connections of [6, 16, 64]) {
    const report = await bear(flood, { url, requests: noisy, connections, ms: quick ? 4_000 : 8_000 })
    rates.push(report.done.length / report.seconds)
    note(`alone, ${connections} clients: ${rates.at(-1)?.toFixed(0)}/s`)
  }
  const capacity = Math.max(...rates)

  // Others alone, with the same load on the machine but nobody who works for it, and beside it, in turn.
  const storm = (to: string) =>
    bear(flood, { url: to, requests: noisy, connections: CONNECTIONS, rate: 10 * capacity, ms })
  const ask = () => bear(visitors, { url, requests: quiet, connections: 64, rate: OTHERS_RATE, ms: ms - 1_000 })
  const beside = async (to: string) => {
    const storming = storm(to)
    await sleep(1_000)
    const visited = await ask()
    return { storming: await storming, visited }
  }
  const first = await beside(url)
  const answered = (first.storming.done.length + first.storming.refused) / first.storming.seconds
  idle.send(answered)
  note(`the flood is answered ${answered.toFixed(0)} times a second; so often it is by nobody, too`)
  const alone: OpenReport[] = []
  const both: OpenReport[] = []
  const floods: OpenReport[] = []
  for (let round = 0; round < rounds; round++) {
    for (const isFlooded of round % 2 === 0 ? [false, true] : [true, false]) {
      const { storming, visited } = await beside(isFlooded ? url : idleUrl)
      ;(isFlooded ? both : alone).push(visited)
      if (isFlooded) floods.push(storming)
      const times = timesOf(visited)
      note(
        `${isFlooded ? 'beside it' : 'alone'}: p50 ${percentile(times, 50).toFixed(1)} ms, p99 ${percentile(times, 99).toFixed(1)} ms, failed ${failuresOf(visited)}`,
      )
    }
  }
  const wholly = await ask() // nothing else on the machine, for the record
  for (const child of [flood, visitors, idle]) child.disconnect()
  await measured.kill()
  await api.close()

  const p99 = (reports: readonly OpenReport[]) => percentile(reports.flatMap(timesOf), 99)
  const ratio = p99(both) / p99(alone)
  const got = median(floods.map(({ done, seconds }) => done.length / seconds))
  return [
    { name: 'capacity', value: Math.round(capacity), unit: 'requests/s' },
    { name: 'p99 of others, nothing else on the machine', value: percentile(timesOf(wholly), 99), unit: 'ms' },
    { name: 'p99 of others, the same load on nobody', value: p99(alone), unit: 'ms' },
    { name: 'p99 of others beside it', value: p99(both), unit: 'ms' },
    { name: 'p99 of others beside it', value: ratio, unit: '× alone', goal: '≤ 1.5', ok: ratio <= 1.5 },
    none(
      'requests of others that failed',
      both.reduce((sum, report) => sum + failuresOf(report), 0),
    ),
    { name: 'what the flooded business gets', value: (100 * got) / capacity, unit: '% of capacity' },
    {
      name: 'asked and answered, done or refused',
      value: median(floods.map(({ done, refused, seconds }) => (done.length + refused) / seconds)) / capacity,
      unit: '× the capacity',
      note: 'Ten times the capacity is asked for as long as a connection is free; refusals are held back, so most wait.',
    },
  ]
}

async function floodWithJobs({ quick, note }: Run): Promise<Figure[]> {
  const size = { noisyJobs: JOBS, jobMs: JOB_MS, quietJobs: quick ? 20 : 100, pauseMs: 200 }
  const { waitsMs, noisyPerSecond, mostOfNoisy } = await floodJobs(size)
  note(`jobs of others start after ${median(waitsMs).toFixed(0)} ms (median)`)
  const slowest = Math.max(...waitsMs)
  return [
    {
      name: `start of others’ jobs behind ${JOBS} jobs, longest`,
      value: slowest,
      unit: 'ms',
      goal: '≤ 2000',
      ok: slowest <= 2_000,
    },
    {
      name: 'jobs of the noisy business meanwhile',
      value: noisyPerSecond,
      unit: 'jobs/s',
      goal: '> 0',
      ok: noisyPerSecond > 0,
    },
    {
      name: 'jobs of the noisy business at once, at most',
      value: mostOfNoisy,
      unit: '',
      goal: '< 4',
      ok: mostOfNoisy < 4,
    },
  ]
}
