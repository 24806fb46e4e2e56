import { setTimeout as sleep } from 'node:timers/promises'
import { openLoadWorld } from '../../test/scenarios/load-world.ts'
import { startMixedLoad } from '../../test/scenarios/mixed-load.ts'
import type { Child } from '../../test/support/child.ts'
import { createRandom } from '../../test/support/shop.ts'
import { until } from '../../test/support/until.ts'
import { none, percentile, type Run } from '../report/figures.ts'

export const title =
  'API and worker processes killed at random under mixed load: nothing acknowledged is lost or doubled'

const CLIENTS = 6
const PLACES = ['api', 'api', 'worker', 'worker'] as const
const MIN_ALIVE = 3

export async function run({ quick, note }: Run) {
  const kills = quick ? 10 : 200
  const { upTo, pick } = createRandom(Date.now() % 1_000_000)
  const world = await openLoadWorld()
  try {
    const running: (Child | undefined)[] = await Promise.all(PLACES.map((app) => world.start(app)))
    let urls = running.slice(0, 2).map((child) => child?.url ?? '')
    world.listen(urls[0] ?? '')
    const load = await startMixedLoad({ ...world, url: () => pick(...urls), clients: CLIENTS })

    // Where all are down most of the time, little is acknowledged that could be lost.
    const choose = () => {
      const alive = [...running.keys()].filter((at) => running[at])
      return alive.length >= MIN_ALIVE ? { place: pick(...alive) } : undefined
    }
    const restarts: Promise<void>[] = []
    const restart = async (place: number) => {
      const child = await world.start(PLACES[place] as 'api' | 'worker')
      running[place] = child
      if (place > 1) return
      urls = urls.with(place, child.url)
      world.listen(child.url)
    }
    for (let kill = 1; kill <= kills; kill++) {
      await sleep(300 + upTo(2_000))
      const { place } = await until('enough of them live', choose, { withinMs: 60_000 })
      await running[place]?.kill()
      running[place] = undefined
      restarts.push(restart(place))
      if (kill % 10 === 0) {
        note(`${kill} of ${kills} killed: ${load.answered()} answers, ${load.repeated()} requests sent again`)
      }
    }
    await Promise.all(restarts)
    const { seconds, unpaid, lost, doubled, violations } = await world.settle(load, note)
    return {
      figures: [
        { name: 'kills', value: kills, unit: '' },
        { name: 'answers', value: load.answered(), unit: '' },
        { name: 'acknowledged writes that were compared', value: load.writes(), unit: '' },
        { name: 'requests sent again', value: load.repeated(), unit: '' },
        none('requests refused, or never answered', load.failures.length),
        none('acknowledged and lost', lost),
        none('doubled', doubled),
        none('paid, and not known to be', unpaid),
        none('rules broken in the end', violations),
        { name: 'all payments known after', value: seconds, unit: 's' },
        { name: 'answers, 99 %', value: percentile(load.seconds, 99), unit: 's' },
      ],
    }
  } finally {
    await world.close()
  }
}
