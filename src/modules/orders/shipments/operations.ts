import { operation } from '#platform/http/operation.ts'
import { BusinessParams, RecordParams, Success } from '#vocabulary/schemas.ts'
import * as shape from './schemas.ts'

export const shipOrder = operation({
  method: 'POST',
  url: '/orders/:id/shipments',
  config: { access: 'ORDERS_WRITE', business: 'path', idempotent: true, fails: [409] },
  schema: {
    operationId: 'shipOrder',
    tags: ['Orders'],
    summary: 'Ship an order',
    description:
      'Some of its lines, or all that is left. Possible while it is PROCESSING, SHIPPED or DELIVERED. The last piece moves ' +
      'PROCESSING to SHIPPED. The customer gets a mail, unless `notify` is false.',
    params: RecordParams,
    body: shape.NewShipment,
    response: { 201: shape.Shipment },
  },
})

export const shipOrders = operation({
  method: 'POST',
  url: '/orders/shipments',
  config: { access: 'ORDERS_WRITE', business: 'path', idempotent: true },
  schema: {
    operationId: 'shipOrders',
    tags: ['Orders'],
    summary: 'Ship many orders',
    description:
      'All that is left of each. Each order is shipped or refused by itself. `Idempotency-Key` counts for each order: a ' +
      'repeated request ships nothing twice.',
    params: BusinessParams,
    body: shape.BulkShipments,
    response: { 200: shape.BulkOutcomes },
  },
})

export const listShipments = operation({
  method: 'GET',
  url: '/orders/:id/shipments',
  config: { access: 'guest', business: 'path', keys: 'strangers' },
  schema: {
    operationId: 'listShipments',
    tags: ['Orders'],
    summary: 'List the shipments of an order',
    description: 'All of them, the first one first. Without `ORDERS_READ`: only of your own orders.',
    params: RecordParams,
    response: { 200: shape.Shipments },
  },
})

export const getShipment = operation({
  method: 'GET',
  url: '/orders/:id/shipments/:shipmentId',
  config: { access: 'guest', business: 'path', keys: 'strangers', versioned: true },
  schema: {
    operationId: 'getShipment',
    tags: ['Orders'],
    summary: 'Get a shipment',
    description: 'Without `ORDERS_READ`: only of your own orders.',
    params: shape.ShipmentParams,
    response: { 200: shape.Shipment },
  },
})

export const updateShipment = operation({
  method: 'PUT',
  url: '/orders/:id/shipments/:shipmentId',
  config: { access: 'ORDERS_WRITE', business: 'path', versioned: true, fails: [409] },
  schema: {
    operationId: 'updateShipment',
    tags: ['Orders'],
    summary: 'Change a shipment',
    description:
      'Changes what is sent. `lines` replaces all of its lines; the order’s status follows as when shipping and deleting. ' +
      '`notify: true` mails the customer if that was not asked for before.',
    params: shape.ShipmentParams,
    body: shape.ShipmentChanges,
    response: { 200: shape.Shipment },
  },
})

export const deleteShipment = operation({
  method: 'DELETE',
  url: '/orders/:id/shipments/:shipmentId',
  config: { access: 'ORDERS_WRITE', business: 'path', versioned: true, fails: [409] },
  schema: {
    operationId: 'deleteShipment',
    tags: ['Orders'],
    summary: 'Delete a shipment',
    description:
      'Its pieces are left to ship again. If the last piece had moved the order to SHIPPED, it is PROCESSING again, unless ' +
      'a person has set a status since.',
    params: shape.ShipmentParams,
    response: { 200: Success },
  },
})
