import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useFaults } from '#platform/faults.ts'
import { holdClock } from '../../support/clock.ts'
import { refusal } from '../../support/refusal.ts'
import { item, openShop, stateOf } from '../../support/shop.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe'], own: true })
const ORDER = ['PENDING', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'REFUNDED']
const PAYMENT = ['PENDING', 'PAID', 'FAILED', 'REFUNDED', 'PARTIALLY_REFUNDED']

async function open() {
  const shop = await openShop(used.make)
  const guest = await used.make.guest()
  const mug = await shop.product()
  const promo = await shop.promo()
  const { orderId, path, pageId } = await shop.buy(guest, { items: [item(mug, 2)], promoCode: 'TEN' })
  return {
    ...shop,
    guest,
    mug,
    promo,
    orderId,
    pageId,
    path,
    read: () => shop.order(orderId),
    set: (body: object, headers?: Record<string, string>) => shop.admin.put(`${path}/status`, body, headers),
    setPayment: (body: object, headers?: Record<string, string>) =>
      shop.admin.put(`${path}/payment-status`, body, headers),
    left: async () => [await mug.stock(), await promo.used()],
    page: () => used.twin.sessions().find(({ id }) => id === pageId)?.status,
  }
}

/** The provider's own news come afterwards, so that it is clear who was first. */
async function withoutNews<Result>(work: () => Promise<Result>): Promise<Result> {
  used.twin.hold()
  try {
    return await work()
  } finally {
    used.twin.release()
    await used.twin.settled()
  }
}

test('a status is added to the history, and the whole order is answered', async () => {
  const { set, read, admin, left, page } = await open()
  const before = await read()
  const entry = { id: 'mine', status: 'SHIPPED', changedBy: 'SYSTEM', userId: 'usr_robot', timestamp: 1_700_000_000 }
  const first = await set({ status: 'PROCESSING' })
  const second = await set(entry)

  assert.equal(first.status, 200, first.text)
  const { id, ...added } = first.body.statuses.at(-1)
  assert.match(id, /^sts_/)
  assert.deepEqual(added, { status: 'PROCESSING', changedBy: 'USER', userId: admin.id, timestamp: added.timestamp })
  assert.ok(Math.abs(added.timestamp - Date.now() / 1_000) < 60)
  assert.deepEqual(second.body.statuses, [...before.statuses, first.body.statuses[1], entry])
  const { statuses, updatedAt } = second.body
  assert.deepEqual(second.body, { ...before, statuses, fulfillment: 'FULFILLED', updatedAt })
  assert.deepEqual(await read(), second.body)
  assert.deepEqual([await left(), page()], [[98, 1], 'open'], 'nothing but CANCELLED touches stock or page')
})

test('payments have a history of their own', async () => {
  const { setPayment, read, left } = await open()
  const before = await read()
  for (const status of ['PAID', 'PARTIALLY_REFUNDED', 'REFUNDED', 'FAILED', 'PENDING']) {
    const answer = await setPayment({ status })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.body.paymentStatus.at(-1).status, status)
    assert.deepEqual(answer.body.statuses, before.statuses)
  }
  assert.equal((await read()).paymentStatus.length, 6)
  assert.deepEqual(await left(), [98, 1])
})

test('the same entry id again changes nothing; with another status it is a conflict', async () => {
  const { set, setPayment, read } = await open()
  const first = await set({ id: 'one', status: 'PROCESSING' })
  await set({ id: 'two', status: 'SHIPPED' })
  const again = await set({ id: 'one', status: 'PROCESSING' })
  assert.deepEqual(again.body.statuses.map(({ id }: { id: string }) => id).slice(1), ['one', 'two'])
  assert.equal(again.headers.get('etag'), (await set({ id: 'two', status: 'SHIPPED' })).headers.get('etag'))
  assert.notEqual(again.headers.get('etag'), first.headers.get('etag'))
  assert.equal(refusal(await set({ id: 'one', status: 'DELIVERED' })), '409 CONFLICT id STATUS_EXISTS')
  await setPayment({ id: 'pay', status: 'FAILED' })
  assert.equal((await setPayment({ id: 'pay', status: 'FAILED' })).body.paymentStatus.length, 2)
  assert.equal(refusal(await setPayment({ id: 'pay', status: 'PAID' })), '409 CONFLICT id STATUS_EXISTS')
  assert.equal(stateOf(await read()), 'SHIPPED/FAILED')
})

test('the order’s own id means that there is no entry id', async () => {
  const { set, setPayment, orderId } = await open()
  const one = await set({ id: orderId, status: 'PROCESSING' })
  const two = await set({ id: orderId, status: 'SHIPPED' })
  const same = await set({ id: orderId, status: 'SHIPPED' })
  assert.deepEqual([one.status, two.status, two.body.statuses.length, same.body.statuses.length], [200, 200, 3, 3])
  assert.ok(!two.body.statuses.some(({ id }: { id: string }) => id === orderId))
  const paid = await setPayment({ id: orderId, status: 'PAID' })
  assert.notEqual(paid.body.paymentStatus.at(-1).id, orderId)
})

