import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { sign } from '../../../twins/stripe/webhooks.ts'
import { assertError } from '../../support/assert-error.ts'
import { startChild } from '../../support/child.ts'
import { holdClock } from '../../support/clock.ts'
import { startMailServer } from '../../support/mail-server.ts'
import {
  type Bought,
  connect,
  faultsIn,
  historyOf,
  openPaidShop,
  type PaidShop,
  waitUntilIdle,
} from '../../support/paid-shop.ts'
import { useWorld } from '../../support/world.ts'

const mailServer = await startMailServer()
const service = useWorld({ providers: ['stripe'], own: true, env: mailServer.env })
after(() => mailServer.close())
after(() => assert.deepEqual(faultsIn(service.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
  service.twin.mischief()
  service.twin.deliveries.length = 0
})
afterEach(() => clock.release())

const mailsTo = (address: string | null | undefined) =>
  mailServer.mails.filter(({ to }) => to?.[0]?.address === address)
const typesOf = async (order: Bought) => (await order.events()).map(({ type }) => type)
const storedFor = (paidShop: PaidShop) =>
  paidShop.db.selectFrom('payments.events').selectAll().where('businessId', '=', paidShop.shop.id).execute()
const payload = (order: Bought, changes: object = {}) => ({
  type: 'checkout.session.completed',
  data: { object: order.page() },
  ...changes,
})

describe('a payment', () => {
  test('makes its order PAID and PROCESSING, by the system, for good', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paidShop.buy()
    assert.equal(await order.state(), 'PENDING/PENDING')
    service.twin.pay(order.pageId)
    await waitUntilIdle(service, paidShop.db)

    const { body } = await paidShop.owner.get(order.path)
    assert.equal(historyOf(body.statuses), 'PENDING PROCESSING')
    assert.equal(historyOf(body.paymentStatus), 'PENDING PAID')
    assert.deepEqual([body.statuses[1].changedBy, body.expiresAt], ['SYSTEM', null])
    assert.equal(await order.ledger(), 'ORDER -1')
    assert.deepEqual(await typesOf(order), [
      'order.created',
      'stock.changed',
      'order.status_changed',
      'order.payment_status_changed',
      'order.paid',
      'order.mail_sent',
    ])
  })

  test('counts once, however often, late and in whatever order its events come', async () => {
    const paidShop = await openPaidShop(service, { contactEmail: 'often@shop.example' })
    const shopper = await service.make.user()
    const order = await paidShop.buy({ shopper })
    service.twin.hold()
    service.twin.useRandom(11)
    service.twin.mischief({ shuffle: true, duplicate: 4 })
    service.twin.decline(order.pageId)
    service.twin.pay(order.pageId)
    service.twin.release()
    await waitUntilIdle(service, paidShop.db)
    const events = service.twin.events().slice(-3)
    for (const event of events.toReversed()) assert.equal((await service.twin.redeliver(event.id)).status, 200)
    await waitUntilIdle(service, paidShop.db)
    clock.advance(3_700)
    await service.sweep(paidShop.db)
    for (const event of events) await service.twin.redeliver(event.id)
    await waitUntilIdle(service, paidShop.db)

    const row = await order.row()
    assert.equal(service.twin.deliveries.length, 21)
    assert.equal(historyOf(row.statuses), 'PENDING PROCESSING')
    assert.equal(historyOf(row.paymentStatuses), 'PENDING PAID')
    assert.equal(await order.ledger(), 'ORDER -1')
    assert.deepEqual((await typesOf(order)).filter((type) => type === 'order.paid').length, 1)
    assert.equal((await storedFor(paidShop)).length, 3)
    assert.deepEqual([mailsTo(shopper.email).length, mailsTo('often@shop.example').length], [1, 1])
  })

  test('is mailed to the shopper and to the business, once, with what was bought', async () => {
    const paidShop = await openPaidShop(service, { contactEmail: 'orders@shop.example' })
    const site = { allowedOrigins: ['https://salt.example'], orderUrl: 'https://salt.example/orders/{orderId}' }
    await paidShop.shop.admin.put(paidShop.shop.path, site)
    const shopper = await service.make.user()
    const order = await paidShop.buy({ shopper, quantity: 3 })
    service.twin.pay(order.pageId)
    await waitUntilIdle(service, paidShop.db)
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
    assert.match(confirmation?.text ?? '', new RegExp(paidShop.shop.name))
    assert.match(confirmation?.text ?? '', new RegExp(`https://salt\\.example/orders/${order.id}\\s`))
    assert.doesNotMatch(news?.text ?? '', /salt\.example/)
    assert.equal(news?.subject, `New order ${number}`)
    assert.match(news?.text ?? '', new RegExp(shopper.email ?? ''))
    const sent = (await order.events()).filter(({ type }) => type === 'order.mail_sent').map(({ data }) => data)
    assert.deepEqual(
      sent.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? 1 : -1)),
      [
        { number, mail: 'confirmation', to: 'CUSTOMER' },
        { number, mail: 'new_order', to: 'BUSINESS' },
      ],
    )
  })

  test('of a guest is mailed to the address that the payment page asked for', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paidShop.buy()
    service.twin.pay(order.pageId, { email: 'guest-at-page@example.com' })
    await waitUntilIdle(service, paidShop.db)

    assert.equal((await order.row()).contactEmail, 'guest-at-page@example.com')
    assert.equal(mailsTo('guest-at-page@example.com').length, 1)
  })

  test('keeps no address of the payment page that requests refuse', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paidShop.buy()
    service.twin.pay(order.pageId, { email: '"bob@example.com"@e.test' })
    await waitUntilIdle(service, paidShop.db)

    const { contactEmail, paymentStatus } = await order.row()
    assert.deepEqual([contactEmail, paymentStatus], [null, 'PAID'])
    assert.equal((await paidShop.shop.admin.get(`${paidShop.shop.path}/orders`)).status, 200)
  })

  test('leaves each of its events behind once, byte for byte', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paidShop.buy()
    service.twin.mischief({ duplicate: 2 })
    service.twin.pay(order.pageId)
    await waitUntilIdle(service, paidShop.db)

    const sent = new Map(service.twin.deliveries.map(({ eventId, payload }) => [eventId, payload]))
    const stored = await storedFor(paidShop)
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
    const paidShop = await openPaidShop(service, { quantity: 5 })
    const order = await paidShop.buy({ quantity: 2 })
    assert.equal(await paidShop.stock(), 3)
    service.twin.mischief({ duplicate: 3 })
    service.twin.expire(order.pageId)
    await waitUntilIdle(service, paidShop.db)
    for (const { id } of service.twin.events().slice(-1)) await service.twin.redeliver(id)
    await waitUntilIdle(service, paidShop.db)

    const row = await order.row()
    assert.equal(historyOf(row.statuses), 'PENDING CANCELLED')
    assert.equal(historyOf(row.paymentStatuses), 'PENDING FAILED')
    assert.equal(await paidShop.stock(), 5)
    assert.equal(await order.ledger(), 'ORDER -2, CANCEL 2')
  })

  test('because a card was declined is still open, and can be paid', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paidShop.buy()
    service.twin.decline(order.pageId)
    await waitUntilIdle(service, paidShop.db)
    assert.equal(await order.state(), 'PENDING/PENDING')
    service.twin.pay(order.pageId)
    await waitUntilIdle(service, paidShop.db)
    assert.equal(await order.state(), 'PROCESSING/PAID')
  })

  test('because a payment that was to come later failed makes its order CANCELLED and FAILED', async () => {
    const paidShop = await openPaidShop(service, { quantity: 5 })
    const order = await paidShop.buy()
    service.twin.pay(order.pageId, { later: true })
    await waitUntilIdle(service, paidShop.db)
    assert.equal(await order.state(), 'PENDING/PENDING')
    service.twin.conclude(order.pageId, 'failed')
    await waitUntilIdle(service, paidShop.db)

    assert.equal(await order.state(), 'CANCELLED/FAILED')
    assert.equal((await order.payment()).status, 'ENDED')
    assert.equal(await paidShop.stock(), 5)
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
      const paidShop = await openPaidShop(service)
      const order = await paidShop.buy()
      service.twin.mischief({ drop: 1 })
      service.twin.pay(order.pageId) // what it says is true, but the provider did not say it
      const { status, answer } = await service.twin.forge(payload(order), forgery)
      await waitUntilIdle(service, paidShop.db)

      assert.equal(status, 400)
      assert.equal(JSON.parse(answer ?? '').details[0].error, 'SIGNATURE_INVALID')
      assert.deepEqual(await storedFor(paidShop), [])
      assert.equal(await order.state(), 'PENDING/PENDING')
    })
  }

  test('that is no event at all is refused, signed or not', async () => {
    const anonymous = service.make.anonymous()
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
    const paidShop = await openPaidShop(service)
    const order = await paidShop.buy()
    const lie = { ...order.page(), status: 'complete', payment_status: 'paid' }
    assert.equal((await service.twin.forge(payload(order, { data: { object: lie } }))).status, 200)
    await waitUntilIdle(service, paidShop.db)

    assert.equal(await order.state(), 'PENDING/PENDING')
    assert.equal((await storedFor(paidShop)).length, 1)
  })

  test('that names none of ours is answered, counted, and nothing else', async () => {
    const [paidShop, other] = [await openPaidShop(service), await openPaidShop(service)]
    const order = await paidShop.buy()
    service.twin.mischief({ drop: 1 })
    service.twin.pay(order.pageId)
    const object = order.page()
    const naming = (metadata: object | null) => payload(order, { data: { object: { ...object, metadata } } })
    const { businessId = '', subject = '' } = object.metadata ?? {}
    const api = await startChild('api', { ...service.api.databases.env, ...service.env })
    try {
      service.twin.setWebhookUrl(`${api.url}/v1/payments/webhooks/stripe`)
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
        const { status, answer } = await service.twin.forge(event)
        assert.deepEqual([status, answer], [200, '{"success":true}'])
      }
      assert.equal((await service.twin.forge(payload(order), { secret: 'whsec_guess' })).status, 400)
      const metrics = await (await fetch(api.metricsUrl)).text()
      assert.match(metrics, new RegExp(`kontor_payment_events_total{outcome="foreign"} ${strangers.length}\n`))
      assert.match(metrics, /kontor_payment_events_total\{outcome="forged"\} 1\n/)
    } finally {
      service.twin.setWebhookUrl(`${service.api.url}/v1/payments/webhooks/stripe`)
      await api.stop()
    }
    await waitUntilIdle(service, paidShop.db)
    assert.equal(await order.state(), 'PENDING/PENDING')
    assert.deepEqual([await storedFor(paidShop), await storedFor(other)], [[], []])
  })
})

