import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { now } from '#platform/clock.ts'
import type { Cell } from '#platform/database/database.ts'
import { handle } from '#platform/http/operation.ts'
import { holds } from '#vocabulary/permissions.ts'
import * as operation from './operations.ts'
import { type HomeOptions, readHome } from './read-home.ts'
import { readProducts, readPromoCodes } from './read-parts.ts'
import { readCustomers, readSales } from './read-sales.ts'
import { readSubscribers } from './read-subscribers.ts'
import type { Asker } from './time-asked.ts'

const askerOf = ({ business }: FastifyRequest): Asker => ({
  businessId: business.id,
  timeZone: business.timeZone,
  at: now(),
})

/** From a replica, unless that lacks the event that the caller knows of. */
async function readUpTo<Report extends { upToEvent: number }>(
  { cell, query }: FastifyRequest,
  read: (cell: Cell) => Promise<Report>,
): Promise<Report> {
  const report = await read(cell)
  const { upToEvent = 0 } = query as { upToEvent?: number }
  return cell.primary && report.upToEvent < upToEvent ? read(cell.primary) : report
}

export const reportRoutes: FastifyPluginAsyncTypebox<HomeOptions> = async (app, options) => {
  handle(app, operation.readSales, (request) =>
    readUpTo(request, (cell) => readSales(cell, askerOf(request), request.query)),
  )
  handle(app, operation.readCustomers, (request) =>
    readUpTo(request, (cell) => readCustomers(cell, askerOf(request), request.query)),
  )
  handle(app, operation.readProducts, (request) =>
    readUpTo(request, (cell) => readProducts(cell, askerOf(request), request.query)),
  )
  handle(app, operation.readPromoCodes, (request) =>
    readUpTo(request, (cell) => readPromoCodes(cell, askerOf(request), request.query)),
  )
  handle(app, operation.readSubscribers, (request) =>
    readUpTo(request, (cell) => readSubscribers(cell, askerOf(request), request.query)),
  )
  handle(app, operation.readHome, (request) =>
    readHome(request.cell, askerOf(request), options, {
      sales: holds(request.permissions, 'ORDERS_READ'),
      stock: holds(request.permissions, 'PRODUCTS_WRITE'),
      sends: holds(request.permissions, 'SUBSCRIBERS_READ'),
    }),
  )
}
