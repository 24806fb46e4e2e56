import {
  findOrder,
  freeRefundLines,
  lockOrder,
  type OrderRow,
  orderRefunded,
  orderRefundFailed,
  updateFulfillment,
} from '#modules/orders/index.ts'
import {
  closeSessionOf,
  type Payable,
  type PaymentContext,
  type SessionLines,
  subjectOf,
} from '#modules/payments/index.ts'
import type { Db } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { orderEnded } from './errors.ts'
import type { Trace } from './place-orders.ts'
import { endUnpaid, settleOrder } from './settle-order.ts'

/** How orders are paid. */
export const orderPayable: Payable<OrderRow> = {
  kind: 'order',
  find: findOrder,
  lock: lockOrder,
  checkOpen: ({ status }) => {
    if (status === 'CANCELLED') throw orderEnded()
  },
  describe: (order, publicUrl) => ({
    ...linesOf(order),
    business: (order.trace as Trace | null)?.business,
    email: order.contactEmail,
    successUrl: withOrder(order.returnUrl, order, resultUrl(publicUrl, order, 'paid')),
    cancelUrl: withOrder(order.cancelUrl, order, resultUrl(publicUrl, order, 'cancelled')),
  }),
  isResumable: ({ requestKey }) => requestKey !== null,
  settle: settleOrder,
  abandon: async (tx, order) => void (await endUnpaid(tx, order)),
  onRefund: async (tx, { businessId, id }, { id: refundId, amount, status }) => {
    if (status === 'FAILED') {
      await freeRefundLines(tx, { businessId, orderId: id, refundId })
      await updateFulfillment(tx, await lockOrder(tx, businessId, id))
    }
    const event = status === 'FAILED' ? orderRefundFailed : orderRefunded
    await record(tx, event({ businessId, subject: id, data: { refundId, amount } }))
  },
}

type Billed = Pick<OrderRow, 'number' | 'lines' | 'tax' | 'shipping' | 'discount' | 'promoCode'>

/** Session lines: each order line with its price, then shipping, tax, and the discount. */
export const linesOf = ({ number, lines, shipping, tax, discount, promoCode }: Billed): SessionLines => ({
  title: `Order ${number}`,
  lines: lines.map(({ name, quantity, unitPrice }) => ({ name, quantity, amount: unitPrice })),
  extras: [
    { name: 'Shipping', quantity: 1, amount: shipping },
    { name: 'Tax', quantity: 1, amount: tax },
  ].filter(({ amount }) => amount > 0),
  ...(discount > 0 && { discount: { name: promoCode ?? 'Discount', amount: discount } }),
})

const resultUrl = (publicUrl: string, order: OrderRow, outcome: 'paid' | 'cancelled') =>
  `${publicUrl}/checkout/result?order=${order.number}&outcome=${outcome}`

function withOrder(url: string | null, order: OrderRow, fallback: string): string {
  if (url === null) return fallback
  const address = new URL(url)
  address.searchParams.set('orderId', order.id)
  return address.href
}

/** Called before a person cancels an order, so that it can no longer be paid. False: it was paid this very moment. */
export async function closeOrderSession(
  context: PaymentContext,
  db: Db,
  businessId: string,
  orderId: string,
): Promise<boolean> {
  const closed = await closeSessionOf(context, db, businessId, subjectOf('order', orderId))
  return closed?.status !== 'PAID'
}
