import type { Business, CreateOrderBody, Quote } from '@kontor/sdk'
import { ADDRESS_FIELDS, type AddressTexts, toAddress, toTexts } from '../order/contact.ts'

export type NewLine = { productId: string; variantId: string; quantity: number; name: string; sku: string }

/** An order that is being entered: kept until it is created, also over a reload. */
export type NewOrderDraft = {
  /** Somebody new has no id yet: they become a guest of this business by the order. */
  customer: { id: string | null; name: string; email: string } | null
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

/** The contact of somebody who is chosen no more goes with them. */
export const emailWithout = ({ customer, email }: NewOrderDraft) =>
  customer && customer.id !== null && customer.email === email ? '' : email

/** As much as a browser asks of an email address. */
export const isEmail = (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text.trim())

/** What is said of somebody new goes into contact and address as well, as long as nothing else stands there. */
export function withNewCustomer(draft: NewOrderDraft, next: { name: string; email: string }): Partial<NewOrderDraft> {
  const { shipping } = draft
  // Whoever went back and comes again finds the address that they had typed.
  const { name = '', email = draft.email } = draft.customer ?? {}
  const address = draft.customer === null && next.email === '' ? draft.email : next.email
  return {
    customer: { id: null, name: next.name, email: address },
    ...((draft.email === '' || draft.email === email) && { email: address }),
    ...((shipping.name === '' || shipping.name === name) && { shipping: { ...shipping, name: next.name } }),
  }
}

/** A name that only stands there because the customer has it is no address. */
export const hasAddress = ({ shipping, customer }: NewOrderDraft) =>
  ADDRESS_FIELDS.some(
    (field) =>
      shipping[field].trim() !== '' && !(field === 'name' && customer?.id === null && shipping.name === customer.name),
  )

/** As it is created: with the very figures that were shown. */
export function toOrder(
  draft: NewOrderDraft,
  { id, name, email }: NonNullable<NewOrderDraft['customer']>,
  quote: Quote,
): CreateOrderBody {
  const { currency, subtotal, tax, taxIncluded, shipping, shippingTax, taxes, discount, total } = quote
  return {
    ...(id === null
      ? { customer: { email: email.trim(), ...(name.trim() && { name: name.trim() }) } }
      : { customerId: id }),
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
    shippingAddress: hasAddress(draft) ? toAddress(draft.shipping) : null,
    billingAddress: draft.isSameAddress ? null : toAddress(draft.billing),
    phone: draft.phone.trim() || null,
    customerNote: draft.note.trim() || null,
    ...(draft.isPaid && { statuses: [{ status: 'PROCESSING' }], paymentStatus: [{ status: 'PAID' }] }),
  }
}
