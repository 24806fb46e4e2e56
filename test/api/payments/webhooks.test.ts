import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { sign } from '../../../twins/stripe/webhooks.ts'
import { assertError } from '../../support/assert-error.ts'
import { startChild } from '../../support/child.ts'
import { holdClock } from '../../support/clock.ts'
import { type Bought, type Counter, connect, faultsIn, historyOf, openCounter, quiet } from '../../support/counter.ts'
import { useTill } from '../../support/payments.ts'
import { openPostOffice } from '../../support/post-office.ts'

const post = await openPostOffice()
const till = useTill({ env: post.env })
after(() => post.close())
after(() => assert.deepEqual(faultsIn(till.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
  till.twin.mischief()
  till.twin.deliveries.length = 0
})
afterEach(() => clock.release())

const mailsTo = (address: string | null | undefined) => post.mails.filter(({ to }) => to?.[0]?.address === address)
const typesOf = async (order: Bought) => (await order.events()).map(({ type }) => type)
const storedFor = (counter: Counter) =>
  counter.db.selectFrom('payments.events').selectAll().where('businessId', '=', counter.shop.id).execute()
const payload = (order: Bought, changes: object = {}) => ({
  type: 'checkout.session.completed',
  data: { object: order.page() },
  ...changes,
})

describe('a payment', () => {
  test('makes its order PAID and PROCESSING, by the system, for good', async () => {
    const counter = await openCounter(till)
    const order = await counter.buy()
    assert.equal(await order.state(), 'PENDING/PENDING')
    till.twin.pay(order.pageId)
    await quiet(till, counter.db)

    const { body } = await counter.owner.get(order.path)
    assert.equal(historyOf(body.statuses), 'PENDING PROCESSING')
    assert.equal(historyOf(body.paymentStatus), 'PENDING PAID')
    assert.deepEqual([body.statuses[1].changedBy, body.expiresAt], ['SYSTEM', null])
    assert.equal(await order.ledger(), 'ORDER -1')
    assert.deepEqual(await typesOf(order), [
      'order.created',
      'order.status-changed',
      'order.payment-status-changed',
      'order.paid',
    ])
  })

  test('counts once, however often, late and in whatever order its events come', async () => {
    const counter = await openCounter(till, { contactEmail: 'often@shop.example' })
    const shopper = await till.make.user()
    const order = await counter.buy({ shopper })
    till.twin.hold()
    till.twin.useRandom(11)
    till.twin.mischief({ shuffle: true, duplicate: 4 })
    till.twin.decline(order.pageId)
    till.twin.pay(order.pageId)
    till.twin.release()
    await quiet(till, counter.db)
    const events = till.twin.events().slice(-3)
    for (const event of events.toReversed()) assert.equal((await till.twin.redeliver(event.id)).status, 200)
    await quiet(till, counter.db)
    clock.advance(3_700)
    await till.sweep(counter.db)
    for (const event of events) await till.twin.redeliver(event.id)
    await quiet(till, counter.db)

    const row = await order.row()
    assert.equal(till.twin.deliveries.length, 21)
    assert.equal(historyOf(row.statuses), 'PENDING PROCESSING')
    assert.equal(historyOf(row.paymentStatuses), 'PENDING PAID')
    assert.equal(await order.ledger(), 'ORDER -1')
    assert.deepEqual((await typesOf(order)).filter((type) => type === 'order.paid').length, 1)
    assert.equal((await storedFor(counter)).length, 3)
    assert.deepEqual([mailsTo(shopper.email).length, mailsTo('often@shop.example').length], [1, 1])
  })

  test('is mailed to the shopper and to the business, once, with what was bought', async () => {
    const counter = await openCounter(till, { contactEmail: 'orders@shop.example' })
    const shopper = await till.make.user()
    const order = await counter.buy({ shopper, quantity: 3 })
    till.twin.pay(order.pageId)
    await quiet(till, counter.db)
    const { number } = await order.row()
    const [confirmation, ...more] = mailsTo(shopper.email)
    const [news, ...others] = mailsTo('orders@shop.example')

    assert.deepEqual([more, others], [[], []])
    assert.equal(confirmation?.subject, `Your order ${number}`)
    for (const mail of [confirmation, news]) {
      const text = mail?.text ?? ''
      assert.match(text, /3 × Sea salt, One size/)
      assert.match(text, /Subtotal\s+\$30\.00/)
      assert.match(text, /Tax\s+\$3\.00/)
      assert.match(text, /Total\s+\$33\.00/)
      assert.match(text, new RegExp(number))
      assert.match(mail?.html ?? '', /\$33\.00/)
    }
    assert.match(confirmation?.text ?? '', new RegExp(counter.shop.name))
    assert.equal(news?.subject, `New order ${number}`)
    assert.match(news?.text ?? '', new RegExp(shopper.email ?? ''))
  })

  test('of a guest is mailed to the address that the payment page asked for', async () => {
    const counter = await openCounter(till)
    const order = await counter.buy()
    till.twin.pay(order.pageId, { email: 'guest-at-page@example.com' })
    await quiet(till, counter.db)

    assert.equal((await order.row()).contactEmail, 'guest-at-page@example.com')
    assert.equal(mailsTo('guest-at-page@example.com').length, 1)
  })

  test('leaves each of its events behind once, byte for byte', async () => {
    const counter = await openCounter(till)
    const order = await counter.buy()
    till.twin.mischief({ duplicate: 2 })
    till.twin.pay(order.pageId)
    await quiet(till, counter.db)

    const sent = new Map(till.twin.deliveries.map(({ eventId, payload }) => [eventId, payload]))
    const stored = await storedFor(counter)
    assert.deepEqual(new Map(stored.map(({ id, body }) => [id, body])), sent)
    assert.deepEqual(
      stored.map(({ type }) => type),
      ['payment_intent.succeeded', 'checkout.session.completed'],
    )
    assert.ok(stored.every(({ appliedAt, account }) => appliedAt !== null && account === null))
  })
})

describe('a page that nobody paid', () => {
  test('and that expired makes its order CANCELLED and FAILED, and gives its stock back once', async () => {
    const counter = await openCounter(till, { quantity: 5 })
    const order = await counter.buy({ quantity: 2 })
    assert.equal(await counter.stock(), 3)
    till.twin.mischief({ duplicate: 3 })
    till.twin.expire(order.pageId)
    await quiet(till, counter.db)
    for (const { id } of till.twin.events().slice(-1)) await till.twin.redeliver(id)
    await quiet(till, counter.db)

    const row = await order.row()
    assert.equal(historyOf(row.statuses), 'PENDING CANCELLED')
    assert.equal(historyOf(row.paymentStatuses), 'PENDING FAILED')
    assert.equal(await counter.stock(), 5)
    assert.equal(await order.ledger(), 'ORDER -2, CANCEL 2')
  })

  test('because a card was declined is still open, and can be paid', async () => {
    const counter = await openCounter(till)
    const order = await counter.buy()
    till.twin.decline(order.pageId)
    await quiet(till, counter.db)
    assert.equal(await order.state(), 'PENDING/PENDING')
    till.twin.pay(order.pageId)
    await quiet(till, counter.db)
    assert.equal(await order.state(), 'PROCESSING/PAID')
  })

  test('because a payment that was to come later failed makes its order CANCELLED and FAILED', async () => {
    const counter = await openCounter(till, { quantity: 5 })
    const order = await counter.buy()
    till.twin.pay(order.pageId, { later: true })
    await quiet(till, counter.db)
    assert.equal(await order.state(), 'PENDING/PENDING')
    till.twin.conclude(order.pageId, 'failed')
    await quiet(till, counter.db)

    assert.equal(await order.state(), 'CANCELLED/FAILED')
    assert.equal((await order.payment()).status, 'ENDED')
    assert.equal(await counter.stock(), 5)
  })
})

describe('an event', () => {
  const forgeries = {
    'with a guessed secret': { secret: 'whsec_guess' },
    'without a signature': { secret: null },
    'signed too long ago': { timestamp: Math.floor(Date.now() / 1_000) - 400 },
    'that was changed afterwards': { tamper: (text: string) => text.replace('"complete"', '"open"') },
    'with a byte more': { tamper: (text: string) => `${text} ` },
  }
  for (const [name, forgery] of Object.entries(forgeries)) {
    test(`${name} is refused and has no effect`, async () => {
      const counter = await openCounter(till)
      const order = await counter.buy()
      till.twin.mischief({ drop: 1 })
      till.twin.pay(order.pageId) // what it says is true, but the provider did not say it
      const { status, answer } = await till.twin.forge(payload(order), forgery)
      await quiet(till, counter.db)

      assert.equal(status, 400)
      assert.equal(JSON.parse(answer ?? '').details[0].error, 'SIGNATURE_INVALID')
      assert.deepEqual(await storedFor(counter), [])
      assert.equal(await order.state(), 'PENDING/PENDING')
    })
  }

  test('that is no event at all is refused, signed or not', async () => {
    const anonymous = till.make.anonymous()
    const seconds = Math.floor(Date.now() / 1_000)
    const signed = (raw: string, secret = 'whsec_twin') => ({ 'stripe-signature': sign(raw, secret, seconds) })
    const send = (raw: string, headers: Record<string, string>) =>
      anonymous.send('POST', '/v1/payments/webhooks/stripe', { raw, headers })

    for (const raw of ['{', 'null', '[]', '{"id":7}', '"evt"']) {
      const { status } = await send(raw, signed(raw))
      assert.ok(status === 400 || status === 200, `${raw}: ${status}`)
    }
    for (const signature of ['', 't=,v1=', 'v1=00', `t=${seconds}`, `t=${seconds},v0=${'0'.repeat(64)}`]) {
      const answer = await send('{}', { 'stripe-signature': signature })
      assertError(answer, 400, 'BAD_REQUEST')
    }
  })

  test('with a true signature that tells a lie is not believed: the provider is asked', async () => {
    const counter = await openCounter(till)
    const order = await counter.buy()
    const lie = { ...order.page(), status: 'complete', payment_status: 'paid' }
    assert.equal((await till.twin.forge(payload(order, { data: { object: lie } }))).status, 200)
    await quiet(till, counter.db)

    assert.equal(await order.state(), 'PENDING/PENDING')
    assert.equal((await storedFor(counter)).length, 1)
  })

  test('that names none of ours is answered, counted, and nothing else', async () => {
    const [counter, other] = [await openCounter(till), await openCounter(till)]
    const order = await counter.buy()
    till.twin.mischief({ drop: 1 })
    till.twin.pay(order.pageId)
    const object = order.page()
    const naming = (metadata: object | null) => payload(order, { data: { object: { ...object, metadata } } })
    const { businessId = '', subject = '' } = object.metadata ?? {}
    const api = await startChild('api', { ...till.api.databases.env, ...till.env })
    try {
      till.twin.setWebhookUrl(`${api.url}/v1/payments/webhooks/stripe`)
      const strangers = [
        naming(null),
        naming({}),
        naming({ businessId, subject: 'order:ord_nobody' }),
        naming({ businessId, subject: 'ord_nobody' }),
        naming({ businessId: 'biz_nobody', subject }),
        naming({ businessId: other.shop.id, subject }),
        payload(order, { account: 'acct_stranger' }),
        { type: 'payout.paid', data: { object: { id: 'po_1' } } },
      ]
      for (const event of strangers) {
        const { status, answer } = await till.twin.forge(event)
        assert.deepEqual([status, answer], [200, '{"success":true}'])
      }
      assert.equal((await till.twin.forge(payload(order), { secret: 'whsec_guess' })).status, 400)
      const metrics = await (await fetch(api.metricsUrl)).text()
      assert.match(metrics, new RegExp(`kontor_payment_events_total{outcome="foreign"} ${strangers.length}\n`))
      assert.match(metrics, /kontor_payment_events_total\{outcome="forged"\} 1\n/)
    } finally {
      till.twin.setWebhookUrl(`${till.api.url}/v1/payments/webhooks/stripe`)
      await api.stop()
    }
    await quiet(till, counter.db)
    assert.equal(await order.state(), 'PENDING/PENDING')
    assert.deepEqual([await storedFor(counter), await storedFor(other)], [[], []])
  })
})

describe('a business with an account of its own', () => {
  test('is paid there, and hears from there', async () => {
    const counter = await openCounter(till, { account: 'acct_own' })
    const order = await counter.buy()
    till.twin.pay(order.pageId)
    await quiet(till, counter.db)

    const asked = till.twin.requests.filter(({ body, path }) => body.includes(order.id) || path.includes(order.pageId))
    assert.deepEqual(new Set(asked.map(({ account }) => account)), new Set(['acct_own']))
    assert.deepEqual(new Set(till.twin.deliveries.map(({ account }) => account)), new Set(['acct_own']))
    assert.equal(await order.state(), 'PROCESSING/PAID')
    assert.deepEqual(new Set((await storedFor(counter)).map(({ account }) => account)), new Set(['acct_own']))
  })

  test('does not listen to what the platform, or another account, says of its orders', async () => {
    const counter = await openCounter(till, { account: 'acct_mine' })
    const order = await counter.buy()
    till.twin.mischief({ drop: 1 })
    till.twin.pay(order.pageId)
    const [event] = till.twin.events().slice(-1)
    assert.equal(event?.account, 'acct_mine')
    for (const account of [undefined, null, '', 'acct_other']) {
      assert.equal((await till.twin.forge({ ...event, account })).status, 200)
    }
    await quiet(till, counter.db)
    assert.deepEqual([await order.state(), await storedFor(counter)], ['PENDING/PENDING', []])

    await till.twin.redeliver(event?.id ?? '')
    await quiet(till, counter.db)
    assert.equal(await order.state(), 'PROCESSING/PAID')
  })

  test('that gets one later is paid there from its next order on; what is open stays where it was opened', async () => {
    const counter = await openCounter(till)
    const before = await counter.buy()
    await connect(till, counter.shop, 'acct_later')
    const after = await counter.buy()
    for (const { pageId } of [before, after]) till.twin.pay(pageId)
    await quiet(till, counter.db)

    assert.deepEqual([(await before.payment()).account, (await after.payment()).account], [null, 'acct_later'])
    assert.deepEqual([await before.state(), await after.state()], ['PROCESSING/PAID', 'PROCESSING/PAID'])
  })
})

describe('money that is not what was asked for', () => {
  for (const changes of [{ amount: 1_099 }, { amount: 1_101 }, { currency: 'EUR' }]) {
    test(`(${JSON.stringify(changes)} expected) is not taken for the order, and told of`, async () => {
      const counter = await openCounter(till)
      const order = await counter.buy()
      await counter.db
        .updateTable('payments.payments')
        .set(changes)
        .where('subject', '=', `order:${order.id}`)
        .execute()
      till.twin.pay(order.pageId)
      await quiet(till, counter.db)

      const told = (await order.events()).filter(({ type }) => type === 'payment.mismatch')
      const expected = changes.amount ?? 1_100
      assert.equal(await order.state(), 'PENDING/PENDING')
      assert.deepEqual(told[0]?.data, { paid: 1_100, currency: 'USD', expected, pageId: order.pageId })
      assert.equal((await order.payment()).paid, 0)
    })
  }

  test('is told of once, however often it is looked at', async () => {
    const counter = await openCounter(till)
    const order = await counter.buy()
    await counter.db
      .updateTable('payments.payments')
      .set({ amount: 1 })
      .where('subject', '=', `order:${order.id}`)
      .execute()
    till.twin.pay(order.pageId)
    await quiet(till, counter.db)
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      clock.advance(301)
      await till.sweep(counter.db)
    }
    assert.equal((await typesOf(order)).filter((type) => type === 'payment.mismatch').length, 1)
  })
})

