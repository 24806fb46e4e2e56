import { ORDERS } from './order-plan.ts'
import { createRandom } from './random.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts'

const DAYS = 90
/** From Sunday on: people order in the evening of a working day, and on Sundays. */
const WEEKDAYS = [1.25, 0.95, 0.9, 0.95, 1.05, 1.1, 0.8]
/** How much more is sold on the last day than on the first. */
const GROWTH = 1.6
/** By hours of the day, from 7 in the morning (UTC) on. */
const HOURS = [1, 2, 3, 4, 4, 4, 3, 3, 4, 4, 5, 6, 8, 8, 5, 2]
const FIRST_HOUR = 7

/** When each order was placed, oldest first: more of them every week, fewer on Saturdays. None in the last ten minutes. */
export function orderTimes(endMs: number): number[] {
  const random = createRandom('times')
  const today = Math.floor(endMs / DAY_MS) * DAY_MS
  const days = Array.from({ length: DAYS }, (_, index) => {
    const startMs = today - (DAYS - 1 - index) * DAY_MS
    const weekday = WEEKDAYS[new Date(startMs).getUTCDay()] ?? 1
    return { startMs, weight: weekday * (1 + (GROWTH * index) / DAYS) }
  })
  const lastMs = endMs - 10 * MINUTE_MS
  return ORDERS.map(() => {
    const { startMs } = random.weighted(days, ({ weight }) => weight)
    const hour = FIRST_HOUR + HOURS.indexOf(random.weighted(HOURS, (weight) => weight))
    const timeMs = startMs + hour * HOUR_MS + random.below(HOUR_MS)
    return timeMs <= lastMs ? timeMs : lastMs - random.below(14 * HOUR_MS)
  }).sort((a, b) => a - b)
}
