import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger } from 'fastify'
import type { Cell, Db } from '#platform/database/database.ts'
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
const LOGO_MS = 2_000

type Options = {
  /** Further font files for letters that ours lack; else those that are installed. */
  fonts: readonly string[]
  /** The bytes of the logo, JPEG or PNG, from the store; never by its address. */
  readLogo: (cell: Cell, business: Business) => Promise<Uint8Array | undefined>
}

export const packingSlipRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const fonts = findFurtherFonts(options.fonts)
  // Drawing takes up to seconds, and would hold up every other request.
  const draw = openThread<SlipTask, Uint8Array>(new URL('./draw-thread.ts', import.meta.url), { timeoutMs: TIMEOUT_MS })

  /** A slip without a logo packs as well. */
  const logoOf = (cell: Cell, business: Business, log: FastifyBaseLogger) =>
    withTimeout(LOGO_MS, options.readLogo(cell, business), () => new Error('The store did not answer')).catch(
      (error: unknown) => {
        log.warn({ err: error, businessId: business.id }, 'packing slips are printed without the logo')
        return undefined
      },
    )

  handle(app, operation.getPackingSlips, async (request, reply) => {
    const { cell, business, query } = request
    const slips = await readSlips(cell, business, [...new Set(query.ids.flatMap((ids) => ids.split(',')))])
    const logo = await logoOf(cell, business, request.log)
    let isLate = false
    const owner = { key: business.id, isGone: () => isLate || reply.raw.destroyed }
    const { name, defaultLocale } = business
    const region = new Intl.Locale(defaultLocale).maximize().region ?? ''
    const task = { paper: query.paper ?? 'A4', business: name, region, fonts, slips }
    const drawn = draw({ ...task, logo }, owner).catch((error: unknown) => {
      if (!logo || isLate) throw error
      request.log.warn({ err: error, businessId: business.id }, 'packing slips are printed without the logo')
      return draw({ ...task, logo: undefined }, owner)
    })
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
