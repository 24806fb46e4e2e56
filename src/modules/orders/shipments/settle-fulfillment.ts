import type { Db, Tx } from '#platform/database/database.ts'
import { newId } from '#vocabulary/ids.ts'
import { applyChange, type Change } from '../change-status.ts'
import { shippedMore } from '../errors.ts'
import type { OrderLine, OrderRow } from '../order.ts'
import type { Fulfillment } from '../schemas.ts'
import { unshippedRefunds } from '../unshipped-refunds.ts'
import { listShipments } from './queries.ts'
import { fulfillmentBy, leftToShip, type Pieces, type ShipmentRow, sumPieces } from './shipment.ts'

type Settling = { before: readonly ShipmentRow[]; after: readonly ShipmentRow[]; refunded: Pieces }

/**
 * Writes a locked order whose shipments have changed; the caller records the event. The last piece moves PROCESSING to
 * SHIPPED; when a piece is taken out again it moves back, unless a person has set a status since. `statusId` is the entry
 * that was added for the last piece, if there was one.
 */
export async function settleFulfillment(
  tx: Tx,
  order: OrderRow,
  { before, after, refunded }: Settling,
): Promise<{ order: OrderRow; statusId: string | null }> {
  const fulfillment = fulfillmentBy(after, leftToShip(order.lines, sumPieces(after), refunded))
  const statusId = newId('sts')
  const change = moveOf(order, before, fulfillment, statusId)
  const moved = await applyChange(tx, order, change, undefined, { changes: { fulfillment }, isTold: true })
  return { order: moved, statusId: moved.statuses.at(-1)?.id === statusId ? statusId : null }
}

function moveOf(
  { status, statuses }: OrderRow,
  before: readonly ShipmentRow[],
  fulfillment: Fulfillment | null,
  statusId: string,
): Change {
  const isDone = fulfillment === 'FULFILLED'
  if (isDone && status === 'PROCESSING') return { order: { id: statusId, status: 'SHIPPED' } }
  const current = statuses.at(-1)?.id
  const isByShipment = status === 'SHIPPED' && before.some((shipment) => shipment.statusId === current)
  return !isDone && isByShipment ? { order: { status: 'PROCESSING' } } : {}
}

/**
 * The fulfillment of a locked order with these lines, for what changes lines or refunds. 422 if a line is to have fewer
 * pieces than were shipped of it.
 */
export async function fulfillmentWith(
  db: Db,
  { businessId, id, fulfillment }: Pick<OrderRow, 'businessId' | 'id' | 'fulfillment'>,
  lines: readonly Pick<OrderLine, 'id' | 'quantity'>[],
): Promise<Fulfillment | null> {
  if (fulfillment === null) return null // without a shipment
  const shipments = await listShipments(db, businessId, id)
  const shipped = sumPieces(shipments)
  const refunded = await unshippedRefunds(db, businessId, id)
  for (const [lineId, pieces] of shipped) {
    const quantity = lines.find((line) => line.id === lineId)?.quantity ?? 0
    if (pieces + (refunded.get(lineId) ?? 0) > quantity) throw shippedMore({ pieces, lineId })
  }
  return fulfillmentBy(shipments, leftToShip(lines, shipped, refunded))
}

/** Writes the fulfillment of a locked order anew, after refunds of it have changed; the caller records the event. */
export async function updateFulfillment(tx: Tx, order: OrderRow): Promise<OrderRow> {
  const fulfillment = await fulfillmentWith(tx, order, order.lines)
  if (fulfillment === order.fulfillment) return order
  return applyChange(tx, order, {}, undefined, { changes: { fulfillment }, isTold: true })
}
