import { type Static, Type } from 'typebox'
import { MediaUrl } from '#vocabulary/media.ts'
import {
  BusinessId,
  Changes,
  ErrorBody,
  Id,
  idOf,
  Nullable,
  OrderId,
  UnixSeconds,
  UserId,
} from '#vocabulary/schemas.ts'
import { LineId, MAX_LINES, Quantity } from '../schemas.ts'

export const MAX_SHIPMENTS = 100
export const MAX_BULK = 200

const ShipmentId = idOf('shp', '01jcq3v7k8f5t9x2m4n6p8r0sw')
export const ShipmentParams = Type.Object({ businessId: BusinessId, id: Id, shipmentId: Id })

const text = (example: string) => Nullable(Type.String({ minLength: 1, maxLength: 100, examples: [example] }))
const parcel = {
  carrier: text('DHL'),
  trackingNumber: text('00340434161094042557'),
  trackingUrl: Nullable(
    Type.String({ ...MediaUrl, examples: ['https://www.dhl.com/track?number=00340434161094042557'] }),
  ),
}

const ShippedLine = Type.Object({ lineId: LineId, quantity: Quantity })

export const Shipment = Type.Object(
  {
    id: ShipmentId,
    orderId: OrderId,
    number: Type.Integer({ minimum: 1, description: 'Within its order.', examples: [1] }),
    lines: Type.Array(ShippedLine),
    ...parcel,
    notified: Type.Boolean({ description: 'Whether the customer is mailed about it.', examples: [true] }),
    userId: Type.Optional(Type.String({ ...UserId, description: 'Who entered it. Only staff see it.' })),
    createdAt: UnixSeconds,
    updatedAt: UnixSeconds,
  },
  { title: 'Shipment' },
)
export type Shipment = Static<typeof Shipment>

export const Shipments = Type.Object({
  items: Type.Array(Shipment, { maxItems: MAX_SHIPMENTS, description: 'The first comes first.' }),
})

const lines = Type.Array(ShippedLine, { minItems: 1, maxItems: MAX_LINES })
const notify = Type.Boolean({ description: 'Mail the customer, once for each shipment.', examples: [true] })

export const NewShipment = Type.Object({
  lines: Type.Optional(Type.Array(ShippedLine, { ...lines, description: 'Without it: all that is left.' })),
  ...Changes(parcel).properties,
  notify: Type.Optional(Type.Boolean({ ...notify, default: true })),
})
export type NewShipment = Static<typeof NewShipment>

export const ShipmentChanges = Changes({ lines, ...parcel, notify })
export type ShipmentChanges = Static<typeof ShipmentChanges>

const BulkItem = Type.Object({ orderId: OrderId, ...Changes(parcel).properties })
export type BulkItem = Static<typeof BulkItem>

export const BulkShipments = Type.Object({
  items: Type.Array(BulkItem, { minItems: 1, maxItems: MAX_BULK }),
  notify: Type.Optional(Type.Boolean({ ...notify, default: true })),
})
export type BulkShipments = Static<typeof BulkShipments>

const { error, message, details } = ErrorBody.properties
const ItemError = Type.Object({ error, message, details }, { title: 'ItemError' })

export const BulkOutcome = Type.Object({
  orderId: OrderId,
  shipmentId: Type.Optional(ShipmentId),
  error: Type.Optional(ItemError),
})
export type BulkOutcome = Static<typeof BulkOutcome>

export const BulkOutcomes = Type.Object({
  items: Type.Array(BulkOutcome, {
    maxItems: MAX_BULK,
    description: 'In the order of the request, each with a `shipmentId` or an `error`.',
  }),
})
