import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../support/client.ts'
import { createClient } from '../../support/client.ts'
import { refusal } from '../../support/refusal.ts'
import { item, openShop, stateOf } from '../../support/shop.ts'
import { startApi } from '../../support/start-api.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'] })

async function open() {
  const shop = await openShop(used.make)
  const guest = await used.make.guest()
  const pay = (body: object, key?: string) =>
    shop.checkout(guest, body, key === undefined ? {} : { 'idempotency-key': key })
  return { ...shop, guest, pay }
}
const isRepeated = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true'
const pagesOf = (orderId: string) =>
  used.twin.sessions().filter(({ client_reference_id }) => client_reference_id === `order:${orderId}`)

test('the same key and body again give the same answer, and say so', async () => {
  const { pay, product, promo, listAll } = await open()
  const mug = await product()
  const { used: uses } = await promo()
  const body = { items: [item(mug, 2)], promoCode: 'TEN' }
  const first = await pay(body, 'once')
  const again = [await pay(body, 'once'), await pay(body, 'once')]

  assert.equal(first.status, 200, first.text)
  for (const answer of again) assert.deepEqual([answer.status, answer.body], [200, first.body])
  assert.deepEqual([first, ...again].map(isRepeated), [false, true, true])
  assert.deepEqual([(await listAll()).length, await mug.stock(), await uses()], [1, 98, 1])
  assert.equal(pagesOf(first.body.orderId).length, 1)
})

test('without a key every request is an order of its own', async () => {
  const { pay, product, listAll } = await open()
  const items = [item(await product())]
  const answers = [await pay({ items }), await pay({ items })]
  assert.deepEqual(answers.map(isRepeated), [false, false])
  assert.equal((await listAll()).length, 2)
})

test('a free order is repeated too', async () => {
  const { pay, priced, listAll } = await open()
  const items = [item(await priced(0))]
  const [first, again] = [await pay({ items }, 'free'), await pay({ items }, 'free')]
  assert.deepEqual([again.body, isRepeated(again)], [first.body, true])
  assert.equal((await listAll()).length, 1)
})

test('the same key with another body is refused, and orders nothing', async () => {
  const { pay, product, listAll } = await open()
  const mug = await product()
  await pay({ items: [item(mug)] }, 'reused')
  for (const body of [
    { items: [item(mug, 2)] },
    { items: [item(mug)], promoCode: 'TEN' },
    { market: 'de', items: [item(mug)] },
  ]) {
    const answer = await pay(body, 'reused')
    assert.equal(refusal(answer), '422 VALIDATION_FAILED Idempotency-Key IDEMPOTENCY_KEY_REUSED')
  }
  assert.deepEqual([(await listAll()).length, await mug.stock()], [1, 99])
})

test('a key has 1 to 255 characters', async () => {
  const { pay, product } = await open()
  const items = [item(await product())]
  for (const key of ['', 'x'.repeat(256)]) {
    assert.equal(refusal(await pay({ items }, key)), '422 VALIDATION_FAILED Idempotency-Key INVALID')
  }
  assert.equal((await pay({ items }, 'x'.repeat(255))).status, 200)
})

test('a key is its caller’s own, in its own business', async () => {
  const { pay, checkout, product, listAll } = await open()
  const other = await openShop(used.make)
  const [mug, cup] = [await product(), await other.product()]
  const headers = { 'idempotency-key': 'mine' }
  const stranger = await used.make.user()
  const answers = [
    await pay({ items: [item(mug)] }, 'mine'),
    await checkout(stranger, { items: [item(mug)] }, headers),
    await other.checkout(stranger, { items: [item(cup)] }, headers),
    await checkout(stranger, { items: [item(mug)] }, headers),
  ]
  assert.deepEqual(answers.map(refusal), Array(4).fill('200'))
  assert.deepEqual(answers.map(isRepeated), [false, false, false, true])
  assert.deepEqual([(await listAll()).length, (await other.listAll()).length], [2, 1])
})

