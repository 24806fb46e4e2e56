import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { transaction } from '#platform/database/transaction.ts'
import { etagForReaders, etagOf, expectedOf, sendVersioned } from '#platform/http/etag.ts'
import { createOnce } from '#platform/http/idempotency.ts'
import { handle } from '#platform/http/operation.ts'
import { shipmentNotFound } from '../errors.ts'
import { findVisible, type IdsOf, seesActors } from '../readers.ts'
import * as operation from './operations.ts'
import { findShipment, listShipments } from './queries.ts'
import { changeShipment, deleteShipment, ship } from './ship.ts'
import { shipMany } from './ship-many.ts'
import { presentShipment, presentToCustomer } from './shipment.ts'

export type ShipmentOptions = { idsOf: IdsOf }

export const shipmentRoutes: FastifyPluginAsyncTypebox<ShipmentOptions> = async (app, { idsOf }) => {
  const placeOf = ({ business, actor }: FastifyRequest, orderId: string) => ({
    businessId: business.id,
    orderId,
    actor,
  })

  handle(app, operation.shipOrder, (request, reply) =>
    createOnce(request, reply, request.cell, async (tx) =>
      presentShipment(await ship(tx, placeOf(request, request.params.id), request.body)),
    ),
  )

  handle(app, operation.shipOrders, async (request) => ({ items: await shipMany(request, request.body) }))

  handle(app, operation.listShipments, async (request) => {
    const { cell, business, params } = request
    await findVisible(request, params.id, idsOf)
    const shipments = await listShipments(cell, business.id, params.id)
    return { items: shipments.map(seesActors(request) ? presentShipment : presentToCustomer) }
  })

  handle(app, operation.getShipment, async (request, reply) => {
    const { cell, business, params } = request
    await findVisible(request, params.id, idsOf)
    const shipment = await findShipment(cell, business.id, params.id, params.shipmentId)
    if (!shipment) throw shipmentNotFound()
    const etag = etagOf(shipment.version)
    if (seesActors(request)) return sendVersioned(request, reply, etag, presentShipment(shipment))
    return sendVersioned(request, reply, etagForReaders(etag), presentToCustomer(shipment))
  })

  handle(app, operation.updateShipment, async (request, reply) => {
    const { cell, params, body } = request
    const shipment = await transaction(cell, (tx) =>
      changeShipment(tx, placeOf(request, params.id), params.shipmentId, expectedOf(request), body),
    )
    return sendVersioned(request, reply, etagOf(shipment.version), presentShipment(shipment))
  })

  handle(app, operation.deleteShipment, async (request) => {
    const { cell, params } = request
    await transaction(cell, (tx) =>
      deleteShipment(tx, placeOf(request, params.id), params.shipmentId, expectedOf(request)),
    )
    return { success: true } as const
  })
}
