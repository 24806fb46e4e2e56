import { toStockChanged } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import type { NewEvent } from '#platform/events/define.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { appendStatuses, currentOf, type NewStatusEntry } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { orderIsFinal } from './errors.ts'
import { orderCancelled, orderExpired, orderPaymentStatusChanged, orderStatusChanged, orderUpdated } from './events.ts'
import { type OrderRow, withHistories } from './order.ts'
import { lockOrder, saveOrder } from './queries.ts'
import { releaseOrder } from './release-order.ts'
import { Order, type OrderStatus, type PaymentStatus } from './schemas.ts'

export const FINAL: readonly OrderStatus[] = ['CANCELLED', 'REFUNDED']

export type Change = {
  order?: NewStatusEntry<OrderStatus>
  payment?: NewStatusEntry<PaymentStatus>
}
type By = { actor: Actor | undefined; expected?: Expected }

/**
 * Sets a status by hand. CANCELLED releases stock and promo code; no other status does. Repeating an entry changes
 * nothing.
 */
export async function changeStatus(tx: Tx, businessId: string, id: string, change: Change, by: By): Promise<OrderRow> {
  const order = await lockOrder(tx, businessId, id)
  checkExpected(by.expected, etagOf(order.version))
  return applyChange(tx, order, change, by.actor)
}

/**
 * Whether the change would change anything; throws if it would be refused. For callers that must first do something
 * elsewhere that cannot be undone.
 */
export function wouldChange(order: OrderRow, change: Change, { actor, expected }: By): boolean {
  checkExpected(expected, etagOf(order.version))
  const { statuses, payments } = append(order, change, actor)
  return statuses !== order.statuses || payments !== order.paymentStatuses
}

/** The status entry of a body. Where the order's own id was sent, the entry has none. */
export function entryOf<Entry extends { id?: string }>(
  orderId: string,
  sent: Entry,
): Omit<Entry, 'id'> & { id?: string } {
  const { id, ...entry } = sent
  return id === undefined || id === orderId ? entry : { ...entry, id }
}

/**
 * Both histories after the change. A final status may only be repeated: an order may have ended just before somebody
 * cancels it.
 */
function append(order: OrderRow, change: Change, actor: Actor | undefined, revive = false) {
  const sent = { isBody: true, actor, atSeconds: toSeconds(now()) }
  const added = { statuses: change.order ? [change.order] : [], payments: change.payment ? [change.payment] : [] }
  const statuses = appendStatuses(order.statuses, added.statuses, { field: 'statuses', ...sent })
  const payments = appendStatuses(order.paymentStatuses, added.payments, { field: 'paymentStatus', ...sent })
  if (FINAL.includes(order.status) && currentOf(statuses) !== order.status && !revive)
    throw orderIsFinal({ status: order.status })
  return { statuses, payments }
}

type Besides = { changes?: Partial<OrderRow>; revive?: boolean; isTold?: boolean }

/**
 * Changes a locked order and records the event. `revive`: payment arrived for an order that had expired. `isTold`: the
 * caller records an event of its own.
 */
export async function applyChange(
  tx: Tx,
  order: OrderRow,
  change: Change,
  actor: Actor | undefined,
  { changes = {}, revive = false, isTold = false }: Besides = {},
): Promise<OrderRow> {
  const { statuses, payments } = append(order, change, actor, revive)
  const isSame = statuses === order.statuses && payments === order.paymentStatuses
  if (isSame && Object.keys(changes).length === 0) return order
  const isMoved = statuses !== order.statuses

  const moved = {
    ...order,
    ...(isMoved && actor && { expiredAt: null }), // a person's decision replaces the expiry
    ...changes,
    ...withHistories(statuses, payments),
    version: order.version + 1,
    updatedAt: now(),
  }
  const isEnded = isMoved && moved.status === 'CANCELLED'
  const { order: ended, given } = isEnded ? await releaseOrder(tx, moved, actor) : { order: moved, given: [] }
  await saveOrder(tx, ended)
  const { businessId, id, number } = ended
  const common = { businessId, subject: id, actor }
  await record(
    tx,
    ...(isMoved
      ? [orderStatusChanged({ ...common, data: { number, status: ended.status } }), ...endOf(ended, actor)]
      : []),
    ...(payments === order.paymentStatuses
      ? []
      : [orderPaymentStatusChanged({ ...common, data: { number, paymentStatus: ended.paymentStatus } })]),
    ...toStockChanged({ ...common, kind: 'CANCEL', reference: id }, given),
    // Whoever follows the order learns of its versions from events only.
    ...(isSame && !isTold
      ? [orderUpdated({ ...common, data: { number, fields: changedFields(order, changes) } })]
      : []),
  )
  await fault('order.moved')
  return ended
}

/** The changed fields that the API shows. */
const changedFields = (order: OrderRow, changes: Partial<OrderRow>): string[] =>
  (Object.keys(changes) as (keyof OrderRow)[]).filter(
    (field) => field in Order.properties && changes[field] !== order[field],
  )

/** What is told of a cancelled order besides its status: a person cancelled it, or it expired. */
function endOf(order: OrderRow, actor: Actor | undefined): NewEvent[] {
  if (order.status !== 'CANCELLED') return []
  const { businessId, id, number, total, currency, market, lines, contactEmail } = order
  const data = { number, total, currency }
  if (!order.expiredAt) return [orderCancelled({ businessId, subject: id, actor, data })]
  const hasEmail = contactEmail !== null
  return [orderExpired({ businessId, subject: id, data: { ...data, market, lines: lines.length, hasEmail } })]
}
