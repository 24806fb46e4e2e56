import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCustomers } from '../../support/customers.ts'
import { createPeople } from '../../support/people.ts'
import { item } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const open = () => openCustomers(used.api, used.make)

const ADDRESS = /(person|user)\d+-\d+@example\.com/gi
const PRIVATE = /Secret|4915112345678/

/** An answer without what differs from one request to the next: addresses, ids in order of appearance, times, numbers. */
function plain(text: string): string {
  const ids = new Map<string, string>()
  return text
    .replace(ADDRESS, 'ADDRESS')
    .replace(/"requestId":"[^"]*"/, '')
    .replace(/\b[a-z]{2,5}_[0-9a-z]{12,26}\b/g, (id) => {
      if (!ids.has(id)) ids.set(id, `${id.split('_')[0]}_${ids.size}`)
      return ids.get(id) ?? id
    })
    .replace(/Product \d+/g, 'Product')
    .replace(/\b1[789]\d{8}\b/g, 'TIME')
    .replace(/\b[A-Z0-9]{4}-[A-Z0-9]{4}\b/g, 'NUMBER')
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID')
}

/** Somebody with an account, a name, a number, and an order in another shop. */
async function makeKnown(): Promise<string> {
  const person = await createPeople(used.api).person()
  await used.api.services.databases.control
    .updateTable('accounts.users')
    .set({ name: 'Secret Name', phoneNumbers: ['+4915112345678'] })
    .where('id', '=', person.id)
    .execute()
  const elsewhere = await open()
  await elsewhere.sell(person.id)
  await elsewhere.follow()
  return person.email
}

/** All that a business can do with an address, and all that it reads afterwards, each in a business of its own. */
async function probe(email: string): Promise<Record<string, string>> {
  const shop = await open()
  const { admin, orders } = shop
  const path = `/v1/businesses/${shop.id}`
  const role = (await admin.post(`${path}/roles`, { name: 'Helpers', permissions: ['ORDERS_READ'] })).body.id
  const answers: Record<string, string> = {}
  const note = (name: string, { status, text }: { status: number; text: string }) => {
    answers[name] = `${status} ${plain(text)}`
  }
  const get = async (name: string, url: string) => note(name, await admin.get(url))

  const order = await admin.post(orders, {
    customer: { email, name: 'Written Down' },
    market: 'us',
    lines: [{ ...item(shop.goods, 1), unitPrice: 1_000, totalPrice: 1_000 }],
    subtotal: 1_000,
    tax: 0,
    shipping: 0,
    total: 1_000,
    paymentStatus: [{ status: 'PAID' }],
  })
  assert.equal(order.status, 201, order.text)
  note('order by hand', order)
  note('invitation', await admin.post(`${path}/invitations`, { email, roleId: role }))
  note('invitation again', await admin.post(`${path}/invitations`, { email: email.toUpperCase(), roleId: role }))
  await shop.follow()

  const customer = order.body.customerId as string
  note('role', await admin.put('/v1/users/set-role', { businessId: shop.id, userId: customer, roleId: role }))
  await get('order', `${orders}/${order.body.id}`)
  await get('timeline', `${orders}/${order.body.id}/timeline`)
  await get('orders of the address', `${orders}?query=${encodeURIComponent(email)}`)
  await get('customers', shop.path)
  await get('customer', `${shop.path}/${customer}`)
  await get('customers with the address', `${shop.path}?query=${encodeURIComponent(email)}`)
  await get('search', `${path}/search?query=${encodeURIComponent(email)}`)
  await get('users', `/v1/users/search?businessId=${shop.id}`)
  await get('users with the address', `/v1/users/search?businessId=${shop.id}&query=${encodeURIComponent(email)}`)
  await get('invitations', `${path}/invitations`)
  await get('audit log', `${path}/audit`)
  await get('events', `${path}/events?limit=100`)
  await get('export of the customer', `${shop.path}/${customer}/export`)
  return answers
}

test('a business reads the same of an address that has an account as of one that has none', async () => {
  const email = await makeKnown()
  const known = await probe(email)
  const unknown = await probe(email.replace('person', 'person9999'))

  for (const [name, answer] of Object.entries(known)) {
    assert.doesNotMatch(answer, PRIVATE, name)
    assert.equal(answer, unknown[name], name)
  }
  const { role, ...others } = known
  assert.match(role ?? '', /^404/, 'a guest whom the business has made up has no account to give a role to')
  for (const [name, answer] of Object.entries(others))
    assert.match(answer, /^20[01] .*[a-z]{2,5}_\d/, `${name} shows something`)
})
