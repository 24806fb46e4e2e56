import { setTimeout as sleep } from 'node:timers/promises'
import { openPrivatePostgres, type PrivatePostgres } from '../../test/scenarios/private-postgres.ts'
import { startChild } from '../../test/support/child.ts'
import { createClient } from '../../test/support/client.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { until } from '../../test/support/until.ts'
import { type Figure, percentile, type Run } from '../report/figures.ts'

export const title =
  'A replica hangs, stands still and dies under load, then control is stopped: no read of a shop fails, and all is well soon after'

const CALLERS = 8

export async function run(options: Run) {
  const [control, cell] = [await openPrivatePostgres(), await openPrivatePostgres()]
  try {
    return await readOn(control, cell, options)
  } finally {
    control.goOn()
    await control.close()
    await cell.close()
  }
}

type Kind = 'shop' | 'guest' | 'write'
type Answered = { phase: string; kind: Kind; status: number; ms: number }

async function readOn(controlServer: PrivatePostgres, cellServer: PrivatePostgres, { quick, note }: Run) {
  const partMs = quick ? 4_000 : 15_000
  const databases = await controlServer.createDatabases()
  const { second } = await cellServer.createDatabases()
  const standby = await cellServer.startStandby()
  const cells = { second: { url: second.url, replicaUrl: standby.urlOf('second') } }
  const env = { DATABASE_URL: databases.main.url, CELLS: JSON.stringify(cells), DATABASE_POOL_SIZE: '8' }
  const aside = await startApi({ databases: { ...databases, env } })
  const make = createMake(aside)
  const shop = await make.shop({ cell: 'second' })
  await shop.admin.put(shop.path, { storefront: { isPublic: true } })
  for (let count = 0; count < 20; count++) await make.product(shop)
  const { token } = await make.guest()
  const api = await startChild('api', env)
  const worker = await startChild('worker', env)
  const [anybody, guest] = [createClient(api.url), createClient(api.url, { authorization: `Bearer ${token}` })]
  const admin = createClient(api.url, { authorization: `Bearer ${shop.admin.token}` })

  const answered: Answered[] = []
  let phase = 'warm'
  let isOver = false
  let lastWrite = 0
  const asks: Record<Kind, () => Promise<{ status: number }>> = {
    shop: () => anybody.get(`/v1/storefront/${shop.slug}/products?limit=10`),
    guest: () => guest.get(`${shop.products}?limit=10`),
    write: () => admin.post(shop.products, { name: 'Another' }),
  }
  async function ask(kind: Kind) {
    const [since, during] = [performance.now(), phase]
    const { status } = await asks[kind]()
    answered.push({ phase: during, kind, status, ms: performance.now() - since })
    if (kind === 'write' && status === 201) lastWrite = performance.now()
  }
  const running = Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      for (let turn = caller; !isOver; turn++) {
        await ask(turn % 8 === 0 ? 'write' : turn % 2 === 0 ? 'guest' : 'shop')
        await sleep(15)
      }
    }),
  )
  const during = async (name: string, ms: number) => {
    phase = name
    await sleep(ms)
  }
  try {
    await sleep(3_000) // the replica is looked at
    await during('with the replica', partMs)
    standby.pause()
    await during('replica silent', partMs)
    standby.goOn()
    await during('between', 3_000)
    await standby.standStill()
    await during('replica stands still', partMs + 6_000)
    await standby.follow()
    await during('between', 3_000)
    await standby.kill()
    await during('replica dead', partMs)
    await standby.start()
    await during('between', 3_000)
    phase = 'control stops'
    await controlServer.kill()
    await sleep(1_000)
    await during('control stopped', 20_000)
    phase = 'back'
    await controlServer.start()
    const back = performance.now()
    lastWrite = 0
    await until('writes are good', () => lastWrite > 0, { withinMs: 20_000 })
    const goodSeconds = (lastWrite - back) / 1_000
    await during('after', partMs)
    isOver = true
    await running
    for (const each of new Set(answered.map((one) => one.phase)))
      for (const kind of ['shop', 'guest', 'write'] as const) {
        const of = answered.filter((one) => one.phase === each && one.kind === kind)
        const times = of.map(({ ms }) => ms)
        const good = of.filter(({ status }) => status < 300).length
        note(
          `${each}, ${kind}: ${good} of ${of.length} good, p50 ${percentile(times, 50).toFixed(0)}, p99 ${percentile(times, 99).toFixed(0)} ms`,
        )
      }
    const failed = (matches: (one: Answered) => boolean) =>
      answered.filter((one) => matches(one) && one.status >= 300).length
    const reads = answered.filter(({ kind }) => kind !== 'write')
    const ofShop = (name: string) =>
      answered.filter((one) => one.phase === name && one.kind === 'shop').map(({ ms }) => ms)
    const wrongWrites = answered.filter(
      ({ phase, kind, status }) => phase === 'control stopped' && kind === 'write' && status !== 503,
    )
    const lost = failed(({ kind }) => kind !== 'write')
    const figures: Figure[] = [
      { name: 'reads that failed', value: lost, unit: `of ${reads.length}`, goal: '0', ok: lost === 0 },
      { name: 'p99 of the shop, with the replica', value: percentile(ofShop('with the replica'), 99), unit: 'ms' },
      { name: 'p99 of the shop, replica silent', value: percentile(ofShop('replica silent'), 99), unit: 'ms' },
      {
        name: 'slowest of the shop, replica silent',
        value: Math.max(...ofShop('replica silent')),
        unit: 'ms',
        goal: '≤ 1500',
        ok: Math.max(...ofShop('replica silent')) <= 1_500,
      },
      { name: 'p99 of the shop, control stopped', value: percentile(ofShop('control stopped'), 99), unit: 'ms' },
      {
        name: 'writes while control was stopped that were not 503',
        value: wrongWrites.length,
        unit: '',
        goal: '0',
        ok: wrongWrites.length === 0,
      },
      {
        name: 'writes are good after control is back',
        value: goodSeconds,
        unit: 's',
        goal: '≤ 1',
        ok: goodSeconds <= 1,
      },
      {
        name: 'worker that ended',
        value: worker.process.exitCode === null ? 0 : 1,
        unit: '',
        goal: '0',
        ok: worker.process.exitCode === null,
      },
    ]
    return { figures }
  } finally {
    isOver = true
    await Promise.all([api.kill(), worker.kill()])
    await aside.close()
    await standby.close()
  }
}
