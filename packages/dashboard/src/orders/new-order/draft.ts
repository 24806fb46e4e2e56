import type { Business, CreateOrderBody, Quote } from '@kontor/sdk'
import { type AddressTexts, toAddress, toTexts } from '../order/contact.ts'

export type NewLine = { productId: string; variantId: string; quantity: number; name: string; sku: string }

/** An order that is being entered: kept until it is created, also over a reload. */
export type NewOrderDraft = {
  customer: { id: string; name: string; email: string } | null
  market: string
  lines: NewLine[]
  shippingMethodId: string
  promoCode: string
  email: string
  shipping: AddressTexts
  billing: AddressTexts
  isSameAddress: boolean
  phone: string
  note: string
  isPaid: boolean
}

export function emptyDraft({ markets }: Business): NewOrderDraft {
  const market = markets[0]
  return {
    customer: null,
    market: market?.id ?? '',
    lines: [],
    shippingMethodId: market?.shippingMethods[0]?.id ?? '',
    promoCode: '',
    email: '',
    shipping: toTexts(null),
    billing: toTexts(null),
    isSameAddress: true,
    phone: '',
    note: '',
    isPaid: false,
  }
}

/** As it is created: with the very figures that were shown. */
export function toOrder(draft: NewOrderDraft, customerId: string, quote: Quote): CreateOrderBody {
  const { currency, subtotal, tax, taxIncluded, shipping, shippingTax, taxes, discount, total } = quote
  return {
    customerId,
    market: draft.market,
    currency,
    lines: quote.lines,
    subtotal,
    tax,
    taxIncluded,
    shipping,
    shippingTax,
    taxes,
    discount,
    total,
    contactEmail: draft.email.trim() || null,
    shippingAddress: toAddress(draft.shipping),
    billingAddress: draft.isSameAddress ? null : toAddress(draft.billing),
    phone: draft.phone.trim() || null,
    customerNote: draft.note.trim() || null,
    ...(draft.isPaid && { statuses: [{ status: 'PROCESSING' }], paymentStatus: [{ status: 'PAID' }] }),
  }
}
