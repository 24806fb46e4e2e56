import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { OpenLoad, OpenReport } from '../../test/scenarios/open-load-child.ts'
import { openPrivatePostgres, type PrivatePostgres } from '../../test/scenarios/private-postgres.ts'
import { supervise } from '../../test/scenarios/supervise.ts'
import { type Child, startChild } from '../../test/support/child.ts'
import { createMake, type Make } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { until } from '../../test/support/until.ts'
import { type Figure, percentile, type Run } from '../report/figures.ts'

export const title =
  'Fifty cells, of which one hangs, one is down, one is behind and one is read-only: the others notice nothing'

const WELL = { full: 46, quick: 6 }
const TROUBLED = ['hanging', 'down', 'behind', 'readonly'] as const
type Troubled = (typeof TROUBLED)[number]
/** Requests a second: for all cells that are well together, and for each of the others. */
const [RATE, TROUBLED_RATE] = [80, 10]
const PRODUCTS = 3
/** Cells in which is seen how long events wait for their numbers. */
const SAMPLE = 6

type Servers = Record<'home' | 'hanging' | 'down', PrivatePostgres>

export async function run(options: Run) {
  const open = (most: number) => openPrivatePostgres([`max_connections=${most}`, 'shared_buffers=256MB', 'fsync=off'])
  const servers: Servers = { home: await open(1_500), hanging: await open(100), down: await open(100) }
  try {
    return await trouble(servers, options)
  } finally {
    servers.hanging.goOn()
    for (const server of Object.values(servers)) await server.close()
  }
}

