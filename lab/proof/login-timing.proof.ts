import { failLogins } from '../../test/scenarios/fail-logins.ts'
import { startWorld } from '../../test/support/world.ts'
import { median, type Run } from '../report/figures.ts'

export const title = 'Does the time of a failed login tell who has an account?'

export async function run({ quick, note }: Run) {
  const rounds = quick ? 60 : 300
  const world = await startWorld()
  try {
    const cost = await failLogins(world, { rounds, note })
    const [known, unknown] = [median(cost.known.ms), median(cost.unknown.ms)]
    const difference = (100 * Math.abs(known - unknown)) / known
    return {
      figures: [
        { name: 'tries of each', value: rounds, unit: '' },
        { name: 'known address, median', value: known, unit: 'ms' },
        { name: 'unknown address, median', value: unknown, unit: 'ms' },
        { name: 'difference of the medians', value: difference, unit: '%', goal: '< 5 %', ok: difference < 5 },
      ],
    }
  } finally {
    await world.close()
  }
}
