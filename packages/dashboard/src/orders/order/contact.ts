import type { Order, UpdateOrderBody } from '@kontor/sdk'

export const ADDRESS_FIELDS = [
  'name',
  'company',
  'street',
  'street2',
  'zip',
  'city',
  'state',
  'country',
  'phone',
] as const
export type AddressField = (typeof ADDRESS_FIELDS)[number]
export type AddressTexts = Record<AddressField, string>
type OrderAddress = NonNullable<Order['shippingAddress']>

/**
 * What can be changed until an order has ended, flat: two people who change street and telephone are merged without
 * being asked. `billing.same`: the invoice goes where the goods go.
 */
export type Contact = Record<`${'shipping' | 'billing'}.${AddressField}` | 'billing.same' | 'phone' | 'note', string>

export const toTexts = (address: OrderAddress | null | undefined): AddressTexts =>
  Object.fromEntries(ADDRESS_FIELDS.map((field) => [field, address?.[field] ?? ''])) as AddressTexts

const flat = (prefix: 'shipping' | 'billing', texts: AddressTexts) =>
  Object.fromEntries(ADDRESS_FIELDS.map((field) => [`${prefix}.${field}`, texts[field]]))

export const toContact = (order: Order): Contact =>
  ({
    ...flat('shipping', toTexts(order.shippingAddress)),
    ...flat('billing', toTexts(order.billingAddress)),
    'billing.same': order.billingAddress ? '' : 'yes',
    phone: order.phone ?? '',
    note: order.customerNote ?? '',
  }) as Contact

export const textsAt = (contact: Contact, prefix: 'shipping' | 'billing'): AddressTexts =>
  Object.fromEntries(ADDRESS_FIELDS.map((field) => [field, contact[`${prefix}.${field}`]])) as AddressTexts

/** As it is sent: `null` where nothing was typed. */
export function toAddress(texts: AddressTexts): OrderAddress | null {
  if (ADDRESS_FIELDS.every((field) => texts[field].trim() === '')) return null
  const address = Object.fromEntries(ADDRESS_FIELDS.map((field) => [field, texts[field].trim() || null]))
  return address as OrderAddress
}

/** Only what was changed, so that fields of others stay theirs. */
export function toChanges(id: string, before: Contact, after: Contact): UpdateOrderBody {
  const changed = (prefix: string) =>
    (Object.keys(after) as (keyof Contact)[]).some((key) => key.startsWith(prefix) && before[key] !== after[key])
  return {
    id,
    ...(changed('shipping.') && { shippingAddress: toAddress(textsAt(after, 'shipping')) }),
    ...(changed('billing.') && {
      billingAddress: after['billing.same'] ? null : toAddress(textsAt(after, 'billing')),
    }),
    ...(changed('phone') && { phone: after.phone.trim() || null }),
    ...(changed('note') && { customerNote: after.note.trim() || null }),
  }
}