describe('a business with an account of its own', () => {
  test('is paid there, and hears from there', async () => {
    const paidShop = await openPaidShop(service, { account: 'acct_own' })
    const order = await paidShop.buy()
    service.twin.pay(order.pageId)
    await waitUntilIdle(service, paidShop.db)

    const asked = service.twin.requests.filter(
      ({ body, path }) => body.includes(order.id) || path.includes(order.pageId),
    )
    assert.deepEqual(new Set(asked.map(({ account }) => account)), new Set(['acct_own']))
    assert.deepEqual(new Set(service.twin.deliveries.map(({ account }) => account)), new Set(['acct_own']))
    assert.equal(await order.state(), 'PROCESSING/PAID')
    assert.deepEqual(new Set((await storedFor(paidShop)).map(({ account }) => account)), new Set(['acct_own']))
  })

  test('does not listen to what the platform, or another account, says of its orders', async () => {
    const paidShop = await openPaidShop(service, { account: 'acct_mine' })
    const order = await paidShop.buy()
    service.twin.mischief({ drop: 1 })
    service.twin.pay(order.pageId)
    const [event] = service.twin.events().slice(-1)
    assert.equal(event?.account, 'acct_mine')
    for (const account of [undefined, null, '', 'acct_other']) {
      assert.equal((await service.twin.forge({ ...event, account })).status, 200)
    }
    await waitUntilIdle(service, paidShop.db)
    assert.deepEqual([await order.state(), await storedFor(paidShop)], ['PENDING/PENDING', []])

    await service.twin.redeliver(event?.id ?? '')
    await waitUntilIdle(service, paidShop.db)
    assert.equal(await order.state(), 'PROCESSING/PAID')
  })

  test('that gets one later is paid there from its next order on; what is open stays where it was opened', async () => {
    const paidShop = await openPaidShop(service)
    const before = await paidShop.buy()
    await connect(service, paidShop.shop, 'acct_later')
    const after = await paidShop.buy()
    for (const { pageId } of [before, after]) service.twin.pay(pageId)
    await waitUntilIdle(service, paidShop.db)

    assert.deepEqual([(await before.payment()).account, (await after.payment()).account], [null, 'acct_later'])
    assert.deepEqual([await before.state(), await after.state()], ['PROCESSING/PAID', 'PROCESSING/PAID'])
  })
})

