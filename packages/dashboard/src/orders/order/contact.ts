import type { Order, UpdateOrderBody } from '@kontor/sdk'
import { type Merged, mergeThree } from '../../merge/three-way.ts'

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

const BILLING = ['billing.same', ...ADDRESS_FIELDS.map((field) => `billing.${field}` as const)] as const
const isBilling = (field: string) => field.startsWith('billing.')
const billingOf = (contact: Contact) => Object.fromEntries(BILLING.map((field) => [field, contact[field]]))

/**
 * Field by field. But where one of us sends the invoice to the same address and the other changes the address that it
 * had, only one of the two can be: that is one question, about all of it.
 */
export function mergeContacts(base: Contact, theirs: Contact, mine: Contact): Merged<Contact> {
  const merged = mergeThree(base, theirs, mine)
  const isChanged = (side: Contact) => BILLING.some((field) => side[field] !== base[field])
  const isOne = theirs['billing.same'] !== mine['billing.same'] && isChanged(theirs) && isChanged(mine)
  if (!isOne) return merged
  const field = 'billing.same'
  return {
    value: { ...merged.value, ...billingOf(mine) },
    conflicts: [
      ...merged.conflicts.filter((conflict) => !isBilling(conflict.field)),
      { field, base: base[field], theirs: theirs[field], mine: mine[field] },
    ],
    theirs: merged.theirs.filter((name) => !isBilling(name)),
  }
}

/** Where the invoice goes to the same address, what stands in the hidden fields is nobody's wish. */
export const withoutHidden = (contact: Contact): Contact =>
  contact['billing.same'] === 'yes'
    ? { ...contact, ...Object.fromEntries(ADDRESS_FIELDS.map((field) => [`billing.${field}`, ''])) }
    : contact

/** Whose answer to that question was taken, their address goes with it. */
export function settleBilling({ conflicts }: Merged<Contact>, decided: Contact, theirs: Contact): Contact {
  const asked = conflicts.find(({ field }) => field === 'billing.same')
  const isTheirs = asked !== undefined && decided['billing.same'] === asked.theirs
  return isTheirs ? { ...decided, ...billingOf(theirs) } : decided
}
