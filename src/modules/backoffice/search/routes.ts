import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Cell } from '#platform/database/database.ts'
import { handle } from '#platform/http/operation.ts'
import { holds } from '#vocabulary/permissions.ts'
import * as operation from './operations.ts'
import type { CustomerHit, EntryHit, OrderHit, ProductHit } from './schemas.ts'

const MAX_HITS = 5

/** What is looked for, and how many at most. */
export type Sought = { businessId: string; query: string; limit: number }

/** The searches of other modules, each with what the caller may see. */
export type SearchOptions = {
  findOrders: (cell: Cell, sought: Sought) => Promise<OrderHit[]>
  findProducts: (cell: Cell, sought: Sought, seesAll: boolean) => Promise<ProductHit[]>
  findCustomers: (cell: Cell, sought: Sought) => Promise<CustomerHit[]>
  findEntries: (cell: Cell, sought: Sought, seesDrafts: boolean) => Promise<EntryHit[]>
}

export const searchRoutes: FastifyPluginAsyncTypebox<SearchOptions> = async (app, options) => {
  handle(app, operation.search, async ({ cell, business, query: { query }, permissions }) => {
    const sought = { businessId: business.id, query, limit: MAX_HITS }
    const seesOrders = holds(permissions, 'ORDERS_READ')
    const seesDrafts = holds(permissions, 'CONTENT_READ_DRAFTS') || holds(permissions, 'CONTENT_WRITE')
    const [orders, customers, products, entries] = await Promise.all([
      seesOrders ? options.findOrders(cell, sought) : [],
      seesOrders ? options.findCustomers(cell, sought) : [],
      options.findProducts(cell, sought, holds(permissions, 'PRODUCTS_WRITE')),
      options.findEntries(cell, sought, seesDrafts),
    ])
    return { orders, products, customers, entries }
  })
}