describe('money that comes too late', () => {
  /** Bought and ended by itself, while the money was on its way. */
  async function expired(counter: Counter) {
    const order = await counter.buy()
    till.twin.pay(order.pageId, { later: true })
    await quiet(till, counter.db)
    clock.advance(3_601)
    await till.sweep(counter.db)
    assert.equal(await order.state(), 'CANCELLED/FAILED')
    return order
  }

  test('revives an order that had expired, when its goods are still there', async () => {
    const counter = await openCounter(till, { quantity: 3, contactEmail: 'late@shop.example' })
    const order = await expired(counter)
    assert.equal(await counter.stock(), 3)
    till.twin.mischief({ duplicate: 2 })
    till.twin.conclude(order.pageId, 'paid')
    await quiet(till, counter.db)

    const row = await order.row()
    assert.equal(historyOf(row.statuses), 'PENDING CANCELLED PROCESSING')
    assert.equal(historyOf(row.paymentStatuses), 'PENDING FAILED PAID')
    assert.equal(await order.ledger(), 'ORDER -1, CANCEL 1, ORDER -1')
    assert.deepEqual([await counter.stock(), row.releasedAt], [2, null])
    assert.equal(mailsTo('late@shop.example').length, 1)
  })

  test('gives its stock back again when the revived order is cancelled after all', async () => {
    const counter = await openCounter(till, { quantity: 3 })
    const order = await expired(counter)
    till.twin.conclude(order.pageId, 'paid')
    await quiet(till, counter.db)
    const { status } = await counter.owner.put(`${order.path}/status`, { status: 'CANCELLED' })

    assert.equal(status, 200)
    assert.equal(await order.ledger(), 'ORDER -1, CANCEL 1, ORDER -1, CANCEL 1')
    assert.equal(await counter.stock(), 3)
  })

  test('is refunded in full when the goods are gone', async () => {
    const counter = await openCounter(till, { quantity: 1, contactEmail: 'gone@shop.example' })
    const order = await expired(counter)
    const luckier = await counter.buy({ shopper: await till.make.guest() })
    till.twin.mischief({ duplicate: 2 })
    till.twin.conclude(order.pageId, 'paid')
    await quiet(till, counter.db)
    assert.equal(await order.state(), 'CANCELLED/PAID')
    await till.sweep(counter.db)
    await quiet(till, counter.db)
    await till.sweep(counter.db)

    const { paid, refunded, refunding } = await order.payment()
    assert.equal(historyOf((await order.row()).paymentStatuses), 'PENDING FAILED PAID REFUNDED')
    assert.deepEqual([paid, refunded, refunding], [1_100, 1_100, 0])
    assert.equal(
      till.twin.requests.filter(({ path, body }) => path === '/v1/refunds' && body.includes(order.id)).length,
      1,
    )
    assert.equal(await order.ledger(), 'ORDER -1, CANCEL 1')
    assert.equal(await luckier.state(), 'PENDING/PENDING')
    assert.equal((await typesOf(order)).includes('order.paid'), false)
    assert.deepEqual(mailsTo('gone@shop.example'), [])
  })

  test('is refunded in full when a person has cancelled the order, goods or no goods', async () => {
    const counter = await openCounter(till, { quantity: 3 })
    const order = await counter.buy()
    till.twin.pay(order.pageId, { later: true })
    const cancelled = await counter.owner.put(`${order.path}/status`, { status: 'CANCELLED' })
    assert.equal(cancelled.status, 200, cancelled.text)
    till.twin.conclude(order.pageId, 'paid')
    await quiet(till, counter.db)
    await till.sweep(counter.db)
    await quiet(till, counter.db)

    assert.equal(await order.state(), 'CANCELLED/REFUNDED')
    assert.equal((await order.payment()).refunded, 1_100)
    assert.equal(await order.ledger(), 'ORDER -1, CANCEL 1')
  })

  test('for a person who cancels, because it had come and nobody had told us, is not kept', async () => {
    const counter = await openCounter(till, { quantity: 3 })
    const order = await counter.buy()
    till.twin.mischief({ drop: 1 })
    till.twin.pay(order.pageId)
    const { status } = await counter.owner.put(`${order.path}/status`, { status: 'CANCELLED' })
    await till.sweep(counter.db)
    await quiet(till, counter.db)

    // Told that it is paid by now, or the money goes back: anything but a cancelled order whose money is kept in silence.
    const outcome = `${status} ${await order.state()}`
    assert.ok(['409 PROCESSING/PAID', '200 CANCELLED/REFUNDED'].includes(outcome), outcome)
  })
})
