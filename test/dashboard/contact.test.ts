import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dashboardSource } from '../support/dashboard-source.ts'

type Contact = Record<string, string>
type Merged = { value: Contact; conflicts: { field: string }[] }
const { ADDRESS_FIELDS, mergeContacts, settleBilling } = (await dashboardSource('orders/order/contact.ts')) as {
  ADDRESS_FIELDS: string[]
  mergeContacts: (base: Contact, theirs: Contact, mine: Contact) => Merged
  settleBilling: (merged: Merged, decided: Contact, theirs: Contact) => Contact
}

const base: Contact = {
  ...Object.fromEntries(ADDRESS_FIELDS.map((field) => [`billing.${field}`, ''])),
  'shipping.street': '7 Quay Road',
  'billing.same': '',
  'billing.street': '1 Bank Lane',
  phone: '',
}
const fieldsOf = ({ conflicts }: Merged) => conflicts.map(({ field }) => field)

test('street of one and telephone of another are merged without a question', () => {
  const merged = mergeContacts(base, { ...base, phone: '123' }, { ...base, 'shipping.street': '9 Quay Road' })
  assert.deepEqual(fieldsOf(merged), [])
  assert.deepEqual(merged.value, { ...base, phone: '123', 'shipping.street': '9 Quay Road' })
})

test('whoever sends the invoice to the same address is asked if another has changed the one that it had', () => {
  const theirs = { ...base, 'billing.street2': 'Floor 3' }
  const mine = { ...base, 'billing.same': 'yes', phone: '123' }
  const merged = mergeContacts(base, theirs, mine)
  assert.deepEqual(fieldsOf(merged), ['billing.same'])
  const kept = settleBilling(merged, { ...merged.value, 'billing.same': '' }, theirs)
  assert.deepEqual(kept, { ...theirs, phone: '123' })
  assert.equal(settleBilling(merged, merged.value, theirs)['billing.same'], 'yes')
})

test('an address for the invoice that only one of them touched is no question', () => {
  const merged = mergeContacts(base, { ...base, phone: '123' }, { ...base, 'billing.same': 'yes' })
  assert.deepEqual(fieldsOf(merged), [])
  assert.equal(merged.value['billing.same'], 'yes')
})
