import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Load, LoadReport } from '../../test/scenarios/load-child.ts'
import { FORMER_WAYS, withPreviousVersion } from '../../test/scenarios/previous-version.ts'
import { type Child, startChild } from '../../test/support/child.ts'
import { onServer } from '../../test/support/database.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi, type TestApi } from '../../test/support/start-api.ts'
import { type Figure, median, type Outcome, type Run } from '../report/figures.ts'
import { fill } from './checkout.bench.ts'
import { bestFigures, clientTable, KONTOR, load, ratio, takeTurns } from './support.ts'

export const title = 'This version against an earlier one, in turn'

const BEFORE = 'before'
const CLIENTS = 16
const GOAL = 0.97

export async function run(options: Run): Promise<Outcome> {
  const { PREVIOUS } = process.env
  if (!PREVIOUS) {
    const note = 'PREVIOUS names no commit to compare with'
    options.note(`not measured: ${note}, for example PREVIOUS=HEAD~5; it must have the baseline migrations`)
    return { figures: [{ name: 'checkout', value: null, unit: '', note }] }
  }
  return withPreviousVersion(PREVIOUS, async ({ root, databases }) => {
    const then = await startSide(await startApi({ databases }), FORMER_WAYS, root)
    const now = await startSide(await startApi())
    try {
      return await compare(then, now, options)
    } finally {
      await Promise.all([then.close(), now.close()])
    }
  })
}

type Side = Awaited<ReturnType<typeof startSide>>

/** A process of that version, with a shop that was made through it. */
async function startSide(aside: TestApi, ways?: typeof FORMER_WAYS, root?: string) {
  const env = aside.databases.env
  const measured: Child = await startChild('api', env, root === undefined ? {} : { root })
  const make = createMake({ url: measured.url, services: aside.services }, ways)
  const shop = await fill(make)
  const tokens: string[] = []
  for (let count = 0; count < CLIENTS; count++) tokens.push((await make.guest()).token)
  await onServer((client) => client.query('analyze'), aside.databases.main.url)
  const loader = fork(path.join(import.meta.dirname, '../../test/scenarios/load-child.ts'))
  const product = `${shop.products}/${shop.variants[0]?.productId}`
  const headers = { authorization: `Bearer ${tokens[0]}` }
  const read = (address: string) => (clients: number, seconds: number) =>
    load({ url: measured.url, requests: [{ method: 'GET', path: address }], headers, clients, seconds })
  return {
    async buy(clients: number, seconds: number): Promise<number> {
      const { path: shopPath, variants } = shop
      const wanted: Load = { path: shopPath, variants, url: measured.url, tokens, clients, ms: seconds * 1000 }
      loader.send(wanted)
      const [{ perSecond, refusals }] = (await once(loader, 'message')) as [LoadReport]
      if (Object.keys(refusals).length > 0) throw new Error(JSON.stringify(refusals))
      return perSecond
    },
    readOne: read(product),
    list: read(`${shop.products}?limit=20`),
    /** Of the process and of the connections to its databases, so far. What else the machine does is not in it. */
    async processorMs(): Promise<number> {
      const { main, second } = aside.databases
      const pids = await onServer(async (client) => {
        const { rows } = await client.query<{ pid: number }>(
          'select pid from pg_stat_activity where datname = any ($1)',
          [[main.name, second.name]],
        )
        return rows.map(({ pid }) => pid)
      })
      return [...pids, measured.process.pid ?? 0].reduce((sum, pid) => sum + processorMs(pid), 0)
    },
    /** As a worker would keep them: in long queues, all that is added takes longer. */
    empty: () =>
      onServer(
        (client) => client.query('truncate graphile_worker._private_jobs, cell.event_outbox'),
        aside.databases.main.url,
      ),
    async close(): Promise<void> {
      loader.disconnect()
      await measured.kill()
      await aside.close()
    },
  }
}

/** Both are counted in hundredths of a second. A connection may have closed meanwhile. */
function processorMs(pid: number): number {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? []
    return 10 * (Number(user) + Number(system))
  } catch {
    return 0
  }
}

/** Notes what each answer costs, beside how many there are in a second. */
function weigh() {
  const costs = new Map<string, number[]>()
  const weighed = (what: string, who: string, side: Side, measure: Side['buy']) => {
    const spent: number[] = []
    costs.set(`${what}/${who}`, spent)
    return async (clients: number, seconds: number) => {
      const before = await side.processorMs()
      const rate = await measure(clients, seconds)
      spent.push(((await side.processorMs()) - before) / (rate * seconds))
      return rate
    }
  }
  const costOf = (what: string, who: string) => costs.get(`${what}/${who}`)?.slice(1) ?? [] // the first was warming up
  return { weighed, costOf }
}

async function compare(then: Side, now: Side, options: Run): Promise<Outcome> {
  const { weighed, costOf } = weigh()
  const turns = (what: string, measureOf: (side: Side) => Side['buy']) => ({
    [KONTOR]: weighed(what, KONTOR, now, measureOf(now)),
    [BEFORE]: weighed(what, BEFORE, then, measureOf(then)),
  })
  const contest = {
    checkout: turns('checkout', ({ buy }) => buy),
    'one product': turns('one product', ({ readOne }) => readOne),
    'list 20': turns('list 20', ({ list }) => list),
  }
  const rates = await takeTurns(contest, {
    ...options,
    clients: [CLIENTS],
    seconds: 4,
    rounds: 12,
    reset: async () => {
      await Promise.all([then.empty(), now.empty()])
    },
  })
  const costs = Object.keys(contest).map((what): Figure => {
    const [mine, theirs] = [median(costOf(what, KONTOR)), median(costOf(what, BEFORE))]
    const note = `${mine.toFixed(3)} ms of processor, ${theirs.toFixed(3)} before`
    return { name: `${what}: cost before / Kontor`, value: theirs / mine, unit: '×', note }
  })
  return {
    figures: [
      ...Object.keys(contest).map((what) => ratio(rates, what, BEFORE, GOAL)),
      ...costs,
      ...bestFigures(rates, 'a second'),
    ],
    tables: [clientTable(rates, 'a second')],
  }
}
