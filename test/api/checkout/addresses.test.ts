import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../../support/client.ts'
import { openPaidShop } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { item, openShop } from '../../support/shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })

const HAMBURG = { name: 'Ada', street: 'Hafenstraße 1', street2: null, city: 'Hamburg', zip: '20095', country: 'DE' }
const SAID = {
  shippingAddress: HAMBURG,
  billingAddress: { company: 'Ada & Co', country: 'US', state: 'CA', phone: '+1 415 555 0100' },
  phone: '+49 40 123456',
  customerNote: 'Please leave it with the neighbours.',
}
const saidIn = ({ shippingAddress, billingAddress, phone, customerNote }: typeof SAID) => ({
  shippingAddress,
  billingAddress,
  phone,
  customerNote,
})

async function open() {
  const shop = await openShop(used.make)
  return { ...shop, mug: await shop.product(), guest: await used.make.guest() }
}

test('a checkout keeps where the order goes, and who pays, exactly as it was said', async () => {
  const { guest, buy, mug, order } = await open()
  const { orderId, path } = await buy(guest, { items: [item(mug)], ...SAID })
  assert.deepEqual(saidIn(await order(orderId)), SAID)
  const own = await guest.get(path)
  assert.deepEqual(saidIn(own.body), SAID)
  assert.equal('tags' in own.body, false, 'tags are for staff')
})

test('an address needs a country, and nothing else', async () => {
  const { guest, checkout, mug } = await open()
  const sent = async (more: object) => refusal(await checkout(guest, { items: [item(mug)], ...more }))
  assert.equal(await sent({ shippingAddress: { country: 'JP' } }), '200')
  assert.equal(await sent({ shippingAddress: null, phone: null }), '200')
  const wrong: [object, string][] = [
    [{ shippingAddress: {} }, 'shippingAddress.country REQUIRED'],
    [{ shippingAddress: { country: 'UK' } }, 'shippingAddress.country INVALID'],
    [{ billingAddress: { country: 'de' } }, 'billingAddress.country INVALID'],
    [{ billingAddress: { country: 'DE', city: 'x'.repeat(201) } }, 'billingAddress.city TOO_LONG'],
    [{ customerNote: 'x'.repeat(2_001) }, 'customerNote TOO_LONG'],
    [{ phone: 7 }, 'phone INVALID'],
    [{ email: 'a@b' }, 'email INVALID'],
  ]
  for (const [more, expected] of wrong) assert.equal(await sent(more), `422 VALIDATION_FAILED ${expected}`)
})

test('the address for mails: of the account, else the one that is sent, else the one in a block', async () => {
  const { buy, mug, order, guest } = await open()
  const blocks = [{ id: 'email', type: 'TEXT', value: 'block@example.com' }]
  const contactOf = async (caller: typeof guest, more: object) =>
    (await order((await buy(caller, { items: [item(mug)], ...more })).orderId)).contactEmail
  assert.equal(await contactOf(guest, { blocks }), 'block@example.com')
  assert.equal(await contactOf(guest, { blocks, email: 'typed@example.com' }), 'typed@example.com')
  const user = await used.make.user()
  assert.equal(await contactOf(user as never, { email: 'typed@example.com' }), user.email)
})

test('staff change addresses and notes until an order is final, and tags even then', async () => {
  const { shop, buy } = await openPaidShop(used)
  const { admin } = shop
  const { id: orderId, pageId, state } = await buy()
  used.twin.pay(pageId)
  await until('it is paid', async () => (await state()) === 'PROCESSING/PAID')
  const orders = `${shop.path}/orders`
  const update = (change: object) => admin.put(`${orders}/update`, { id: orderId, ...change })
  for (const change of [SAID, { tags: ['gift'] }]) {
    const { status, body, text } = await update(change)
    assert.equal(status, 200, text)
    for (const [field, value] of Object.entries(change)) assert.deepEqual(body[field], value)
  }
  assert.equal(refusal(await update({ contactEmail: 'x@example.com' })), '409 CONFLICT id PAYMENT_OPEN')
  assert.equal(refusal(await update({ ...SAID, blocks: [] })), '409 CONFLICT id PAYMENT_OPEN')
  await admin.put(`${orders}/${orderId}/status`, { status: 'CANCELLED' })
  assert.equal(refusal(await update(SAID)), '409 CONFLICT status ORDER_FINAL')
  assert.deepEqual((await update({ tags: ['came back'] })).body.tags, ['came back'])
})

test('tags are told to those who may read all orders, and to nobody else', async () => {
  const { admin, orders, guest, mug, id } = await open()
  const line = { ...item(mug), unitPrice: 5, totalPrice: 5 }
  const writer = await used.make.member(id, 'ORDERS_WRITE')
  const sums = { subtotal: 5, tax: 0, shipping: 0, total: 5 }
  const body = { customerId: writer.id, market: 'us', lines: [line], ...sums, tags: ['secret'] }
  const made = await writer.post(orders, body)
  assert.equal(made.status, 201, made.text)
  assert.equal('tags' in made.body, false)
  const path = `${orders}/${made.body.id}`
  const [byAdmin, byWriter] = [await admin.get(path), await writer.get(path)]
  assert.deepEqual(byAdmin.body.tags, ['secret'])
  assert.equal('tags' in byWriter.body, false)
  assert.notEqual(byAdmin.headers.get('etag'), byWriter.headers.get('etag'))
  const changed = await writer.put(
    `${orders}/update`,
    { id: made.body.id, tags: ['other'] },
    {
      'if-match': byWriter.headers.get('etag') ?? '',
    },
  )
  assert.equal(changed.status, 200, changed.text)
  assert.equal((await guest.get(path)).status, 404)
})

test('a form learns which fields the addresses of a country have, in which order, and which it needs', async () => {
  const anybody = createClient(used.api.url)
  const { status, body, headers } = await anybody.get('/v1/address-formats')
  assert.equal(status, 200)
  assert.equal(body.items.length, 249)
  assert.match(headers.get('cache-control') ?? '', /public, max-age=86400/)
  type Format = { country: string; name: string; fields: string[]; required: string[] }
  const of = (country: string) => (body.items as Format[]).find((format) => format.country === country)
  assert.deepEqual(of('DE'), {
    country: 'DE',
    name: 'Germany',
    fields: ['name', 'company', 'street', 'street2', 'zip', 'city', 'country', 'phone'],
    required: ['name', 'street', 'zip', 'city', 'country'],
  })
  assert.deepEqual(of('US')?.required, ['name', 'street', 'city', 'state', 'zip', 'country'])
  assert.deepEqual(of('JP')?.fields.slice(0, 2), ['zip', 'state'])
  for (const { fields, required } of body.items as Format[]) {
    assert.ok(fields.includes('street') && required.every((field) => fields.includes(field)))
  }
  const german = await anybody.get('/v1/address-formats?locale=de')
  assert.equal((german.body.items as Format[]).find(({ country }) => country === 'DE')?.name, 'Deutschland')
  assert.equal(refusal(await anybody.get('/v1/address-formats?locale=xx_')), '422 VALIDATION_FAILED locale INVALID')
})
