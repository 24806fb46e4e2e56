import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { useFaults } from '#platform/faults.ts'
import { holdClock } from '../../support/clock.ts'
import { type Bought, historyOf, openPaidShop, type PaidShop, waitUntilIdle } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const service = useWorld({ providers: ['stripe'], own: true })
let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
  service.twin.mischief()
})
afterEach(async () => {
  useFaults(undefined)
  // The next test's trouble is not for this one's refunds.
  clock.advance(31)
  for (const cell of service.api.services.databases.cells.values()) {
    await service.sweep(cell)
    await waitUntilIdle(service, cell)
  }
  clock.release()
})

/** An order of 11.00 that is paid. */
async function paid(paidShop: PaidShop): Promise<Bought> {
  const order = await paidShop.buy()
  service.twin.pay(order.pageId)
  await waitUntilIdle(service, paidShop.db)
  assert.equal(await order.state(), 'PROCESSING/PAID')
  return order
}

const refund = ({ owner }: PaidShop, order: Bought, body: object, key?: string) =>
  owner.post(`${order.path}/refunds`, body, key === undefined ? {} : { 'idempotency-key': key })
const calls = (order: Bought) =>
  service.twin.requests.filter(({ path, body }) => path === '/v1/refunds' && body.includes(order.id))

async function sweep({ db }: PaidShop) {
  await service.sweep(db)
  await waitUntilIdle(service, db)
}

async function sums(order: Bought) {
  const { paid, refunded, refunding } = await order.payment()
  return { paid, refunded, refunding }
}

