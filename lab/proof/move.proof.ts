import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { listOrdersAfter, type OrderPlace } from '#modules/orders/index.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { addFollowed } from '#platform/events/sequencer.ts'
import { findMove } from '#platform/moves/moves.ts'
import { startMove } from '../../src/apps/moves/start-move.ts'
import { filledId, fillOrders } from '../../test/scenarios/fill-orders.ts'
import { openLoadWorld } from '../../test/scenarios/load-world.ts'
import { type MixedLoad, startMixedLoad } from '../../test/scenarios/mixed-load.ts'
import { openPrivatePostgres, type PrivatePostgres } from '../../test/scenarios/private-postgres.ts'
import { supervise } from '../../test/scenarios/supervise.ts'
import { createClient } from '../../test/support/client.ts'
import { leftBehind } from '../../test/support/moving-shop.ts'
import { createRandom } from '../../test/support/shop.ts'
import { until } from '../../test/support/until.ts'
import { type Figure, none, percentile, type Run, sizeOf } from '../report/figures.ts'

export const title = 'A business moves there and back while it sells, and whatever takes part is killed'

const CLIENTS = 4
const MAX_PAUSE_MS = 2_000
const MAX_MOVE_MS = 300_000
/** A large one is copied, compared and deleted row by row. */
const MAX_LARGE_MOVE_MS = 45 * 60_000
const VICTIMS = ['worker', 'api', 'PostgreSQL of one cell', 'PostgreSQL of the other'] as const

export async function run(options: Run) {
  const servers = [await openPrivatePostgres(), await openPrivatePostgres()] as const
  try {
    const figures = await moveMany(servers, options)
    return { figures, charts: [] }
  } finally {
    await Promise.all(servers.map((server) => server.close()))
  }
}

async function moveMany(servers: readonly [PrivatePostgres, PrivatePostgres], { quick, note }: Run): Promise<Figure[]> {
  const [moves, orders] = [sizeOf('moves', quick ? 4 : 40), sizeOf('orders', quick ? 10_000 : 1_000_000)]
  const world = await openMovingWorld(servers)
  const { databases } = world.aside.services
  try {
    // Somebody sells from the first day on, and whatever takes part is killed in every other pair of moves.
    const first = await startMixedLoad({ ...world, clients: CLIENTS })
    const often = await moveAround(world, first, { moves, isCalm: (move) => move % 4 < 2, maxMs: MAX_MOVE_MS, note })
    const afterFirst = await world.settle(first, note)

    const shop = await world.make.shop({ cell: 'second' })
    await fillOrders(shop.db, { businessId: shop.id, orders, businesses: 0, ordersEach: 0 }, note)
    await endTrade(shop)
    await countFilled(shop, orders)
    const second = await startMixedLoad({ ...world, clients: CLIENTS, at: { shop, filledTo: filledId(orders) } })
    const large = await moveAround(world, second, { moves: 2, isCalm: () => true, maxMs: MAX_LARGE_MOVE_MS, note })
    const afterSecond = await world.settle(second, note)

    const main = databases.cells.get('main')
    const left = main ? [...(await leftBehind(main, first.shop.id)), ...(await leftBehind(main, shop.id))] : []
    for (const problem of [...often.failedReads, ...large.failedReads, ...left].slice(0, 20)) note(problem)
    const pauses = [...often.pauses, ...large.pauses]
    const p99 = percentile(pauses, 99)
    return [
      { name: 'moves', value: moves + large.seconds.length, unit: '' },
      { name: 'kills', value: often.kills, unit: '' },
      { name: 'orders of the large business', value: orders, unit: '' },
      { name: 'its rows that were copied, at most', value: large.rows, unit: '' },
      { name: 'answers', value: first.answered() + second.answered(), unit: '' },
      none('moves that did not end', often.unfinished + large.unfinished),
      none('acknowledged writes lost', afterFirst.lost + afterSecond.lost),
      none('doubled, unpaid or broken', wrongIn(afterFirst) + wrongIn(afterSecond)),
      none('reads that failed (nobody killed)', often.failedReads.length + large.failedReads.length),
      none('tables with old rows', left.length),
      { name: 'pause of writes, median', value: percentile(pauses, 50), unit: 'ms' },
      { name: 'pause of writes, p99', value: p99, unit: 'ms', goal: '≤ 2,000 ms', ok: p99 <= MAX_PAUSE_MS },
      { name: 'pause of writes, large business', value: Math.max(0, ...large.pauses), unit: 'ms' },
      {
        name: 'slowest write of a client (nobody killed)',
        value: Math.max(0, ...often.writeMs, ...large.writeMs),
        unit: 'ms',
      },
      { name: 'a whole move, median', value: percentile(often.seconds, 50), unit: 's' },
      { name: 'a whole move of the large business, longest', value: Math.max(0, ...large.seconds), unit: 's' },
    ]
  } finally {
    await world.end()
  }
}

