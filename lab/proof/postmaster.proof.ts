import { setTimeout as sleep } from 'node:timers/promises'
import { openLoadWorld } from '../../test/scenarios/load-world.ts'
import { startMixedLoad } from '../../test/scenarios/mixed-load.ts'
import { openPrivatePostgres, type PrivatePostgres } from '../../test/scenarios/private-postgres.ts'
import { supervise } from '../../test/scenarios/supervise.ts'
import { createClient } from '../../test/support/client.ts'
import { createRandom } from '../../test/support/shop.ts'
import { until } from '../../test/support/until.ts'
import { none, percentile, type Run } from '../report/figures.ts'

export const title =
  'PostgreSQL killed again and again under load: nothing acknowledged is lost, and the service comes back'

const CLIENTS = 4
const MAX_BACK_SECONDS = 10

export async function run(options: Run) {
  const postgres = await openPrivatePostgres()
  try {
    return await killMany(postgres, options)
  } finally {
    await postgres.close()
  }
}

const toPoint = (value: number, index: number): [number, number] => [index + 1, value]

async function killMany(postgres: PrivatePostgres, { quick, note }: Run) {
  const kills = quick ? 3 : 20
  const { upTo } = createRandom(Date.now() % 1_000_000)
  const world = await openLoadWorld(await postgres.createDatabases())
  const worker = supervise(() => world.start('worker'))
  try {
    const api = await world.start('api')
    world.listen(api.url)
    const load = await startMixedLoad({ ...world, url: () => api.url, clients: CLIENTS })
    const probe = createClient(api.url, { authorization: `Bearer ${load.shop.admin.token}` })
    const isBack = async () => {
      const write = probe.put(load.shop.path, { name: `Shop ${upTo(1_000_000)}` })
      const answers = await Promise.all([write, probe.get('/readyz')]).catch(() => [])
      return answers.length === 2 && answers.every(({ status }) => status === 200)
    }

    const backSeconds: number[] = []
    const databaseSeconds: number[] = []
    for (let kill = 1; kill <= kills; kill++) {
      await sleep(1_000 + upTo(3_000))
      const killed = performance.now()
      await postgres.kill()
      await postgres.start()
      const up = performance.now()
      databaseSeconds.push((up - killed) / 1000)
      await until('the service answers', isBack, { withinMs: 60_000, everyMs: 50 }).catch(() =>
        note('it does not answer'),
      )
      backSeconds.push((performance.now() - up) / 1000)
      note(
        `kill ${kill} of ${kills}: the database is back after ${databaseSeconds.at(-1)?.toFixed(1)} s, ` +
          `the service ${backSeconds.at(-1)?.toFixed(1)} s later; ${load.answered()} answers`,
      )
    }
    const { lost, doubled, unpaid, violations } = await world.settle(load, note)
    const isAlive = api.process.exitCode === null && api.process.signalCode === null
    const wrong = doubled + unpaid + violations
    const longest = Math.max(...backSeconds)
    return {
      figures: [
        { name: 'kills', value: kills, unit: '' },
        { name: 'answers', value: load.answered(), unit: '' },
        { name: 'acknowledged writes that were compared', value: load.writes(), unit: '' },
        { name: 'requests sent again', value: load.repeated(), unit: '' },
        none('acknowledged and lost', lost),
        none('doubled, not known to be paid, or rules broken', wrong),
        {
          name: 'requests refused, or never answered',
          value: load.failures.length,
          unit: '',
          goal: '0',
          ok: load.failures.length === 0,
        },
        { name: 'the API ended', value: isAlive ? 0 : 1, unit: '', goal: '0', ok: isAlive },
        { name: 'the worker ended itself and was started again', value: worker.exits(), unit: '' },
        { name: 'database back after a kill, longest', value: Math.max(...databaseSeconds), unit: 's' },
        { name: 'service well after the database, median', value: percentile(backSeconds, 50), unit: 's' },
        {
          name: 'service well after the database, longest',
          value: longest,
          unit: 's',
          goal: '≤ 10 s',
          ok: longest <= MAX_BACK_SECONDS,
        },
      ],
      charts: [
        {
          title: 'Kill after kill: until PostgreSQL is back, and from then on until the service is well',
          unit: 's',
          goal: MAX_BACK_SECONDS,
          x: 'kill',
          lines: [
            { label: 'PostgreSQL', points: databaseSeconds.map(toPoint) },
            { label: 'service', points: backSeconds.map(toPoint) },
          ],
        },
      ],
    }
  } finally {
    await worker.stop()
    await world.close()
  }
}
