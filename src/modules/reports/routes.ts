import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { now } from '#platform/clock.ts'
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

export const reportRoutes: FastifyPluginAsyncTypebox<HomeOptions> = async (app, options) => {
  handle(app, operation.readSales, (request) => readSales(request.cell, askerOf(request), request.query))
  handle(app, operation.readCustomers, (request) => readCustomers(request.cell, askerOf(request), request.query))
  handle(app, operation.readProducts, (request) => readProducts(request.cell, askerOf(request), request.query))
  handle(app, operation.readPromoCodes, (request) => readPromoCodes(request.cell, askerOf(request), request.query))
  handle(app, operation.readSubscribers, (request) => readSubscribers(request.cell, askerOf(request), request.query))
  handle(app, operation.readHome, (request) =>
    readHome(request.cell, askerOf(request), options, {
      sales: holds(request.permissions, 'ORDERS_READ'),
      stock: holds(request.permissions, 'PRODUCTS_WRITE'),
      sends: holds(request.permissions, 'SUBSCRIBERS_READ'),
    }),
  )
}
