import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdClock } from '../../support/clock.ts'
import { refusal } from '../../support/refusal.ts'
import { item, openShop, stateOf } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'], own: true })
const OPENING = /^POST \/v1\/checkout\/sessions$/
const UNAVAILABLE = '503 UNAVAILABLE'

async function open() {
  const shop = await openShop(used.make)
  const guest = await used.make.guest()
  const mug = await shop.product()
  const promo = await shop.promo()
  const body = { items: [item(mug, 2)], promoCode: 'TEN' }
  const pay = (key?: string) => shop.checkout(guest, body, key === undefined ? {} : { 'idempotency-key': key })
  /** How the one order of the shop is, what is left in stock, and how often the code is used. */
  const left = async () => {
    const [listed, ...more] = await shop.listAll()
    assert.deepEqual(more, [])
    const made = listed && (await shop.order(listed.id))
    return [made ? stateOf(made) : 'none', await mug.stock(), await promo.used()]
  }
  const orderId = async () => (await shop.listAll())[0]?.id ?? ''
  return { ...shop, guest, mug, pay, left, orderId }
}
const pagesOf = (orderId: string) =>
  used.twin
    .sessions()
    .filter(({ client_reference_id }) => client_reference_id === `order:${orderId}`)
    .map(({ url, status }) => ({ url, status }))

const TAKEN = ['PENDING/PENDING', 98, 1]
const ENDED = ['CANCELLED/FAILED', 100, 0]

