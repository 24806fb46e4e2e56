import { ORDERS, type PlannedOrder } from './order-plan.ts'
import { orderTimes } from './order-times.ts'
import { createRandom } from './random.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts'

type OrderStatus = 'PENDING' | 'PROCESSING' | 'SHIPPED' | 'DELIVERED' | 'CANCELLED' | 'REFUNDED'
type PaymentStatus = 'PENDING' | 'PAID' | 'FAILED' | 'REFUNDED' | 'PARTIALLY_REFUNDED'

/** Something that happens to an order. `byPerson`: its owner does it, otherwise the service. */
export type Step = {
  timeMs: number
  order: PlannedOrder
  status?: OrderStatus
  payment?: PaymentStatus
  byPerson: boolean
}

/** All that has happened until then, in the order in which it happened: the first step of an order is that it is placed. */
export const planSteps = (endMs: number): Step[] => {
  const times = orderTimes(endMs)
  return ORDERS.flatMap((order, index) => stepsOf(order, times[index] ?? endMs))
    .filter(({ timeMs }) => timeMs <= endMs)
    .sort((a, b) => a.timeMs - b.timeMs)
}

function stepsOf(order: PlannedOrder, placedMs: number): Step[] {
  const random = createRandom(`steps ${order.key}`)
  const soon = placedMs + random.between(1, 6) * MINUTE_MS
  const shippedMs = placedMs + random.between(6, 40) * HOUR_MS
  const deliveredMs = shippedMs + random.between(30, 110) * HOUR_MS
  const backMs = deliveredMs + random.between(2, 8) * DAY_MS
  const step = (timeMs: number, byPerson: boolean, change: Pick<Step, 'status' | 'payment'>): Step => ({
    timeMs,
    order,
    byPerson,
    ...change,
  })

  const placed = step(placedMs, false, { status: 'PENDING', payment: 'PENDING' })
  const paid = step(soon, false, { status: 'PROCESSING', payment: 'PAID' })
  const shipped = step(shippedMs, true, { status: 'SHIPPED' })
  const delivered = step(deliveredMs, true, { status: 'DELIVERED' })
  switch (order.fate) {
    case 'PENDING':
      return [placed]
    case 'PAID':
      return [placed, paid]
    case 'UNPAID':
      return [placed, step(placedMs + HOUR_MS, false, { status: 'CANCELLED', payment: 'FAILED' })]
    case 'CANCELLED':
      return [placed, paid, step(placedMs + 3 * HOUR_MS, true, { status: 'CANCELLED', payment: 'REFUNDED' })]
    case 'REFUNDED':
      return [placed, paid, shipped, delivered, step(backMs, true, { status: 'REFUNDED', payment: 'REFUNDED' })]
    case 'PARTIALLY_REFUNDED':
      return [placed, paid, shipped, delivered, step(backMs, true, { payment: 'PARTIALLY_REFUNDED' })]
    case 'DELIVERED':
      return [placed, paid, shipped, delivered]
  }
}
