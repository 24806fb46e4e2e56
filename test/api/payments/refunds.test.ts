import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { useFaults } from '#platform/faults.ts'
import { holdClock } from '../../support/clock.ts'
import { type Bought, type Counter, historyOf, openCounter, quiet } from '../../support/counter.ts'
import { useTill } from '../../support/payments.ts'
import { refusal } from '../../support/refusal.ts'

const till = useTill()
let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
  till.twin.mischief()
})
afterEach(async () => {
  useFaults(undefined)
  // The next test's trouble is not for this one's refunds.
  clock.advance(31)
  for (const cell of till.api.services.databases.cells.values()) {
    await till.sweep(cell)
    await quiet(till, cell)
  }
  clock.release()
})

/** An order of 11.00 that is paid. */
async function paid(counter: Counter): Promise<Bought> {
  const order = await counter.buy()
  till.twin.pay(order.pageId)
  await quiet(till, counter.db)
  assert.equal(await order.state(), 'PROCESSING/PAID')
  return order
}

const refund = ({ owner }: Counter, order: Bought, body: object, key?: string) =>
  owner.post(`${order.path}/refunds`, body, key === undefined ? {} : { 'idempotency-key': key })
const calls = (order: Bought) =>
  till.twin.requests.filter(({ path, body }) => path === '/v1/refunds' && body.includes(order.id))

async function sweep({ db }: Counter) {
  await till.sweep(db)
  await quiet(till, db)
}

async function sums(order: Bought) {
  const { paid, refunded, refunding } = await order.payment()
  return { paid, refunded, refunding }
}

