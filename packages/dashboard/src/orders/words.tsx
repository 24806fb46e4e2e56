import { blockText, type Order, paymentStatusOf, statusOf } from '@kontor/sdk'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { type Fill, Status, type Tone } from '../ui/status.tsx'

type Word = { word: MessageDescriptor; fill: Fill; tone: Tone }

/** Whose order it is, as far as the order says it. */
export const nameOfOrder = (order: Order): string =>
  order.shippingAddress?.name ||
  order.billingAddress?.name ||
  blockText(order.blocks, 'name') ||
  order.shippingAddress?.company ||
  order.contactEmail ||
  ''

const PAYMENT = {
  PENDING: { word: msg`Waiting`, fill: 'ring', tone: 'wait' },
  PAID: { word: msg`Paid`, fill: 'full', tone: 'good' },
  FAILED: { word: msg`Failed`, fill: 'full', tone: 'alert' },
  PARTIALLY_REFUNDED: { word: msg`Part refunded`, fill: 'half', tone: 'soft' },
  REFUNDED: { word: msg`Refunded`, fill: 'off', tone: 'soft' },
} as const satisfies Record<string, Word>

const NOT_PAID: Word = { word: msg`Not paid`, fill: 'off', tone: 'soft' }

const FULFILMENT = {
  none: { word: msg`Not yet`, fill: 'ring', tone: 'soft' },
  toPack: { word: msg`To pack`, fill: 'ring', tone: 'act' },
  part: { word: msg`Part sent`, fill: 'half', tone: 'act' },
  sent: { word: msg`Sent`, fill: 'full', tone: 'act' },
  delivered: { word: msg`Delivered`, fill: 'full', tone: 'good' },
  cancelled: { word: msg`Cancelled`, fill: 'off', tone: 'soft' },
} as const satisfies Record<string, Word>

function paymentWord(order: Order): Word {
  const payment = paymentStatusOf(order)
  return payment === 'PENDING' && statusOf(order) === 'CANCELLED' ? NOT_PAID : PAYMENT[payment]
}

function fulfilmentWord(order: Order): Word {
  const status = statusOf(order)
  if (status === 'CANCELLED') return FULFILMENT.cancelled
  if (status === 'DELIVERED') return FULFILMENT.delivered
  if (order.fulfillment === 'PARTIALLY_FULFILLED') return FULFILMENT.part
  if (order.fulfillment === 'FULFILLED' || status === 'SHIPPED') return FULFILMENT.sent
  if (status === 'REFUNDED') return FULFILMENT.cancelled
  return status === 'PROCESSING' ? FULFILMENT.toPack : FULFILMENT.none
}

export function PaymentStatus({ order }: { order: Order }) {
  const { i18n } = useLingui()
  const { word, fill, tone } = paymentWord(order)
  return <Status {...{ fill, tone }}>{i18n._(word)}</Status>
}

export function FulfilmentStatus({ order }: { order: Order }) {
  const { i18n } = useLingui()
  const { word, fill, tone } = fulfilmentWord(order)
  return <Status {...{ fill, tone }}>{i18n._(word)}</Status>
}

/** The words of the filters, by the values of the API. */
export const STATUS_WORDS: Record<string, MessageDescriptor> = {
  PENDING: msg`Pending`,
  PROCESSING: msg`Processing`,
  SHIPPED: msg`Shipped`,
  DELIVERED: msg`Delivered`,
  CANCELLED: msg`Cancelled`,
  REFUNDED: msg`Refunded`,
}
export const PAYMENT_WORDS: Record<string, MessageDescriptor> = {
  PENDING: msg`Waiting`,
  PAID: msg`Paid`,
  FAILED: msg`Failed`,
  REFUNDED: msg`Refunded`,
  PARTIALLY_REFUNDED: msg`Part refunded`,
}
export const FULFILLMENT_WORDS: Record<string, MessageDescriptor> = {
  UNFULFILLED: msg`Nothing sent`,
  PARTIALLY_FULFILLED: msg`Part sent`,
  FULFILLED: msg`All sent`,
}