type World = Awaited<ReturnType<typeof openMovingWorld>>

const wrongIn = ({ doubled, unpaid, violations }: Awaited<ReturnType<World['settle']>>) => doubled + unpaid + violations

/** Two cells, each on a server of its own, and an API and a worker that somebody starts again whenever they end. */
async function openMovingWorld([first, second]: readonly [PrivatePostgres, PrivatePostgres]) {
  const [own, others] = [await first.createDatabases(), await second.createDatabases()]
  const env = { DATABASE_URL: own.env.DATABASE_URL, CELLS: others.env.CELLS }
  const world = await openLoadWorld({ ...own, second: others.second, env })
  const api = supervise(async () => {
    const child = await world.start('api')
    world.listen(child.url)
    return child
  })
  const worker = supervise(() => world.start('worker'))
  await until('both run', () => api.current() && worker.current(), { withinMs: 60_000 })
  return {
    ...world,
    url: () => api.current()?.url ?? '',
    async kill(victim: (typeof VICTIMS)[number]): Promise<void> {
      if (victim === 'worker' || victim === 'api') return { api, worker }[victim].current()?.kill()
      const server = victim === 'PostgreSQL of one cell' ? first : second
      await server.kill()
      await server.start()
    },
    async end(): Promise<void> {
      await Promise.all([api.stop(), worker.stop()])
      await world.close()
    },
  }
}

type Around = { moves: number; isCalm: (move: number) => boolean; maxMs: number; note: Run['note'] }

/** There and back, while the load goes on. */
async function moveAround(world: World, { shop }: MixedLoad, { moves, isCalm, maxMs, note }: Around) {
  const { upTo } = createRandom(Date.now() % 1_000_000)
  const { databases } = world.aside.services
  const probe = await startProbe(world, shop)
  const pauses: number[] = []
  const seconds: number[] = []
  let [kills, unfinished, rows] = [0, 0, 0]
  let refusal = ''
  try {
    for (let move = 1; move <= moves; move++) {
      const to = move % 2 === 1 ? 'main' : 'second'
      probe.isCalm = isCalm(move)
      const since = performance.now()
      await until(
        'a move begins',
        () =>
          startMove(databases, { businessId: shop.id, to, keepSeconds: 1 }).catch((error: Error) => {
            refusal = error.message
          }),
        { withinMs: 60_000, everyMs: 500 },
      ).catch((error: Error) => {
        throw new Error(`${error.message}: ${refusal}`)
      })
      let what = 'nobody was killed'
      if (!probe.isCalm) {
        const victim = VICTIMS[upTo(VICTIMS.length)] ?? 'worker'
        await sleep(upTo(4_000))
        await world.kill(victim)
        kills++
        what = `${victim} was killed`
      }
      const isThere = await until(
        'it has moved',
        async () => (await findMove(databases.control, shop.id).catch(() => undefined))?.finishedAt,
        { withinMs: maxMs, everyMs: 250 },
      ).catch(() => undefined)
      const last = await findMove(databases.control, shop.id)
      if (!isThere) unfinished++
      rows = Math.max(rows, last?.rowsCopied ?? 0)
      if (probe.isCalm && last?.pauseMs != null) pauses.push(last.pauseMs)
      seconds.push((performance.now() - since) / 1000)
      note(
        `move ${move} of ${moves} to ${to}: ${what}; ${last?.step} after ${seconds.at(-1)?.toFixed(1)} s, ` +
          `${last?.rowsCopied} rows, pause ${last?.pauseMs} ms${last?.error ? `, ${last.error}` : ''}`,
      )
      if (!isThere) break
    }
  } finally {
    await probe.stop()
  }
  return { pauses, seconds, kills, unfinished, rows, writeMs: probe.writeMs, failedReads: probe.failedReads }
}

