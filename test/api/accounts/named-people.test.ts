import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Client } from '../../support/client.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

type Found = { id: string; name: string; email?: string; phoneNumbers: string[]; isConfirmed: boolean }

/** Somebody with a life of their own, whose id a stranger has got hold of. */
async function makeVictim() {
  const victim = await used.make.user()
  const profile = { name: 'Alice Private', phoneNumbers: ['+4915112345678'] }
  assert.equal((await victim.put('/v1/users/update', profile)).status, 200)
  return victim
}

async function makeShop() {
  const shop = await used.make.shop()
  const product = await used.make.product(shop)
  const line = { productId: product.id, variantId: 'one', quantity: 1, unitPrice: 1_000, totalPrice: 1_000 }
  const order = (customerId: string, changes: object = {}) => ({
    customerId,
    market: 'us',
    lines: [line],
    subtotal: 1_000,
    tax: 0,
    shipping: 0,
    total: 1_000,
    ...changes,
  })
  const search = async (query: Record<string, string> = {}): Promise<Found[]> => {
    const parameters = new URLSearchParams({ businessId: shop.id, limit: '100', ...query })
    const { status, body, text } = await shop.admin.get(`/v1/users/search?${parameters.toString()}`)
    assert.equal(status, 200, text)
    return body.items
  }
  const find = async (id: string, query?: Record<string, string>) =>
    (await search(query)).find((user) => user.id === id)
  const cart = { market: 'us', items: [{ productId: product.id, variantId: 'one', quantity: 1 }] }
  const checkOut = (client: Client): Promise<Answer> => client.post(`${shop.path}/orders/checkout`, cart)
  return { ...shop, product, order, orders: `${shop.path}/orders`, search, find, checkOut }
}

test('a person whom only an order by hand names shows nothing but their id', async () => {
  const { admin, orders, order, find } = await makeShop()
  const victim = await makeVictim()
  assert.equal((await admin.post(orders, order(victim.id))).status, 201)

  assert.deepEqual(await find(victim.id), {
    id: victim.id,
    name: '',
    isConfirmed: false,
    phoneNumbers: [],
    addresses: [],
    roleIds: [],
    roles: [],
    apiTokens: [],
    businessUserConfigs: [],
    lifecycle: { lastLoginAt: null, onboardingCompleted: false },
  })
})

test('a search by name, address or number does not tell whether it is that of a person who was only named', async () => {
  const { admin, orders, order, find } = await makeShop()
  const victim = await makeVictim()
  await admin.post(orders, order(victim.id))
  for (const query of ['alice', 'Alice Private', victim.email ?? '', '+4915112345678', '12345678']) {
    assert.equal(await find(victim.id, { query }), undefined, query)
  }
})

test('who has checked out or subscribed themselves is shown, whoever was first', async () => {
  const { admin, path, orders, order, find, checkOut } = await makeShop()
  const [buyer, reader] = [await makeVictim(), await makeVictim()]
  for (const { id } of [buyer, reader]) await admin.post(orders, order(id))
  assert.notEqual((await checkOut(buyer)).status, 422)
  const blocks = [{ id: 'title', type: 'TEXT' }]
  const newsletter = { name: 'Letters', type: 'NEWSLETTER', blocks, statuses: [{ status: 'PUBLISHED' }] }
  const { body: collection } = await admin.post(`${path}/collections`, newsletter)
  const subscribed = await reader.post(`${path}/collections/${collection.id}/subscribe`, { email: reader.email })
  assert.equal(subscribed.status, 201, subscribed.text)

  for (const person of [buyer, reader]) {
    const shown = await find(person.id, { query: 'alice' })
    assert.deepEqual([shown?.name, shown?.email], ['Alice Private', person.email])
    assert.deepEqual([shown?.phoneNumbers, shown?.isConfirmed], [['+4915112345678'], true])
  }
  await admin.post(orders, order(buyer.id))
  assert.equal((await find(buyer.id))?.name, 'Alice Private', 'and an order by hand takes nothing of that away')
})

test('an order by hand that is refused, also when it is repeated, attaches nobody', async () => {
  const { admin, product, orders, order, find } = await makeShop()
  const victim = await makeVictim()
  const lines = [{ productId: product.id, variantId: 'one', quantity: 101, unitPrice: 1, totalPrice: 101 }]
  const tooMany = order(victim.id, { lines, subtotal: 101, total: 101 })
  for (const body of [order(victim.id, { total: 7 }), tooMany, order(victim.id, { market: 'nowhere' })]) {
    const key = { 'idempotency-key': `refused-${JSON.stringify(body).length}` }
    for (let round = 0; round < 2; round++) {
      const refused = await admin.post(orders, body, key)
      assert.ok(refused.status === 422 || refused.status === 409, refused.text)
    }
  }
  assert.equal(await find(victim.id), undefined)
})

test('a change of an order that is refused attaches nobody, one that is made names them', async () => {
  const { admin, orders, order, find } = await makeShop()
  const [first, victim] = [await makeVictim(), await makeVictim()]
  const { body: made } = await admin.post(orders, order(first.id))
  const change = (body: object) => admin.put(`${orders}/update`, { id: made.id, customerId: victim.id, ...body })

  assert.equal((await change({ total: 7 })).status, 422)
  assert.equal((await change({ id: 'ord_nowhere' })).status, 404)
  assert.equal(await find(victim.id), undefined)
  assert.equal((await change({})).status, 200)
  assert.deepEqual((await find(victim.id))?.name, '')
})

test('an entry that points at a person who was only named does not tell their name', async () => {
  const { admin, path, orders, order, checkOut } = await makeShop()
  const [victim, buyer] = [await makeVictim(), await makeVictim()]
  await admin.post(orders, order(victim.id))
  await checkOut(buyer)
  const link = (id: string) => ({ id, type: 'RELATIONSHIP', settings: { targetType: 'USER' } })
  const { body: collection } = await admin.post(`${path}/collections`, {
    name: 'People',
    blocks: [link('one'), link('two')],
    statuses: [{ status: 'PUBLISHED' }],
  })
  const blocks = [
    { id: 'one', type: 'RELATIONSHIP', value: victim.id },
    { id: 'two', type: 'RELATIONSHIP', value: buyer.id },
  ]
  const { body: entry } = await admin.post(`${path}/entries`, { collectionId: collection.id, blocks })
  const { body, status, text } = await admin.get(`${path}/entries/${entry.id}?include=relations`)
  assert.equal(status, 200, text)
  assert.deepEqual(body.relations.USER, {
    [victim.id]: { id: victim.id, name: '' },
    [buyer.id]: { id: buyer.id, name: 'Alice Private' },
  })
})

test('whoever exists may be named as a customer, as ever, and nobody else', async () => {
  const { admin, orders, order } = await makeShop()
  const guest = await used.make.guest()
  assert.equal((await admin.post(orders, order(guest.id))).status, 201)
  assert.equal(refusal(await admin.post(orders, order('usr_nowhere'))), '422 VALIDATION_FAILED customerId NOT_FOUND')
})
