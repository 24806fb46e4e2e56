import { blockText, type Order, paymentStatusOf, statusOf } from '@kontor/sdk'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { type Fill, Status, type Tone } from '../ui/status.tsx'

/** Where an order stands: the whole order, or a row that has the last of each history. */
export type States = Pick<Order, 'fulfillment'> & {
  statuses: { status: OrderState }[]
  paymentStatus: { status: PaymentState }[]
}

type Word = { word: MessageDescriptor; fill: Fill; tone: Tone }

/** Whose order it is, as far as the order says it. */
export const nameOfOrder = (order: Order): string =>
  order.shippingAddress?.name ||
  order.billingAddress?.name ||
  blockText(order.blocks, 'name') ||
  order.shippingAddress?.company ||
  order.contactEmail ||
  ''

export type OrderState = Order['statuses'][number]['status']
export type PaymentState = Order['paymentStatus'][number]['status']

const FULFILMENT: Record<OrderState, Word> = {
  PENDING: { word: msg`Not yet`, fill: 'ring', tone: 'soft' },
  PROCESSING: { word: msg`To pack`, fill: 'ring', tone: 'act' },
  SHIPPED: { word: msg`Sent`, fill: 'full', tone: 'act' },
  DELIVERED: { word: msg`Delivered`, fill: 'full', tone: 'good' },
  CANCELLED: { word: msg`Cancelled`, fill: 'off', tone: 'soft' },
  REFUNDED: { word: msg`Refunded`, fill: 'off', tone: 'soft' },
}
const PART_SENT: Word = { word: msg`Part sent`, fill: 'half', tone: 'act' }

const PAYMENT: Record<PaymentState, Word> = {
  PENDING: { word: msg`Waiting`, fill: 'ring', tone: 'wait' },
  PAID: { word: msg`Paid`, fill: 'full', tone: 'good' },
  FAILED: { word: msg`Failed`, fill: 'full', tone: 'alert' },
  PARTIALLY_REFUNDED: { word: msg`Part refunded`, fill: 'half', tone: 'soft' },
  REFUNDED: { word: msg`Refunded`, fill: 'off', tone: 'soft' },
}
const NOT_PAID: Word = { word: msg`Not paid`, fill: 'off', tone: 'soft' }
const REFUND_ASKED: Word = { word: msg`Refund asked`, fill: 'unknown', tone: 'wait' }

function paymentWord(order: States): Word {
  const payment = paymentStatusOf(order)
  return payment === 'PENDING' && statusOf(order) === 'CANCELLED' ? NOT_PAID : PAYMENT[payment]
}

function fulfilmentWord(order: States): Word {
  const status = statusOf(order)
  const { CANCELLED, SHIPPED } = FULFILMENT
  if (status === 'CANCELLED' || status === 'DELIVERED') return FULFILMENT[status]
  if (order.fulfillment === 'PARTIALLY_FULFILLED') return PART_SENT
  if (order.fulfillment === 'FULFILLED') return SHIPPED
  return status === 'REFUNDED' ? CANCELLED : FULFILMENT[status] // the money came back before anything went out
}

/** How far the money is. What was asked back and is not yet known comes first. */
export function PaymentStatus({ order, isAsked = false }: { order: States; isAsked?: boolean }) {
  const { i18n } = useLingui()
  const { word, fill, tone } = isAsked ? REFUND_ASKED : paymentWord(order)
  return <Status {...{ fill, tone }}>{i18n._(word)}</Status>
}

/** How far the goods are. */
export function FulfilmentStatus({ order }: { order: States }) {
  const { i18n } = useLingui()
  const { word, fill, tone } = fulfilmentWord(order)
  return <Status {...{ fill, tone }}>{i18n._(word)}</Status>
}

const wordsOf = <State extends string>(states: Record<State, Word>) =>
  Object.fromEntries(Object.entries<Word>(states).map(([state, { word }]) => [state, word])) as Record<
    State,
    MessageDescriptor
  >

/** The same words by the values of the API, for filters. */
export const STATUS_WORDS = wordsOf(FULFILMENT)
export const PAYMENT_WORDS = wordsOf(PAYMENT)
export const FULFILLMENT_WORDS = {
  UNFULFILLED: msg`Nothing sent`,
  PARTIALLY_FULFILLED: msg`Part sent`,
  FULFILLED: msg`All sent`,
}

/** For both histories. */
export function useStatusWords() {
  const { i18n } = useLingui()
  return {
    status: (status: OrderState) => i18n._(STATUS_WORDS[status]),
    payment: (status: PaymentState) => i18n._(PAYMENT_WORDS[status]),
  }
}
