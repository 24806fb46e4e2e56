import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { type Detail, invalidFields } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import * as refusal from '../errors.ts'
import { orderShipped, orderUpdated } from '../events.ts'
import type { OrderRow } from '../order.ts'
import { lockOrder } from '../queries.ts'
import type { OrderStatus } from '../schemas.ts'
import { unshippedRefunds } from '../unshipped-refunds.ts'
import { sendShipment } from './mails.ts'
import { deleteRow, insertShipment, listShipments, saveShipment } from './queries.ts'
import { MAX_SHIPMENTS, type NewShipment, type ShipmentChanges } from './schemas.ts'
import { settleFulfillment } from './settle-fulfillment.ts'
import { leftToShip, type Pieces, type ShipmentRow, sumPieces } from './shipment.ts'

type Place = { businessId: string; orderId: string; actor: Actor }

const SHIPPABLE: readonly OrderStatus[] = ['PROCESSING', 'SHIPPED', 'DELIVERED']

/** Ships some lines of an order, or all that is left of it. */
export async function ship(tx: Tx, { businessId, orderId, actor }: Place, body: NewShipment): Promise<ShipmentRow> {
  const order = await lockOrder(tx, businessId, orderId)
  checkState(order)
  const before = await listShipments(tx, businessId, orderId)
  if (before.length >= MAX_SHIPMENTS) throw refusal.tooManyShipments()
  const refunded = await unshippedRefunds(tx, businessId, orderId)
  const left = leftToShip(order.lines, sumPieces(before), refunded)
  if (left.size === 0 && !body.lines) throw refusal.nothingToShip()

  const draft: ShipmentRow = {
    businessId,
    orderId,
    id: newId('shp'),
    number: (before.at(-1)?.number ?? 0) + 1,
    lines: body.lines ? chosen(order, body.lines, left) : Object.fromEntries(left),
    carrier: body.carrier ?? null,
    trackingNumber: body.trackingNumber ?? null,
    trackingUrl: body.trackingUrl ?? null,
    notified: body.notify !== false && order.contactEmail !== null,
    mailedAt: null,
    statusId: null,
    userId: actor.userId,
    version: 1,
    createdAt: now(),
    updatedAt: now(),
  }
  const { statusId } = await settleFulfillment(tx, order, { before, after: [...before, draft], refunded })
  const shipment = { ...draft, statusId }
  await insertShipment(tx, shipment)
  const data = { number: order.number, shipmentId: shipment.id }
  await record(tx, orderShipped({ businessId, subject: orderId, actor, data }))
  if (shipment.notified) await mail(tx, shipment)
  await fault('shipment.written')
  return shipment
}

/** Changes what is sent. Its one mail is sent if it is asked for now and was not before. */
export async function changeShipment(
  tx: Tx,
  place: Place,
  id: string,
  expected: Expected,
  { lines, notify, ...parcel }: ShipmentChanges,
): Promise<ShipmentRow> {
  const { order, before, shipment } = await lockShipment(tx, place, id, expected)
  if (lines) checkState(order)
  const others = before.filter((other) => other.id !== id)
  const refunded = await unshippedRefunds(tx, place.businessId, place.orderId)
  const left = leftToShip(order.lines, sumPieces(others), refunded)
  const isFirstNotice = notify === true && !shipment.notified && order.contactEmail !== null
  const draft: ShipmentRow = {
    ...shipment,
    ...parcel,
    ...(lines && { lines: chosen(order, lines, left) }),
    notified: shipment.notified || isFirstNotice,
    version: shipment.version + 1,
    updatedAt: now(),
  }
  const { statusId } = await settleFulfillment(tx, order, { before, after: [...others, draft], refunded })
  const changed = { ...draft, statusId: statusId ?? draft.statusId }
  await saveShipment(tx, changed)
  await recordChange(tx, place, order)
  if (isFirstNotice) await mail(tx, changed)
  return changed
}

/** As if it had never been sent: its pieces are left to ship again. */
export async function deleteShipment(tx: Tx, place: Place, id: string, expected: Expected): Promise<void> {
  const { order, before, shipment } = await lockShipment(tx, place, id, expected)
  checkState(order)
  const after = before.filter((other) => other.id !== id)
  const refunded = await unshippedRefunds(tx, place.businessId, place.orderId)
  await deleteRow(tx, shipment)
  await settleFulfillment(tx, order, { before, after, refunded })
  await recordChange(tx, place, order)
}

async function lockShipment(tx: Tx, { businessId, orderId }: Place, id: string, expected: Expected) {
  const order = await lockOrder(tx, businessId, orderId)
  const before = await listShipments(tx, businessId, orderId)
  const shipment = before.find((one) => one.id === id)
  if (!shipment) throw refusal.shipmentNotFound()
  checkExpected(expected, etagOf(shipment.version))
  return { order, before, shipment }
}

const mail = (tx: Tx, { businessId, orderId, id }: ShipmentRow) =>
  enqueue(tx, sendShipment, { businessId, orderId, shipmentId: id })

const recordChange = (tx: Tx, { businessId, orderId, actor }: Place, { number }: OrderRow) =>
  record(tx, orderUpdated({ businessId, subject: orderId, actor, data: { number, fields: ['shipments'] } }))

function checkState({ status }: OrderRow): void {
  if (!SHIPPABLE.includes(status)) throw refusal.notShippable({ status })
}

/** What was sent as `lines`, in the order's own order. */
function chosen(
  order: OrderRow,
  lines: readonly { lineId: string; quantity: number }[],
  left: Pieces,
): Record<string, number> {
  const details: Detail[] = []
  const wanted = new Map<string, number>()
  for (const [index, { lineId, quantity }] of lines.entries()) {
    const most = left.get(lineId) ?? 0
    if (!order.lines.some(({ id }) => id === lineId)) details.push(refusal.lineNotFound.asDetail({ index, lineId }))
    else if (wanted.has(lineId)) details.push(refusal.lineTwice.asDetail({ index }))
    else if (quantity > most) details.push(refusal.tooManyPieces.asDetail({ index, left: most }))
    wanted.set(lineId, quantity)
  }
  if (details.length > 0) throw invalidFields(details)
  return Object.fromEntries(order.lines.flatMap(({ id }) => (wanted.has(id) ? [[id, wanted.get(id) as number]] : [])))
}
