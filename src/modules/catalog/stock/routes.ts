import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { type CommittedSql, listStock } from './list-stock.ts'
import * as operation from './operations.ts'
import { getStocktake, listStocktakes } from './stocktakes.ts'
import { takeStock } from './take-stock.ts'

export type StockOptions = { committedSql: CommittedSql }

export const stockRoutes: FastifyPluginAsyncTypebox<StockOptions> = async (app, { committedSql }) => {
  handle(app, operation.listStock, ({ cell, business, query }) => listStock(cell, business.id, query, committedSql))

  handle(app, operation.createStocktake, (request, reply) => {
    const { cell, business, actor, body } = request
    return createOnce(request, reply, cell, (tx) => takeStock(tx, business.id, actor, body))
  })

  handle(app, operation.listStocktakes, ({ cell, business, query }) => listStocktakes(cell, business.id, query))

  handle(app, operation.getStocktake, ({ cell, business, params }) => getStocktake(cell, business.id, params.id))
}
