import type { FastifyRequest } from 'fastify'
import { etagForReaders, etagOf } from '#platform/http/etag.ts'
import { holds } from '#vocabulary/permissions.ts'
import { HISTORY, hideActors } from '#vocabulary/status-history.ts'

/** What the caller may see of a business's content. */
export const viewerOf = ({ business, permissions }: FastifyRequest) => ({
  businessId: business.id,
  seesDrafts: holds(permissions, 'CONTENT_READ_DRAFTS') || holds(permissions, 'CONTENT_WRITE'),
  /** Whether the caller sees who changed what. */
  seesActors: holds(permissions, 'CONTENT_WRITE'),
  seesOrders: holds(permissions, 'ORDERS_READ'),
  seesProducts: holds(permissions, 'PRODUCTS_WRITE'),
})
export type Viewer = ReturnType<typeof viewerOf>

type SeesActors = Pick<Viewer, 'seesActors'>

/** A stored document for this viewer. Nothing after its status history can look like one. */
export const toAnswer = (document: string, { seesActors }: SeesActors) =>
  seesActors ? document : hideActors(document, document.lastIndexOf(HISTORY))

export const etagFor = (version: number | string, { seesActors }: SeesActors) =>
  seesActors ? etagOf(version) : etagForReaders(etagOf(version))