describe('money that is not what was asked for', () => {
  for (const changes of [{ amount: 1_099 }, { amount: 1_101 }, { currency: 'EUR' }]) {
    test(`(${JSON.stringify(changes)} expected) is not taken for the order, and told of`, async () => {
      const paidShop = await openPaidShop(service)
      const order = await paidShop.buy()
      await paidShop.db
        .updateTable('payments.payments')
        .set(changes)
        .where('subject', '=', `order:${order.id}`)
        .execute()
      service.twin.pay(order.pageId)
      await waitUntilIdle(service, paidShop.db)

      const told = (await order.events()).filter(({ type }) => type === 'payment.mismatch')
      const expected = changes.amount ?? 1_100
      assert.equal(await order.state(), 'PENDING/PENDING')
      assert.deepEqual(told[0]?.data, { paid: 1_100, currency: 'USD', expected, pageId: order.pageId })
      assert.equal((await order.payment()).paid, 0)
    })
  }

  test('is told of once, however often it is looked at', async () => {
    const paidShop = await openPaidShop(service)
    const order = await paidShop.buy()
    await paidShop.db
      .updateTable('payments.payments')
      .set({ amount: 1 })
      .where('subject', '=', `order:${order.id}`)
      .execute()
    service.twin.pay(order.pageId)
    await waitUntilIdle(service, paidShop.db)
    for (let sweeps = 0; sweeps < 3; sweeps++) {
      clock.advance(301)
      await service.sweep(paidShop.db)
    }
    assert.equal((await typesOf(order)).filter((type) => type === 'payment.mismatch').length, 1)
  })
})