describe('a refund', () => {
  test('of a part, then of the rest, moves the payment and nothing else', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const part = await refund(paidShop, order, { amount: 300, reason: 'Came broken' })
    assert.equal(part.status, 201, part.text)
    assert.deepEqual(
      { ...part.body, id: '', createdAt: 0 },
      {
        id: '',
        orderId: order.id,
        amount: 300,
        lines: [],
        shipping: 0,
        restock: false,
        reason: 'Came broken',
        status: 'PENDING',
        createdAt: 0,
      },
    )
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 0, refunding: 300 })
    await sweep(paidShop)
    assert.equal(await order.state(), 'PROCESSING/PARTIALLY_REFUNDED')
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 300, refunding: 0 })

    const rest = await refund(paidShop, order, {})
    assert.deepEqual([rest.status, rest.body.amount, rest.body.reason], [201, 800, null])
    await sweep(paidShop)
    const row = await order.row()
    assert.equal(historyOf(row.statuses), 'PENDING PROCESSING')
    assert.equal(historyOf(row.paymentStatuses), 'PENDING PAID PARTIALLY_REFUNDED REFUNDED')
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 1_100, refunding: 0 })
    assert.deepEqual(
      (await order.refunds()).map(({ amount, status, providerId }) => [amount, status, providerId?.slice(0, 3)]),
      [
        [300, 'SUCCEEDED', 're_'],
        [800, 'SUCCEEDED', 're_'],
      ],
    )
    assert.equal(await order.ledger(), 'ORDER -1')
    const told = (await order.events()).map(({ type }) => type).filter((type) => type.includes('refund'))
    const each = ['order.refund_requested', 'order.refunded']
    assert.deepEqual(told, [...each, ...each])
  })

  test('never is of more than is left', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    assert.equal(refusal(await refund(paidShop, order, { amount: 1_101 })), '422 VALIDATION_FAILED amount TOO_LARGE')
    assert.equal((await refund(paidShop, order, { amount: 1_000 })).status, 201)
    assert.equal(refusal(await refund(paidShop, order, { amount: 101 })), '422 VALIDATION_FAILED amount TOO_LARGE')
    await sweep(paidShop)
    assert.equal(refusal(await refund(paidShop, order, { amount: 101 })), '422 VALIDATION_FAILED amount TOO_LARGE')
    assert.equal((await refund(paidShop, order, { amount: 100 })).status, 201)
    for (const body of [{}, { amount: 1 }]) {
      assert.equal(refusal(await refund(paidShop, order, body)), '409 CONFLICT amount NOTHING_TO_REFUND')
    }
    for (const amount of [0, -1, 1.5, '1', null]) {
      assert.equal((await refund(paidShop, order, { amount })).status, 422, String(amount))
    }
    await sweep(paidShop)
    assert.equal(calls(order).length, 2)
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 1_100, refunding: 0 })
  })

  test('with a misspelled field refunds nothing', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const [line] = (await order.row()).lines
    const body = { lineItems: [{ lineId: line?.id, quantity: 1 }] }
    assert.equal(refusal(await refund(paidShop, order, body)), '422 VALIDATION_FAILED lineItems UNKNOWN_FIELD')
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 0, refunding: 0 })
  })

  test('asked for twenty times at once is made as often as the money lasts', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const answers = await Promise.all(Array.from({ length: 20 }, () => refund(paidShop, order, { amount: 100 })))
    const made = answers.filter(({ status }) => status === 201)
    assert.equal(made.length, 11)
    for (const answer of answers) {
      assert.ok(['201', '409 CONFLICT amount NOTHING_TO_REFUND'].includes(refusal(answer)), answer.text)
    }
    await Promise.all([service.sweep(paidShop.db), service.sweep(paidShop.db), service.sweep(paidShop.db)])
    await waitUntilIdle(service, paidShop.db)

    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 1_100, refunding: 0 })
    assert.equal(await order.state(), 'PROCESSING/REFUNDED')
    assert.equal(calls(order).filter(({ status }) => status === 200).length, 11)
    assert.equal(new Set(calls(order).map(({ key }) => key)).size, 11)
  })

  test('leaves no more to be asked for while others are being made', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    for (const amount of [600, 300, 200]) assert.equal((await refund(paidShop, order, { amount })).status, 201)
    const between: string[] = []
    useFaults(async (name) => {
      if (!['refund.before-provider', 'refund.after-provider', 'refund.closed'].includes(name)) return
      await waitUntilIdle(service, paidShop.db) // the provider's own events are faster
      between.push(refusal(await refund(paidShop, order, { amount: 1 })))
    })
    await service.sweep(paidShop.db)

    assert.equal(between.length, 9)
    assert.deepEqual(new Set(between), new Set(['409 CONFLICT amount NOTHING_TO_REFUND']))
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 1_100, refunding: 0 })
  })

  test('counts its money once, at every step of its closing', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const left: unknown[] = []
    useFaults(async (name) => {
      if (!name.startsWith('refund.')) return
      if (name !== 'refund.asked') await waitUntilIdle(service, paidShop.db) // the provider's own events are faster
      left.push((await paidShop.owner.post(`${order.path}/refunds/quote`, { amount: 1 })).body.left)
    })
    assert.equal((await refund(paidShop, order, { amount: 600 })).status, 201)
    left.length = 0
    await service.sweep(paidShop.db)
    assert.deepEqual(left, [499, 499, 499, 499])
  })

  test('counts its money once when the process ends between the provider and the books', async () => {
    for (const [place, drop] of [
      ['refund.after-provider', 0],
      ['sync-page.read', 1],
      ['settle.before-commit', 1],
      ['settle.after-commit', 1],
    ] as const) {
      service.twin.mischief({})
      const paidShop = await openPaidShop(service)
      const order = await paid(paidShop)
      service.twin.mischief({ drop })
      assert.equal((await refund(paidShop, order, { amount: 600 })).status, 201)
      useFaults((name) => {
        if (name === place) throw new Error('The end')
      })
      await service.sweep(paidShop.db)
      useFaults(undefined)
      await waitUntilIdle(service, paidShop.db)
      const quote = await paidShop.owner.post(`${order.path}/refunds/quote`, {})
      assert.deepEqual([place, quote.status, quote.body.amount], [place, 200, 500])
      const rest = await refund(paidShop, order, { amount: 500 }, 'rest')
      assert.deepEqual([place, refusal(rest)], [place, '201'])
      clock.advance(31)
      service.twin.mischief({})
      await sweep(paidShop)
      assert.deepEqual(await sums(order), { paid: 1_100, refunded: 1_100, refunding: 0 }, place)
      const ended = (await order.events()).filter(({ type }) => type === 'order.refunded')
      assert.deepEqual(
        ended.map(({ data }) => Number(data.amount)).toSorted((a, b) => a - b),
        [500, 600],
        place,
      )
    }
  })

  test('takes nothing from eight others that are made while it is closed', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    let isOver = false
    const sweeping = (async () => {
      while (!isOver) await service.sweep(paidShop.db)
    })()
    const answers = await Promise.all(
      [10, 20, 40, 80, 100, 150, 200, 400].map(async (amount, index) => {
        await setTimeout(index * 20)
        return refusal(await refund(paidShop, order, { amount }, `race-${amount}`))
      }),
    )
    const rest = await refund(paidShop, order, {})
    isOver = true
    await sweeping
    assert.deepEqual(answers, Array(8).fill('201'))
    assert.equal(rest.body.amount, 100)
    await sweep(paidShop)
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 1_100, refunding: 0 })
    assert.equal(await order.state(), 'PROCESSING/REFUNDED')
  })

  test('that the provider has made, but has not told of yet, is not there to be asked for again', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    service.twin.mischief({ drop: 1 })
    assert.equal((await refund(paidShop, order, {})).status, 201)
    let between: Awaited<ReturnType<typeof refund>> | undefined
    useFaults(async (name) => {
      if (name === 'refund.closed') between ??= await refund(paidShop, order, {})
    })
    await service.sweep(paidShop.db)
    assert.equal(between && refusal(between), '409 CONFLICT amount NOTHING_TO_REFUND')
  })

  test('that was made is learned of, even if the process ends right then and no event comes', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    service.twin.mischief({ drop: 1 })
    assert.equal((await refund(paidShop, order, {})).status, 201)
    useFaults((name) => {
      if (name === 'refund.closed') throw new Error('The end')
    })
    await service.sweep(paidShop.db)
    useFaults(undefined)
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      clock.advance(3_600)
      await service.sweep(paidShop.db)
    }
    assert.equal(await order.state(), 'PROCESSING/REFUNDED')
  })

  test('that the provider refuses is FAILED, told of, and sets its money free', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    service.twin.behave({ next: 'refuse', path: 'POST /v1/refunds' })
    assert.equal((await refund(paidShop, order, { amount: 400 })).status, 201)
    await sweep(paidShop)

    assert.deepEqual(
      (await order.refunds()).map(({ status }) => status),
      ['FAILED'],
    )
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 0, refunding: 0 })
    assert.equal(await order.state(), 'PROCESSING/PAID')
    assert.equal((await order.events()).at(-1)?.type, 'order.refund_failed')
    assert.equal((await refund(paidShop, order, {})).body.amount, 1_100)
  })

  for (const trouble of ['reset', 'error500', 'rate-limit'] as const) {
    for (const afterEffect of trouble === 'rate-limit' ? [false] : [false, true]) {
      test(`without an answer (${trouble}, ${afterEffect ? 'made' : 'not made'}) is asked for again with the same key, and made once`, async () => {
        const paidShop = await openPaidShop(service)
        const order = await paid(paidShop)
        service.twin.mischief({ drop: 1 }) // an event would close it
        // The SDK itself tries a second time when a connection breaks.
        service.twin.behave({
          next: trouble,
          afterEffect,
          path: 'POST /v1/refunds',
          times: trouble === 'error500' && afterEffect ? 1 : 2,
        })
        assert.equal((await refund(paidShop, order, { amount: 400 })).status, 201)
        await service.sweep(paidShop.db)
        await waitUntilIdle(service, paidShop.db)
        assert.deepEqual(
          (await order.refunds()).map(({ status }) => status),
          ['PENDING'],
        )
        await service.sweep(paidShop.db)
        const before = calls(order).length
        for (let sweeps = 0; sweeps < 3; sweeps++) {
          clock.advance(31)
          await sweep(paidShop)
        }

        assert.equal(calls(order).length > before, !afterEffect)
        assert.equal(new Set(calls(order).map(({ key }) => key)).size, 1)
        assert.deepEqual(
          (await order.refunds()).map(({ status }) => status),
          ['SUCCEEDED'],
        )
        assert.deepEqual(await sums(order), { paid: 1_100, refunded: 400, refunding: 0 })
        assert.equal(await order.state(), 'PROCESSING/PARTIALLY_REFUNDED')
      })
    }
  }

  test('with an Idempotency-Key is one refund, however often it is sent', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const answers = await Promise.all([1, 2, 3].map(() => refund(paidShop, order, { amount: 100 }, 'refund-1')))
    const later = await refund(paidShop, order, { amount: 100 }, 'refund-1')
    const other = await refund(paidShop, order, { amount: 200 }, 'refund-1')

    const ids = new Set([...answers, later].filter(({ status }) => status === 201).map(({ body }) => body.id))
    assert.equal(ids.size, 1)
    assert.deepEqual([later.status, later.headers.get('idempotency-replayed')], [201, 'true'])
    assert.equal(refusal(other), '422 VALIDATION_FAILED Idempotency-Key IDEMPOTENCY_KEY_REUSED')
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 0, refunding: 100 })
  })

  test('is for those who may change orders, of this business', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    const other = await openPaidShop(service)
    const { make } = service
    const ask = (caller: Pick<typeof paidShop.owner, 'post'>, path = order.path) =>
      caller.post(`${path}/refunds`, { amount: 1 })
    assert.equal((await ask(make.anonymous())).status, 401)
    assert.equal((await ask(await make.guest())).status, 403)
    assert.equal((await ask(await make.member(paidShop.shop.id, 'ORDERS_READ'))).status, 403)
    assert.equal((await ask(other.owner)).status, 403)
    assert.equal((await ask(other.owner, `${other.shop.path}/orders/${order.id}`)).status, 404)
    assert.equal((await ask(await make.member(paidShop.shop.id, 'ORDERS_WRITE'))).status, 201)
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 0, refunding: 1 })
  })
})

