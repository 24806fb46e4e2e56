import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { useFaults } from '#platform/faults.ts'
import { serviceUnavailable } from '#platform/http/refusals.ts'
import { refusal } from '../../support/refusal.ts'
import { openShippable } from '../../support/shippable.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
afterEach(() => useFaults(undefined))

const key = (value: string) => ({ 'idempotency-key': value })

test('each order is shipped or refused by itself, and the answer is in the order of the request', async () => {
  const { admin, orders, makeOrder, shipments, state } = await openShippable(used.make)
  const [first, pending, last] = [
    await makeOrder([2, 1]),
    await makeOrder([1], { statuses: [{ status: 'PENDING' }] }),
    await makeOrder([1]),
  ]
  const answer = await admin.post(`${orders}/shipments`, {
    items: [
      { orderId: first.id, carrier: 'DHL', trackingNumber: '1', trackingUrl: 'https://dhl.example/1' },
      { orderId: pending.id },
      { orderId: 'ord_nowhere' },
      { orderId: last.id, carrier: 'UPS' },
    ],
    notify: false,
  })
  assert.equal(answer.status, 200, answer.text)
  const [one, two, three, four] = answer.body.items
  const [shipment] = await shipments(first)
  assert.deepEqual(one, { orderId: first.id, shipmentId: shipment.id })
  assert.deepEqual([shipment.carrier, shipment.trackingNumber, shipment.notified], ['DHL', '1', false])
  assert.deepEqual(Object.keys(two), ['orderId', 'error'])
  assert.deepEqual([two.error.error, two.error.details[0].error], ['CONFLICT', 'WRONG_STATE'])
  assert.deepEqual(three, {
    orderId: 'ord_nowhere',
    error: { error: 'NOT_FOUND', message: 'Order not found.', details: [] },
  })
  assert.match(four.shipmentId, /^shp_/)
  assert.deepEqual(
    [await state(first.id), await state(pending.id), await state(last.id)],
    ['SHIPPED/FULFILLED', 'PENDING/null', 'SHIPPED/FULFILLED'],
  )
})

test('repeated without a key, nothing is shipped twice: nothing is left', async () => {
  const { admin, orders, makeOrder, shipments } = await openShippable(used.make)
  const order = await makeOrder([3])
  const body = { items: [{ orderId: order.id }] }
  await admin.post(`${orders}/shipments`, body)
  const again = await admin.post(`${orders}/shipments`, body)
  assert.equal(again.body.items[0].error.details[0].error, 'NOTHING_TO_SHIP')
  assert.equal((await shipments(order)).length, 1)
})

test('the key counts for each order, whatever other orders the request holds', async () => {
  const { admin, orders, makeOrder, shipments } = await openShippable(used.make)
  const [a, b] = [await makeOrder([1]), await makeOrder([1])]
  const send = async (items: object[], value = 'monday') =>
    (await admin.post(`${orders}/shipments`, { items }, key(value))).body.items
  const [first] = await send([{ orderId: a.id, carrier: 'DHL' }])
  const [again, other] = await send([{ orderId: a.id, carrier: 'DHL' }, { orderId: b.id }])
  assert.deepEqual(again, first)
  assert.match(other.shipmentId, /^shp_/)
  assert.deepEqual([(await shipments(a)).length, (await shipments(b)).length], [1, 1])

  const [changed] = await send([{ orderId: a.id, carrier: 'UPS' }])
  assert.equal(changed.error.details[0].error, 'IDEMPOTENCY_KEY_REUSED')
  const [later] = await send([{ orderId: a.id, carrier: 'DHL' }], 'tuesday')
  assert.equal(later.error.details[0].error, 'NOTHING_TO_SHIP')
  const [refusedAgain] = await send([{ orderId: a.id, carrier: 'DHL' }], 'tuesday')
  assert.deepEqual(refusedAgain, later)
})

test('after a request that broke off, the same request with its key ships the rest and answers all', async () => {
  const { admin, orders, makeOrder, shipments } = await openShippable(used.make)
  const made = [await makeOrder([1]), await makeOrder([1]), await makeOrder([1]), await makeOrder([1])]
  const body = { items: made.map(({ id }) => ({ orderId: id })) }
  let count = 0
  useFaults((name) => {
    if (name === 'shipment.written' && ++count === 3) throw serviceUnavailable()
  })
  assert.equal((await admin.post(`${orders}/shipments`, body, key('one'))).status, 503)
  useFaults(undefined)
  const { body: answer } = await admin.post(`${orders}/shipments`, body, key('one'))
  for (const [index, order] of made.entries()) {
    const [shipment, ...more] = await shipments(order)
    assert.deepEqual([answer.items[index], more], [{ orderId: order.id, shipmentId: shipment.id }, []])
  }
})

test('an order that is named twice, too many orders and none are refused', async () => {
  const { admin, orders, makeOrder, state } = await openShippable(used.make)
  const { id } = await makeOrder([1])
  const send = async (items: object[]) => refusal(await admin.post(`${orders}/shipments`, { items }))
  assert.equal(await send([{ orderId: id }, { orderId: id }]), '422 VALIDATION_FAILED items.1.orderId DUPLICATE')
  assert.equal(await send([]), '422 VALIDATION_FAILED items TOO_FEW')
  const many = Array.from({ length: 201 }, (_, index) => ({ orderId: `ord_${index}` }))
  assert.equal(await send(many), '422 VALIDATION_FAILED items TOO_MANY')
  assert.equal(await state(id), 'PROCESSING/null')
  const { customer } = await openShippable(used.make)
  assert.equal(refusal(await customer.post(`${orders}/shipments`, { items: [{ orderId: id }] })), '403 FORBIDDEN')
})

test('200 orders go into one request', async () => {
  const { admin, orders, makeOrder } = await openShippable(used.make)
  const ids: string[] = []
  for (let made = 0; made < 20; made++) ids.push((await makeOrder([1])).id)
  const unknown = Array.from({ length: 180 }, (_, index) => `ord_${index}`)
  const { body, status } = await admin.post(`${orders}/shipments`, {
    items: [...ids, ...unknown].map((orderId) => ({ orderId })),
  })
  assert.equal(status, 200)
  const shipped = body.items.filter((item: { shipmentId?: string }) => item.shipmentId)
  assert.deepEqual([body.items.length, shipped.length], [200, 20])
})
