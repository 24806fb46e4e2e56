import { racePrices } from '../../test/scenarios/price-writers.ts'
import { startChild } from '../../test/support/child.ts'
import { createMake } from '../../test/support/make.ts'
import { startApi } from '../../test/support/start-api.ts'
import { none, type Run } from '../report/figures.ts'

export const title = 'Five hundred writers of single prices, editors with old copies of whole products, and buyers'

/** Two API processes on the same databases. */
export async function run({ quick, note }: Run) {
  const api = await startApi() // to prepare and to look, not to race
  const make = createMake(api)
  const children = [await startChild('api', api.databases.env), await startChild('api', api.databases.env)]
  try {
    const size = quick
      ? { writers: 100, writes: 2, checkouts: 200, editors: 4 }
      : { writers: 500, writes: 4, checkouts: 2_000, editors: 8 }
    const race = await racePrices({ make, urls: children.map(({ url }) => url) }, size)
    for (const words of [...race.failures, ...race.lost, ...race.violations].slice(0, 20)) note(words)
    note(JSON.stringify(race.refusals))
    return {
      figures: [
        { name: 'writers', value: size.writers, unit: '' },
        { name: 'prices and variants written', value: race.writes, unit: '' },
        { name: 'checkouts', value: size.checkouts, unit: '' },
        { name: 'told that they have bought', value: race.sold, unit: '' },
        { name: 'orders', value: race.ordered, unit: '' },
        { name: 'whole products saved by editors', value: race.stale.saved, unit: '' },
        { name: 'refused, because their copy was old', value: race.stale.refused, unit: '' },
        none('writes that failed', race.failures.length),
        none('acknowledged prices and names that are not there', race.lost.length),
        none('pieces lost or gained', Math.abs(race.missingPieces)),
        none('rules broken', race.violations.length),
      ],
    }
  } finally {
    await Promise.all(children.map((child) => child.kill()))
    await api.close()
  }
}
