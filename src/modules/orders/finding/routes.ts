import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { countFitting, isFitting } from '#platform/database/page-bytes.ts'
import { handle } from '#platform/http/operation.ts'
import { sendFile } from '#platform/transfer/routes.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { decodeCursor, encodeCursor, type Filters, type Page, toPage } from '#vocabulary/paging.ts'
import { filterNeedsPermission } from '../errors.ts'
import { type OrderRow, presentOrder, presentToCustomer } from '../order.ts'
import { type IdsOf, seesActors, seesAllOrders, visibleTo } from '../readers.ts'
import type { Order } from '../schemas.ts'
import { type IsFirstSql, toAsked } from './conditions.ts'
import { countOrders } from './count-orders.ts'
import { exportOrders } from './export-orders.ts'
import { findOrders, orderOf, type Place } from './find-orders.ts'
import * as operation from './operations.ts'
import { type OrderFilters, STAFF_FILTERS } from './schemas.ts'

export type FindingOptions = {
  idsOf: IdsOf
  isFirst: IsFirstSql
  /** Notes in the audit log who exported, and what. */
  noteExport: (businessId: string, actor: Actor, filters: Record<string, string | number | string[]>) => Promise<void>
}

export const findingRoutes: FastifyPluginAsyncTypebox<FindingOptions> = async (app, options) => {
  const { idsOf, isFirst, noteExport } = options
  const askedFor = async (filters: OrderFilters) =>
    filters.customerId && (await Promise.all(filters.customerId.map(idsOf))).flat()

  handle(app, operation.listOrders, async (request) => {
    const { cell, business, query } = request
    const { limit = 20, cursor, sort = '-createdAt', ...filters } = query
    if (!seesAllOrders(request)) refuseStaffFilters(filters)
    const own = await visibleTo(request, idsOf)
    const of = await askedFor(filters)
    const customerIds = own && of ? of.filter((id) => own.includes(id)) : (of ?? own)

    // The cursor names the first id, the person: a guest who becomes the same person between two pages keeps their list.
    const marks: Filters = { list: 'orders', businessId: business.id, sort, of: customerIds?.[0], ...filters }
    const { isById } = orderOf(sort)
    const position = decodeCursor(marks, cursor, isById ? ['string'] : ['number', 'string'])
    const after = position && { key: isById ? null : (position[0] as number), id: position.at(-1) as string }
    const asked = toAsked(business.id, filters, customerIds, isFirst)
    const { rows, stop } = await findOrders(cell, { asked, sort, after, limit })

    const toPosition = ({ key, id }: Place) => (key === null ? [id] : [key, id])
    const shown = countFitting(rows, limit, isFitting)
    const present = (row: OrderRow) =>
      seesActors(request) ? presentOrder(row, { seesTags: seesAllOrders(request) }) : presentToCustomer(row)
    const page: Page<Order> = toPage(rows, shown, marks, (row) => toPosition({ key: row.sortKey, id: row.id }), present)
    return page.cursor === null && stop ? { ...page, cursor: encodeCursor(marks, toPosition(stop)) } : page
  })

  handle(app, operation.countOrders, async ({ cell, business, query: { by, ...filters } }) =>
    countOrders(cell, toAsked(business.id, filters, await askedFor(filters), isFirst), by),
  )

  handle(app, operation.exportOrders, async ({ cell, business, actor, query }, reply) => {
    const { format = 'csv', ...filters } = query
    const asked = toAsked(business.id, filters, await askedFor(filters), isFirst)
    await noteExport(business.id, actor, { format, ...filters })
    return sendFile(reply, 'orders', format, exportOrders(cell, asked, format))
  })
}

function refuseStaffFilters(filters: OrderFilters): void {
  const refused = STAFF_FILTERS.find((name) => filters[name] !== undefined)
  if (refused) throw filterNeedsPermission({ filter: refused })
}
