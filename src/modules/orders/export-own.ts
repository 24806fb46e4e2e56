import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { type OrderRow, presentToCustomer } from './order.ts'
import { presentToCustomer as presentShipment, type ShipmentRow } from './shipments/shipment.ts'

const BATCH = 100

/** The orders of a person as they see them themselves, with what was shipped, oldest first under each of their ids. */
export async function* exportOwnOrders(db: Db, businessId: string, customerIds: readonly string[]) {
  for (const customerId of customerIds) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { rows }: { rows: OrderRow[] } = await sql<OrderRow>`
        select *
          from orders.orders
         where business_id = ${businessId} and customer_id = ${customerId} and id > ${after}
         order by id
         limit ${BATCH}`.execute(db)
      const ids = rows.map(({ id }) => id)
      const { rows: shipped } = await sql<ShipmentRow>`
        select *
          from orders.shipments
         where business_id = ${businessId} and order_id = any (${ids}::text[])
         order by number`.execute(db)
      const shipments = Map.groupBy(shipped, ({ orderId }) => orderId)
      yield rows.map((row) => ({
        ...presentToCustomer(row),
        shipments: (shipments.get(row.id) ?? []).map(presentShipment),
      }))
      after = rows.length === BATCH ? ids.at(-1) : undefined
    }
  }
}