describe('money that comes too late', () => {
  /** Bought and ended by itself, while the money was on its way. */
  async function expired(paidShop: PaidShop) {
    const order = await paidShop.buy()
    service.twin.pay(order.pageId, { later: true })
    await waitUntilIdle(service, paidShop.db)
    clock.advance(3_601)
    await service.sweep(paidShop.db)
    assert.equal(await order.state(), 'CANCELLED/FAILED')
    return order
  }

  test('revives an order that had expired, when its goods are still there', async () => {
    const paidShop = await openPaidShop(service, { quantity: 3, contactEmail: 'late@shop.example' })
    const order = await expired(paidShop)
    assert.equal(await paidShop.stock(), 3)
    service.twin.mischief({ duplicate: 2 })
    service.twin.conclude(order.pageId, 'paid')
    await waitUntilIdle(service, paidShop.db)

    const row = await order.row()
    assert.equal(historyOf(row.statuses), 'PENDING CANCELLED PROCESSING')
    assert.equal(historyOf(row.paymentStatuses), 'PENDING FAILED PAID')
    assert.equal(await order.ledger(), 'ORDER -1, CANCEL 1, ORDER -1')
    assert.deepEqual([await paidShop.stock(), row.releasedAt], [2, null])
    assert.equal(mailsTo('late@shop.example').length, 1)
  })

  test('gives its stock back again when the revived order is cancelled after all', async () => {
    const paidShop = await openPaidShop(service, { quantity: 3 })
    const order = await expired(paidShop)
    service.twin.conclude(order.pageId, 'paid')
    await waitUntilIdle(service, paidShop.db)
    const { status } = await paidShop.owner.put(`${order.path}/status`, { status: 'CANCELLED' })

    assert.equal(status, 200)
    assert.equal(await order.ledger(), 'ORDER -1, CANCEL 1, ORDER -1, CANCEL 1')
    assert.equal(await paidShop.stock(), 3)
  })

  test('is refunded in full when the goods are gone', async () => {
    const paidShop = await openPaidShop(service, { quantity: 1, contactEmail: 'gone@shop.example' })
    const order = await expired(paidShop)
    const luckier = await paidShop.buy({ shopper: await service.make.guest() })
    service.twin.mischief({ duplicate: 2 })
    service.twin.conclude(order.pageId, 'paid')
    await waitUntilIdle(service, paidShop.db)
    assert.equal(await order.state(), 'CANCELLED/PAID')
    await service.sweep(paidShop.db)
    await waitUntilIdle(service, paidShop.db)
    await service.sweep(paidShop.db)

    const { paid, refunded, refunding } = await order.payment()
    assert.equal(historyOf((await order.row()).paymentStatuses), 'PENDING FAILED PAID REFUNDED')
    assert.deepEqual([paid, refunded, refunding], [1_100, 1_100, 0])
    assert.equal(
      service.twin.requests.filter(({ path, body }) => path === '/v1/refunds' && body.includes(order.id)).length,
      1,
    )
    assert.equal(await order.ledger(), 'ORDER -1, CANCEL 1')
    assert.equal(await luckier.state(), 'PENDING/PENDING')
    assert.equal((await typesOf(order)).includes('order.paid'), false)
    assert.deepEqual(mailsTo('gone@shop.example'), [])
  })

  test('is refunded in full when a person has cancelled the order, goods or no goods', async () => {
    const paidShop = await openPaidShop(service, { quantity: 3 })
    const order = await paidShop.buy()
    service.twin.pay(order.pageId, { later: true })
    const cancelled = await paidShop.owner.put(`${order.path}/status`, { status: 'CANCELLED' })
    assert.equal(cancelled.status, 200, cancelled.text)
    service.twin.conclude(order.pageId, 'paid')
    await waitUntilIdle(service, paidShop.db)
    await service.sweep(paidShop.db)
    await waitUntilIdle(service, paidShop.db)

    assert.equal(await order.state(), 'CANCELLED/REFUNDED')
    assert.equal((await order.payment()).refunded, 1_100)
    assert.equal(await order.ledger(), 'ORDER -1, CANCEL 1')
  })

  test('for a person who cancels, because it had come and nobody had told us, is not kept', async () => {
    const paidShop = await openPaidShop(service, { quantity: 3 })
    const order = await paidShop.buy()
    service.twin.mischief({ drop: 1 })
    service.twin.pay(order.pageId)
    const { status } = await paidShop.owner.put(`${order.path}/status`, { status: 'CANCELLED' })
    await service.sweep(paidShop.db)
    await waitUntilIdle(service, paidShop.db)

    // Told that it is paid by now, or the money goes back: anything but a cancelled order whose money is kept in silence.
    const outcome = `${status} ${await order.state()}`
    assert.ok(['409 PROCESSING/PAID', '200 CANCELLED/REFUNDED'].includes(outcome), outcome)
  })
})
