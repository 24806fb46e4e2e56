import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusal } from '../../support/refusal.ts'
import { openShippable } from '../../support/shippable.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const open = (settings?: object) => openShippable(used.make, settings)

test('some lines are shipped, then all that is left: the last piece moves the order to SHIPPED', async () => {
  const { admin, makeOrder, state, events } = await open()
  const { id, path, lines } = await makeOrder([2, 1])
  const [mug, teapot] = lines
  const parcel = { carrier: 'DHL', trackingNumber: '0034', trackingUrl: 'https://dhl.example/track?n=0034' }
  const first = await admin.post(`${path}/shipments`, { lines: [{ lineId: mug?.id, quantity: 1 }], ...parcel })

  assert.equal(first.status, 201, first.text)
  assert.match(first.body.id, /^shp_/)
  assert.deepEqual(first.body, {
    id: first.body.id,
    orderId: id,
    number: 1,
    lines: [{ lineId: mug?.id, quantity: 1 }],
    ...parcel,
    notified: false,
    userId: admin.id,
    createdAt: first.body.createdAt,
    updatedAt: first.body.createdAt,
  })
  assert.equal(await state(id), 'PROCESSING/PARTIALLY_FULFILLED')

  const second = await admin.post(`${path}/shipments`, {})
  assert.equal(second.status, 201, second.text)
  assert.deepEqual(
    [second.body.number, second.body.carrier, second.body.lines],
    [
      2,
      null,
      [
        { lineId: mug?.id, quantity: 1 },
        { lineId: teapot?.id, quantity: 1 },
      ],
    ],
  )
  assert.equal(await state(id), 'SHIPPED/FULFILLED')
  const { statuses } = (await admin.get(path)).body
  assert.deepEqual([statuses.at(-1).status, statuses.at(-1).changedBy, statuses.length], ['SHIPPED', 'SYSTEM', 2])
  assert.deepEqual((await admin.get(`${path}/shipments`)).body, { items: [first.body, second.body] })
  assert.deepEqual(
    (await events(id)).map(({ type, data }) => [type, data.shipmentId ?? data.status]),
    [
      ['order.created', undefined],
      ['stock.changed', undefined],
      ['order.shipped', first.body.id],
      ['order.status_changed', 'SHIPPED'],
      ['order.shipped', second.body.id],
    ],
  )
})

test('each change of a shipment changes the ETag of its order', async () => {
  const { admin, makeOrder } = await open()
  const { path } = await makeOrder([2])
  const etag = async () => (await admin.get(path)).headers.get('etag')
  const tags = [await etag()]
  const { body } = await admin.post(`${path}/shipments`, {})
  tags.push(await etag())
  await admin.put(`${path}/shipments/${body.id}`, { carrier: 'UPS' })
  tags.push(await etag())
  await admin.delete(`${path}/shipments/${body.id}`)
  tags.push(await etag())
  assert.equal(new Set(tags).size, 4, tags.join())
})

test('what is not left, not there or named twice is refused, each in its place, and nothing is shipped', async () => {
  const { admin, makeOrder, state } = await open()
  const { id, path, lines } = await makeOrder([2, 1])
  const lineId = lines[0]?.id
  const post = async (body: object) => refusal(await admin.post(`${path}/shipments`, body))
  const pieces = (...sent: [string | undefined, number][]) => ({
    lines: sent.map(([lineId, quantity]) => ({ lineId, quantity })),
  })

  assert.equal(await post(pieces([lineId, 3])), '422 VALIDATION_FAILED lines.0.quantity TOO_MANY')
  assert.equal(
    await post(pieces([lineId, 1], ['line_of_another', 1], [lineId, 1])),
    '422 VALIDATION_FAILED lines.1.lineId NOT_FOUND lines.2.lineId DUPLICATE',
  )
  assert.equal(await post(pieces([lineId, 0])), '422 VALIDATION_FAILED lines.0.quantity TOO_SMALL')
  assert.equal(await post({ lines: [] }), '422 VALIDATION_FAILED lines TOO_FEW')
  for (const trackingUrl of ['javascript:alert(1)', '//dhl.example', 'data:text/html,x', 'ftp://dhl.example/x'])
    assert.equal(await post({ trackingUrl }), '422 VALIDATION_FAILED trackingUrl INVALID', trackingUrl)
  assert.equal(await post({ carrier: 'x'.repeat(101) }), '422 VALIDATION_FAILED carrier INVALID')
  assert.equal(await state(id), 'PROCESSING/null')

  assert.equal(await post({}), '201')
  assert.equal(await post({}), '409 CONFLICT lines NOTHING_TO_SHIP')
  assert.equal(await post(pieces([lineId, 1])), '422 VALIDATION_FAILED lines.0.quantity TOO_MANY')
})

