import { workOverFlakyLine } from '../../test/scenarios/flaky-desk.ts'
import { launchBrowser } from '../../test/support/browser.ts'
import { none, type Run } from '../report/figures.ts'

export const title = 'Does the dashboard do each thing once over a line that loses three answers in ten?'

const SEED = 20_261
const ACTIONS = Number(process.env.ACTIONS ?? 200)

/** People at the dashboard, through a line that loses answers and is gone for five seconds at a time; then the service is asked what it has. */
export async function run({ quick, note }: Run) {
  const browser = await launchBrowser()
  try {
    const outcome = await workOverFlakyLine({
      browser,
      actions: quick ? 24 : ACTIONS,
      people: quick ? 2 : 4,
      seed: SEED,
      note,
    })
    const { line, doubled, lost, falselySaid, refused, complaints } = outcome
    note(JSON.stringify(outcome.kinds))
    for (const words of [...doubled, ...lost, ...falselySaid, ...refused, ...complaints]) note(words)
    return {
      figures: [
        { name: 'actions', value: outcome.actions, unit: '' },
        { name: 'requests of the pages', value: line.asked, unit: '' },
        { name: 'lost before the service heard of them', value: line.lostBefore, unit: '' },
        { name: 'answers lost after the work was done', value: line.lostAfter, unit: '' },
        { name: 'gaps of 5 s', value: line.gaps, unit: '' },
        { name: 'pages loaded anew before the answer', value: outcome.reloads, unit: '' },
        { name: 'waited for until the screen said done', value: outcome.saidDone, unit: '' },
        none('doubled', doubled.length),
        none('lost', lost.length),
        none('said to be done, and were not', falselySaid.length),
        none('refused', refused.length),
        none('could not be begun: the page did not come', outcome.unbegun.length),
        none('complaints of the pages', complaints.length),
      ],
    }
  } finally {
    await browser.close()
  }
}