test('twenty at once with one entry id add one entry', async () => {
  const { set, read } = await open()
  const answers = await Promise.all(Array.from({ length: 20 }, () => set({ id: 'once', status: 'PROCESSING' })))
  assert.deepEqual([...new Set(answers.map(refusal))], ['200'])
  assert.equal((await read()).statuses.length, 2)
})

test('what is no status, or lies more than five minutes ahead, is 422', async () => {
  const { set, setPayment, read } = await open()
  const before = await read()
  const at = Math.floor(Date.now() / 1_000)
  const cases: [answer: ReturnType<typeof set>, complaint: string][] = [
    [set({}), 'status REQUIRED'],
    [set({ status: 'PAID' }), 'status INVALID'],
    [set({ status: 'pending' }), 'status INVALID'],
    [setPayment({ status: 'SHIPPED' }), 'status INVALID'],
    [set({ status: 'SHIPPED', changedBy: 'ROBOT' }), 'changedBy INVALID'],
    [set({ status: 'SHIPPED', id: 'a b' }), 'id INVALID'],
    [set({ status: 'SHIPPED', timestamp: '5' }), 'timestamp INVALID'],
    [set({ status: 'SHIPPED', timestamp: at + 400 }), 'timestamp INVALID'],
    [setPayment({ status: 'PAID', timestamp: at + 400 }), 'timestamp INVALID'],
  ]
  for (const [answer, complaint] of cases) {
    assert.equal(refusal(await answer), `422 VALIDATION_FAILED ${complaint}`)
  }
  assert.deepEqual(await read(), before)
  assert.equal((await set({ status: 'SHIPPED', timestamp: at + 200 })).body.statuses.at(-1).timestamp, at + 200)
})

test('every status can be set, and CANCELLED and REFUNDED are final', async () => {
  const { order, buy, mug, guest, admin } = await open()
  const put = (path: string, status: string) => admin.put(`${path}/status`, { status })
  for (const last of ['CANCELLED', 'REFUNDED']) {
    const { path, orderId } = await buy(guest, { items: [item(mug)] })
    for (const status of ['PROCESSING', 'SHIPPED', 'DELIVERED', 'PENDING', last]) {
      assert.equal((await put(path, status)).status, 200)
    }
    for (const status of ORDER) {
      const expected = status === last ? '200' : '409 CONFLICT status ORDER_FINAL'
      assert.equal(refusal(await put(path, status)), expected, `${last} to ${status}`)
    }
    for (const status of PAYMENT) assert.equal((await admin.put(`${path}/payment-status`, { status })).status, 200)
    assert.match(stateOf(await order(orderId)), new RegExp(`^${last}/`))
  }
})

test('cancelling closes the payment page, and gives stock and promo back exactly once', async () => {
  const { set, read, admin, left, page, ledger, mug, orderId } = await open()
  const answer = await withoutNews(() => set({ id: 'cancel', status: 'CANCELLED' }))
  assert.equal(answer.status, 200, answer.text)
  const { status, changedBy, userId } = answer.body.statuses.at(-1)
  assert.deepEqual([status, changedBy, userId], ['CANCELLED', 'USER', admin.id])
  assert.deepEqual([page(), await left()], ['expired', [100, 0]])
  await Promise.all(Array.from({ length: 5 }, () => set({ id: 'cancel', status: 'CANCELLED' })))
  assert.deepEqual((await set({ status: 'CANCELLED' })).body.statuses.length, 2)
  assert.deepEqual(await left(), [100, 0])
  assert.deepEqual((await ledger(mug)).slice(1), [
    { delta: -2, kind: 'ORDER', reference: orderId },
    { delta: 2, kind: 'CANCEL', reference: orderId },
  ])
  assert.match(stateOf(await read()), /^CANCELLED\//)
})

test('ten who cancel at once give it back once', async () => {
  const { set, left, ledger, mug } = await open()
  const answers = await Promise.all(Array.from({ length: 10 }, () => set({ status: 'CANCELLED' })))
  assert.deepEqual([...new Set(answers.map(refusal))], ['200'])
  await used.twin.settled()
  assert.deepEqual([await left(), (await ledger(mug)).length], [[100, 0], 3])
})

test('who cancels an order at the moment when the provider’s news end it gets no conflict, and is in its history', async () => {
  const { set, read, left, ledger, mug } = await open()
  useFaults(async (name) => {
    if (name !== 'set-status.before-transaction') return
    useFaults(undefined)
    await used.twin.settled()
    await until('the news have ended it', async () => stateOf(await read()) === 'CANCELLED/FAILED')
  })
  const answer = await set({ id: 'mine', status: 'CANCELLED' })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.body.statuses.at(-1).id, 'mine')
  assert.deepEqual((await set({ id: 'mine', status: 'CANCELLED' })).body, answer.body)
  assert.deepEqual([await left(), (await ledger(mug)).length], [[100, 0], 3])
})