test('a refused checkout does not use its key up', async () => {
  const { pay, admin, priced } = await open()
  const rare = await priced(500, { tracked: true, quantity: 1 })
  const body = { items: [item(rare, 2)] }
  assert.equal(refusal(await pay(body, 'later')), '409 CONFLICT items.0.quantity OUT_OF_STOCK')
  await admin.post(`${rare.path}/variants/one/stock`, { delta: 5 })
  const answer = await pay(body, 'later')
  assert.deepEqual([answer.status, isRepeated(answer)], [200, false])
})

test('twenty at once with one key are one order, for the last piece there is', async () => {
  const { pay, priced, promo, listAll } = await open()
  const rare = await priced(1_000, { tracked: true, quantity: 1 })
  const { used: uses } = await promo({ maxRedemptions: 1 })
  const body = { items: [item(rare)], promoCode: 'TEN' }
  const answers = await Promise.all(Array.from({ length: 20 }, () => pay(body, 'race')))

  // Who came while the page was being opened may be told to come again, and does.
  const served = await Promise.all(answers.map(async (answer) => (answer.status === 503 ? pay(body, 'race') : answer)))
  assert.deepEqual([...new Set(served.map(refusal))], ['200'])
  assert.equal(new Set(served.map(({ text }) => text)).size, 1)
  assert.deepEqual([(await listAll()).length, await rare.stock(), await uses()], [1, 0, 1])
  assert.equal(pagesOf(served[0]?.body.orderId).length, 1)
})

test('twenty at once with one key on two nodes are one order', async () => {
  const { guest, path, pay, priced, listAll } = await open()
  const node = await startApi({ databases: used.api.databases, env: used.env })
  try {
    const rare = await priced(1_000, { tracked: true, quantity: 5 })
    const there = createClient(node.url, { authorization: `Bearer ${guest.token}` })
    for (const key of ['one', 'two', 'three', 'four', 'five']) {
      const body = { market: 'us', items: [item(rare)] }
      const elsewhere = () => there.post(`${path}/orders/checkout`, body, { 'idempotency-key': key })
      const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => (n % 2 ? elsewhere() : pay(body, key))))
      const served = await Promise.all(answers.map(async (answer) => (answer.status === 503 ? pay(body, key) : answer)))
      assert.deepEqual([...new Set(served.map(refusal))], ['200'])
      assert.equal(new Set(served.map(({ text }) => text)).size, 1)
    }
    assert.deepEqual([(await listAll()).length, await rare.stock()], [5, 0])
  } finally {
    await node.close()
  }
})

test('two bodies with one key at once, on two nodes, are one order and one refusal', async () => {
  const { guest, path, pay, product, listAll } = await open()
  const node = await startApi({ databases: used.api.databases, env: used.env })
  try {
    const [mug, cup] = [await product(), await product()]
    const there = createClient(node.url, { authorization: `Bearer ${guest.token}` })
    for (let round = 0; round < 10; round++) {
      const headers = { 'idempotency-key': `key ${round}` }
      const answers = await Promise.all([
        pay({ items: [item(mug)] }, `key ${round}`),
        there.post(`${path}/orders/checkout`, { market: 'us', items: [item(cup)] }, headers),
      ])
      assert.deepEqual(answers.map(refusal).sort(), [
        '200',
        '422 VALIDATION_FAILED Idempotency-Key IDEMPOTENCY_KEY_REUSED',
      ])
    }
    assert.deepEqual([(await listAll()).length, (await mug.stock()) + (await cup.stock())], [10, 190])
  } finally {
    await node.close()
  }
})

test('after the order was paid, or cancelled, its key still answers the same', async () => {
  const { pay, product, admin, orders, order } = await open()
  const items = [item(await product())]
  const first = await pay({ items }, 'paid')
  used.twin.pay(String(first.body.checkoutUrl).split('/').at(-1) ?? '')
  await used.twin.settled()
  assert.deepEqual((await pay({ items }, 'paid')).body, first.body)

  const second = await pay({ items }, 'gone')
  await admin.put(`${orders}/${second.body.orderId}/status`, { status: 'CANCELLED' })
  assert.deepEqual((await pay({ items }, 'gone')).body, second.body)
  assert.match(stateOf(await order(second.body.orderId)), /^CANCELLED/)
})
