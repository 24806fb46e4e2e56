import { setTimeout as sleep } from 'node:timers/promises'
import { openPrivatePostgres, type PrivatePostgres } from '../../test/scenarios/private-postgres.ts'
import { startChild } from '../../test/support/child.ts'
import { createClient } from '../../test/support/client.ts'
import { createMake } from '../../test/support/make.ts'
import { startProxy } from '../../test/support/proxy.ts'
import { createTestDatabases, startApi } from '../../test/support/start-api.ts'
import { until } from '../../test/support/until.ts'
import type { Figure, Run } from '../report/figures.ts'

export const title =
  'The address of a cell leads to a standby for a while: refused as it should be, and good soon after'

const CALLERS = 8

export async function run(options: Run) {
  const postgres = await openPrivatePostgres()
  try {
    return await failOver(postgres, options)
  } finally {
    await postgres.close()
  }
}

async function failOver(postgres: PrivatePostgres, { quick, note }: Run) {
  const standbyMs = quick ? 6_000 : 20_000
  const databases = await createTestDatabases()
  const { second } = await postgres.createDatabases()
  const standby = await postgres.startStandby()
  const address = await startProxy(second.url)
  const env = { ...databases.env, CELLS: JSON.stringify({ second: { url: address.url } }), DATABASE_POOL_SIZE: '8' }
  const aside = await startApi({ databases: { ...databases, env } })
  const make = createMake(aside)
  const shops = { main: await make.shop({ cell: 'main' }), second: await make.shop({ cell: 'second' }) }
  const api = await startChild('api', env)
  const worker = await startChild('worker', env)

  const statuses = new Map<string, number>()
  let phase = 'before'
  let isOver = false
  let goodAt = 0
  async function call(cell: keyof typeof shops, turn: number) {
    const shop = shops[cell]
    const client = createClient(api.url, { authorization: `Bearer ${shop.admin.token}` })
    const isWrite = turn % 2 === 0
    const { status } = await (isWrite
      ? client.post(shop.products, { name: `Product ${turn}` })
      : client.get(`${shop.products}?limit=5`))
    const key = `${phase}, ${cell}, ${isWrite ? 'write' : 'read'}: ${status}`
    statuses.set(key, (statuses.get(key) ?? 0) + 1)
    if (phase === 'after' && cell === 'second' && isWrite && status === 201 && goodAt === 0) goodAt = performance.now()
  }
  const running = Promise.all(
    Array.from({ length: CALLERS }, async (_, caller) => {
      for (let turn = caller; !isOver; turn++) {
        await call(turn % 4 < 2 ? 'main' : 'second', turn)
        await sleep(20)
      }
    }),
  )
  try {
    await sleep(quick ? 2_000 : 5_000)
    phase = 'standby'
    address.leadTo(standby.urlOf('second'))
    await sleep(standbyMs / 2)
    const { body } = await createClient(api.url).get('/readyz')
    note(`half-time: ${JSON.stringify(body.cells)}`)
    await sleep(standbyMs / 2)
    phase = 'after'
    const back = performance.now()
    address.leadTo(second.url)
    await until('writes are good', () => goodAt > 0, { withinMs: 30_000 })
    await sleep(quick ? 3_000 : 10_000)
    isOver = true
    await running
    const { status } = await createClient(api.url, { authorization: `Bearer ${shops.second.admin.token}` }).post(
      shops.second.products,
      { name: 'Last' },
    )
    for (const [key, count] of [...statuses].sort(([one], [other]) => (one < other ? -1 : 1))) note(`${key} × ${count}`)

    const count = (pattern: RegExp) =>
      [...statuses].filter(([key]) => pattern.test(key)).reduce((sum, [, times]) => sum + times, 0)
    const goodSeconds = (goodAt - back) / 1_000
    const figures: Figure[] = [
      { name: 'answers that were 500', value: count(/: 500$/), unit: '', goal: '0', ok: count(/: 500$/) === 0 },
      {
        name: 'refused while it was a standby',
        value: count(/^standby, second.*503$/),
        unit: `of ${count(/^standby, second/)}`,
      },
      {
        name: 'lost in the other cell',
        value: count(/, main.*: [45]/),
        unit: `of ${count(/, main/)}`,
        goal: '0',
        ok: count(/, main.*: [45]/) === 0,
      },
      { name: 'writes are good after', value: goodSeconds, unit: 's', goal: '≤ 2', ok: goodSeconds <= 2 },
      { name: 'refused after that', value: count(/^after, second.*503$/), unit: `of ${count(/^after, second/)}` },
      {
        name: 'worker that ended',
        value: worker.process.exitCode === null ? 0 : 1,
        unit: '',
        goal: '0',
        ok: worker.process.exitCode === null && status === 201,
      },
    ]
    return { figures }
  } finally {
    isOver = true
    await Promise.all([api.kill(), worker.kill()])
    await aside.close()
    await address.close()
    await standby.close()
    await databases.drop()
  }
}
