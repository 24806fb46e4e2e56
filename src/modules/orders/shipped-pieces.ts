import type { Db } from '#platform/database/database.ts'
import type { OrderRow } from './order.ts'
import { listShipments } from './shipments/queries.ts'
import { type Pieces, sumPieces } from './shipments/shipment.ts'

/** How many pieces of each line have gone out, by the line's id. An order without a shipment is not asked about. */
export async function shippedPieces(
  db: Db,
  { businessId, id, fulfillment }: Pick<OrderRow, 'businessId' | 'id' | 'fulfillment'>,
): Promise<Pieces> {
  return fulfillment === null ? new Map() : sumPieces(await listShipments(db, businessId, id))
}
