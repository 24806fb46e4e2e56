import { DAY_MS } from '#demo/time.ts'
import { createPromo, findPromo, type NewPromoCode } from '#modules/catalog/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Demo } from './demo.ts'
import type { OnProgress, Outcome } from './make-demo.ts'
import { inThePast } from './past.ts'

/** A promo code for the plan of the orders. Days are relative to the creation of the business. */
export type DemoPromo = NewPromoCode & { fromDay: number; toDay?: number }

export const PROMOS: readonly DemoPromo[] = [
  { code: 'WELCOME10', type: 'PERCENT', value: 1_000, fromDay: 20 },
  { code: 'FREESHIP', type: 'FIXED', value: 595, currency: 'USD', minSubtotal: 2_500, fromDay: 20 },
  { code: 'FREIHAFEN', type: 'FIXED', value: 490, currency: 'EUR', minSubtotal: 2_500, fromDay: 20 },
  { code: 'ANCHOR15', type: 'PERCENT', value: 1_500, fromDay: 50, toDay: 71 },
  {
    code: 'CREW25',
    type: 'PERCENT',
    value: 2_500,
    maxPerCustomer: 1,
    maxRedemptions: 100,
    minSubtotal: 5_000,
    fromDay: 60,
  },
]

export async function makePromos({ cell, business, owner, startMs }: Demo, onProgress: OnProgress): Promise<Outcome> {
  let made = 0
  for (const { fromDay, toDay, ...promo } of PROMOS) {
    if (await findPromo(cell, business.id, promo.code)) continue
    const at = (day: number) => toSeconds(new Date(startMs + day * DAY_MS))
    const sent = { ...promo, startsAt: at(fromDay), ...(toDay !== undefined && { endsAt: at(toDay) }) }
    await inThePast(startMs + (fromDay - 2) * DAY_MS, () =>
      transaction(cell, (tx) => createPromo(tx, { business, actor: owner }, sent)),
    )
    made++
    onProgress(made, PROMOS.length)
  }
  return { count: PROMOS.length, made }
}
