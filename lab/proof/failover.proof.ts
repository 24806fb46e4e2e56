import { failOver } from '../../test/scenarios/failover.ts'
import { none, type Run } from '../report/figures.ts'

export const title =
  'The address of a cell leads to a standby for a while: refused as it should be, and good soon after'

export async function run({ quick, note }: Run) {
  const { calls, readOnlySeconds, writableSeconds, upSeconds, isWorkerAlive } = await failOver(
    quick
      ? { callers: 8, beforeMs: 2_000, standbyMs: 6_000, afterMs: 3_000 }
      : { callers: 8, beforeMs: 5_000, standbyMs: 20_000, afterMs: 10_000 },
  )
  const kinds = Map.groupBy(
    calls,
    ({ phase, cell, isWrite, answer }) => `${phase}, ${cell}, ${isWrite ? 'write' : 'read'}: ${answer.status}`,
  )
  for (const [kind, { length }] of kinds) note(`${kind} × ${length}`)
  note(
    `/readyz said read-only after ${readOnlySeconds.toFixed(1)} s, up ${upSeconds.toFixed(1)} s after the first write`,
  )

  const count = (matches: RegExp) =>
    [...kinds].filter(([kind]) => matches.test(kind)).reduce((sum, [, { length }]) => sum + length, 0)
  return {
    figures: [
      none('answers that were 500', count(/: 500$/)),
      {
        name: 'refused while it was a standby',
        value: count(/^(switching|standby), second.*503$/),
        unit: `of ${count(/^(switching|standby), second/)}`,
      },
      none('not rejected once reported as read-only', count(/^standby, second.*: (?!503$)/)),
      { ...none('lost in the other cell', count(/, main.*: [45]/)), unit: `of ${count(/, main/)}` },
      { name: 'writes are good after', value: writableSeconds, unit: 's', goal: '≤ 2', ok: writableSeconds <= 2 },
      { ...none('refused after that', count(/^after, second.*: [45]/)), unit: `of ${count(/^after, second/)}` },
      none('worker that ended', isWorkerAlive ? 0 : 1),
    ],
  }
}
