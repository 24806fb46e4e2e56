import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { appendStatuses, currentOf, type NewStatusEntry } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { orderIsFinal } from './errors.ts'
import { type OrderRow, withHistories } from './order.ts'
import { lockOrder, saveOrder } from './queries.ts'
import { release } from './release.ts'
import type { OrderStatus, PaymentStatus } from './schemas.ts'

export const FINAL: readonly OrderStatus[] = ['CANCELLED', 'REFUNDED']

export type Change = {
  order?: NewStatusEntry<OrderStatus>
  payment?: NewStatusEntry<PaymentStatus>
}
type By = { actor: Actor | undefined; expected?: Expected }

/** A person sets a status. CANCELLED gives stock and promo back; nothing else touches them. The same entry again is no change. */
export async function changeStatus(tx: Tx, businessId: string, id: string, change: Change, by: By): Promise<OrderRow> {
  const order = await lockOrder(tx, businessId, id)
  checkExpected(by.expected, etagOf(order.version))
  return move(tx, order, change, by.actor)
}

/**
 * Whether the change would change anything; throws what it would be refused with. For whoever has to do something elsewhere
 * first, which could not be undone.
 */
export function wouldChange(order: OrderRow, change: Change, { actor, expected }: By): boolean {
  checkExpected(expected, etagOf(order.version))
  const { statuses, payments } = append(order, change, actor)
  return statuses !== order.statuses || payments !== order.paymentStatuses
}

/** The entry that a body sends: the order's own id means that none was given. */
export function entryOf<Entry extends { id?: string }>(
  orderId: string,
  sent: Entry,
): Omit<Entry, 'id'> & { id?: string } {
  const { id, ...entry } = sent
  return id === undefined || id === orderId ? entry : { ...entry, id }
}

/** Both histories after the change. A final status can only be said again: somebody cancels what has ended a moment before. */
function append(order: OrderRow, change: Change, actor: Actor | undefined, revive = false) {
  const sent = { isBody: true, actor, atSeconds: toSeconds(now()) }
  const added = { statuses: change.order ? [change.order] : [], payments: change.payment ? [change.payment] : [] }
  const statuses = appendStatuses(order.statuses, added.statuses, { field: 'statuses', ...sent })
  const payments = appendStatuses(order.paymentStatuses, added.payments, { field: 'paymentStatus', ...sent })
  if (FINAL.includes(order.status) && currentOf(statuses) !== order.status && !revive) throw orderIsFinal(order.status)
  return { statuses, payments }
}

/** Moves a locked order on, and tells of it. `revive`: money has come for an order that had ended by itself. */
export async function move(
  tx: Tx,
  order: OrderRow,
  change: Change,
  actor: Actor | undefined,
  { revive = false, changes = {} }: { revive?: boolean; changes?: Partial<OrderRow> } = {},
): Promise<OrderRow> {
  const { statuses, payments } = append(order, change, actor, revive)
  const isSame = statuses === order.statuses && payments === order.paymentStatuses
  if (isSame && Object.keys(changes).length === 0) return order
  const isMoved = statuses !== order.statuses

  const moved = {
    ...order,
    ...(isMoved && actor && { expiredAt: null }), // from here on it is a person's decision
    ...changes,
    ...withHistories(statuses, payments),
    version: order.version + 1,
    updatedAt: now(),
  }
  const ended = isMoved && moved.status === 'CANCELLED' ? await release(tx, moved) : moved
  await saveOrder(tx, ended)
  await record(
    tx,
    ...(isMoved ? [told(ended, 'order.status-changed', { status: ended.status }, actor)] : []),
    ...(payments === order.paymentStatuses
      ? []
      : [told(ended, 'order.payment-status-changed', { paymentStatus: ended.paymentStatus }, actor)]),
  )
  await fault('order.moved')
  return ended
}

const told = (
  { businessId, id, number }: OrderRow,
  type: string,
  data: Record<string, string>,
  actor: Actor | undefined,
) => ({
  businessId,
  type,
  subject: id,
  actor,
  data: { number, ...data },
})