async function trouble(servers: Servers, { quick, note }: Run) {
  const wellNames = Array.from({ length: quick ? WELL.quick : WELL.full }, (_, index) => `cell${index + 1}`)
  const serverOf = (name: string) => (name === 'hanging' || name === 'down' ? servers[name] : servers.home)
  const names = [...wellNames, ...TROUBLED]
  for (const name of ['main', ...names]) await onDatabase(serverOf(name).urlOf('postgres'), `create database "${name}"`)
  const env = {
    DATABASE_URL: servers.home.urlOf('main'),
    CELLS: JSON.stringify(Object.fromEntries(names.map((name) => [name, { url: serverOf(name).urlOf(name) }]))),
  }
  const migration = await migrateAll(servers, wellNames, env, note)

  const databases = { main: { url: env.DATABASE_URL }, env, drop: async () => {} }
  const aside = await startApi({ databases: databases as never }) // prepares; the one that bears the load is a process of its own
  const make = createMake(aside)
  const shops = new Map<string, Shop>()
  for (const name of names) shops.set(name, await openShop(make, name))
  await aside.close()

  const api = await startChild('api', { ...env, DATABASE_POOL_SIZE: '8', LOAD_SHEDDING: 'on' })
  const worker = supervise(
    () => startChild('worker', env),
    ({ lines }, { code, signal }) => note(`the worker ended: ${signal ?? `${code}, ${lines().at(-1)?.msg}`}`),
  )
  await until('the worker runs', worker.current, { withinMs: 60_000 })
  const loaders = openLoaders(api)
  const requestsOf = (cells: readonly string[]) => cells.flatMap((name) => shops.get(name)?.requests ?? [])
  const all = async (ms: number, waitMs?: number) => {
    const well = loaders.bear('well', requestsOf(wellNames), RATE, ms, waitMs)
    const others = TROUBLED.map(
      async (name) => [name, await loaders.bear(name, requestsOf([name]), TROUBLED_RATE, ms, waitMs)] as const,
    )
    return { well: await well, ...(Object.fromEntries(await Promise.all(others)) as Record<Troubled, OpenReport>) }
  }
  const sampled = wellNames.slice(0, SAMPLE).map((name) => shops.get(name) as Shop)
  const [usualMs, troubledMs] = quick ? [6_000, 10_000] : [20_000, 45_000]
  try {
    await all(4_000) // warm
    const [before, waitedBefore] = await Promise.all([all(usualMs), numberEvents(api, sampled, servers.home.urlOf)])
    tell('all well', before, note)

    await breakFour(servers)
    const readiness = watchReadiness(api)
    const finding = await all(4_000, 10_000) // nobody knows yet that it hangs: those who ask now wait
    tell('four in trouble, nobody knows', finding, note)
    const [during, waitedDuring] = await Promise.all([all(troubledMs), numberEvents(api, sampled, servers.home.urlOf)])
    tell('four in trouble', during, note)
    const readyMs = await readiness.end()

    const since = performance.now()
    await mend(servers)
    const backSeconds: Record<string, number> = {}
    await Promise.all(
      TROUBLED.map(async (name) => {
        const { product, token } = shops.get(name) as Shop
        const isBack = async () =>
          (await fetch(api.url + product, { headers: { authorization: `Bearer ${token}` } })).status === 200
        await until(`${name} is served again`, isBack, { withinMs: 90_000, everyMs: 50 })
        backSeconds[name] = (performance.now() - since) / 1_000
      }),
    )
    await sleep(6_000) // connections that were read-only are looked at every five seconds
    const after = await all(usualMs)
    tell('mended', after, note)

    const lostAfter = Object.values(after).reduce((sum, report) => sum + lostOf(report), 0)
    const goal = (name: string, value: number, unit: string, most: number): Figure => ({
      name,
      value,
      unit,
      goal: most === 0 ? '0' : `≤ ${most}`,
      ok: value <= most,
    })
    const refusedMs = (report: OpenReport) => percentile(report.refusedMs, 99) || 0
    const isRead = ([, , request]: OpenReport['done'][number]) => request % 4 !== 3
    const asked = [finding.well, during.well].reduce((sum, report) => sum + report.done.length + lostOf(report), 0)
    const readsOfReadonly = during.readonly.done.filter(isRead).length
    const readsAsked = Math.round((during.readonly.done.length + lostOf(during.readonly)) * 0.75)
    return {
      figures: [
        { name: 'cells besides main', value: names.length, unit: '' },
        ...migration,
        { name: 'well: p99 before', value: p99(before.well), unit: 'ms' },
        {
          name: 'well: p99 beside the four',
          value: p99(during.well),
          unit: 'ms',
          goal: '≤ 2 × before',
          ok: p99(during.well) <= 2 * p99(before.well),
        },
        goal('well: requests lost', lostOf(finding.well) + lostOf(during.well), `of ${asked}`, 0),
        {
          name: 'hanging: answered or refused in the first 4 s, while nobody knows of it, at most after',
          value: Math.max(0, ...finding.hanging.refusedMs, ...finding.hanging.done.map(([, ms]) => ms)),
          unit: 'ms',
        },
        goal('hanging: refused after that, 99 %', refusedMs(during.hanging), 'ms', 250),
        goal('down: refused after, 99 %', refusedMs(during.down), 'ms', 250),
        goal('behind: refused after, 99 %', refusedMs(during.behind), 'ms', 250),
        goal('read-only: reads lost', Math.max(0, readsAsked - readsOfReadonly), `of ${readsAsked}`, 0),
        goal(
          'answers that are neither done nor refused as they should',
          [finding, during].flatMap(Object.values<OpenReport>).reduce((sum, { odd }) => sum + sumOf(odd), 0),
          '',
          0,
        ),
        goal('readiness told after, longest', readyMs, 'ms', 300),
        { name: 'well: events numbered after, longest, before', value: waitedBefore, unit: 'ms' },
        goal('well: events numbered after, longest, beside the four', waitedDuring, 'ms', 2_000),
        ...Object.entries(backSeconds).map(([name, seconds]) => goal(`${name}: served again after`, seconds, 's', 10)),
        goal('lost afterwards, in all', lostAfter, '', 0),
        { name: 'times that the worker stopped itself, and was started again', value: worker.exits(), unit: '' },
      ],
    }
  } finally {
    loaders.end()
    await Promise.all([api.kill(), worker.stop()])
  }
}

