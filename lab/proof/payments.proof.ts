import { brewStorm } from '../../test/scenarios/payment-storm.ts'
import { none, type Run } from '../report/figures.ts'

export const title = 'Payments whose events are shuffled, repeated, delayed, lost and forged'

export async function run({ quick, note }: Run) {
  const storm = await brewStorm({ orders: quick ? 100 : 1_000, seed: 7, note })
  for (const text of [...storm.wrongInTheEnd, ...storm.unfair, ...storm.faults].slice(0, 20)) note(text)
  for (const [text, times] of Object.entries(storm.warnings)) note(`warned ${times} times: ${text}`)
  return {
    figures: [
      { name: 'orders', value: storm.orders, unit: '' },
      { name: 'deliveries', value: storm.deliveries, unit: '' },
      { name: 'of these lost on the way', value: storm.lost, unit: '' },
      { name: 'of these not taken at first (503 or no answer)', value: storm.notTaken, unit: '' },
      { name: 'forged events', value: storm.forged, unit: '' },
      none('forged events taken', storm.forgedTaken),
      { name: 'orders that events alone left behind', value: storm.wrongAfterEvents, unit: '' },
      none('orders wrong after reconciliation', storm.wrongAfterReconciliation),
      none('refunds made at the provider and never learned of', storm.refundsUnlearned),
      none('orders wrong in the end', storm.wrongInTheEnd.length),
      none('effects missing or repeated, stock that is not its ledger', storm.unfair.length),
      none('errors logged', storm.faults.length),
      { name: 'took', value: storm.seconds, unit: 's' },
    ],
  }
}