test('only PROCESSING, SHIPPED and DELIVERED orders can be shipped', async () => {
  const { admin, makeOrder, orders } = await open()
  const outcomes: Record<string, string> = {}
  for (const status of ['PENDING', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'REFUNDED']) {
    const { path } = await makeOrder([1], { statuses: [{ status }] })
    outcomes[status] = refusal(await admin.post(`${path}/shipments`, {}))
  }
  const refused = '409 CONFLICT id WRONG_STATE'
  assert.deepEqual(outcomes, {
    PENDING: refused,
    PROCESSING: '201',
    SHIPPED: '201',
    DELIVERED: '201',
    CANCELLED: refused,
    REFUNDED: refused,
  })
  assert.equal(refusal(await admin.post(`${orders}/ord_nowhere/shipments`, {})), '404 NOT_FOUND')
})

test('an order that a person has set to SHIPPED stays so, whatever its shipments', async () => {
  const { admin, makeOrder, state } = await open()
  const { id, path, lines } = await makeOrder([2], { statuses: [{ status: 'SHIPPED' }] })
  const { body } = await admin.post(`${path}/shipments`, { lines: [{ lineId: lines[0]?.id, quantity: 1 }] })
  assert.equal(await state(id), 'SHIPPED/PARTIALLY_FULFILLED')
  assert.equal((await admin.delete(`${path}/shipments/${body.id}`)).status, 200)
  assert.equal(await state(id), 'SHIPPED/null')
})

test('deleting a shipment gives its pieces back, and moves the order back if no person has set a status since', async () => {
  const { admin, makeOrder, state, row, events } = await open()
  const { id, path, lines } = await makeOrder([2])
  const one = { lines: [{ lineId: lines[0]?.id, quantity: 1 }] }
  const first = (await admin.post(`${path}/shipments`, one)).body
  const second = (await admin.post(`${path}/shipments`, {})).body
  assert.equal(await state(id), 'SHIPPED/FULFILLED')

  // It is the second one that moved the order, but without the first it is not complete, either.
  assert.deepEqual((await admin.delete(`${path}/shipments/${first.id}`)).body, { success: true })
  assert.equal(await state(id), 'PROCESSING/PARTIALLY_FULFILLED')
  const again = (await admin.post(`${path}/shipments`, {})).body
  assert.deepEqual([again.number, await state(id)], [3, 'SHIPPED/FULFILLED'])

  assert.equal((await admin.put(`${path}/status`, { status: 'DELIVERED' })).status, 200)
  await admin.delete(`${path}/shipments/${again.id}`)
  assert.equal(await state(id), 'DELIVERED/PARTIALLY_FULFILLED')
  await admin.delete(`${path}/shipments/${second.id}`)
  assert.equal(await state(id), 'DELIVERED/null')
  assert.equal(refusal(await admin.delete(`${path}/shipments/${second.id}`)), '404 NOT_FOUND')
  const history = (await row(id)).statuses.map(({ status }) => status)
  assert.deepEqual(history, ['PROCESSING', 'SHIPPED', 'PROCESSING', 'SHIPPED', 'DELIVERED'])
  assert.deepEqual((await events(id)).at(-1)?.data.fields, ['shipments'])
})

