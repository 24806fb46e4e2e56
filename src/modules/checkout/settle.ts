import { changeStock, keyOf, lockGoods, redeemPromo } from '#modules/catalog/index.ts'
import { FINAL, lockOrder, move, type OrderRow, stockOf } from '#modules/orders/index.ts'
import { askRefund, lockPayment, noteState, noteWrong, type Payment } from '#modules/payments/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type NewEvent, record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { enqueueAll } from '#platform/jobs/define.ts'
import type { PageState } from '#platform/payments/provider.ts'
import { sendConfirmation, sendNewOrder } from './mails.ts'
import { orderIdOf } from './subject.ts'

/**
 * Makes an order agree with what the provider says of its page. Whoever asked (an event, the sweep, a person who cancels) and
 * however often: money only moves an order forward, and every effect happens once, because order and payment are locked and say
 * what was done already.
 */
export async function settle(
  db: Db,
  { businessId, id, subject }: Payment,
  state: PageState,
  { endsOrder = true }: { endsOrder?: boolean } = {},
): Promise<void> {
  await transaction(db, async (tx) => {
    const order = await lockOrder(tx, businessId, orderIdOf(subject) ?? '')
    const payment = await lockPayment(tx, businessId, id)
    if (state.status === 'PAID' && (state.amount !== payment.amount || state.currency !== payment.currency)) {
      const data = { paid: state.amount, currency: state.currency, expected: payment.amount, pageId: state.pageId }
      if (payment.status !== 'WRONG') {
        await noteWrong(tx, payment)
        await record(tx, { businessId, type: 'payment.mismatch', subject: order.id, data })
      }
      return
    }
    const after = await noteState(tx, payment, state)
    const isNewlyPaid = after.status === 'PAID' && payment.status !== 'PAID'
    const paid = isNewlyPaid ? await takeMoney(tx, order, after) : order
    const moved = after.refunded > payment.refunded ? await noteRefunded(tx, paid, after) : paid
    if (after.status === 'ENDED' && endsOrder) await endUnpaid(tx, moved)
    await fault('settle.before-commit')
  })
  await fault('settle.after-commit')
}

/** Money has come. An order that ended by itself comes back if its goods are still there; else the money goes back. */
async function takeMoney(tx: Tx, order: OrderRow, payment: Payment): Promise<OrderRow> {
  const changes = { contactEmail: order.contactEmail ?? payment.email, expiresAt: null }
  const again = order.status === 'CANCELLED' && order.expiredAt ? await takeAgain(tx, order) : undefined
  if (FINAL.includes(order.status) && !again) {
    const kept = await move(tx, order, { payment: { status: 'PAID' } }, undefined, { changes })
    const isLeft = payment.paid > payment.refunded + payment.refunding
    if (isLeft) await askRefund(tx, payment, { reason: 'The order had ended.', actor: undefined })
    return kept
  }
  const isWaiting = order.status === 'PENDING' || again !== undefined
  const paid = await move(
    tx,
    order,
    { ...(isWaiting && { order: { status: 'PROCESSING' as const } }), payment: { status: 'PAID' } },
    undefined,
    { revive: again !== undefined, changes: { ...changes, ...again } },
  )
  await record(tx, toPaid(paid))
  await mailPaid(tx, [paid])
  return paid
}

export const toPaid = ({ businessId, id, number, total, currency }: OrderRow): NewEvent => ({
  businessId,
  type: 'order.paid',
  subject: id,
  data: { number, total, currency },
})

/** The mails to whoever has paid, or had nothing to pay, and to whoever sells. */
export const mailPaid = (tx: Tx, orders: readonly OrderRow[]): Promise<void> =>
  enqueueAll(
    tx,
    [sendConfirmation, sendNewOrder],
    orders.map(({ businessId, id }) => ({ businessId, orderId: id })),
  )

type TakenAgain = Pick<OrderRow, 'lines' | 'promoId' | 'releasedAt' | 'expiredAt'>

/**
 * All of it or nothing (undefined). A promo use that is gone since is not held against somebody who has paid, but it is no use of
 * the code any more, nor does what is no longer tracked take stock: neither is to be given back later.
 */
async function takeAgain(tx: Tx, order: OrderRow): Promise<TakenAgain | undefined> {
  const before = order.lines.filter(({ taken }) => taken > 0)
  const goods = new Map((await lockGoods(tx, order.businessId, before)).map((found) => [keyOf(found), found]))
  const wanted = before.filter((line) => goods.get(keyOf(line))?.tracked !== false)
  const needed = new Map<string, number>()
  for (const line of wanted) needed.set(keyOf(line), (needed.get(keyOf(line)) ?? 0) + line.taken)
  if ([...needed].some(([key, quantity]) => (goods.get(key)?.quantity ?? 0) < quantity)) return undefined
  const changes = stockOf({ id: order.id, lines: wanted }, 'TAKEN')
  await changeStock(tx, order.businessId, changes, { kind: 'ORDER', reason: 'Paid after it had expired' })
  const lines = order.lines.map((line) => (wanted.includes(line) ? line : { ...line, taken: 0 }))
  const { businessId, promoId, promoCustomer } = order
  const outcome = promoId && (await redeemPromo(tx, businessId, promoId, promoCustomer ?? undefined))
  return { lines, promoId: outcome === 'REDEEMED' ? promoId : null, releasedAt: null, expiredAt: null }
}

const noteRefunded = (tx: Tx, order: OrderRow, { refunded, paid }: Payment) =>
  move(tx, order, { payment: { status: refunded >= paid ? 'REFUNDED' : 'PARTIALLY_REFUNDED' } }, undefined)

/** Nobody has paid, and nobody can any more. */
export async function endUnpaid(tx: Tx, order: OrderRow): Promise<OrderRow> {
  const isUnpaid = order.paymentStatus === 'PENDING' || order.paymentStatus === 'FAILED'
  if (order.status === 'PENDING' && isUnpaid) {
    const change = { order: { status: 'CANCELLED' as const }, payment: { status: 'FAILED' as const } }
    return move(tx, order, change, undefined, { changes: { expiredAt: now() } })
  }
  // Somebody has taken it on without money: it has no page to wait for any more.
  return order.expiresAt ? move(tx, order, {}, undefined, { changes: { expiresAt: null } }) : order
}
