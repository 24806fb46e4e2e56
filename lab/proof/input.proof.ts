import { fuzz } from '../../test/scenarios/fuzz.ts'
import type { Run } from '../report/figures.ts'

export const title = 'Does any input, however odd, bring out an error of ours or an answer that is not documented?'

const SEED = 20_261
const MAX_SECONDS = 10

/** Requests made from /openapi.json over every operation, as everybody who may come, to the API in a process of its own. */
export async function run({ quick, note }: Run) {
  const seed = Number(process.env.SEED ?? SEED)
  const count = Number(process.env.REQUESTS ?? (quick ? 3_000 : 50_000))
  note(`seed ${seed}`)
  const found = await fuzz({ count, seed, note })
  const { findings, slowest, statuses, done, operations } = found
  const kinds = new Set(findings.map(({ operation, what }) => `${operation}: ${what}`))
  const failed = findings.filter(({ what }) => what.startsWith('5')).length
  const hung = findings.filter(({ what }) => /no answer|took more/.test(what)).length
  const broken = findings.length - failed - hung
  const untouched = operations.filter((id) => !done.has(id))
  if (untouched.length > 0) note(`never answered with success: ${untouched.join(', ')}`)
  const none = { unit: '', goal: '0' }
  return {
    figures: [
      { name: 'requests', value: found.sent, unit: '', note: `seed ${seed}` },
      { name: 'operations', value: operations.length, unit: '' },
      { name: 'operations that were answered with success', value: operations.length - untouched.length, unit: '' },
      { name: 'requests sent as they are meant', value: found.plain, unit: '' },
      { name: 'of these, answered with success', value: found.plainDone, unit: '' },
      { name: 'failed with an error of ours (5xx)', value: failed, ...none, ok: failed === 0 },
      { name: 'hung', value: hung, ...none, ok: hung === 0 },
      { name: 'answered otherwise than documented', value: broken, ...none, ok: broken === 0 },
      { name: 'kinds of findings', value: kinds.size, unit: '' },
      {
        name: 'slowest answer',
        value: (slowest[0]?.ms ?? 0) / 1_000,
        unit: 's',
        goal: `≤ ${MAX_SECONDS} s`,
        ok: (slowest[0]?.ms ?? 0) <= MAX_SECONDS * 1_000,
      },
      { name: 'delay of the event loop, p99', value: found.loopDelayMs.p99, unit: 'ms' },
      { name: 'delay of the event loop, longest', value: found.loopDelayMs.max, unit: 'ms' },
      { name: 'errors in the log', value: found.loud, ...none, ok: found.loud === 0 },
      {
        name: 'alive afterwards, nothing unhandled',
        value: Number(found.isAlive && !found.unhandled),
        unit: '',
        goal: '1',
        ok: found.isAlive && !found.unhandled,
      },
    ],
    tables: [
      {
        title: 'Answers by status',
        columns: ['status', 'answers'],
        rows: [...statuses]
          .sort(([a], [b]) => a - b)
          .map(([status, number]) => [String(status), number.toLocaleString('en')]),
      },
      { title: 'The slowest', columns: ['request', 'ms'], rows: slowest.map(({ ms, what }) => [what, ms.toFixed(0)]) },
    ],
  }
}