describe('a refund', () => {
  test('of a part, then of the rest, moves the payment and nothing else', async () => {
    const counter = await openCounter(till)
    const order = await paid(counter)
    const part = await refund(counter, order, { amount: 300, reason: 'Came broken' })
    assert.equal(part.status, 201, part.text)
    assert.deepEqual(
      { ...part.body, id: '', createdAt: 0 },
      { id: '', orderId: order.id, amount: 300, reason: 'Came broken', status: 'ASKED', createdAt: 0 },
    )
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 0, refunding: 300 })
    await sweep(counter)
    assert.equal(await order.state(), 'PROCESSING/PARTIALLY_REFUNDED')
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 300, refunding: 0 })

    const rest = await refund(counter, order, {})
    assert.deepEqual([rest.status, rest.body.amount, rest.body.reason], [201, 800, null])
    await sweep(counter)
    const row = await order.row()
    assert.equal(historyOf(row.statuses), 'PENDING PROCESSING')
    assert.equal(historyOf(row.paymentStatuses), 'PENDING PAID PARTIALLY_REFUNDED REFUNDED')
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 1_100, refunding: 0 })
    assert.deepEqual(
      (await order.refunds()).map(({ amount, status, providerId }) => [amount, status, providerId?.slice(0, 3)]),
      [
        [300, 'DONE', 're_'],
        [800, 'DONE', 're_'],
      ],
    )
    assert.equal(await order.ledger(), 'ORDER -1')
    const told = (await order.events()).map(({ type }) => type).filter((type) => type.includes('refund'))
    const each = ['order.refund-asked', 'order.refund-made']
    assert.deepEqual(told, [...each, ...each])
  })

  test('never is of more than is left', async () => {
    const counter = await openCounter(till)
    const order = await paid(counter)
    assert.equal(refusal(await refund(counter, order, { amount: 1_101 })), '422 VALIDATION_FAILED amount TOO_LARGE')
    assert.equal((await refund(counter, order, { amount: 1_000 })).status, 201)
    assert.equal(refusal(await refund(counter, order, { amount: 101 })), '422 VALIDATION_FAILED amount TOO_LARGE')
    await sweep(counter)
    assert.equal(refusal(await refund(counter, order, { amount: 101 })), '422 VALIDATION_FAILED amount TOO_LARGE')
    assert.equal((await refund(counter, order, { amount: 100 })).status, 201)
    for (const body of [{}, { amount: 1 }]) {
      assert.equal(refusal(await refund(counter, order, body)), '409 CONFLICT amount NOTHING_TO_REFUND')
    }
    for (const amount of [0, -1, 1.5, '1', null]) {
      assert.equal((await refund(counter, order, { amount })).status, 422, String(amount))
    }
    await sweep(counter)
    assert.equal(calls(order).length, 2)
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 1_100, refunding: 0 })
  })

  test('asked for twenty times at once is made as often as the money lasts', async () => {
    const counter = await openCounter(till)
    const order = await paid(counter)
    const answers = await Promise.all(Array.from({ length: 20 }, () => refund(counter, order, { amount: 100 })))
    const made = answers.filter(({ status }) => status === 201)
    assert.equal(made.length, 11)
    for (const answer of answers) {
      assert.ok(['201', '409 CONFLICT amount NOTHING_TO_REFUND'].includes(refusal(answer)), answer.text)
    }
    await Promise.all([till.sweep(counter.db), till.sweep(counter.db), till.sweep(counter.db)])
    await quiet(till, counter.db)

    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 1_100, refunding: 0 })
    assert.equal(await order.state(), 'PROCESSING/REFUNDED')
    assert.equal(calls(order).filter(({ status }) => status === 200).length, 11)
    assert.equal(new Set(calls(order).map(({ key }) => key)).size, 11)
  })

  test('leaves no more to be asked for while others are being made', async () => {
    const counter = await openCounter(till)
    const order = await paid(counter)
    for (const amount of [600, 300, 200]) assert.equal((await refund(counter, order, { amount })).status, 201)
    const between: string[] = []
    useFaults(async (name) => {
      if (!['refund.before-provider', 'refund.after-provider', 'refund.closed'].includes(name)) return
      await quiet(till, counter.db) // the provider's own events are faster
      between.push(refusal(await refund(counter, order, { amount: 1 })))
    })
    await till.sweep(counter.db)

    assert.equal(between.length, 9)
    assert.deepEqual(new Set(between), new Set(['409 CONFLICT amount NOTHING_TO_REFUND']))
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 1_100, refunding: 0 })
  })

  test('that the provider has made, but has not told of yet, is not there to be asked for again', async () => {
    const counter = await openCounter(till)
    const order = await paid(counter)
    till.twin.mischief({ drop: 1 })
    assert.equal((await refund(counter, order, {})).status, 201)
    let between: Awaited<ReturnType<typeof refund>> | undefined
    useFaults(async (name) => {
      if (name === 'refund.closed') between ??= await refund(counter, order, {})
    })
    await till.sweep(counter.db)
    assert.equal(between && refusal(between), '409 CONFLICT amount NOTHING_TO_REFUND')
  })

  test('that was made is learned of, even if the process ends right then and no event comes', async () => {
    const counter = await openCounter(till)
    const order = await paid(counter)
    till.twin.mischief({ drop: 1 })
    assert.equal((await refund(counter, order, {})).status, 201)
    useFaults((name) => {
      if (name === 'refund.closed') throw new Error('The end')
    })
    await till.sweep(counter.db)
    useFaults(undefined)
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      clock.advance(3_600)
      await till.sweep(counter.db)
    }
    assert.equal(await order.state(), 'PROCESSING/REFUNDED')
  })

  test('that the provider refuses is FAILED, told of, and sets its money free', async () => {
    const counter = await openCounter(till)
    const order = await paid(counter)
    till.twin.behave({ next: 'refuse', path: 'POST /v1/refunds' })
    assert.equal((await refund(counter, order, { amount: 400 })).status, 201)
    await sweep(counter)

    assert.deepEqual(
      (await order.refunds()).map(({ status }) => status),
      ['FAILED'],
    )
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 0, refunding: 0 })
    assert.equal(await order.state(), 'PROCESSING/PAID')
    assert.equal((await order.events()).at(-1)?.type, 'order.refund-failed')
    assert.equal((await refund(counter, order, {})).body.amount, 1_100)
  })

  for (const trouble of ['reset', 'error500', 'rate-limit'] as const) {
    for (const afterEffect of trouble === 'rate-limit' ? [false] : [false, true]) {
      test(`without an answer (${trouble}, ${afterEffect ? 'made' : 'not made'}) is asked for again with the same key, and made once`, async () => {
        const counter = await openCounter(till)
        const order = await paid(counter)
        // The SDK itself tries a second time when a connection breaks.
        till.twin.behave({
          next: trouble,
          afterEffect,
          path: 'POST /v1/refunds',
          times: trouble === 'error500' && afterEffect ? 1 : 2,
        })
        assert.equal((await refund(counter, order, { amount: 400 })).status, 201)
        await till.sweep(counter.db)
        await quiet(till, counter.db)
        assert.deepEqual(
          (await order.refunds()).map(({ status }) => status),
          ['ASKED'],
        )
        await till.sweep(counter.db)
        const before = calls(order).length
        for (let sweeps = 0; sweeps < 3; sweeps++) {
          clock.advance(31)
          await sweep(counter)
        }

        assert.equal(calls(order).length > before, !afterEffect)
        assert.equal(new Set(calls(order).map(({ key }) => key)).size, 1)
        assert.deepEqual(
          (await order.refunds()).map(({ status }) => status),
          ['DONE'],
        )
        assert.deepEqual(await sums(order), { paid: 1_100, refunded: 400, refunding: 0 })
        assert.equal(await order.state(), 'PROCESSING/PARTIALLY_REFUNDED')
      })
    }
  }

  test('with an Idempotency-Key is one refund, however often it is sent', async () => {
    const counter = await openCounter(till)
    const order = await paid(counter)
    const answers = await Promise.all([1, 2, 3].map(() => refund(counter, order, { amount: 100 }, 'refund-1')))
    const later = await refund(counter, order, { amount: 100 }, 'refund-1')
    const other = await refund(counter, order, { amount: 200 }, 'refund-1')

    const ids = new Set([...answers, later].filter(({ status }) => status === 201).map(({ body }) => body.id))
    assert.equal(ids.size, 1)
    assert.deepEqual([later.status, later.headers.get('idempotency-replayed')], [201, 'true'])
    assert.equal(refusal(other), '422 VALIDATION_FAILED Idempotency-Key IDEMPOTENCY_KEY_REUSED')
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 0, refunding: 100 })
  })

  test('is for those who may change orders, of this business', async () => {
    const counter = await openCounter(till)
    const order = await paid(counter)
    const other = await openCounter(till)
    const { make } = till
    const ask = (caller: Pick<typeof counter.owner, 'post'>, path = order.path) =>
      caller.post(`${path}/refunds`, { amount: 1 })
    assert.equal((await ask(make.anonymous())).status, 401)
    assert.equal((await ask(await make.guest())).status, 403)
    assert.equal((await ask(await make.member(counter.shop.id, 'ORDERS_READ'))).status, 403)
    assert.equal((await ask(other.owner)).status, 403)
    assert.equal((await ask(other.owner, `${other.shop.path}/orders/${order.id}`)).status, 404)
    assert.equal((await ask(await make.member(counter.shop.id, 'ORDERS_WRITE'))).status, 201)
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 0, refunding: 1 })
  })
})

