import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asRead } from '../../support/as-read.ts'
import type { Answer } from '../../support/client.ts'
import { refusal } from '../../support/refusal.ts'
import { type MadeProduct, market, NOTHING_SAID, openShop, stateOf } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const line = ({ id }: Pick<MadeProduct, 'id'>, quantity: number, unitPrice: number, variantId = 'one') => ({
  type: 'PRODUCT_VARIANT',
  productId: id,
  variantId,
  quantity,
  unitPrice,
  totalPrice: quantity * unitPrice,
})

async function open() {
  const shop = await openShop(used.make)
  const customer = await used.make.user()
  const mug = await shop.product({ name: 'Mug' })
  const valid = {
    customerId: customer.id,
    market: 'us',
    currency: 'USD',
    lines: [line(mug, 2, 750)],
    subtotal: 1_500,
    tax: 120,
    shipping: 300,
    total: 1_920,
  }
  const create = (changes: object = {}, headers?: Record<string, string>) =>
    shop.admin.post(shop.orders, { ...valid, ...changes }, headers)
  return { ...shop, customer, mug, valid, create }
}
/** The same shop, with tax inside its prices. */
async function openIncluding() {
  const shop = await open()
  await shop.configure({ markets: [market({ pricesIncludeTax: true })] })
  return { ...shop, stock: await shop.mug.stock() }
}

const control = () => used.api.services.databases.control

test('an order made by hand has the figures it was given, takes stock, and is a customer’s', async () => {
  const { create, valid, admin, id, orders, customer, mug, ledger, customers } = await open()
  const made = await create()
  assert.equal(made.status, 201, made.text)
  const { id: orderId, number, createdAt, statuses, paymentStatus, ...rest } = made.body
  assert.match(number, /^[2-9A-Z]{4}-[2-9A-Z]{4}$/)
  assert.deepEqual(rest, {
    businessId: id,
    ...valid,
    lines: [
      {
        id: made.body.lines[0].id,
        ...valid.lines[0],
        discount: 0,
        taxClass: 'standard',
        taxBps: null,
        tax: 120,
        name: 'Mug, One size',
        sku: mug.body.variants[0].sku,
      },
    ],
    taxIncluded: 0,
    shippingTax: 0,
    taxes: [],
    ...NOTHING_SAID,
    discount: 0,
    promoCode: null,
    shippingMethodId: null,
    paymentMethod: null,
    blocks: [],
    contactEmail: null,
    expiresAt: null,
    updatedAt: createdAt,
  })
  for (const history of [statuses, paymentStatus]) {
    assert.equal(history.length, 1)
    const { status, changedBy, userId } = history[0]
    assert.deepEqual([status, changedBy, userId], ['PENDING', 'USER', admin.id])
  }
  assert.deepEqual((await admin.get(`${orders}/${orderId}`)).body, made.body)
  assert.equal(await mug.stock(), 98)
  assert.deepEqual((await ledger(mug)).at(-1), { delta: -2, kind: 'ORDER', reference: orderId })
  assert.deepEqual(await customers(control()), [customer.id])
  assert.deepEqual((await customer.get(orders)).body.items, [asRead(made.body)], 'and the customer sees it')
})

test('statuses, discount, blocks and contact are taken as sent', async () => {
  const { create } = await open()
  const statuses = [
    { id: 'a', status: 'PENDING', changedBy: 'USER', userId: 'usr_x', timestamp: 1_700_000_000 },
    { id: 'b', status: 'SHIPPED', changedBy: 'SYSTEM', timestamp: 1_700_000_100 },
  ]
  const paymentStatus = [{ id: 'c', status: 'PAID', changedBy: 'SYSTEM', timestamp: 1_700_000_050 }]
  const blocks = [{ id: 'note', type: 'TEXT', value: 'By phone' }]
  const more = { statuses, paymentStatus, blocks, contactEmail: 'x@example.com', discount: 20, total: 1_900 }
  const { status, body, text } = await create(more)
  assert.equal(status, 201, text)
  assert.deepEqual(
    [body.statuses, body.paymentStatus, body.blocks, body.contactEmail, body.discount, body.total],
    [statuses, paymentStatus, blocks, 'x@example.com', 20, 1_900],
  )
  assert.equal(stateOf(body), 'SHIPPED/PAID')
})