describe('an order', () => {
  test('that is not paid yet, or ended unpaid, has nothing to refund', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paidShop.buy()
    assert.equal(refusal(await refund(paidShop, order, {})), '409 CONFLICT amount NOTHING_TO_REFUND')
    service.twin.expire(order.pageId)
    await waitUntilIdle(service, paidShop.db)
    assert.equal(refusal(await refund(paidShop, order, {})), '409 CONFLICT amount NOTHING_TO_REFUND')
  })

  test('that was not paid through the provider has nothing to refund there', async () => {
    const paidShop = await openPaidShop(service)
    const line = { productId: paidShop.product.id, variantId: 'one', quantity: 1, unitPrice: 500, totalPrice: 500 }
    const sums = { subtotal: 500, tax: 0, shipping: 0, total: 500 }
    const body = {
      customerId: paidShop.shop.admin.id,
      market: 'us',
      lines: [line],
      ...sums,
      paymentStatus: [{ status: 'PAID' }],
    }
    const made = await paidShop.owner.post(`${paidShop.shop.path}/orders`, body)
    assert.equal(made.status, 201, made.text)
    const answer = await paidShop.owner.post(`${paidShop.shop.path}/orders/${made.body.id}/refunds`, {})
    assert.equal(refusal(answer), '409 CONFLICT id NOTHING_TO_REFUND')
  })

  test('that is refunded at the provider itself, in part and in full, says so', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    service.twin.refund(order.intentId(), 250)
    await waitUntilIdle(service, paidShop.db)
    assert.equal(await order.state(), 'PROCESSING/PARTIALLY_REFUNDED')
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 250, refunding: 0 })
    assert.equal(refusal(await refund(paidShop, order, { amount: 851 })), '422 VALIDATION_FAILED amount TOO_LARGE')
    service.twin.refund(order.intentId())
    await waitUntilIdle(service, paidShop.db)
    assert.equal(await order.state(), 'PROCESSING/REFUNDED')
    assert.equal(refusal(await refund(paidShop, order, {})), '409 CONFLICT amount NOTHING_TO_REFUND')
  })

  test('that is refunded there and here at once gives back what was paid, once', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paid(paidShop)
    assert.equal((await refund(paidShop, order, { amount: 800 })).status, 201)
    service.twin.refund(order.intentId(), 500)
    await sweep(paidShop)

    assert.deepEqual(
      (await order.refunds()).map(({ status }) => status),
      ['FAILED'],
    )
    assert.deepEqual(await sums(order), { paid: 1_100, refunded: 500, refunding: 0 })
    assert.equal(await order.state(), 'PROCESSING/PARTIALLY_REFUNDED')
  })
})
