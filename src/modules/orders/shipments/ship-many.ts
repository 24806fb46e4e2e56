import type { FastifyRequest } from 'fastify'
import { forEachLimit } from '#platform/for-each-limit.ts'
import { doItemOnce } from '#platform/http/idempotency.ts'
import { invalidFields } from '#vocabulary/errors.ts'
import { orderTwice } from '../errors.ts'
import type { BulkItem, BulkOutcome, BulkShipments } from './schemas.ts'
import { ship } from './ship.ts'

const AT_ONCE = 4

/** Ships all that is left of each order, each in a transaction of its own: one that is refused holds up no other. */
export async function shipMany(
  request: FastifyRequest,
  { items, notify = true }: BulkShipments,
): Promise<BulkOutcome[]> {
  const { cell, business, actor } = request
  const ids = items.map(({ orderId }) => orderId)
  const twice = ids.flatMap((id, index) => (ids.indexOf(id) < index ? [orderTwice.asDetail({ index })] : []))
  if (twice.length > 0) throw invalidFields(twice)

  const outcomes = new Map<string, BulkOutcome>()
  const failures: unknown[] = []
  const shipOne = async (item: BulkItem) => {
    const { orderId, ...parcel } = item
    const content = { ...item, notify }
    const outcome = await doItemOnce(request, cell, { id: orderId, content }, async (tx) => {
      const { id } = await ship(tx, { businessId: business.id, orderId, actor }, { ...parcel, notify })
      return { shipmentId: id }
    })
    outcomes.set(orderId, { orderId, ...('result' in outcome ? outcome.result : { error: outcome.refusal }) })
  }
  // A failure that is no order's fault ends the request, but only when the orders beside it are done: the caller may
  // try again at once.
  await forEachLimit(AT_ONCE, items, async (item) => {
    if (failures.length === 0) await shipOne(item).catch((error: unknown) => failures.push(error))
  })
  if (failures.length > 0) throw failures[0]
  return ids.map((id) => outcomes.get(id) as BulkOutcome)
}