describe('included tax of a manual order', () => {
  const price = { subtotal: 1_500, tax: 0, shipping: 300, total: 1_800 }

  test('is rejected in a market that adds tax on top', async () => {
    const { create, admin, orders } = await open()
    const rejected = '422 VALIDATION_FAILED taxIncluded INVALID'
    assert.equal(refusal(await create({ ...price, taxIncluded: 1 })), rejected)
    const made = await create({ ...price, taxIncluded: 0 })
    assert.equal(made.status, 201, made.text)
    const { id } = made.body
    assert.equal(refusal(await admin.put(`${orders}/update`, { id, taxIncluded: 1 })), rejected)
  })

  test('cannot exceed the price of the order, a line, or shipping', async () => {
    const { create, configure, admin, orders, mug, stock } = await openIncluding()
    const most = await create({ ...price, taxIncluded: 1_800 })
    assert.equal(most.status, 201, most.text)
    const rejected = '422 VALIDATION_FAILED taxIncluded TOO_LARGE'
    const tooMuch = await create({ ...price, taxIncluded: 1_801 })
    assert.equal(refusal(tooMuch), rejected)
    assert.equal(tooMuch.body.message, 'taxIncluded is part of the price. Send at most 1800.')
    assert.equal(refusal(await create({ ...price, discount: 200, total: 1_600, taxIncluded: 1_601 })), rejected)

    const { id } = most.body
    const cheaper = { id, shipping: 0, total: 1_500 }
    assert.equal(refusal(await admin.put(`${orders}/update`, cheaper)), rejected)
    assert.equal((await admin.put(`${orders}/update`, { ...cheaper, taxIncluded: 1_500 })).status, 200)

    const taxed = (tax: number) => [{ ...line(mug, 2, 750), tax }]
    const ofLine = await create({ ...price, taxIncluded: 1_501, lines: taxed(1_501) })
    assert.equal(refusal(ofLine), '422 VALIDATION_FAILED lines.0.tax TOO_LARGE')
    const ofShipping = await create({ ...price, taxIncluded: 301, shippingTax: 301, lines: taxed(0) })
    assert.equal(refusal(ofShipping), '422 VALIDATION_FAILED shippingTax TOO_LARGE')
    const fits = await create({ ...price, taxIncluded: 1_800, shippingTax: 300, lines: taxed(1_500) })
    assert.equal(fits.status, 201, fits.text)
    assert.equal(await mug.stock(), stock - 4)

    await configure({ markets: [market({ pricesIncludeTax: false })] })
    const note = await admin.put(`${orders}/update`, { id, total: 1_500 })
    assert.equal(note.status, 200, 'an order keeps its tax when the market changes')
    const same = await admin.put(`${orders}/update`, { id, tax: 0, taxIncluded: 1_500, total: 1_500 })
    assert.equal(same.status, 200, same.text)
    const other = await admin.put(`${orders}/update`, { id, taxIncluded: 1_499 })
    assert.equal(refusal(other), '422 VALIDATION_FAILED taxIncluded INVALID')
  })

  test('is at most what is left of a price after its discount, where it is shared out as well', async () => {
    const { create, mug } = await openIncluding()
    const lines = (one: object, two: object) => [
      { ...line(mug, 1, 100), ...one },
      { ...line(mug, 1, 100), ...two },
    ]
    const sums = { subtotal: 200, tax: 0, discount: 100, shipping: 0, total: 100 }
    const ofLine = await create({ ...sums, taxIncluded: 90, lines: lines({ tax: 90 }, { tax: 0 }) })
    assert.equal(refusal(ofLine), '422 VALIDATION_FAILED lines.0.tax TOO_LARGE')
    assert.equal(ofLine.body.message, 'lines.0.tax is part of the price. Send at most 50.')
    const free = await create({ ...sums, taxIncluded: 90, lines: lines({ discount: 100 }, { discount: 0 }) })
    assert.deepEqual(sharesOf(free), [[0, 90], 0])

    const shipped = { ...sums, shipping: 60, total: 160 }
    assert.deepEqual(sharesOf(await create({ ...shipped, taxIncluded: 144, lines: lines({}, {}) })), [[45, 45], 54])
    const rest = await create({ ...shipped, taxIncluded: 144, shippingTax: 10, lines: lines({}, {}) })
    assert.equal(refusal(rest), '422 VALIDATION_FAILED taxIncluded TOO_LARGE')
    assert.equal(rest.body.message, 'taxIncluded is part of the price. Send at most 110.')
  })
})

const sharesOf = ({ body, text }: Answer) => {
  assert.ok(body.lines, text)
  return [body.lines.map(({ tax }: { tax: number }) => tax), body.shippingTax]
}

