import fc from 'fast-check'
import { forEachLimit } from '#platform/for-each-limit.ts'
import { countWhileItSells, waves } from '../../test/scenarios/stocktakes.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { openStockDesk } from '../../test/support/stock-desk.ts'
import { type Figure, none, type Run } from '../report/figures.ts'

export const title = 'Is a piece lost or made when three people count what sells, is sent and cancelled?'

const SEED = 20_263
/** Each in a business of its own, in the same cell: the worker's rounds meet all of them. */
const AT_ONCE = 4

export async function run({ quick, note }: Run) {
  const api = await startApi()
  const make = createMake(api)
  const plans = fc.sample(waves, { numRuns: quick ? 50 : 1_000, seed: SEED })
  const sums = { sold: 0, shipped: 0, cancelled: 0, counts: 0, refused: 0 }
  let wrong = 0
  try {
    await forEachLimit(AT_ONCE, plans, async (plan) => {
      const { problems, tally } = await countWhileItSells(await openStockDesk(api, make), plan)
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += tally[name]
      if (problems.length === 0) return
      wrong++
      note(`${JSON.stringify(plan)}: ${problems.join('; ')}`)
    })
  } finally {
    await api.close()
  }
  const happened = (name: string, value: number): Figure => ({ name, value, unit: '', goal: '> 0', ok: value > 0 })
  return {
    figures: [
      happened('interleavings', plans.length),
      happened('pieces sold', sums.sold),
      happened('pieces sent', sums.shipped),
      happened('orders cancelled', sums.cancelled),
      happened('counts brought in', sums.counts),
      happened('counts refused, because another one or a sale came first', sums.refused),
      none('interleavings in which a piece was lost or made', wrong),
    ],
  }
}
