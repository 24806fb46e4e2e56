import { FAULT_POINTS, type KillReport, killAt, openKillWorld } from '../../test/scenarios/kill-orders.ts'
import { percentile, type Run } from '../report/figures.ts'

export const title = 'API and worker killed at every step of checkout, payment, expiry, cancelling and refunds'

export async function run({ quick, note }: Run) {
  const reports: KillReport[] = []
  let world = await openKillWorld()
  for (const point of FAULT_POINTS) {
    for (const which of quick ? (['first'] as const) : (['first', 'second'] as const)) {
      const report = await killAt(world, point, which)
      reports.push(report)
      note(`${report.point}: ${report.problems.join('; ') || `right after ${report.healedSeconds.toFixed(1)} s`}`)
      if (report.problems.length === 0) continue
      await world.close() // what is wrong there would be found again and again
      world = await openKillWorld()
    }
  }
  await world.close()
  const wrong = reports.filter(({ problems }) => problems.length > 0).length
  const healed = reports.map(({ healedSeconds }) => healedSeconds)
  return {
    figures: [
      { name: 'places', value: FAULT_POINTS.length, unit: '' },
      { name: 'kills', value: reports.length, unit: '' },
      { name: 'kills after which something was wrong', value: wrong, unit: '', goal: '0', ok: wrong === 0 },
      { name: 'all is right again after, median', value: percentile(healed, 50), unit: 's' },
      {
        name: 'all is right again after, longest',
        value: percentile(healed, 100),
        unit: 's',
        goal: '≤ 15 s',
        ok: percentile(healed, 100) <= 15,
      },
    ],
  }
}
