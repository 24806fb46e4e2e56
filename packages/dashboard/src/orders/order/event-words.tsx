import { Trans, useLingui } from '@lingui/react/macro'
import {
  Ban,
  Box,
  CreditCard,
  Eraser,
  type LucideIcon,
  Mail,
  PackageOpen,
  Pencil,
  ReceiptText,
  Tag,
} from 'lucide-react'
import type { ReactNode } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Money } from '../../ui/money.tsx'
import type { Fill, Tone } from '../../ui/status.tsx'
import { type OrderState, type PaymentState, useStatusWords } from '../words.tsx'
import type { TimelineItem } from './queries.ts'
import { lineNames, type OrderView } from './view.ts'

export type Told = {
  what: ReactNode
  more?: ReactNode
  pin: LucideIcon | { fill: Fill; tone: Tone }
  isMoney?: boolean
}

type Data = {
  total?: number
  amount?: number
  refundId?: string
  shipmentId?: string
  status?: OrderState
  paymentStatus?: PaymentState
  fields?: string[]
  mail?: string
  to?: 'CUSTOMER' | 'BUSINESS'
  commentId?: string
  lines?: { lineId: string; quantity: number }[]
  kind?: string
  changes?: StockChange[]
}
type StockChange = { productId: string; variantId: string; delta: number }

/** What an event says, in words. Undefined: another one says it better. */
export function useEventWords(view: OrderView, nameOf: (id: string | null | undefined) => string) {
  const { t } = useLingui()
  const business = useBusiness()
  const format = useFormat()
  const words = useStatusWords()
  const fieldNames = useFieldNames()
  const { order, refunds, shipments, timeline } = view
  const isByHand = view.explanation?.isByHand === true
  const market = business.markets.find(({ id }) => id === order.market)?.name ?? order.market
  const money = (amount = 0) => <Money amount={amount} currency={order.currency} />
  const happened = (type: string) => timeline.some((item) => item.type === type)
  const linesOf = (id: string | undefined) => {
    const refund = refunds.find((one) => one.id === id)
    return refund && refund.lines.length > 0 ? lineNames(view, refund.lines) : ''
  }

  const toPieces = ({ productId, variantId, delta }: StockChange) => {
    const line = order.lines.find((one) => one.productId === productId && one.variantId === variantId)
    return `${Math.abs(delta)} × ${line?.name ?? variantId}`
  }

  return (item: TimelineItem): Told | undefined => {
    const who = nameOf(item.actorId)
    const data = ('data' in item ? item.data : {}) as Data
    switch (item.type) {
      case 'order.created':
        return isByHand && item.actorId !== order.customerId
          ? { what: t`${who} entered the order for ${market}`, pin: ReceiptText }
          : {
              what: order.promoCode ? t`Ordered for ${market} with ${order.promoCode}` : t`Ordered for ${market}`,
              more: 'number' in item ? t`event ${format.number(item.number)}` : undefined,
              pin: ReceiptText,
            }
      case 'order.paid':
        return { what: <Trans>Paid {money(data.total)}</Trans>, pin: CreditCard, isMoney: true }
      case 'order.updated': {
        const fields = (data.fields ?? []).flatMap((field) => fieldNames[field] ?? []).join(', ')
        if (!fields) return undefined
        return { what: t`${who} changed: ${fields}`, pin: (data.fields ?? []).join() === 'tags' ? Tag : Pencil }
      }
      case 'order.status_changed':
        return statusWords(data.status, item)
      case 'order.payment_status_changed': {
        const status = data.paymentStatus ?? 'PENDING'
        if (status === 'PAID' && happened('order.paid')) return undefined
        return {
          what: item.actorId
            ? t`${who} set the payment to ${words.payment(status)}`
            : t`Payment: ${words.payment(status)}`,
          pin: CreditCard,
          isMoney: true,
        }
      }
      case 'order.cancelled':
        return { what: t`${who} cancelled the order`, pin: Ban }
      case 'order.expired':
        return { what: t`Ended: nobody paid it in time`, pin: Ban }
      case 'order.returned':
        return { what: t`${who} took back ${lineNames(view, data.lines ?? [])}`, pin: PackageOpen }
      case 'stock.changed': {
        if (data.kind === 'RETURN') return undefined // the return itself says it
        const pieces = (data.changes ?? []).map(toPieces).join(', ')
        const isTaken = (data.changes ?? []).some(({ delta }) => delta < 0)
        return { what: isTaken ? t`Taken from stock: ${pieces}` : t`Back in stock: ${pieces}`, pin: Box }
      }
      case 'order.refund_requested': {
        const pieces = linesOf(data.refundId)
        const refund = refunds.find(({ id }) => id === data.refundId)
        const isKnown = refund?.status !== 'PENDING'
        return {
          what: (
            <>
              <b className="strong">
                <Trans>
                  {who} asked to refund {money(data.amount)}
                </Trans>
              </b>{' '}
              {pieces && <Trans>for {pieces}</Trans>}
            </>
          ),
          more: (
            <RefundNotes
              reason={refund?.reason}
              pending={isKnown ? undefined : t`Processing: the payment provider hasn’t responded yet.`}
            />
          ),
          pin: isKnown ? { fill: 'ring', tone: 'soft' } : { fill: 'unknown', tone: 'wait' },
          isMoney: true,
        }
      }
      case 'order.refunded':
        return {
          what: <Trans>{money(data.amount)} went back to the customer</Trans>,
          pin: { fill: 'full', tone: 'good' },
          isMoney: true,
        }
      case 'order.refund_failed':
        return {
          what: (
            <b className="strong alert-text">
              <Trans>The refund of {money(data.amount)} failed</Trans>
            </b>
          ),
          more: t`Nothing went back. Ask again, or pay it another way.`,
          pin: { fill: 'full', tone: 'alert' },
          isMoney: true,
        }
      case 'order.shipped': {
        const parcel = shipments.find(({ id }) => id === data.shipmentId)
        return {
          what: parcel ? t`${who} packed parcel ${parcel.number}` : t`${who} packed a parcel, which was deleted since`,
          more: parcel && lineNames(view, parcel.lines),
          pin: { fill: 'half', tone: 'act' },
        }
      }
      case 'order.mail_sent': {
        if (data.to === 'BUSINESS') return { what: t`Order notification sent to the business`, pin: Mail }
        const email = order.contactEmail ?? t`the customer`
        return {
          what: data.mail === 'shipment' ? t`Mail “On its way” sent to ${email}` : t`Confirmation mailed to ${email}`,
          pin: Mail,
        }
      }
      case 'order.erased':
        return { what: t`${who} erased the customer from this order`, pin: Eraser }
      case 'order.commented': {
        const isThere = timeline.some(({ id }) => id === data.commentId)
        return isThere ? undefined : { what: t`A comment of ${who} was deleted since`, pin: Pencil }
      }
      default:
        return { what: item.type, more: item.actorId ? who : undefined, pin: { fill: 'ring', tone: 'soft' } }
    }
  }

  /** The status follows from payment, parcel or cancelling, which say more. */
  function statusWords(status: OrderState = 'PENDING', item: TimelineItem): Told | undefined {
    const isAt = (type: string) =>
      timeline.some((other) => other.type === type && Math.abs(other.timestamp - item.timestamp) <= 2)
    if (status === 'CANCELLED' && (happened('order.cancelled') || happened('order.expired'))) return undefined
    if (status === 'PROCESSING' && isAt('order.paid')) return undefined
    if (status === 'SHIPPED' && isAt('order.shipped')) return undefined
    const who = nameOf(item.actorId)
    const isDone = status === 'DELIVERED' || status === 'SHIPPED'
    return {
      what: item.actorId ? t`${who} set it to ${words.status(status)}` : t`Now ${words.status(status)}`,
      pin: { fill: isDone ? 'full' : 'ring', tone: status === 'DELIVERED' ? 'good' : 'act' },
    }
  }
}