test('a person who sets PROCESSING and SHIPPED again has decided: deleting the shipment leaves it', async () => {
  const { admin, makeOrder, state } = await open()
  const { id, path } = await makeOrder([1])
  const { body } = await admin.post(`${path}/shipments`, {})
  for (const status of ['PROCESSING', 'SHIPPED']) await admin.put(`${path}/status`, { status })
  await admin.delete(`${path}/shipments/${body.id}`)
  assert.equal(await state(id), 'SHIPPED/null')
})

test('a shipment is changed in part: what is not sent stays, and its lines count as before', async () => {
  const { admin, makeOrder, state } = await open()
  const { id, path, lines } = await makeOrder([3])
  const lineId = lines[0]?.id
  const made = await admin.post(`${path}/shipments`, { carrier: 'DHL', trackingNumber: '1' })
  const at = `${path}/shipments/${made.body.id}`

  const parcel = await admin.put(at, { trackingNumber: '2', carrier: null })
  assert.equal(parcel.status, 200, parcel.text)
  assert.deepEqual(parcel.body, { ...made.body, carrier: null, trackingNumber: '2', updatedAt: parcel.body.updatedAt })
  assert.equal(await state(id), 'SHIPPED/FULFILLED')

  const fewer = await admin.put(at, { lines: [{ lineId, quantity: 2 }] })
  assert.deepEqual(fewer.body.lines, [{ lineId, quantity: 2 }])
  assert.equal(await state(id), 'PROCESSING/PARTIALLY_FULFILLED')
  assert.equal(
    refusal(await admin.put(at, { lines: [{ lineId, quantity: 4 }] })),
    '422 VALIDATION_FAILED lines.0.quantity TOO_MANY',
  )
  assert.equal((await admin.put(at, { lines: [{ lineId, quantity: 3 }] })).status, 200)
  assert.equal(await state(id), 'SHIPPED/FULFILLED')
  assert.equal((await admin.delete(at)).status, 200)
  assert.equal(await state(id), 'PROCESSING/null')
})

test('once the order is cancelled, tracking can be corrected, but what was shipped stays shipped', async () => {
  const { admin, makeOrder } = await open()
  const { path, lines } = await makeOrder([2])
  const one = { lines: [{ lineId: lines[0]?.id, quantity: 1 }] }
  const { body } = await admin.post(`${path}/shipments`, one)
  const at = `${path}/shipments/${body.id}`
  await admin.put(`${path}/status`, { status: 'CANCELLED' })
  assert.equal((await admin.put(at, { carrier: 'UPS' })).status, 200)
  assert.equal(refusal(await admin.put(at, one)), '409 CONFLICT id WRONG_STATE')
  assert.equal(refusal(await admin.delete(at)), '409 CONFLICT id WRONG_STATE')
})

test('If-Match guards a shipment against a change that was not seen', async () => {
  const { admin, makeOrder } = await open()
  const { path } = await makeOrder([1])
  const { body } = await admin.post(`${path}/shipments`, {})
  const at = `${path}/shipments/${body.id}`
  const read = await admin.get(at)
  assert.deepEqual(read.body, body)
  const tag = read.headers.get('etag') ?? ''
  assert.equal((await admin.put(at, { carrier: 'UPS' }, { 'if-match': tag })).status, 200)
  assert.equal((await admin.put(at, { carrier: 'DHL' }, { 'if-match': tag })).status, 412)
  assert.equal((await admin.send('DELETE', at, { headers: { 'if-match': tag } })).status, 412)
  assert.equal((await admin.get(at)).body.carrier, 'UPS')
})

test('the same key ships once', async () => {
  const { admin, makeOrder, shipments } = await open()
  const order = await makeOrder([4])
  const body = { lines: [{ lineId: order.lines[0]?.id, quantity: 1 }] }
  const key = { 'idempotency-key': 'parcel-1' }
  const [first, again] = [
    await admin.post(`${order.path}/shipments`, body, key),
    await admin.post(`${order.path}/shipments`, body, key),
  ]
  assert.deepEqual([first.status, again.status, again.body], [201, 201, first.body])
  assert.equal((await shipments(order)).length, 1)
})