test('a line without the share that is sent for another has none', async () => {
  const { create, mug } = await open()
  const other = line(mug, 1, 100)
  const sums = { subtotal: 200, tax: 0, shipping: 0, total: 200 }
  const taxed = await create({ ...sums, tax: 90, total: 290, lines: [{ ...other, tax: 90 }, other] })
  assert.deepEqual(sharesOf(taxed), [[90, 0], 0])
  const reduced = await create({ ...sums, discount: 100, total: 100, lines: [{ ...other, discount: 100 }, other] })
  assert.deepEqual(
    reduced.body.lines.map(({ discount }: { discount: number }) => discount),
    [100, 0],
  )
})

test('figures that do not add up are 422, each with what it should be', async () => {
  const { create, mug, listAll } = await open()
  const wrongLine = { ...line(mug, 2, 750), totalPrice: 1_499 }
  const MAX = Number.MAX_SAFE_INTEGER
  const cases: [object, ...string[]][] = [
    [{ total: 1_921 }, 'total INVALID'],
    [{ subtotal: 1_501, total: 1_921 }, 'subtotal INVALID'],
    [{ subtotal: 1_501 }, 'subtotal INVALID', 'total INVALID'],
    [{ lines: [wrongLine] }, 'lines.0.totalPrice INVALID', 'subtotal INVALID'],
    [{ discount: 1 }, 'total INVALID'],
    [{ discount: 5_000, total: 0 }, 'total INVALID'],
    [
      { lines: [{ ...line(mug, 3, MAX), totalPrice: MAX }], subtotal: MAX, tax: 0, shipping: 0, total: MAX },
      'lines.0.totalPrice INVALID',
    ],
    [{ tax: -1, total: 1_799 }, 'tax TOO_SMALL'],
    [{ shipping: 1.5 }, 'shipping INVALID'],
    [{ total: '1920' }, 'total INVALID'],
    [{ total: undefined }, 'total REQUIRED'],
    [{ lines: [] }, 'lines TOO_FEW'],
  ]
  for (const [body, ...complaints] of cases) {
    const answer = await create(body)
    assert.equal(refusal(answer), `422 VALIDATION_FAILED ${complaints.sort().join(' ')}`, JSON.stringify(body))
  }
  assert.deepEqual([await listAll(), await mug.stock()], [[], 100])
})

test('a discount beyond what is bought cannot make a total below nothing', async () => {
  const { create } = await open()
  const free = await create({ discount: 1_920, total: 0 })
  assert.deepEqual([free.status, free.body.total], [201, 0])
})

test('customer, market, product and variant must exist', async () => {
  const { create, mug, admin, product, customers, listAll } = await open()
  const deleted = await product()
  await admin.delete(deleted.path)
  const foreign = await used.make.product(await used.make.shop())
  const cases: [object, string][] = [
    [{ customerId: 'usr_nobody' }, 'customerId NOT_FOUND'],
    [{ customerId: undefined }, 'customerId REQUIRED'],
    [{ market: 'mars' }, 'market NOT_FOUND'],
    [{ currency: 'EUR' }, 'currency INVALID'],
    [{ lines: [line({ id: 'prod_none' }, 2, 750)] }, 'lines.0.variantId NOT_FOUND'],
    [{ lines: [line(mug, 2, 750, 'two')] }, 'lines.0.variantId NOT_FOUND'],
    [{ lines: [line(deleted, 2, 750)] }, 'lines.0.variantId NOT_FOUND'],
    [{ lines: [line(foreign, 2, 750)] }, 'lines.0.variantId NOT_FOUND'],
    [{ lines: [line(mug, 10_001, 1)] }, 'lines.0.quantity TOO_LARGE'],
    [{ lines: [{ ...line(mug, 2, 750), quantity: 0 }] }, 'lines.0.quantity TOO_SMALL'],
    [{ statuses: [{ status: 'LOST' }] }, 'statuses.0.status INVALID'],
    [
      { statuses: [{ status: 'PENDING', timestamp: Math.floor(Date.now() / 1_000) + 1_000 }] },
      'statuses.0.timestamp INVALID',
    ],
    [{ blocks: [{ id: 'x', type: 'NUMBER', value: 'y' }] }, 'blocks.0.value INVALID'],
    [{ contactEmail: 'nobody' }, 'contactEmail INVALID'],
    [{ businessId: 'biz_other' }, 'businessId INVALID'],
  ]
  for (const [body, complaint] of cases) {
    assert.equal(refusal(await create(body)), `422 VALIDATION_FAILED ${complaint}`, JSON.stringify(body))
  }
  assert.deepEqual([await listAll(), await mug.stock()], [[], 100])
  assert.ok(!(await customers(control())).includes('usr_nobody'))
})

