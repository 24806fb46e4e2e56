import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Load, LoadReport } from '../../test/scenarios/load-child.ts'
import { FORMER_WAYS, withPreviousVersion } from '../../test/scenarios/previous-version.ts'
import { type Child, startChild } from '../../test/support/child.ts'
import { onServer } from '../../test/support/database.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi, type TestApi } from '../../test/support/start-api.ts'
import type { Outcome, Run } from '../report/figures.ts'
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
    options.note(`not measured: ${note}, for example PREVIOUS=HEAD~20`)
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

async function compare(then: Side, now: Side, options: Run): Promise<Outcome> {
  const contest = {
    checkout: { [KONTOR]: now.buy, [BEFORE]: then.buy },
    'one product': { [KONTOR]: now.readOne, [BEFORE]: then.readOne },
    'list 20': { [KONTOR]: now.list, [BEFORE]: then.list },
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
  return {
    figures: [
      ...Object.keys(contest).map((what) => ratio(rates, what, BEFORE, GOAL)),
      ...bestFigures(rates, 'a second'),
    ],
    tables: [clientTable(rates, 'a second')],
  }
}
