import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenLoad, OpenReport } from '../../test/scenarios/open-load-child.ts'
import { openPrivatePostgres, type PrivatePostgres } from '../../test/scenarios/private-postgres.ts'
import { startChild } from '../../test/support/child.ts'
import { createMake, type Make } from '../../test/support/make.ts'
import { createTestDatabases, startApi } from '../../test/support/start-api.ts'
import { until } from '../../test/support/until.ts'
import { type Figure, percentile, type Run } from '../report/figures.ts'

export const title = 'One of two cells hangs under load: the other one loses nothing, and it comes back by itself'

const RATE = 80 // requests a second, for each cell
const PRODUCTS = 20

export async function run(options: Run) {
  const postgres = await openPrivatePostgres()
  try {
    return await hang(postgres, options)
  } finally {
    postgres.goOn()
    await postgres.close()
  }
}

const toBytes = (method: string, address: string, token: string, body?: object) => {
  const text = body ? JSON.stringify(body) : ''
  const length = body ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` : ''
  return `${method} ${address} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${length}\r\n${text}`
}

/** A quarter each: a product, a list, a search, a purchase. */
async function requestsOf(make: Make, cell: string): Promise<string[]> {
  const shop = await make.shop({ cell })
  const free = {
    id: 'one',
    name: 'One',
    sku: 'FREE',
    pricing: { markets: [{ marketId: 'us', price: 0 }] },
    inventory: { tracked: true, quantity: 1_000_000 },
  }
  const products = []
  for (let count = 0; count < PRODUCTS; count++) products.push(await make.product(shop, { variants: [free] }))
  const { token } = await make.guest()
  return products.flatMap(({ id, path: product }) => [
    toBytes('GET', product, token),
    toBytes('GET', `${shop.products}?limit=10`, token),
    toBytes('GET', `${shop.products}?query=product`, token),
    toBytes('POST', `${shop.path}/orders/checkout`, token, {
      market: 'us',
      items: [{ productId: id, variantId: 'one', quantity: 1 }],
    }),
  ])
}

async function hang(postgres: PrivatePostgres, { quick, note }: Run) {
  const silentMs = quick ? 8_000 : 20_000
  const usualMs = quick ? 5_000 : 15_000
  const databases = await createTestDatabases()
  const { second } = await postgres.createDatabases()
  const env = { ...databases.env, CELLS: JSON.stringify({ second: { url: second.url } }) }
  const aside = await startApi({ databases: { ...databases, env } }) // prepares; the one that bears the load is a process of its own
  const make = createMake(aside)
  const requests = { main: await requestsOf(make, 'main'), second: await requestsOf(make, 'second') }
  await aside.close()
  const api = await startChild('api', {
    ...env,
    DATABASE_POOL_SIZE: '8',
    LOAD_SHEDDING: process.env.LOAD_SHEDDING ?? 'on',
  })
  const openLoader = () => fork(path.join(import.meta.dirname, '../../test/scenarios/open-load-child.ts'))
  const loaders = { main: openLoader(), second: openLoader() }

  async function bear(cell: keyof typeof loaders, ms: number): Promise<OpenReport> {
    const load: OpenLoad = { url: api.url, requests: requests[cell], connections: 400, rate: RATE, ms }
    loaders[cell].send(load)
    const [report] = (await once(loaders[cell], 'message')) as [OpenReport]
    return report
  }
  const both = async (ms: number) => {
    const [main, second] = await Promise.all([bear('main', ms), bear('second', ms)])
    return { main, second }
  }
  const p99 = ({ done }: OpenReport) =>
    percentile(
      done.map(([, ms]) => ms),
      99,
    )
  const lost = ({ refused, odd, unasked }: OpenReport) =>
    refused + unasked + Object.values(odd).reduce((sum, count) => sum + count, 0)
  const tell = (when: string, reports: Record<string, OpenReport>) => {
    for (const [cell, report] of Object.entries(reports)) {
      const refusedMs = percentile(report.refusedMs, 50) || 0
      note(
        `${when}, ${cell}: ${report.done.length} done, p99 ${p99(report).toFixed(0)} ms, ${report.refused} refused (median after ${refusedMs.toFixed(0)} ms), odd ${JSON.stringify(report.odd)}`,
      )
    }
  }

  try {
    await both(3_000) // warm
    const before = await both(usualMs)
    tell('before', before)

    postgres.pause()
    const readiness: number[] = []
    let over = false
    const asking = (async () => {
      while (!over) {
        const since = performance.now()
        const { status } = await fetch(`${api.url}/readyz`)
        readiness.push(status === 200 ? performance.now() - since : Number.POSITIVE_INFINITY)
        await sleep(200)
      }
    })()
    const during = await both(silentMs)
    over = true
    await asking
    tell('while it hangs', during)

    postgres.goOn()
    const since = performance.now()
    const [request] = requests.second as [string]
    const product = /^GET (\S+)/.exec(request)?.[1] ?? ''
    const token = /Bearer (\S+)/.exec(request)?.[1] ?? ''
    const isBack = async () =>
      (await fetch(api.url + product, { headers: { authorization: `Bearer ${token}` } })).status === 200
    await until('the cell is served again', isBack, { withinMs: 60_000, everyMs: 50 })
    const backSeconds = (performance.now() - since) / 1_000
    const after = await both(usualMs)
    tell('after', after)

    const figures: Figure[] = [
      { name: 'healthy cell: p99 before', value: p99(before.main), unit: 'ms' },
      {
        name: 'healthy cell: p99 beside the one that hangs',
        value: p99(during.main),
        unit: 'ms',
        goal: '≤ 2 × before',
        ok: p99(during.main) <= 2 * p99(before.main),
      },
      {
        name: 'healthy cell: requests lost',
        value: lost(during.main),
        unit: `of ${during.main.done.length + lost(during.main)}`,
        goal: '0',
        ok: lost(during.main) === 0,
      },
      {
        name: 'hanging cell: refused after, median',
        value: percentile(during.second.refusedMs, 50),
        unit: 'ms',
        goal: '≤ 100',
        ok: percentile(during.second.refusedMs, 50) <= 100,
      },
      {
        name: 'readiness told after, longest',
        value: Math.max(...readiness),
        unit: 'ms',
        goal: '≤ 300',
        ok: Math.max(...readiness) <= 300,
      },
      { name: 'hanging cell: served again after', value: backSeconds, unit: 's', goal: '≤ 2', ok: backSeconds <= 2 },
      {
        name: 'lost afterwards, in both',
        value: lost(after.main) + lost(after.second),
        unit: '',
        goal: '0',
        ok: lost(after.main) + lost(after.second) === 0,
      },
    ]
    return { figures }
  } finally {
    for (const loader of Object.values(loaders)) loader.disconnect()
    await api.kill()
    await databases.drop()
  }
}
