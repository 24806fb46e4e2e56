import { type Order, paymentStatusOf, statusOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { Status } from '../ui/status.tsx'

export function Payment({ order }: { order: Order }) {
  const { t } = useLingui()
  switch (paymentStatusOf(order)) {
    case 'PENDING':
      return <Status fill="ring" tone="wait">{t`Waiting`}</Status>
    case 'PAID':
      return <Status fill="full" tone="good">{t`Paid`}</Status>
    case 'FAILED':
      return <Status fill="full" tone="alert">{t`Failed`}</Status>
    case 'PARTIALLY_REFUNDED':
      return <Status fill="half">{t`Part refunded`}</Status>
    default:
      return <Status fill="off">{t`Refunded`}</Status>
  }
}

export function Fulfilment({ order }: { order: Order }) {
  const { t } = useLingui()
  const status = statusOf(order)
  if (status === 'CANCELLED') return <Status fill="off">{t`Cancelled`}</Status>
  if (status === 'DELIVERED') return <Status fill="full" tone="good">{t`Delivered`}</Status>
  if (order.fulfillment === 'FULFILLED') return <Status fill="full" tone="act">{t`Sent`}</Status>
  if (order.fulfillment === 'PARTIALLY_FULFILLED') return <Status fill="half" tone="act">{t`Part sent`}</Status>
  if (status === 'PROCESSING') return <Status fill="ring" tone="act">{t`To pack`}</Status>
  return <Status fill="ring">{t`Not yet`}</Status>
}