test('customers see the shipments of their own orders, without who entered them; nobody else does', async () => {
  const { makeOrder, admin, customer, id: businessId, path: shopPath } = await open()
  const { path } = await makeOrder([1])
  const { body } = await admin.post(`${path}/shipments`, { carrier: 'DHL' })
  const { userId, ...seen } = body
  assert.equal(userId, admin.id)
  assert.deepEqual((await customer.get(`${path}/shipments`)).body, { items: [seen] })
  assert.deepEqual((await customer.get(`${path}/shipments/${body.id}`)).body, seen)
  assert.equal(refusal(await customer.get(`${path}/shipments/shp_nowhere`)), '404 NOT_FOUND')

  const [stranger, guest, foreign] = [await used.make.user(), await used.make.guest(), await open()]
  for (const caller of [stranger, guest, foreign.admin])
    for (const at of ['', `/${body.id}`])
      assert.equal(refusal(await caller.get(`${path}/shipments${at}`)), '404 NOT_FOUND')
  assert.equal(refusal(await customer.post(`${path}/shipments`, {})), '403 FORBIDDEN')
  const elsewhere = path.replace(shopPath, foreign.path)
  assert.notEqual(businessId, foreign.id)
  assert.equal(refusal(await foreign.admin.post(`${elsewhere}/shipments`, {})), '404 NOT_FOUND')

  const reader = await used.make.member(businessId, 'ORDERS_READ')
  assert.deepEqual((await reader.get(`${path}/shipments`)).body, { items: [body] })
  assert.equal(refusal(await reader.post(`${path}/shipments`, {})), '403 FORBIDDEN')
})

test('a line keeps the pieces that were shipped of it when the lines of the order change', async () => {
  const { admin, makeOrder, orders, goods, row, state } = await open()
  const { id, path, lines } = await makeOrder([2, 1])
  await admin.post(`${path}/shipments`, { lines: [{ lineId: lines[0]?.id, quantity: 2 }] })
  const line = (quantity: number, lineId?: string) => ({
    ...(lineId !== undefined && { id: lineId }),
    productId: goods[0]?.id,
    variantId: 'one',
    quantity,
    unitPrice: 1_000,
    totalPrice: quantity * 1_000,
  })
  const put = (...sent: ReturnType<typeof line>[]) => {
    const subtotal = sent.reduce((sum, { totalPrice }) => sum + totalPrice, 0)
    return admin.put(`${orders}/update`, { id, lines: sent, subtotal, tax: 0, shipping: 0, total: subtotal })
  }
  const refused = '422 VALIDATION_FAILED lines TOO_FEW'
  assert.equal(refusal(await put(line(1, lines[0]?.id))), refused)
  assert.equal(refusal(await put(line(2))), refused, 'a line without its id is another line')

  const changed = await put(line(2, lines[0]?.id))
  assert.equal(changed.status, 200, changed.text)
  assert.equal(await state(id), 'PROCESSING/FULFILLED')
  assert.equal((await put(line(2, lines[0]?.id), line(1, lines[0]?.id))).status, 200)
  assert.equal(await state(id), 'PROCESSING/PARTIALLY_FULFILLED')
  assert.equal(new Set((await row(id)).lines.map((each) => each.id)).size, 2, 'an id is given once')
})

test('an order has at most 100 shipments', async () => {
  const { admin, makeOrder, db, id: businessId, shipments } = await open()
  const order = await makeOrder([100])
  const lineId = order.lines[0]?.id ?? ''
  const one = { lines: [{ lineId, quantity: 1 }] }
  const { body } = await admin.post(`${order.path}/shipments`, one)
  const row = await db
    .selectFrom('orders.shipments')
    .selectAll()
    .where((shipment) => shipment.and({ businessId, id: body.id }))
    .executeTakeFirstOrThrow()
  const more = Array.from({ length: 99 }, (_, index) => ({
    ...row,
    id: `shp_${index}`,
    number: index + 2,
    lines: JSON.stringify({ [lineId]: 1 }),
  }))
  await db.insertInto('orders.shipments').values(more).execute()
  assert.equal(refusal(await admin.post(`${order.path}/shipments`, one)), '409 CONFLICT id TOO_MANY')
  assert.equal((await shipments(order)).length, 100)
})
