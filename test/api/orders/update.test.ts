import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { item, type MadeProduct, openShop, stateOf } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })

const line = ({ id }: Pick<MadeProduct, 'id'>, quantity: number, unitPrice = 100, variantId = 'one') => ({
  productId: id,
  variantId,
  quantity,
  unitPrice,
  totalPrice: quantity * unitPrice,
})
const sums = (lines: { totalPrice: number }[]) => {
  const subtotal = lines.reduce((sum, { totalPrice }) => sum + totalPrice, 0)
  return { lines, subtotal, total: subtotal + 15 }
}

async function open() {
  const shop = await openShop(used.make)
  const customer = await used.make.user()
  const [mug, cup] = [await shop.product(), await shop.product()]
  const made = await shop.admin.post(shop.orders, {
    customerId: customer.id,
    market: 'us',
    ...sums([line(mug, 2)]),
    tax: 10,
    shipping: 5,
  })
  assert.equal(made.status, 201, made.text)
  const { id } = made.body
  const update = (body: object, headers?: Record<string, string>) =>
    shop.admin.put(`${shop.orders}/update`, { id, ...body }, headers)
  const set = (kind: 'status' | 'payment-status', status: string) =>
    shop.admin.put(`${shop.orders}/${id}/${kind}`, { status })
  return { ...shop, customer, mug, cup, made: made.body, update, set, read: () => shop.order(id) }
}

test('an order changes in what is sent, and keeps the rest', async () => {
  const { update, made, read, customers } = await open()
  const other = await used.make.guest()
  const blocks = [{ id: 'gift', type: 'BOOLEAN', value: true }]
  for (const change of [
    { blocks },
    { contactEmail: 'a@example.com' },
    { contactEmail: null },
    { customerId: other.id },
    { tax: 20, total: 225, lines: [{ tax: 20 }] },
    { discount: 25, total: 200, lines: [{ discount: 25 }] },
    { shippingAddress: { name: 'Ada', country: 'DE' }, billingAddress: { country: 'US' } },
    { phone: '+49 40 1', customerNote: 'Ring twice', tags: ['gift', 'vip'] },
  ]) {
    const before = await read()
    const { lines: [shares] = [], ...sent } = change as { lines?: object[] }
    const { status, body, text } = await update(sent)
    assert.equal(status, 200, text)
    const lines = [{ ...before.lines[0], ...shares }]
    assert.deepEqual(body, { ...before, ...sent, lines, updatedAt: body.updatedAt })
    assert.deepEqual(await read(), body)
  }
  assert.ok((await customers(used.api.services.databases.control)).includes(other.id))
  assert.deepEqual((await read()).lines, [{ ...made.lines[0], discount: 25, tax: 20 }])
})

test('what cannot be changed is ignored', async () => {
  const { update, made } = await open()
  const { body } = await update({
    number: 'X',
    market: 'de',
    currency: 'EUR',
    statuses: [{ status: 'SHIPPED' }],
    paymentStatus: [{ status: 'PAID' }],
    createdAt: 1,
    promoCode: 'X',
    expiresAt: 5,
  })
  assert.deepEqual(body, { ...made, updatedAt: body.updatedAt })
})

test('stock follows the lines, both ways', async () => {
  const { update, mug, cup, read, made, ledger } = await open()
  const stocks = async () => [await mug.stock(), await cup.stock()]
  assert.deepEqual(await stocks(), [98, 100])
  const steps: [ReturnType<typeof line>[], number[]][] = [
    [[line(mug, 5)], [95, 100]],
    [[line(mug, 1)], [99, 100]],
    [
      [line(mug, 1), line(cup, 3)],
      [99, 97],
    ],
    [
      [line(cup, 3), line(cup, 4)],
      [100, 93],
    ],
    [[line(mug, 2, 777)], [98, 100]],
    [[line(mug, 2, 778)], [98, 100]],
  ]
  for (const [lines, expected] of steps) {
    const answer = await update(sums(lines))
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.lines.length, lines.length)
    assert.deepEqual(await stocks(), expected)
  }
  const moved = await ledger(mug)
  assert.ok(moved.slice(1).every(({ reference }) => reference === made.id))
  assert.deepEqual(
    moved.map(({ delta }) => delta),
    [100, -2, -3, 4, 1, -2],
  )
  assert.equal((await read()).subtotal, 1_556)
})

test('what an order gives back when it is cancelled is what it holds by then', async () => {
  const { update, set, mug, cup } = await open()
  await update(sums([line(mug, 7), line(cup, 1)]))
  await set('status', 'CANCELLED')
  assert.deepEqual([await mug.stock(), await cup.stock()], [100, 100])
})

test('lines that want more than there is change nothing', async () => {
  const { update, mug, cup, read } = await open()
  const before = await read()
  const short = await update(sums([line(mug, 1), line(cup, 101)]))
  assert.equal(refusal(short), '409 CONFLICT lines.1.quantity OUT_OF_STOCK')
  assert.deepEqual([await mug.stock(), await cup.stock(), await read()], [98, 100, before])
  assert.equal((await update(sums([line(mug, 100)]))).status, 200, 'what it holds counts')
  assert.equal(await mug.stock(), 0)
})

test('a variant that is gone stays in the order, and comes back when it leaves', async () => {
  const { update, mug, cup, admin, read } = await open()
  await admin.delete(mug.path)
  assert.equal(refusal(await update(sums([line(mug, 2)]))), '422 VALIDATION_FAILED lines.0.variantId NOT_FOUND')
  assert.equal((await update({ contactEmail: 'a@example.com' })).status, 200)
  assert.equal((await update(sums([line(cup, 1)]))).status, 200)
  assert.equal((await read()).lines.length, 1)
})