// The provider's client asks twice, so trouble comes twice; only when it is told to slow down it does not.
for (const [next, times] of [
  ['reset', 2],
  ['error500', 2],
  ['rate-limit', 1],
] as const) {
  test(`with a key, a page lost to ${next} before it was opened is opened by the repeat`, async () => {
    const { pay, left, orderId } = await open()
    const takeBack = used.twin.behave({ next, path: OPENING, times })
    const lost = await pay('key')
    takeBack()
    assert.equal(refusal(lost), UNAVAILABLE)
    assert.ok(Number(lost.headers.get('retry-after')) > 0)
    assert.deepEqual(await left(), TAKEN)

    const found = await pay('key')
    const id = await orderId()
    assert.equal(found.status, 200, found.text)
    assert.equal(found.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual([found.body.orderId, await left()], [id, TAKEN])
    assert.deepEqual(pagesOf(id), [{ url: found.body.checkoutUrl, status: 'open' }])
    assert.deepEqual((await pay('key')).body, found.body)
  })

  test(`without a key, an order whose page is lost to ${next} is cancelled, and its goods are back`, async () => {
    const { pay, left, orderId } = await open()
    const takeBack = used.twin.behave({ next, path: OPENING, times })
    const lost = await pay()
    takeBack()
    assert.equal(refusal(lost), UNAVAILABLE)
    assert.deepEqual(await left(), ENDED)
    assert.ok(pagesOf(await orderId()).every(({ status }) => status === 'expired'))
  })
}

test('with a key, a page that was opened and only its answer lost is found again', async () => {
  const { pay, left, orderId } = await open()
  used.twin.behave({ next: 'reset', path: OPENING, times: 2, afterEffect: true })
  assert.equal(refusal(await pay('key')), UNAVAILABLE)
  const [page, ...more] = pagesOf(await orderId())
  assert.deepEqual([page?.status, more], ['open', []])
  assert.deepEqual(await left(), TAKEN)
  const found = await pay('key')
  assert.deepEqual([found.status, found.body.checkoutUrl], [200, page?.url])
  assert.equal(pagesOf(await orderId()).length, 1)
})

test('one lost answer is asked for again within the request', async () => {
  const { pay, left, orderId } = await open()
  used.twin.behave({ next: 'reset', path: OPENING, times: 1, afterEffect: true })
  const answer = await pay()
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(pagesOf(await orderId()), [{ url: answer.body.checkoutUrl, status: 'open' }])
  assert.deepEqual(await left(), TAKEN)
})

test('without a key, a page that was opened and only its answer lost is closed again', async () => {
  const { pay, left, orderId } = await open()
  used.twin.behave({ next: 'reset', path: OPENING, times: 2, afterEffect: true })
  assert.equal(refusal(await pay()), UNAVAILABLE)
  assert.deepEqual(
    pagesOf(await orderId()).map(({ status }) => status),
    ['expired'],
  )
  assert.deepEqual(await left(), ENDED)
})

test('a failure that the provider repeats for ever ends with the order’s hour, with and without a key', async () => {
  const [keyed, unkeyed] = [await open(), await open()]
  used.twin.behave({ next: 'error500', path: OPENING, times: 2, afterEffect: true }) // the client does not ask twice here
  assert.equal(refusal(await keyed.pay('key')), UNAVAILABLE)
  assert.equal(refusal(await unkeyed.pay()), UNAVAILABLE)
  assert.equal(refusal(await keyed.pay('key')), UNAVAILABLE)
  assert.deepEqual(await keyed.left(), TAKEN)

  const clock = holdClock()
  try {
    clock.advance(3_600 + 90)
    for (const { db } of [keyed, unkeyed]) await used.sweep(db)
  } finally {
    clock.release()
  }
  assert.deepEqual([await keyed.left(), await unkeyed.left()], [ENDED, ENDED])
  assert.equal(refusal(await keyed.pay('key')), '409 CONFLICT Idempotency-Key ORDER_CANCELLED')
})

test('while the provider is away, an order without a key waits for the sweep', async () => {
  const { pay, left, db, orderId } = await open()
  const back = used.twin.behave({ next: 'reset', path: 'POST', times: 1_000 })
  assert.equal(refusal(await pay()), UNAVAILABLE)
  assert.deepEqual(await left(), TAKEN)
  const clock = holdClock()
  try {
    clock.advance(301)
    await used.sweep(db)
    assert.equal(
      (
        await db
          .selectFrom('orders.orders')
          .select('status')
          .where('id', '=', await orderId())
          .executeTakeFirst()
      )?.status,
      'PENDING',
    )
    back()
    clock.advance(301)
    await used.sweep(db)
  } finally {
    clock.release()
    back()
  }
  assert.deepEqual(await left(), ENDED)
  assert.ok(pagesOf(await orderId()).every(({ status }) => status === 'expired'))
})

test('an order with a key is left alone by the sweep until its hour is over', async () => {
  const { pay, left, db } = await open()
  used.twin.behave({ next: 'reset', path: OPENING, times: 2 })
  assert.equal(refusal(await pay('key')), UNAVAILABLE)
  const clock = holdClock()
  try {
    clock.advance(1_000)
    await used.sweep(db)
    clock.release()
    assert.deepEqual(await left(), TAKEN)
    const late = holdClock()
    late.advance(3_700)
    await used.sweep(db)
    late.release()
  } finally {
    clock.release()
  }
  assert.deepEqual(await left(), ENDED)
})

for (const key of [undefined, 'key']) {
  test(`a definite refusal cancels the order ${key ? 'with' : 'without'} a key, and gives everything back`, async () => {
    const { pay, left, orderId, ledger, mug, order } = await open()
    used.twin.behave({ next: 'refuse', path: OPENING })
    const refused = await pay(key)
    assert.equal(refusal(refused), '502 PROVIDER_FAILED')
    assert.ok(!refused.text.includes('sk_test'))
    assert.deepEqual(await left(), ENDED)
    const id = await orderId()
    assert.deepEqual(pagesOf(id), [])
    assert.deepEqual((await ledger(mug)).slice(1), [
      { delta: -2, kind: 'ORDER', reference: id },
      { delta: 2, kind: 'CANCEL', reference: id },
    ])
    assert.equal((await order(id)).statuses.at(-1).changedBy, 'SYSTEM')
    if (key) assert.equal(refusal(await pay(key)), '409 CONFLICT Idempotency-Key ORDER_CANCELLED')
  })
}

test('an order whose page nobody visits ends with its hour, once', async () => {
  const { pay, left, db, mug, ledger, orderId } = await open()
  await pay()
  const clock = holdClock()
  try {
    clock.advance(3_599)
    await used.sweep(db)
    clock.advance(2)
    await Promise.all([used.sweep(db), used.sweep(db), used.sweep(db)])
    await used.sweep(db)
  } finally {
    clock.release()
  }
  assert.deepEqual(await left(), ENDED)
  assert.equal((await ledger(mug)).length, 3)
  assert.deepEqual(
    pagesOf(await orderId()).map(({ status }) => status),
    ['expired'],
  )
})