describe('an order', () => {
  test('that is not paid yet, or ended unpaid, has nothing to refund', async () => {
    const counter = await openCounter(till)
    const order = await counter.buy()
    assert.equal(refusal(await refund(counter, order, {})), '409 CONFLICT amount NOTHING_TO_REFUND')
    till.twin.expire(order.pageId)
    await quiet(till, counter.db)
    assert.equal(refusal(await refund(counter, order, {})), '409 CONFLICT amount NOTHING_TO_REFUND')
  })

  test('that was not paid through the provider has nothing to refund there', async () => {
    const counter = await openCounter(till)
    const line = { productId: counter.product.id, variantId: 'one', quantity: 1, unitPrice: 500, totalPrice: 500 }
    const sums = { subtotal: 500, tax: 0, shipping: 0, total: 500 }
    const body = {
      customerId: counter.shop.admin.id,
      market: 'us',
      lines: [line],
      ...sums,
      paymentStatus: [{ status: 'PAID' }],
    }
    const made = await counter.owner.post(`${counter.shop.path}/orders`, body)
    assert.equal(made.status, 201, made.text)
    const answer = await counter.owner.post(`${counter.shop.path}/orders/${made.body.id}/refunds`, {})
    assert.equal(refusal(answer), '409 CONFLICT id NOTHING_TO_REFUND')
  })

  test('that is refunded at the provider itself, in part and in full, says so', async () => {
    const counter = await openCounter(till)
    const order = await paid(counter)
    till.twin.refund(order.intentId(), 250)
    await quiet(till, counter.db)
    assert.equal(await order.state(), 'PROCESSING/PARTIALLY_REFUNDED')
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 250, refunding: 0 })
    assert.equal(refusal(await refund(counter, order, { amount: 851 })), '422 VALIDATION_FAILED amount TOO_LARGE')
    till.twin.refund(order.intentId())
    await quiet(till, counter.db)
    assert.equal(await order.state(), 'PROCESSING/REFUNDED')
    assert.equal(refusal(await refund(counter, order, {})), '409 CONFLICT amount NOTHING_TO_REFUND')
  })

  test('that is refunded there and here at once gives back what was paid, once', async () => {
    const counter = await openCounter(till)
    const order = await paid(counter)
    assert.equal((await refund(counter, order, { amount: 800 })).status, 201)
    till.twin.refund(order.intentId(), 500)
    await sweep(counter)

    assert.deepEqual(
      (await order.refunds()).map(({ status }) => status),
      ['FAILED'],
    )
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 500, refunding: 0 })
    assert.equal(await order.state(), 'PROCESSING/PARTIALLY_REFUNDED')
  })
})
