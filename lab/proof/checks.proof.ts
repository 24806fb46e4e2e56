import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pino from 'pino'
import { RULES } from '#apps/rules.ts'
import { openNight, startChecks } from '#modules/checks/index.ts'
import { loadConfig } from '#platform/config.ts'
import { openPool } from '#platform/database/connection.ts'
import { type Db, openDatabases } from '#platform/database/database.ts'
import { fillOrders } from '../../test/scenarios/fill-orders.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { type Figure, median, type Run, sizeOf } from '../report/figures.ts'

export const title = 'Checks: a night of many small businesses and one with millions of orders, and who reads beside it'

const ROUND_MS = 10_000
const ROUNDS = 3
const CONNECTIONS = 2

export async function run({ quick, note }: Run) {
  const orders = sizeOf('orders', quick ? 200_000 : 10_000_000)
  const businesses = sizeOf('businesses', quick ? 10_000 : 100_000)
  const api = await startApi()
  const log = pino({ level: 'silent' })
  try {
    const shop = await createMake(api).shop({ cell: 'second' })
    const { db } = shop
    await fillOrders(db, { businessId: shop.id, orders, businesses, ordersEach: 3 }, note)
    const patient = openPool(db.address.directUrl, { max: 1, statementTimeoutMs: 600_000 })
    await patient.query(`
      insert into cell.event_counters (business_id, last_number)
      select distinct business_id, 1 from orders.orders
      on conflict do nothing`)
    await patient.end()
    const read = () => shop.admin.get(`${shop.path}/orders?limit=20`)
    await read()

    // Alternating, so that what else the machine does falls on both.
    const [alone, beside, shares]: [number[], number[], number[]] = [[], [], []]
    // Connections of their own: the processor time of their backends is what checks cost the database.
    const own = openDatabases(loadConfig({ NODE_ENV: 'test', ...api.databases.env }).databases, { max: CONNECTIONS })
    const ownDb = own.cells.get('second') as Db
    const cells = new Map([['second', ownDb]])
    await openNight(db)
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(await readsIn(ROUND_MS, read))
      const before = await processorMs(ownDb)
      const checks = startChecks(cells, { rules: RULES, log })
      beside.push(await readsIn(ROUND_MS, read))
      await checks.stop()
      shares.push(((await processorMs(ownDb)) - before) / ROUND_MS)
      note(`reads alone ${alone.at(-1)}, beside ${beside.at(-1)}; ${shares.at(-1)?.toFixed(2)} of a core`)
    }
    const share = Math.max(...shares)

    // The rest of the night, at its own pace.
    const begun = performance.now()
    const checks = startChecks(cells, { rules: RULES, log })
    const small = await waitFor(db, 'after is null', note)
    const whole = await waitFor(db, 'finished_at is not null', note)
    const longest = await sql<{ count: number }>`select count(*)::integer as count from checks.broken`.execute(db)
    await checks.stop()
    await own.close()
    const total = (await busy(db)) / 1000
    const ratio = median(beside) / median(alone)
    return {
      figures: [
        { name: 'small businesses', value: businesses, unit: '' },
        { name: 'orders of the large one', value: orders, unit: '' },
        { name: 'the small ones are through after', value: (small - begun) / 1000, unit: 's' },
        { name: 'the night is through after', value: (whole - begun) / 1000, unit: 's' },
        { name: 'time that statements took', value: total, unit: 's' },
        {
          name: 'share of one core that the database has for it, at most',
          value: share,
          unit: '',
          goal: '≤ 0.30',
          ok: share <= 0.3,
        },
        {
          name: 'reads beside it, as a part of those alone',
          value: ratio,
          unit: '×',
          goal: '≥ 0.95',
          ok: ratio >= 0.95,
        },
        {
          name: 'rules of businesses that do not hold (orders were filled in without shipments)',
          value: longest.rows[0]?.count ?? 0,
          unit: '',
        },
      ] satisfies Figure[],
    }
  } finally {
    await api.close()
  }
}

async function readsIn(ms: number, read: () => Promise<{ status: number; text: string }>): Promise<number> {
  const end = performance.now() + ms
  let reads = 0
  while (performance.now() < end) {
    const { status, text } = await read()
    if (status !== 200) throw new Error(text)
    reads++
  }
  return reads
}

/** What all connections of this pool have computed so far. */
async function processorMs(db: Db): Promise<number> {
  const pids = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.1)`.execute(db)
      return rows[0]?.pid
    }),
  )
  return [...new Set(pids)].reduce<number>((sum, pid) => {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? []
    return sum + 10 * (Number(user) + Number(system)) // hundredths of a second
  }, 0)
}

async function busy(db: Db): Promise<number> {
  const { rows } = await sql<{ busyMs: number }>`
    select busy_ms from checks.nights order by started_at desc limit 1`.execute(db)
  return rows[0]?.busyMs ?? 0
}

async function waitFor(db: Db, condition: string, note: Run['note']): Promise<number> {
  for (let waited = 0; ; waited++) {
    const { rows } = await sql<{ isDone: boolean; businesses: number }>`
      select ${sql.raw(condition)} as is_done, businesses from checks.nights order by started_at desc limit 1`.execute(
      db,
    )
    if (rows[0]?.isDone) return performance.now()
    if (waited % 30 === 0) note(`${rows[0]?.businesses} businesses`)
    await sleep(1_000)
  }
}
