import { raceExpiry } from '../../test/scenarios/expiry-race.ts'
import { startWorld } from '../../test/support/world.ts'
import type { Run } from '../report/figures.ts'

export const title = 'A payment against the expiry of its order, within 50 ms'

export async function run({ quick, note }: Run) {
  const races = quick ? 30 : 300
  const service = await startWorld({ providers: ['stripe'] })
  try {
    const { paid, released, refunded, wrong } = await raceExpiry(service, { races })
    for (const text of wrong.slice(0, 20)) note(text)
    return {
      figures: [
        { name: 'races', value: races, unit: '' },
        { name: 'paid, stock held', value: paid, unit: '', ok: paid > 0 },
        { name: 'released, nothing paid', value: released, unit: '', ok: released > 0 },
        { name: 'released, money refunded', value: refunded, unit: '' },
        { name: 'anything else', value: wrong.length, unit: '', goal: '0', ok: wrong.length === 0 },
      ],
    }
  } finally {
    await service.close()
  }
}