/** The reason typed for a refund, and why its outcome is still open. */
export function RefundNotes({ reason, pending }: { reason?: string | null | undefined; pending?: string | undefined }) {
  return (
    <>
      {reason && (
        <span className="block break-words">
          <Trans>Reason: {reason}</Trans>
        </span>
      )}
      {pending}
    </>
  )
}

/** Labels of the fields that the API documents. Others are left out. */
export function useFieldNames(): Record<string, string> {
  const { t } = useLingui()
  return {
    shippingAddress: t`ship to`,
    billingAddress: t`invoice address`,
    phone: t`telephone`,
    customerNote: t`note of the customer`,
    tags: t`tags`,
    contactEmail: t`email`,
    lines: t`lines`,
    shipments: t`parcels`,
    blocks: t`other details`,
    customerId: t`customer`,
    total: t`total`,
    subtotal: t`goods`,
    discount: t`discount`,
    shipping: t`shipping`,
    tax: t`tax`,
    taxIncluded: t`tax inside`,
    shippingTax: t`tax on shipping`,
    shippingMethodId: t`shipping method`,
    paymentMethod: t`payment method`,
    promoCode: t`promo code`,
    taxes: t`tax rates`,
    refundedAmount: t`amount refunded`,
    expiresAt: t`time to pay`,
  }
}