test('while the provider is away nothing can be cancelled, and nothing changes', async () => {
  const { set, read, left, page } = await open()
  const before = await read()
  const back = used.twin.behave({ next: 'error500', path: '/expire', times: 100 })
  const refused = await set({ status: 'CANCELLED' })
  back()
  assert.equal(refusal(refused), '502 PROVIDER_FAILED')
  assert.deepEqual([await read(), await left(), page()], [before, [98, 1], 'open'])
  assert.equal((await set({ status: 'CANCELLED' })).status, 200)
  assert.deepEqual(await left(), [100, 0])
})

test('a cancellation that is refused leaves the payment page open', async () => {
  const { set, read, left, page } = await open()
  const before = await read()
  await set({ id: 'taken', status: 'PROCESSING' })
  const at = Math.floor(Date.now() / 1_000)
  const answers = [
    await set({ status: 'CANCELLED' }, { 'if-match': '"1"' }),
    await set({ status: 'CANCELLED', timestamp: at + 1_000 }),
    await set({ id: 'taken', status: 'CANCELLED' }),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [412, 422, 409],
  )
  await used.twin.settled()
  assert.deepEqual([page(), await left()], ['open', [98, 1]])
  assert.equal((await read()).statuses.length, before.statuses.length + 1)
})

test('a paid order can be cancelled: stock comes back, and the money stays where it is', async () => {
  const { set, read, left, pageId, promo } = await open()
  used.twin.pay(pageId)
  await used.twin.settled()
  await until('it is paid', async () => stateOf(await read()) === 'PROCESSING/PAID')
  assert.equal((await set({ status: 'CANCELLED' })).status, 200)
  assert.deepEqual([stateOf(await read()), await left(), await promo.used()], ['CANCELLED/PAID', [100, 0], 0])
})

test('who cancels an order that was paid a moment ago is told so, or the money goes back', async () => {
  const { set, read, pageId, db, id } = await open()
  const answer = await withoutNews(async () => {
    used.twin.pay(pageId)
    return set({ status: 'CANCELLED' })
  })
  const asked = await db.selectFrom('payments.refunds').select('amount').where('businessId', '=', id).execute()
  if (answer.status === 200) assert.equal(asked.length, 1, 'it is cancelled, and nobody gives the money back')
  else assert.deepEqual([answer.status, stateOf(await read())], [409, 'PROCESSING/PAID'])
})

test('an order whose payment a person called FAILED ends with its hour like any other', async () => {
  const { setPayment, read, left, db, pageId } = await open()
  await setPayment({ status: 'FAILED' })
  used.twin.expire(pageId)
  await used.twin.settled()
  const clock = holdClock()
  try {
    clock.advance(3_700)
    await used.sweep(db)
  } finally {
    clock.release()
  }
  assert.deepEqual([stateOf(await read()), await left()], ['CANCELLED/FAILED', [100, 0]])
})

test('statuses are for ORDERS_WRITE, in the order’s own business', async () => {
  const { id, path, orders, guest, read } = await open()
  const before = await read()
  const [reader, writer] = [await used.make.member(id, 'ORDERS_READ'), await used.make.member(id, 'ORDERS_WRITE')]
  const stranger = await openShop(used.make)
  for (const kind of ['status', 'payment-status']) {
    const put = async (caller: Pick<typeof guest, 'put'>, at = path) =>
      refusal(await caller.put(`${at}/${kind}`, { status: 'PENDING' }))
    for (const caller of [reader, guest, stranger.admin]) assert.equal(await put(caller), '403 FORBIDDEN')
    assert.equal(await put(used.make.anonymous()), '401 UNAUTHENTICATED')
    assert.equal(await put(writer, `${orders}/ord_none`), '404 NOT_FOUND')
    assert.equal(await put(stranger.admin, path.replace(id, stranger.id)), '404 NOT_FOUND')
    assert.equal(await put(writer), '200')
  }
  assert.equal(refusal(await writer.put(`${orders}/ord_none/status`, { status: 'CANCELLED' })), '404 NOT_FOUND')
  assert.deepEqual(await read(), before)
})

test('If-Match guards both', async () => {
  const { set, setPayment, read } = await open()
  const first = await set({ status: 'PROCESSING' }, { 'if-match': '"1"' })
  assert.deepEqual([first.status, first.headers.get('etag')], [200, '"2"'])
  assert.equal(refusal(await setPayment({ status: 'PAID' }, { 'if-match': '"1"' })), '412 PRECONDITION_FAILED')
  assert.equal((await setPayment({ status: 'PAID' }, { 'if-match': '"2"' })).headers.get('etag'), '"3"')
  assert.equal(stateOf(await read()), 'PROCESSING/PAID')
})