async function onDatabase(connectionString: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** All of them from nothing; then eight anew, while one of the others is away and one does not answer. */
async function migrateAll(
  servers: Servers,
  wellNames: readonly string[],
  env: Record<string, string>,
  note: Run['note'],
) {
  const whole = await migrate(env)
  note(`migrated ${whole.seconds.size} databases in ${whole.took.toFixed(1)} s`)
  if (whole.failed.length > 0) throw new Error(`not migrated: ${whole.failed.join(', ')}`)
  const anew = wellNames.slice(-8)
  for (const name of anew) {
    await onDatabase(servers.home.urlOf('postgres'), `drop database "${name}"`, `create database "${name}"`)
  }
  await servers.down.kill()
  servers.hanging.pause()
  const partly = await migrate(env)
  await servers.down.start()
  servers.hanging.goOn()
  const lastOfOthers = Math.max(...anew.map((name) => partly.seconds.get(name) ?? Number.POSITIVE_INFINITY))
  note(`with one down and one silent: others after ${lastOfOthers.toFixed(1)} s, failed: ${partly.failed.join(', ')}`)
  const isTold = partly.failed.toSorted().join() === 'down,hanging'
  return [
    { name: 'migrating all of them from nothing', value: whole.took, unit: 's' },
    {
      name: `migrating ${anew.length} of them, one down and one silent: these are through after`,
      value: lastOfOthers,
      unit: 's',
    },
    { name: 'until the command has given up the two', value: partly.took, unit: 's' },
    { name: 'those that failed are the two', value: isTold ? 1 : 0, unit: '', goal: '1', ok: isTold },
  ] satisfies Figure[]
}

/** The command as an operator runs it, and when it told of each cell. */
async function migrate(env: Record<string, string>) {
  const bin = path.join(import.meta.dirname, '../../bin/kontor.js')
  const since = performance.now()
  const child = spawn(process.execPath, [bin, 'cli', 'migrate', '--json'], {
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'test', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const seconds = new Map<string, number>()
  const failed: string[] = []
  for await (const line of createInterface(child.stdout)) {
    const { cell, problem } = JSON.parse(line) as { cell: string; problem?: string }
    seconds.set(cell, (performance.now() - since) / 1_000)
    if (problem !== undefined) failed.push(cell)
  }
  return { seconds, failed, took: (performance.now() - since) / 1_000 }
}

type Shop = Awaited<ReturnType<typeof openShop>>

/** A quarter each: a product, a list, a search, a purchase. */
async function openShop(make: Make, cell: string) {
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
  const requests = products.flatMap(({ id, path: product }) => [
    toBytes('GET', product, token),
    toBytes('GET', `${shop.products}?limit=10`, token),
    toBytes('GET', `${shop.products}?query=product`, token),
    toBytes('POST', `${shop.path}/orders/checkout`, token, cartOf(id)),
  ])
  const [{ id: productId, path: product }] = products as [(typeof products)[number]]
  return { ...shop, cellName: cell, requests, product, productId, token }
}

const cartOf = (productId: string) => ({ market: 'us', items: [{ productId, variantId: 'one', quantity: 1 }] })

function toBytes(method: string, address: string, token: string, body?: object): string {
  const text = body ? JSON.stringify(body) : ''
  const length = body ? `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` : ''
  return `${method} ${address} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n${length}\r\n${text}`
}

/** One process that asks for each kind of cell. */
function openLoaders(api: Child) {
  const processes = new Map<string, ReturnType<typeof fork>>()
  return {
    async bear(name: string, requests: string[], rate: number, ms: number, waitMs?: number): Promise<OpenReport> {
      const child =
        processes.get(name) ?? fork(path.join(import.meta.dirname, '../../test/scenarios/open-load-child.ts'))
      processes.set(name, child)
      const load: OpenLoad = {
        url: api.url,
        requests,
        connections: name === 'well' ? 200 : 50,
        rate,
        ms,
        ...(waitMs !== undefined && { waitMs }),
      }
      child.send(load)
      const [report] = (await once(child, 'message')) as [OpenReport]
      return report
    },
    end() {
      for (const child of processes.values()) child.disconnect()
    },
  }
}

async function breakFour({ home, hanging, down }: Servers): Promise<void> {
  await onDatabase(
    home.urlOf('behind'),
    'create table public.removed as select * from cell.migrations order by name desc limit 1',
    'delete from cell.migrations where name in (select name from public.removed)',
  )
  await onDatabase(home.urlOf('readonly'), 'alter database readonly set default_transaction_read_only = on')
  // Connections that are open keep what they began with; a failover would have ended them, too.
  for (const name of ['behind', 'readonly']) await endConnections(home, name)
  await down.kill()
  hanging.pause()
}

const endConnections = (home: PrivatePostgres, name: string) =>
  onDatabase(
    home.urlOf('postgres'),
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
  )

async function mend({ home, hanging, down }: Servers): Promise<void> {
  hanging.goOn()
  await onDatabase(home.urlOf('postgres'), 'alter database readonly reset default_transaction_read_only')
  await endConnections(home, 'readonly')
  await onDatabase(home.urlOf('behind'), 'insert into cell.migrations select * from public.removed')
  await down.start()
}

/** How long `/readyz` takes to answer 200, at most. */
function watchReadiness(api: Child) {
  let isOver = false
  let longestMs = 0
  const asking = (async () => {
    while (!isOver) {
      const since = performance.now()
      const { status } = await fetch(`${api.url}/readyz`).catch(() => ({ status: 0 }))
      longestMs = Math.max(longestMs, status === 200 ? performance.now() - since : Number.POSITIVE_INFINITY)
      await sleep(200)
    }
  })()
  return {
    async end() {
      isOver = true
      await asking
      return longestMs
    },
  }
}

/** An order in each of these cells: how long until the last of their events has its number, which a worker gives it. */
async function numberEvents(api: Child, shops: readonly Shop[], urlOf: PrivatePostgres['urlOf']): Promise<number> {
  await sleep(2_000)
  const waited = await Promise.all(
    shops.map(async ({ path: shop, productId, token, cellName }) => {
      const client = new pg.Client({ connectionString: urlOf(cellName) })
      await client.connect()
      const bought = await fetch(`${api.url}${shop}/orders/checkout`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(cartOf(productId)),
      })
      const { orderId } = (await bought.json()) as { orderId: string }
      const since = performance.now()
      const isNumbered = async () =>
        (await client.query('select from cell.events where subject = $1', [orderId])).rowCount !== 0
      await until('its event has a number', isNumbered, { withinMs: 30_000, everyMs: 20 })
      const ms = performance.now() - since
      await client.end()
      return ms
    }),
  )
  return Math.max(...waited)
}

const sumOf = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0)
const lostOf = ({ refused, odd, unasked }: OpenReport) => refused + unasked + sumOf(odd)
const p99 = ({ done }: OpenReport) =>
  percentile(
    done.map(([, ms]) => ms),
    99,
  )

function tell(when: string, reports: Record<string, OpenReport>, note: Run['note']): void {
  for (const [cell, report] of Object.entries(reports)) {
    const { done, refused, refusedMs, odd } = report
    note(
      `${when}, ${cell}: ${done.length} done, p99 ${p99(report).toFixed(0)} ms, ${refused} refused (median after ${(percentile(refusedMs, 50) || 0).toFixed(0)} ms), odd ${JSON.stringify(odd)}`,
    )
  }
}
