import type { FastifyRequest } from 'fastify'
import { holds } from '#vocabulary/permissions.ts'
import { orderNotFound } from './errors.ts'
import type { OrderRow } from './order.ts'
import { findOrder } from './queries.ts'

/** All ids under which a user may have ordered, including those as a guest. */
export type IdsOf = (userId: string) => Promise<string[]>

export const seesAllOrders = ({ permissions }: FastifyRequest) => holds(permissions, 'ORDERS_READ')

/** Only staff see who changed an order. */
export const seesActors = (request: FastifyRequest) =>
  seesAllOrders(request) || holds(request.permissions, 'ORDERS_WRITE')

/** Ids whose orders the caller may see; undefined: all. */
export const visibleTo = async (request: FastifyRequest, idsOf: IdsOf) =>
  seesAllOrders(request) ? undefined : idsOf(request.actor.userId)

/** 404 also for an order of somebody else, unless the caller may read all. */
export async function findVisible(request: FastifyRequest, id: string, idsOf: IdsOf): Promise<OrderRow> {
  const { cell, business } = request
  const [order, own] = await Promise.all([findOrder(cell, business.id, id), visibleTo(request, idsOf)])
  if (!order || (own && !own.includes(order.customerId))) throw orderNotFound()
  return order
}
