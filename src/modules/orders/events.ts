import { Type } from 'typebox'
import { defineEvent, FieldNames } from '#platform/events/define.ts'
import { Currency, idOf, MarketId, Money, moneyOf, OneOf } from '#vocabulary/schemas.ts'
import { LineId, ORDER_STATUSES, OrderNumber, PAYMENT_STATUSES, Quantity } from './schemas.ts'

const total = moneyOf(4_877)

export const orderCreated = defineEvent('order.created', {
  subject: 'order',
  note: 'Without `total` and `currency` for a manual order.',
  data: Type.Object({ number: OrderNumber, total: Type.Optional(total), currency: Type.Optional(Currency) }),
})
export const orderPaid = defineEvent('order.paid', {
  subject: 'order',
  note: 'Also when there was nothing to pay.',
  data: Type.Object({ number: OrderNumber, total, currency: Currency }),
})
export const orderUpdated = defineEvent('order.updated', {
  subject: 'order',
  note: 'With the fields that were sent, or that a payment has changed: `refundedAmount` when a further part was refunded, `expiresAt`.',
  data: Type.Object({ number: OrderNumber, fields: FieldNames }),
})
export const orderStatusChanged = defineEvent('order.status_changed', {
  subject: 'order',
  data: Type.Object({ number: OrderNumber, status: OneOf(ORDER_STATUSES) }),
})
export const orderPaymentStatusChanged = defineEvent('order.payment_status_changed', {
  subject: 'order',
  data: Type.Object({ number: OrderNumber, paymentStatus: OneOf(PAYMENT_STATUSES) }),
})

export const orderCancelled = defineEvent('order.cancelled', {
  subject: 'order',
  note: 'By a person: staff, or its customer. Besides `order.status_changed`.',
  data: Type.Object({ number: OrderNumber, total, currency: Currency }),
})
export const orderExpired = defineEvent('order.expired', {
  subject: 'order',
  note: 'Nobody paid it in time. Besides `order.status_changed`.',
  data: Type.Object({
    number: OrderNumber,
    total,
    currency: Currency,
    market: MarketId,
    lines: Type.Integer({ minimum: 0, description: 'How many lines it has.', examples: [2] }),
    hasEmail: Type.Boolean({ description: 'Whether the shopper left an email address.', examples: [true] }),
  }),
})
export const orderErased = defineEvent('order.erased', {
  subject: 'order',
  note: 'Its customer was erased, by the business or with their account: name, addresses, email, phone, notes, blocks and comments are gone.',
  data: Type.Object({ number: OrderNumber }),
})
export const orderCommented = defineEvent('order.commented', {
  subject: 'order',
  note: 'Without the text.',
  data: Type.Object({ number: OrderNumber, commentId: idOf('cmt', '01jcq3v7k8f5t9x2m4n6p8r0sw') }),
})
export const orderReturned = defineEvent('order.returned', {
  subject: 'order',
  note: 'Goods came back, by a return or by a refund with `restock`.',
  data: Type.Object({
    number: OrderNumber,
    lines: Type.Array(Type.Object({ lineId: LineId, quantity: Quantity })),
  }),
})

const Refunded = Type.Object({ refundId: idOf('ref', '01jcq3v7k8f5t9x2m4n6p8r0sw'), amount: Money })

export const orderRefundRequested = defineEvent('order.refund_requested', {
  subject: 'order',
  note: 'A refund by the service itself is not announced.',
  data: Refunded,
})
export const orderRefunded = defineEvent('order.refunded', { subject: 'order', data: Refunded })
export const orderRefundFailed = defineEvent('order.refund_failed', {
  subject: 'order',
  note: 'Needs a person.',
  data: Refunded,
})

export const orderShipped = defineEvent('order.shipped', {
  subject: 'order',
  note: 'A shipment was entered. The last piece also changes the status.',
  data: Type.Object({ number: OrderNumber, shipmentId: idOf('shp', '01jcq3v7k8f5t9x2m4n6p8r0sw') }),
})
export const orderMailSent = defineEvent('order.mail_sent', {
  subject: 'order',
  note: 'Contains no email address, like all events.',
  data: Type.Object({
    number: OrderNumber,
    mail: OneOf(['confirmation', 'shipment', 'new_order']),
    to: OneOf(['CUSTOMER', 'BUSINESS'], { description: 'Recipient. `BUSINESS` for `new_order`.' }),
  }),
})