test('the figures must add up, with those that stay', async () => {
  const { update, mug, cup, read } = await open()
  const before = await read()
  const cases: [object, ...string[]][] = [
    [{ total: 1 }, 'total INVALID'],
    [{ tax: 11 }, 'total INVALID'],
    [{ discount: 1 }, 'total INVALID'],
    [{ subtotal: 300 }, 'subtotal INVALID', 'total INVALID'],
    [{ lines: [line(mug, 3)] }, 'subtotal INVALID'],
    [{ ...sums([line(cup, 3)]), total: 1 }, 'total INVALID'],
    [{ ...sums([{ ...line(mug, 2), totalPrice: 201 }]) }, 'lines.0.totalPrice INVALID'],
    [{ lines: [] }, 'lines TOO_FEW'],
    [{ customerId: 'usr_nobody' }, 'customerId NOT_FOUND'],
    [{ blocks: [{ id: 'x', type: 'NUMBER', value: 'y' }] }, 'blocks.0.value INVALID'],
    [sums([line(mug, 2, 100, 'two')]), 'lines.0.variantId NOT_FOUND'],
  ]
  for (const [body, ...complaints] of cases) {
    const answer = await update(body)
    assert.equal(refusal(answer), `422 VALIDATION_FAILED ${complaints.sort().join(' ')}`, JSON.stringify(body))
  }
  assert.deepEqual([await read(), await mug.stock(), await cup.stock()], [before, 98, 100])
})

test('only PENDING and PROCESSING orders can be changed', async () => {
  const { update, set } = await open()
  const change = { contactEmail: 'a@example.com' }
  await set('status', 'PROCESSING')
  assert.equal((await update(change)).status, 200)
  for (const status of ['SHIPPED', 'DELIVERED', 'REFUNDED']) {
    await set('status', status)
    assert.equal(refusal(await update(change)), '409 CONFLICT id ORDER_CLOSED', status)
  }
})

test('what is paid cannot be changed; what could not be paid can', async () => {
  const { update, set } = await open()
  const change = { contactEmail: 'a@example.com' }
  for (const status of ['PAID', 'PARTIALLY_REFUNDED', 'REFUNDED']) {
    await set('payment-status', status)
    assert.equal(refusal(await update(change)), '409 CONFLICT id PAYMENT_OPEN', status)
  }
  await set('payment-status', 'FAILED')
  assert.equal((await update(change)).status, 200)
})

test('an order whose payment page is open cannot be changed, whatever a person says of its payment', async () => {
  const { buy, mug, admin, orders, order } = await open()
  const { orderId, path } = await buy(await used.make.guest(), { items: [item(mug)] })
  const change = { id: orderId, ...sums([line(mug, 1)]), tax: 10, shipping: 5 }
  const before = await order(orderId)
  const put = async () => refusal(await admin.put(`${orders}/update`, change))
  assert.equal(await put(), '409 CONFLICT id PAYMENT_OPEN')
  await admin.put(`${path}/status`, { status: 'PROCESSING' })
  assert.equal(await put(), '409 CONFLICT id PAYMENT_OPEN')
  await admin.put(`${path}/payment-status`, { status: 'FAILED' })
  assert.equal(await put(), '409 CONFLICT id PAYMENT_OPEN')
  assert.deepEqual((await order(orderId)).lines, before.lines)
})

test('a paid order from the service, and a free one, cannot be changed', async () => {
  const { buy, checkout, mug, priced, admin, orders, order } = await open()
  const guest = await used.make.guest()
  const { orderId, pageId } = await buy(guest, { items: [item(mug)] })
  used.twin.pay(pageId)
  await used.twin.settled()
  const free = (await checkout(guest, { items: [item(await priced(0))] })).body.orderId
  for (const id of [orderId, free]) {
    const answer = await admin.put(`${orders}/update`, { id, contactEmail: 'a@example.com' })
    assert.equal(refusal(answer), '409 CONFLICT id PAYMENT_OPEN')
    assert.notEqual((await order(id)).contactEmail, 'a@example.com')
  }
  assert.match(stateOf(await order(free)), /PAID$/)
})

test('If-Match guards an update, and two at once do not mix', async () => {
  const { update, mug, cup } = await open()
  assert.equal(refusal(await update({ contactEmail: null }, { 'if-match': '"7"' })), '412 PRECONDITION_FAILED')
  const first = await update({ contactEmail: 'a@example.com' }, { 'if-match': '"1"' })
  assert.deepEqual([first.status, first.headers.get('etag')], [200, '"2"'])
  const answers = await Promise.all([
    update(sums([line(mug, 10)]), { 'if-match': '"2"' }),
    update(sums([line(cup, 10)]), { 'if-match': '"2"' }),
  ])
  assert.deepEqual(answers.map(refusal).sort(), ['200', '412 PRECONDITION_FAILED'])
  assert.equal((await mug.stock()) + (await cup.stock()), 190)
})

test('an update needs ORDERS_WRITE, and an order of that business', async () => {
  const { orders, made, id, update, customer } = await open()
  const other = await openShop(used.make)
  const body = { id: made.id, contactEmail: 'a@example.com' }
  for (const caller of [await used.make.member(id, 'ORDERS_READ'), customer, other.admin]) {
    assert.equal(refusal(await caller.put(`${orders}/update`, body)), '403 FORBIDDEN')
  }
  assert.equal(refusal(await other.admin.put(`${other.orders}/update`, body)), '404 NOT_FOUND')
  assert.equal(refusal(await update({ id: 'ord_none' })), '404 NOT_FOUND')
  assert.equal(refusal(await update({ id: undefined })), '422 VALIDATION_FAILED id REQUIRED')
})
