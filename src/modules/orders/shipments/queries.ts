import type { Db, Tx } from '#platform/database/database.ts'
import type { ShipmentRow } from './shipment.ts'

/** All of an order, the first one first. */
export async function listShipments(db: Db, businessId: string, orderId: string): Promise<ShipmentRow[]> {
  const rows = await db
    .selectFrom('orders.shipments')
    .selectAll()
    .where((shipment) => shipment.and({ businessId, orderId }))
    .orderBy('number')
    .execute()
  return rows as ShipmentRow[]
}

export async function listShipmentsOf(
  db: Db,
  businessId: string,
  orderIds: readonly string[],
): Promise<Pick<ShipmentRow, 'orderId' | 'lines'>[]> {
  const rows = await db
    .selectFrom('orders.shipments')
    .select(['orderId', 'lines'])
    .where('businessId', '=', businessId)
    .where('orderId', 'in', orderIds)
    .execute()
  return rows as ShipmentRow[]
}

export async function findShipment(db: Db, businessId: string, orderId: string, id: string) {
  const row = await db
    .selectFrom('orders.shipments')
    .selectAll()
    .where((shipment) => shipment.and({ businessId, orderId, id }))
    .executeTakeFirst()
  return row as ShipmentRow | undefined
}

export async function insertShipment(tx: Tx, row: ShipmentRow): Promise<void> {
  await tx
    .insertInto('orders.shipments')
    .values({ ...row, lines: JSON.stringify(row.lines) })
    .execute()
}

/** Writes what can change; the caller holds the order's lock. */
export async function saveShipment(tx: Tx, row: ShipmentRow): Promise<void> {
  const { businessId, orderId, id, carrier, trackingNumber, trackingUrl, notified, statusId, version, updatedAt } = row
  await tx
    .updateTable('orders.shipments')
    .set({
      lines: JSON.stringify(row.lines),
      carrier,
      trackingNumber,
      trackingUrl,
      notified,
      statusId,
      version,
      updatedAt,
    })
    .where((shipment) => shipment.and({ businessId, orderId, id }))
    .execute()
}

export async function deleteRow(tx: Tx, { businessId, orderId, id }: ShipmentRow): Promise<void> {
  await tx
    .deleteFrom('orders.shipments')
    .where((shipment) => shipment.and({ businessId, orderId, id }))
    .execute()
}

/** Whether it was not marked before. */
export async function markMailed(tx: Tx, { businessId, orderId, id }: ShipmentRow, mailedAt: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('orders.shipments')
    .set({ mailedAt })
    .where((shipment) => shipment.and({ businessId, orderId, id }))
    .where('mailedAt', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
