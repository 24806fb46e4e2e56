import { runModel } from '../../test/scenarios/model/runs.ts'
import type { Run } from '../report/figures.ts'

export const title = 'Shops used at random, with faults, beside a simple model of them'

export async function run({ quick, note }: Run) {
  const started = performance.now()
  const result = await runModel({ runs: quick ? 20 : 200, maxCommands: 130, seed: 7, note })
  const { runs, commands, orders, met, failure, disagreeing } = result
  if (failure) note(failure)
  const troubles = [...met.values()].reduce((sum, times) => sum + times, 0)
  const none = (name: string, value: number) => ({ name, value, unit: '', goal: '0', ok: value === 0 })
  const enough = (name: string, value: number, least: number) => ({
    name,
    value,
    unit: '',
    goal: `≥ ${least}`,
    ok: value >= least,
  })
  return {
    figures: [
      enough('runs', runs, quick ? 20 : 200),
      enough('commands in a run, on average', commands / runs, quick ? 40 : 50),
      { name: 'commands', value: commands, unit: '' },
      { name: 'orders', value: orders, unit: '' },
      { name: 'faults and lost answers that were met', value: troubles, unit: '' },
      none('runs that went another way than the model, or broke a rule', failure === undefined ? 0 : 1),
      none('payments of which the provider says something else', disagreeing),
      { name: 'took', value: (performance.now() - started) / 1_000, unit: 's' },
    ],
    tables: [
      {
        title: 'Where things went wrong on purpose',
        columns: ['place', 'times'],
        rows: [...met].sort(([, a], [, b]) => b - a).map(([name, times]) => [name, String(times)]),
      },
    ],
  }
}
