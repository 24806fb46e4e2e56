import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { orderNotFound } from '../errors.ts'
import { orderCommented } from '../events.ts'
import { findOrder } from '../queries.ts'
import { type CommentRow, insertComment } from './queries.ts'

/** Notes what somebody of the business says of an order. The order itself does not change. */
export async function comment(
  tx: Tx,
  businessId: string,
  orderId: string,
  { text, actor }: { text: string; actor: Actor },
): Promise<CommentRow> {
  const order = await findOrder(tx, businessId, orderId)
  if (!order) throw orderNotFound()
  const row = {
    businessId,
    orderId,
    id: newId('cmt'),
    authorId: actor.userId,
    authorKind: actor.kind,
    text,
    createdAt: now(),
  }
  await insertComment(tx, row)
  const data = { number: order.number, commentId: row.id }
  await record(tx, orderCommented({ businessId, subject: orderId, actor, data }))
  return row
}
