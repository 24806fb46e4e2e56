import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '#platform/database/database.ts'
import { handle } from '#platform/http/operation.ts'
import { tookTooLong } from '#platform/http/refusals.ts'
import { openThread } from '#platform/thread.ts'
import { withTimeout } from '#platform/with-timeout.ts'
import type { Business } from '#vocabulary/business.ts'
import { orderNotFound, tooManySlipLines, tooManySlips } from '../errors.ts'
import { findOrders } from '../queries.ts'
import { listRefundLinesOf } from '../refund-lines.ts'
import { listShipmentsOf } from '../shipments/queries.ts'
import { sumPieces } from '../shipments/shipment.ts'
import { sumUnshipped } from '../unshipped-refunds.ts'
import { findFurtherFonts } from './fonts.ts'
import * as operation from './operations.ts'
import { MAX_SLIP_LINES, MAX_SLIPS } from './schemas.ts'
import { type Slip, type SlipTask, toSlip } from './slip.ts'

const TIMEOUT_MS = 10_000

/** `fonts`: further font files for letters that ours lack; else those that are installed. */
type Options = { fonts: readonly string[] }

export const packingSlipRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const fonts = findFurtherFonts(options.fonts)
  // Drawing takes up to seconds, and would hold up every other request.
  const draw = openThread<SlipTask, Uint8Array>(new URL('./draw-thread.ts', import.meta.url), { timeoutMs: TIMEOUT_MS })

  handle(app, operation.getPackingSlips, async ({ cell, business, query }, reply) => {
    const slips = await readSlips(cell, business, [...new Set(query.ids.flatMap((ids) => ids.split(',')))])
    let isLate = false
    const owner = { key: business.id, isGone: () => isLate || reply.raw.destroyed }
    const { name, defaultLocale } = business
    const region = new Intl.Locale(defaultLocale).maximize().region ?? ''
    const drawn = draw({ paper: query.paper ?? 'A4', business: name, region, fonts, slips }, owner)
    const pdf = await withTimeout(TIMEOUT_MS, drawn, () => {
      isLate = true
      return tookTooLong()
    })
    void reply
      .header('content-type', 'application/pdf')
      .header('content-disposition', 'inline; filename="packing-slips.pdf"')
    return reply.send(Buffer.from(pdf))
  })
}

async function readSlips(db: Db, business: Business, ids: readonly string[]): Promise<Slip[]> {
  if (ids.length > MAX_SLIPS) throw tooManySlips()
  const found = new Map((await findOrders(db, business.id, ids)).map((order) => [order.id, order]))
  const orders = ids.map((id) => found.get(id) ?? refuse())
  if (orders.reduce((sum, { lines }) => sum + lines.length, 0) > MAX_SLIP_LINES) throw tooManySlipLines()
  const shipments = Map.groupBy(await listShipmentsOf(db, business.id, ids), ({ orderId }) => orderId)
  const refunds = Map.groupBy(await listRefundLinesOf(db, business.id, ids), ({ orderId }) => orderId)
  return orders.map((order) => {
    const shipped = sumPieces(shipments.get(order.id) ?? [])
    const refunded = sumUnshipped(refunds.get(order.id) ?? [])
    return toSlip(order, business, { shipped, refunded })
  })
}

function refuse(): never {
  throw orderNotFound()
}
