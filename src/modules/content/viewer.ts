import type { FastifyRequest } from 'fastify'
import { etagForReaders, etagOf } from '#platform/http/etag.ts'
import { holds } from '#vocabulary/permissions.ts'
import { HISTORY, hideActors } from '#vocabulary/status-history.ts'

/** What the caller may see of a business's content. */
export const viewerOf = ({ business, permissions }: FastifyRequest) => ({
  businessId: business.id,
  seesDrafts: holds(permissions, 'CONTENT_READ_DRAFTS') || holds(permissions, 'CONTENT_WRITE'),
  /** Who has changed what. */
  seesActors: holds(permissions, 'CONTENT_WRITE'),
  seesOrders: holds(permissions, 'ORDERS_READ'),
  seesProducts: holds(permissions, 'PRODUCTS_WRITE'),
})
export type Viewer = ReturnType<typeof viewerOf>

type SeesActors = Pick<Viewer, 'seesActors'>

/** A stored document as the viewer gets it. After its history nothing comes that could look like one. */
export const toAnswer = (document: string, { seesActors }: SeesActors) =>
  seesActors ? document : hideActors(document, document.lastIndexOf(HISTORY))

export const etagFor = (version: number | string, { seesActors }: SeesActors) =>
  seesActors ? etagOf(version) : etagForReaders(etagOf(version))
