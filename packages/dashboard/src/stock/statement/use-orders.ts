import type { Order } from '@kontor/sdk'
import { useQueries } from '@tanstack/react-query'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { ordersQuery } from '../queries.ts'
import type { Movement } from './balance.ts'

const BY_ORDERS = ['ORDER', 'CANCEL', 'RETURN']
export const isByOrder = ({ kind }: Movement) => BY_ORDERS.includes(kind)

/** The orders that these pages of movements name, by id; none for who may not read orders. */
export function useOrders(pages: readonly (readonly Movement[])[]): ReadonlyMap<string, Order> {
  const { may } = usePermissions()
  const { id: businessId } = useBusiness()
  const asked = pages
    .map((movements) => [...new Set(movements.filter(isByOrder).flatMap(({ reference }) => reference ?? []))])
    .filter((ids) => ids.length > 0 && may('ORDERS_READ'))
  return useQueries({ queries: asked.map((ids) => ordersQuery(businessId, ids)), combine: byId })
}

/** Always the same function: then the answer stays the same as long as the orders do. */
const byId = (answers: readonly { data: { items: Order[] } | undefined }[]): ReadonlyMap<string, Order> =>
  new Map(answers.flatMap(({ data }) => data?.items ?? []).map((order) => [order.id, order]))
