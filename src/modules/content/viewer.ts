import type { FastifyRequest } from 'fastify'
import { holds } from '#vocabulary/permissions.ts'

/** What the caller may see of a business's content. */
export const viewerOf = ({ business, permissions }: FastifyRequest) => ({
  businessId: business.id,
  seesDrafts: holds(permissions, 'CONTENT_READ_DRAFTS') || holds(permissions, 'CONTENT_WRITE'),
  seesOrders: holds(permissions, 'ORDERS_READ'),
  seesProducts: holds(permissions, 'PRODUCTS_WRITE'),
})
export type Viewer = ReturnType<typeof viewerOf>
