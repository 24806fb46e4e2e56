import { type Order, paymentStatusOf, statusOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { type Fill, Status, type Tone } from '../../ui/status.tsx'

export type OrderStatus = Order['statuses'][number]['status']
export type PaymentStatus = Order['paymentStatus'][number]['status']
type State = { word: string; fill: Fill; tone: Tone }

/** The words of both histories. */
export function useStatusWords() {
  const { t } = useLingui()
  const status: Record<OrderStatus, string> = {
    PENDING: t`Not yet`,
    PROCESSING: t`To pack`,
    SHIPPED: t`Sent`,
    DELIVERED: t`Delivered`,
    CANCELLED: t`Cancelled`,
    REFUNDED: t`Refunded`,
  }
  const payment: Record<PaymentStatus, string> = {
    PENDING: t`Waiting`,
    PAID: t`Paid`,
    FAILED: t`Failed`,
    REFUNDED: t`Refunded`,
    PARTIALLY_REFUNDED: t`Part refunded`,
  }
  return { status, payment }
}

const FULFILMENT: Record<OrderStatus, Omit<State, 'word'>> = {
  PENDING: { fill: 'ring', tone: 'soft' },
  PROCESSING: { fill: 'ring', tone: 'act' },
  SHIPPED: { fill: 'full', tone: 'act' },
  DELIVERED: { fill: 'full', tone: 'good' },
  CANCELLED: { fill: 'off', tone: 'soft' },
  REFUNDED: { fill: 'off', tone: 'soft' },
}
const PAYMENT: Record<PaymentStatus, Omit<State, 'word'>> = {
  PENDING: { fill: 'ring', tone: 'wait' },
  PAID: { fill: 'full', tone: 'good' },
  FAILED: { fill: 'full', tone: 'alert' },
  REFUNDED: { fill: 'off', tone: 'soft' },
  PARTIALLY_REFUNDED: { fill: 'half', tone: 'soft' },
}

/** How far the goods are. */
export function FulfilmentState({ order }: { order: Order }) {
  const { t } = useLingui()
  const words = useStatusWords()
  const status = statusOf(order)
  const isPart = order.fulfillment === 'PARTIALLY_FULFILLED' && status === 'PROCESSING'
  if (isPart) return <Status fill="half" tone="act">{t`Part sent`}</Status>
  return <Status {...FULFILMENT[status]}>{words.status[status]}</Status>
}

/** How far the money is. What was asked back and is not yet known comes first. */
export function PaymentState({ order, isAsked }: { order: Order; isAsked: boolean }) {
  const { t } = useLingui()
  const words = useStatusWords()
  if (isAsked) return <Status fill="unknown" tone="wait">{t`Refund asked`}</Status>
  const status = paymentStatusOf(order)
  return <Status {...PAYMENT[status]}>{words.payment[status]}</Status>
}
