import { killWorkers } from '../../test/scenarios/kill-workers.ts'
import { type Chart, type Figure, percentile, type Run } from '../report/figures.ts'

export const title = 'Workers killed in mid-job'

/** With a survivor, as in production, and without one: then the new process has to find out what the dead one left behind. */
export async function run({ quick, note }: Run) {
  const figures: Figure[] = []
  const lines: { label: string; points: [number, number][] }[] = []
  for (const { workers, kills } of [
    { workers: 2, kills: quick ? 8 : 80 },
    { workers: 1, kills: quick ? 2 : 20 },
  ]) {
    const name = (text: string) => `${workers === 1 ? 'one worker' : 'two workers'}: ${text}`
    const { jobs, killedRuns, lost, repeated, overlapping, restartSeconds } = await killWorkers({
      kills,
      workers,
      note,
    })
    const p99 = percentile(restartSeconds, 99)
    const sorted = restartSeconds.toSorted((a, b) => a - b)
    const toPercent = (index: number) => (100 * (index + 1)) / sorted.length
    lines.push({ label: name('killed'), points: sorted.map((value, index) => [toPercent(index), value]) })
    figures.push(
      { name: name('kills'), value: kills, unit: '' },
      { name: name('jobs'), value: jobs, unit: '' },
      { name: name('jobs killed in the middle'), value: killedRuns, unit: '' },
      { name: name('jobs lost'), value: lost.length, unit: '', goal: '0', ok: lost.length === 0 },
      // Killed between its own commit and the queue's note of it, a job runs twice: that is why jobs look at the state first.
      { name: name('jobs run again though finished'), value: repeated.length, unit: '' },
      {
        name: name('jobs run twice at once'),
        value: overlapping.length,
        unit: '',
        goal: '0',
        ok: overlapping.length === 0,
      },
      { name: name('started again after, median'), value: percentile(restartSeconds, 50), unit: 's' },
      { name: name('started again after, p99'), value: p99, unit: 's', goal: '≤ 10 s', ok: p99 <= 10 },
      { name: name('started again after, longest'), value: percentile(restartSeconds, 100), unit: 's' },
    )
  }
  const chart: Chart = { title: 'A killed job is started again after', unit: 's', goal: 10, x: '% of the jobs', lines }
  return { figures, charts: [chart] }
}
