import { changeStock, keyOf, lockGoods, redeemPromo, toStockChanged } from '#modules/catalog/index.ts'
import { applyChange, FINAL, type OrderRow, orderPaid, stockOf } from '#modules/orders/index.ts'
import { type Payment, requestRefund, type Settlement } from '#modules/payments/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { NewEvent } from '#platform/events/define.ts'
import { record } from '#platform/events/record.ts'
import { enqueueAll } from '#platform/jobs/define.ts'
import { sendConfirmation, sendNewOrder } from './mails.ts'

/** Applies what is new about an order's payment: money received, or refunded. */
export async function settleOrder(tx: Tx, order: OrderRow, { before, after }: Settlement): Promise<void> {
  const isNewlyPaid = after.status === 'PAID' && before.status !== 'PAID'
  const paid = isNewlyPaid ? await applyPaid(tx, order, after) : order
  if (after.refunded > before.refunded || after.refunded !== paid.refundedAmount) await noteRefunded(tx, paid, after)
}

/**
 * Money was received. An order that had expired is revived if its goods are still available; otherwise the money is
 * refunded.
 */
async function applyPaid(tx: Tx, order: OrderRow, payment: Payment): Promise<OrderRow> {
  const changes = { contactEmail: order.contactEmail ?? payment.email, expiresAt: null }
  const again = order.status === 'CANCELLED' && order.expiredAt ? await reserveAgain(tx, order) : undefined
  if (FINAL.includes(order.status) && !again) {
    const kept = await applyChange(tx, order, { payment: { status: 'PAID' } }, undefined, { changes })
    const isLeft = payment.paid > payment.refunded + payment.refunding
    if (isLeft) await requestRefund(tx, payment, { reason: 'The order had ended.', actor: undefined })
    return kept
  }
  const isWaiting = order.status === 'PENDING' || again !== undefined
  const paid = await applyChange(
    tx,
    order,
    { ...(isWaiting && { order: { status: 'PROCESSING' as const } }), payment: { status: 'PAID' } },
    undefined,
    { revive: again !== undefined, changes: { ...changes, ...again }, isTold: true },
  )
  await record(tx, toPaid(paid))
  await mailPaid(tx, [paid])
  return paid
}

export const toPaid = ({ businessId, id, number, total, currency }: OrderRow): NewEvent =>
  orderPaid({ businessId, subject: id, data: { number, total, currency } })

/** Enqueues the mails to the customer and the business about orders that are paid or free. */
export const mailPaid = (tx: Tx, orders: readonly OrderRow[]): Promise<void> =>
  enqueueAll(
    tx,
    [sendConfirmation, sendNewOrder],
    orders.map(({ businessId, id }) => ({ businessId, orderId: id })),
  )

type ReservedAgain = Pick<OrderRow, 'lines' | 'promoId' | 'releasedAt' | 'expiredAt'>

/**
 * Takes stock and promo code again, all or nothing (undefined). A promo code that is exhausted since does not block a
 * paid order, but no redemption is counted; variants that are no longer tracked take no stock. Neither may be given
 * back later.
 */
async function reserveAgain(tx: Tx, order: OrderRow): Promise<ReservedAgain | undefined> {
  const before = order.lines.filter(({ taken }) => taken > 0)
  const goods = new Map((await lockGoods(tx, order.businessId, before)).map((found) => [keyOf(found), found]))
  const wanted = before.filter((line) => goods.get(keyOf(line))?.tracked !== false)
  const needed = new Map<string, number>()
  for (const line of wanted) needed.set(keyOf(line), (needed.get(keyOf(line)) ?? 0) + line.taken - (line.kept ?? 0))
  if ([...needed].some(([key, quantity]) => (goods.get(key)?.quantity ?? 0) < quantity)) return undefined
  const changes = stockOf({ id: order.id, lines: wanted }, 'TAKEN')
  const cause = { kind: 'ORDER', reason: 'Paid after it had expired' } as const
  const taken = await changeStock(tx, order.businessId, changes, cause)
  const news = { businessId: order.businessId, subject: order.id, reference: order.id, actor: undefined }
  await record(tx, ...toStockChanged({ ...news, kind: cause.kind }, taken))
  const lines = order.lines.map((line) => {
    const { kept = 0, ...held } = line
    return wanted.includes(line) ? held : { ...held, taken: kept }
  })
  const { businessId, promoId, promoCustomer } = order
  const outcome = promoId && (await redeemPromo(tx, businessId, promoId, promoCustomer ?? undefined))
  return { lines, promoId: outcome === 'REDEEMED' ? promoId : null, releasedAt: null, expiredAt: null }
}

const noteRefunded = (tx: Tx, order: OrderRow, { refunded, paid }: Payment) =>
  applyChange(tx, order, { payment: { status: refunded >= paid ? 'REFUNDED' : 'PARTIALLY_REFUNDED' } }, undefined, {
    changes: { refundedAmount: refunded },
  })

/** Ends an order that nobody has paid and nobody can pay any more. */
export async function endUnpaid(tx: Tx, order: OrderRow): Promise<OrderRow> {
  const isUnpaid = order.paymentStatus === 'PENDING' || order.paymentStatus === 'FAILED'
  if (order.status === 'PENDING' && isUnpaid) {
    const change = { order: { status: 'CANCELLED' as const }, payment: { status: 'FAILED' as const } }
    return applyChange(tx, order, change, undefined, { changes: { expiredAt: now() } })
  }
  // Accepted by staff without payment: only the wait for its session ends.
  return order.expiresAt ? applyChange(tx, order, {}, undefined, { changes: { expiresAt: null } }) : order
}
