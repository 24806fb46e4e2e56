import type { Selectable } from 'kysely'
import type { OrdersShipments } from '#platform/database/cell-tables.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { OrderLine } from '../order.ts'
import type { Fulfillment } from '../schemas.ts'
import type { Shipment } from './schemas.ts'

/** Pieces by the id of a line. */
export type Pieces = ReadonlyMap<string, number>

/** A shipment as stored. */
export type ShipmentRow = Omit<Selectable<OrdersShipments>, 'lines'> & { lines: Record<string, number> }

type Line = Pick<OrderLine, 'id' | 'quantity'>

export function sumPieces(shipments: readonly Pick<ShipmentRow, 'lines'>[]): Map<string, number> {
  const shipped = new Map<string, number>()
  for (const { lines } of shipments)
    for (const [lineId, quantity] of Object.entries(lines)) shipped.set(lineId, (shipped.get(lineId) ?? 0) + quantity)
  return shipped
}

/** Of each line, what was neither shipped nor refunded before it was shipped. Lines with nothing left are left out. */
export function leftToShip(lines: readonly Line[], shipped: Pieces, refundedUnshipped: Pieces): Map<string, number> {
  const left = new Map<string, number>()
  for (const { id, quantity } of lines) {
    const pieces = quantity - (shipped.get(id) ?? 0) - (refundedUnshipped.get(id) ?? 0)
    if (pieces > 0) left.set(id, pieces)
  }
  return left
}

/** As the order stores it: null while there is no shipment. */
export function fulfillmentBy(shipments: readonly unknown[], left: Pieces): Fulfillment | null {
  if (shipments.length === 0) return null
  return left.size === 0 ? 'FULFILLED' : 'PARTIALLY_FULFILLED'
}

export const presentToCustomer = (row: ShipmentRow): Shipment => ({
  id: row.id,
  orderId: row.orderId,
  number: row.number,
  lines: Object.entries(row.lines).map(([lineId, quantity]) => ({ lineId, quantity })),
  carrier: row.carrier,
  trackingNumber: row.trackingNumber,
  trackingUrl: row.trackingUrl,
  notified: row.notified,
  createdAt: toSeconds(row.createdAt),
  updatedAt: toSeconds(row.updatedAt),
})

export const presentShipment = (row: ShipmentRow): Shipment => ({ ...presentToCustomer(row), userId: row.userId })
