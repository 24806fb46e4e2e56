import { smuggle } from '../../test/scenarios/smuggle.ts'
import type { Run } from '../report/figures.ts'

export const title = 'Does a write change anything but what it is for?'

const QUICK = ['updateProduct', 'createOrder', 'updateOrder', 'updateEntry', 'updateRole', 'updateBusiness', 'updateMe']

/** Every write with every field there is, and with the names of columns; then all rows of all tables are compared. */
export async function run({ quick, note }: Run) {
  const found = await smuggle({ note, ...(quick ? { only: QUICK } : {}) })
  for (const finding of found.findings.slice(0, 60)) note(finding)
  note(`not tried, because they need what only a mail or a provider has: ${found.uncovered.join(', ')}`)
  return {
    figures: [
      { name: 'operations', value: found.operations, unit: '' },
      { name: 'operations not tried', value: found.uncovered.length, unit: '', note: found.uncovered.join(', ') },
      { name: 'names of fields and columns tried', value: found.names, unit: '' },
      { name: 'requests', value: found.requests, unit: '' },
      { name: 'of these, accepted', value: found.accepted, unit: '' },
      { name: 'rows seen to change', value: found.changed, unit: '' },
      { name: 'findings', value: found.findings.length, unit: '', goal: '0', ok: found.findings.length === 0 },
    ],
  }
}
