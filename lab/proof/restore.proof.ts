import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createCluster, type PrivateCluster } from '../../test/scenarios/private-cluster.ts'
import { runKontor, startChild } from '../../test/support/child.ts'
import { createClient } from '../../test/support/client.ts'
import { onServer } from '../../test/support/database.ts'
import { createMake } from '../../test/support/make.ts'
import { openShop } from '../../test/support/shop.ts'
import { startApi, type TestDatabases } from '../../test/support/start-api.ts'
import type { Run } from '../report/figures.ts'

export const title = 'A database that is lost with its disk, and brought back from a backup and the archive of its WAL'

const BUYERS = 4
/** PostgreSQL counts the interval in whole seconds, then closes the segment, then it is copied. */
const COPY_SECONDS = 5
const CLOSE_MS = 5_000

export async function run({ quick, note }: Run) {
  const archiveSeconds = quick ? 5 : 30
  const cluster = await createCluster({ archiveSeconds })
  try {
    return await drill(cluster, archiveSeconds, note)
  } finally {
    await cluster.close()
  }
}

type Ledger = { orderId: string; at: number }[]

async function drill(cluster: PrivateCluster, archiveSeconds: number, note: Run['note']) {
  await onServer((client) => client.query('create database kontor'), cluster.urlOf('postgres'))
  const env = { DATABASE_URL: cluster.urlOf('kontor'), DEPLOYMENT_ID: 'production' }
  await cli(['migrate'], env)
  await cli(['outbound', 'enable'], env)

  const before = await startApi({ databases: { env } as unknown as TestDatabases })
  const make = createMake(before)
  const shop = await openShop(make)
  const product = await shop.priced(0, { tracked: true, quantity: 1_000_000 })
  const key = (await make.apiKey((await make.user()).id)).value
  const body = { market: 'us', items: [{ productId: product.id, variantId: 'one', quantity: 1 }] }
  const buyAt = (url: string) => createClient(url, { 'x-api-key': key }).post(`${shop.orders}/checkout`, body)

  const ledger: Ledger = []
  const load = startLoad(ledger, () => buyAt(before.url))
  await sleep(2_000)
  const backUpStarted = performance.now()
  await cluster.backUp()
  const backUpSeconds = secondsSince(backUpStarted)
  note(`backed up under load; ${ledger.length} orders are acknowledged`)
  await sleep(archiveSeconds * 2_700) // not a multiple: it ends somewhere within an interval
  const segments = await cluster.archived()
  const lostAt = Date.now()
  await cluster.destroy()
  await load.stop()
  await Promise.race([before.close().catch(() => {}), sleep(CLOSE_MS)]) // its database does not answer any more
  note(`the disk is gone; ${ledger.length} orders were acknowledged`)

  const restoreStarted = performance.now()
  await cluster.restore()
  const restoreSeconds = secondsSince(restoreStarted)
  const kept = await keptOrders(cluster.urlOf('kontor'))
  const lost = ledger.filter(({ orderId }) => !kept.has(orderId))
  const lossSeconds = lost.length === 0 ? 0 : Math.max(0, (lostAt - Math.min(...lost.map(({ at }) => at))) / 1_000)

  const after = { ...env, DEPLOYMENT_ID: 'production-2' }
  const outbound = await cli(['outbound', 'status'], after)
  const isHeldBack = /^main: closed/m.test(outbound)
  if (!isHeldBack) note(outbound)
  const { code, output } = await runKontor(['cli', 'verify'], after)
  const rules = output.split('\n').filter((line) => line.startsWith('main  '))
  const broken = rules.filter((line) => !line.endsWith('ok'))
  for (const line of broken) note(line)

  const startStarted = performance.now()
  const service = await startChild('api', after)
  const answer = await buyAt(service.url)
  const serviceSeconds = secondsSince(startStarted)
  await service.stop()
  if (answer.status !== 200) note(answer.text)

  const none = (name: string, value: number) => ({ name, value, unit: '', goal: '0', ok: value === 0 })
  const limit = archiveSeconds + COPY_SECONDS
  return {
    figures: [
      { name: 'orders that were acknowledged', value: ledger.length, unit: '' },
      { name: 'backup, under load', value: backUpSeconds, unit: 's' },
      { name: 'segments in the archive', value: segments.length, unit: '' },
      { name: 'longest time between two of them', value: longestGap(segments), unit: 's' },
      { name: 'orders lost', value: lost.length, unit: '' },
      {
        name: `time of which something is lost, archived every ${archiveSeconds} s`,
        value: lossSeconds,
        unit: 's',
        goal: `≤ ${limit} s`,
        ok: lossSeconds <= limit,
        note: `the interval, and ${COPY_SECONDS} s to close a segment and to copy it`,
      },
      { name: 'restore, until it takes writes', value: restoreSeconds, unit: 's' },
      { name: 'rules that were looked at', value: rules.length, unit: '' },
      none('rules that are broken', code === 0 ? broken.length : Math.max(1, broken.length)),
      none('deployments from which newsletters leave before a person says so', isHeldBack ? 0 : 1),
      none('checkouts that fail after it', answer.status === 200 ? 0 : 1),
      { name: 'start of the service, until the first checkout', value: serviceSeconds, unit: 's' },
    ],
  }
}

const longestGap = (times: readonly number[]) =>
  Math.max(0, ...times.slice(1).map((time, index) => time - (times[index] ?? 0))) / 1_000

const secondsSince = (start: number) => (performance.now() - start) / 1_000

async function cli(words: string[], env: Record<string, string>): Promise<string> {
  const { code, output } = await runKontor(['cli', ...words], env)
  assert.equal(code, 0, output)
  return output
}

/** Customers who order as fast as they are served. What they were told to be ordered is in the ledger. */
function startLoad(ledger: Ledger, buy: () => ReturnType<ReturnType<typeof createClient>['post']>) {
  let isOver = false
  const buyers = Array.from({ length: BUYERS }, async () => {
    while (!isOver) {
      const answer = await buy().catch(() => undefined)
      if (answer?.status === 200) ledger.push({ orderId: answer.body.orderId, at: Date.now() })
      else await sleep(50)
    }
  })
  return {
    async stop() {
      isOver = true
      await Promise.all(buyers)
    },
  }
}

async function keptOrders(url: string): Promise<Set<string>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ id: string }>('select id from orders.orders')
    return new Set(rows.map(({ id }) => id))
  } finally {
    await client.end()
  }
}