/** Somebody who writes and somebody who reads, all the time: how long the one waits, and whether the other is ever refused. */
async function startProbe({ make, url }: World, shop: MixedLoad['shop']) {
  const written = await make.product(shop)
  const { upTo } = createRandom(1)
  const client = () => createClient(url(), { authorization: `Bearer ${shop.admin.token}` })
  let isOver = false
  const probe = { isCalm: true, writeMs: [] as number[], failedReads: [] as string[], stop }
  async function writeOn(): Promise<void> {
    while (!isOver) {
      const since = performance.now()
      const wasCalm = probe.isCalm
      while (!isOver) {
        const answer = await client()
          .put(written.path, { name: `Name ${upTo(1_000_000)}` })
          .catch(() => undefined)
        if (answer?.status === 200) break
        await sleep(50)
      }
      if (wasCalm && probe.isCalm) probe.writeMs.push(performance.now() - since)
      await sleep(20)
    }
  }
  async function readOn(): Promise<void> {
    while (!isOver) {
      const wasCalm = probe.isCalm
      const answer = await client()
        .get(`${shop.products}?limit=5`)
        .catch((error: Error) => ({ status: 0, text: error.message }))
      if (wasCalm && probe.isCalm && answer.status !== 200) probe.failedReads.push(`${answer.status} ${answer.text}`)
      await sleep(20)
    }
  }
  const running = [writeOn(), readOn()]
  async function stop(): Promise<void> {
    isOver = true
    await Promise.allSettled(running)
  }
  return probe
}

/** Enqueues generated orders, which have no events, for customers and reports. */
async function countFilled({ db, id }: { db: Db; id: string }, orders: number): Promise<void> {
  const topics = ['customers-orders', 'reports-orders']
  for (let after: OrderPlace | undefined = { businessId: id, id: '' }; after; )
    after = await transaction(db, async (tx): Promise<OrderPlace | undefined> => {
      const places = (await listOrdersAfter(tx, after as OrderPlace, 10_000)).filter(
        ({ businessId }) => businessId === id,
      )
      for (const topic of topics) await addFollowed(tx, topic, places)
      return places.at(-1)
    })
  const isCounted = async () => {
    const { rows } = await sql`
      select from cell.followed where business_id = ${id} and topic = any (${topics}::text[]) limit 1`.execute(db)
    return rows.length === 0
  }
  await until('workers have counted the generated orders', isCounted, { withinMs: 120_000 + orders * 20, everyMs: 500 })
}

/** Orders that were filled in have no shipments: none of them says that it has, or waits for one; nor do they hold any stock. */
async function endTrade({ db, id }: { db: Db; id: string }): Promise<void> {
  await sql`
    update orders.orders
       set status = 'DELIVERED', fulfillment = null,
           statuses = json_build_array(json_build_object('id', 'one', 'status', 'DELIVERED', 'changedBy', 'SYSTEM', 'timestamp', 1789000000))
     where business_id = ${id} and (status in ('PENDING', 'PROCESSING', 'SHIPPED') or fulfillment is not null)`.execute(
    db,
  )
  await sql`
    update orders.orders set released_at = updated_at where business_id = ${id} and status = 'CANCELLED'`.execute(db)
}
