import { changeStock, toStockChanged } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { type Detail, invalidFields } from '#vocabulary/errors.ts'
import { lineNotFound, stockFull, tooManyReturned } from '../errors.ts'
import { orderReturned } from '../events.ts'
import { heldOf, type OrderLine, type OrderRow, outOf } from '../order.ts'
import { lockOrder, saveOrder } from '../queries.ts'
import type { Origin } from '../refund-lines.ts'
import { shippedPieces } from '../shipped-pieces.ts'
import type { NewReturn } from './schemas.ts'

/** Pieces that come back. Without `from`: those that were shipped, as far as there are any, then others. */
export type ReturnedPieces = { lineId: string; quantity: number; from?: Origin | undefined }
type Cause = { reason: string | null; actor: Actor }

/** Puts pieces back into stock, whatever becomes of the money. */
export async function returnLines(
  tx: Tx,
  businessId: string,
  id: string,
  { lines, reason = null }: NewReturn,
  actor: Actor,
) {
  const order = await lockOrder(tx, businessId, id)
  const back = new Map<string, number>()
  const details: Detail[] = []
  for (const [index, { lineId, quantity }] of lines.entries()) {
    const line = order.lines.find((each) => each.id === lineId)
    const left = line ? line.quantity - (line.returned ?? 0) - (back.get(lineId) ?? 0) : 0
    if (!line) details.push(lineNotFound.asDetail({ index, lineId }))
    else if (quantity > left) details.push(tooManyReturned.asDetail({ index, left }))
    back.set(lineId, (back.get(lineId) ?? 0) + quantity)
  }
  if (details.length > 0) throw invalidFields(details)
  return returnPieces(tx, order, lines, { reason, actor })
}

/**
 * Puts pieces of a locked order back into stock, at most what each line holds and what has not come back before. Says
 * how many of each.
 */
export async function returnPieces(tx: Tx, order: OrderRow, pieces: readonly ReturnedPieces[], cause: Cause) {
  const { businessId, id, number } = order
  const shipped = await shippedPieces(tx, order)
  const lines = [...order.lines]
  const returned: { lineId: string; quantity: number; restocked: number }[] = []
  for (const { lineId, quantity, from } of pieces) {
    const index = lines.findIndex((line) => line.id === lineId)
    const before = lines[index]
    if (!before) continue
    const back = Math.min(quantity, before.quantity - (before.returned ?? 0))
    if (back <= 0) continue
    const after = bringBack(order, before, back, { shipped: shipped.get(lineId) ?? 0, from })
    lines[index] = after
    returned.push({ lineId, quantity: back, restocked: before.taken - after.taken })
  }
  if (returned.length === 0) return { order, returned }

  const moved = returned.filter(({ restocked }) => restocked > 0)
  const changes = moved.map(({ lineId, restocked }) => {
    const { productId, variantId } = lines.find((line) => line.id === lineId) as OrderLine
    return { productId, variantId, delta: restocked, reference: id }
  })
  const { reason, actor } = cause
  const outcomes = await changeStock(tx, businessId, changes, { kind: 'RETURN', reason, userId: actor.userId })
  if (outcomes.some((outcome) => !outcome.moved)) throw stockFull()
  const after = { ...order, lines, version: order.version + 1, updatedAt: now() }
  await saveOrder(tx, after)
  const data = { number, lines: returned.map(({ lineId, quantity }) => ({ lineId, quantity })) }
  const stock = toStockChanged({ businessId, subject: id, kind: 'RETURN', reference: id, actor }, outcomes)
  await record(tx, orderReturned({ businessId, subject: id, actor, data }), ...stock)
  return { order: after, returned }
}

type From = { shipped: number; from: Origin | undefined }

/** The line after these pieces have come back. What it holds falls by as many, at most to 0. */
function bringBack(order: OrderRow, line: OrderLine, quantity: number, { shipped, from }: From): OrderLine {
  const held = heldOf(order, line)
  const restocked = Math.min(quantity, held)
  const unshipped = { UNSHIPPED: quantity, SHIPPED: 0 }
  const apart = from ? unshipped[from] : quantity - Math.min(quantity, outOf(line, shipped))
  return {
    ...line,
    taken: line.taken - restocked,
    ...(order.releasedAt && { kept: held - restocked }),
    returned: (line.returned ?? 0) + quantity,
    returnedUnshipped: (line.returnedUnshipped ?? 0) + apart,
  }
}