test('what is inactive or has no price can be sold by hand', async () => {
  const { create, product } = await open()
  const draft = await product({
    statuses: [{ status: 'DRAFT' }],
    variants: [{ id: 'one', inventory: { tracked: true, quantity: 5 } }],
  })
  assert.equal((await create({ lines: [line(draft, 2, 750)] })).status, 201)
  assert.equal(await draft.stock(), 3)
})

test('what is not there cannot be sold, all of it or nothing', async () => {
  const { create, mug, priced, listAll } = await open()
  const rare = await priced(1, { tracked: true, quantity: 3 })
  const lines = [line(mug, 1, 500), line(rare, 2, 250), line(rare, 2, 250)]
  assert.equal(refusal(await create({ lines })), '409 CONFLICT lines.1.quantity OUT_OF_STOCK')
  assert.deepEqual([await mug.stock(), await rare.stock(), await listAll()], [100, 3, []])
  const endless = await priced(1, { tracked: false, quantity: 0 })
  assert.equal((await create({ lines: [line(endless, 10, 150)] })).status, 201)
})

test('an order that is over already takes no stock, and gives none back', async () => {
  const { create, mug, admin, orders } = await open()
  for (const status of ['CANCELLED', 'REFUNDED']) {
    const { body } = await create({ statuses: [{ status }] })
    await admin.put(`${orders}/${body.id}/status`, { status })
    assert.equal(await mug.stock(), 100, status)
  }
})

test('equal lines stay apart, and take their stock together', async () => {
  const { create, mug, admin, orders, ledger } = await open()
  const lines = [line(mug, 1, 500), line(mug, 2, 500)]
  const { body } = await create({ lines })
  assert.deepEqual([body.lines.length, await mug.stock()], [2, 97])
  await admin.put(`${orders}/${body.id}/status`, { status: 'CANCELLED' })
  assert.equal(await mug.stock(), 100)
  const sum = (await ledger(mug)).reduce((total, { delta }) => total + delta, 0)
  assert.equal(sum, 100)
})

test('a key makes one order, of ten requests at once too', async () => {
  const { create, mug, listAll } = await open()
  const headers = { 'idempotency-key': 'once' }
  const first = await create({}, headers)
  const again = await create({}, headers)
  assert.deepEqual([again.status, again.text, again.headers.get('idempotency-replayed')], [201, first.text, 'true'])
  const other = await create({ tax: 121, total: 1_921 }, headers)
  assert.equal(refusal(other), '422 VALIDATION_FAILED Idempotency-Key IDEMPOTENCY_KEY_REUSED')

  const race = { 'idempotency-key': 'race' }
  const answers = await Promise.all(Array.from({ length: 10 }, () => create({}, race)))
  for (const { status, body } of answers) {
    assert.ok(status === 201 || body.details[0].error === 'STILL_RUNNING')
  }
  assert.deepEqual([(await listAll()).length, await mug.stock()], [2, 96])
})

test('orders are made by whoever has ORDERS_WRITE in the business', async () => {
  const { orders, valid, id } = await open()
  const stranger = await used.make.shop()
  const refused = [
    await used.make.member(id, 'ORDERS_READ'),
    await used.make.guest(),
    await used.make.user(),
    stranger.admin,
  ]
  for (const caller of refused) assert.equal(refusal(await caller.post(orders, valid)), '403 FORBIDDEN')
  assert.equal(refusal(await used.make.anonymous().post(orders, valid)), '401 UNAUTHENTICATED')
  assert.equal((await (await used.make.member(id, 'ORDERS_WRITE')).post(orders, valid)).status, 201)
})

test('the blocks of an order by hand may have 100 KB', async () => {
  const { create, admin, orders } = await open()
  const blocks = (length: number) => [{ id: 'note', type: 'TEXT', value: 'x'.repeat(length) }]
  const refused = await create({ blocks: blocks(100_000) })
  assert.equal(refusal(refused), '422 VALIDATION_FAILED blocks TOO_LARGE')
  assert.match(refused.body.message, /100 KB/)
  const made = await create({ blocks: blocks(99_000) })
  assert.equal(made.status, 201, made.text)
  const changed = await admin.put(`${orders}/update`, { id: made.body.id, blocks: blocks(100_000) })
  assert.equal(refusal(changed), '422 VALIDATION_FAILED blocks TOO_LARGE')
})
