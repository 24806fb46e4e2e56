import { openBalancer } from '../../test/scenarios/balancer.ts'
import { openLoadWorld } from '../../test/scenarios/load-world.ts'
import { startMixedLoad } from '../../test/scenarios/mixed-load.ts'
import type { Child } from '../../test/support/child.ts'
import { until } from '../../test/support/until.ts'
import { none, percentile, type Run } from '../report/figures.ts'

export const title = 'Rolling restarts behind a balancer, under load: nobody notices'

const CLIENTS = 6
const WORKER_EVERY = 5

export async function run({ quick, note }: Run) {
  const restarts = quick ? 5 : 50
  const world = await openLoadWorld()
  const balancer = await openBalancer()
  try {
    const nodes: Child[] = [await world.start('api'), await world.start('api')]
    let worker = await world.start('worker')
    for (const { url } of nodes) balancer.add(url)
    world.listen(balancer.url)
    await until('both are ready', () => balancer.ready() === nodes.length, { withinMs: 30_000 })
    const load = await startMixedLoad({ ...world, url: () => balancer.url, clients: CLIENTS, isStrict: true })

    const stopSeconds: number[] = []
    let unclean = 0
    const stop = async (child: Child) => {
      const start = performance.now()
      const { code } = await child.stop()
      stopSeconds.push((performance.now() - start) / 1000)
      if (code !== 0) unclean++
    }
    for (let turn = 0; turn < restarts; turn++) {
      const place = turn % nodes.length
      const old = nodes[place] as Child
      await stop(old)
      balancer.remove(old.url)
      const fresh = await world.start('api')
      nodes[place] = fresh
      balancer.add(fresh.url)
      await until('the new one is ready', () => balancer.ready() === nodes.length, { withinMs: 30_000 })
      if (turn % WORKER_EVERY === WORKER_EVERY - 1) {
        await stop(worker)
        worker = await world.start('worker')
      }
      note(`restart ${turn + 1} of ${restarts}: ${load.answered()} requests answered, ${load.failures.length} failed`)
    }
    const { unpaid, lost, doubled, violations } = await world.settle(load, note, { withinMs: 60_000 })
    const failed = load.failures.length
    const wrong = unpaid + lost + doubled + violations
    return {
      figures: [
        { name: 'restarts of an API process', value: restarts, unit: '' },
        { name: 'requests', value: load.answered() + failed, unit: '' },
        none('failed requests', failed),
        none('lost, doubled, unpaid, or rules broken', wrong),
        none('processes that did not end well', unclean),
        { name: 'connections refused, sent elsewhere', value: balancer.retried(), unit: '' },
        { name: 'stopping takes, longest', value: Math.max(...stopSeconds), unit: 's' },
        { name: 'answers, 99 %', value: percentile(load.seconds, 99), unit: 's' },
        { name: 'answers, longest', value: Math.max(...load.seconds), unit: 's' },
      ],
      charts: [
        {
          title: 'How long a process takes to stop, one after another',
          unit: 's',
          x: 'stop',
          lines: [{ label: 'until it has ended', points: stopSeconds.map((value, index) => [index + 1, value]) }],
        },
      ],
    }
  } finally {
    await balancer.close()
    await world.close()
  }
}
