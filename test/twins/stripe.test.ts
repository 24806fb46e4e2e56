import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { Stripe } from 'stripe'
import { type StripeTwin, startStripeTwin } from '../../twins/stripe/server.ts'
import { until } from '../support/until.ts'

const KEY = 'sk_test_twin'
const SECRET = 'whsec_platform'
const CONNECT_SECRET = 'whsec_connect'
const START = 1_800_000_000

type Params = Stripe.Checkout.SessionCreateParams
const line = (unitAmount = 1_250, quantity = 2, currency = 'eur') => ({
  price_data: { currency, unit_amount: unitAmount, product_data: { name: 'Sea salt' } },
  quantity,
})
const order = (changes: Params = {}): Params => ({
  mode: 'payment',
  line_items: [line()],
  success_url: 'https://shop.example/thanks?session={CHECKOUT_SESSION_ID}',
  cancel_url: 'https://shop.example/cart',
  ...changes,
})
const membership = (changes: Params = {}): Params => ({
  ...order({ mode: 'subscription' }),
  line_items: [
    {
      price_data: {
        currency: 'eur',
        unit_amount: 500,
        product_data: { name: 'Letter' },
        recurring: { interval: 'month' },
      },
      quantity: 1,
    },
  ],
  subscription_data: { metadata: { letter: 'l1' } },
  ...changes,
})

const intentOf = (session: Stripe.Checkout.Session) => session.payment_intent as string

/** What the SDK throws, as far as callers look at it. */
async function refusal(work: Promise<unknown>) {
  const error = await work.then(
    () => assert.fail('It was not refused'),
    (error: unknown) => error,
  )
  if (!(error instanceof Stripe.errors.StripeError)) throw error
  const { type, code, param, statusCode, message } = error
  return { type, code, param, statusCode, message }
}

/** A webhook address that checks signatures as our API does, and answers as it is told. */
async function openReceiver() {
  const events: Stripe.Event[] = []
  const refused: string[] = []
  const answers: number[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const status = answers.shift() ?? 200
      const signature = String(request.headers['stripe-signature'] ?? '')
      const secret = JSON.parse(body).account ? CONNECT_SECRET : SECRET
      try {
        const event = Stripe.webhooks.constructEvent(body, signature, secret, 300, undefined, twin.now() * 1_000)
        if (status === 200) events.push(event)
        response.writeHead(status).end('noted')
      } catch (error) {
        refused.push((error as Error).message)
        response.writeHead(400).end('bad signature')
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    events,
    refused,
    answers,
    types: () => events.map(({ type }) => type),
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}

let twin: StripeTwin
let stripe: Stripe
let receiver: Awaited<ReturnType<typeof openReceiver>>
let time = START

before(async () => {
  receiver = await openReceiver()
})
after(() => receiver.close())

beforeEach(async () => {
  time = START
  receiver.events.length = 0
  receiver.refused.length = 0
  receiver.answers.length = 0
  const options = { secretKey: KEY, webhookSecret: SECRET, connectWebhookSecret: CONNECT_SECRET }
  twin = await startStripeTwin({ ...options, webhookUrl: receiver.url, retryMs: [5, 5] })
  twin.useTime(() => time)
  stripe = new Stripe(KEY, { ...twin.clientOptions, maxNetworkRetries: 0, timeout: 5_000, telemetry: false })
})
afterEach(() => twin.close())

describe('sessions', () => {
  test('a session is made, and read again, as it was asked for', async () => {
    const made = await stripe.checkout.sessions.create(
      order({
        client_reference_id: 'order-1',
        customer_email: 'ada@example.com',
        expires_at: START + 3_600,
        metadata: { business: 'b1', __proto__x: 'y' },
        allowed_payment_method_types: ['card'],
      }),
    )
    const read = await stripe.checkout.sessions.retrieve(made.id, { expand: ['line_items'] })

    assert.match(made.id, /^cs_test_\w{58}$/)
    assert.match(made.lastResponse.requestId, /^req_/)
    assert.equal(made.url, `${twin.url}/pay/${made.id}`)
    assert.deepEqual(
      [read.amount_total, read.currency, read.status, read.payment_status, read.payment_intent],
      [2_500, 'eur', 'open', 'unpaid', null],
    )
    assert.deepEqual(read.metadata, { business: 'b1', __proto__x: 'y' })
    assert.equal(read.client_reference_id, 'order-1')
    assert.equal(read.expires_at, START + 3_600)
    assert.equal(read.line_items?.data[0]?.description, 'Sea salt')
    assert.equal(made.line_items, undefined)
  })

  const wrong: [string, Params, Partial<Awaited<ReturnType<typeof refusal>>>][] = [
    ['no mode', order({ mode: undefined }), { code: 'parameter_missing', param: 'mode' }],
    ['no lines', order({ line_items: [] }), { code: 'parameter_missing', param: 'line_items' }],
    ['no success_url', order({ success_url: undefined }), { code: 'parameter_missing', param: 'success_url' }],
    ['an address that is none', order({ cancel_url: '/cart' }), { code: 'url_invalid', param: 'cancel_url' }],
    ['a negative amount', order({ line_items: [line(-1)] }), { code: 'parameter_invalid_integer' }],
    ['half a cent', order({ line_items: [line(99.5)] }), { code: 'parameter_invalid_integer' }],
    ['too little', order({ line_items: [line(49, 1)] }), { code: 'amount_too_small' }],
    ['too much', order({ line_items: [line(99_999_999, 2)] }), { code: 'amount_too_large' }],
    ['an unknown currency', order({ line_items: [line(100, 1, 'xyz')] }), { message: 'Invalid currency: xyz.' }],
    ['two currencies', order({ line_items: [line(), line(100, 1, 'usd')] }), { param: 'line_items' }],
    ['an end too near', order({ expires_at: START + 1_700 }), { param: 'expires_at' }],
    ['an end too far', order({ expires_at: START + 90_000 }), { param: 'expires_at' }],
    ['a wrong email address', order({ customer_email: 'ada' }), { code: 'email_invalid' }],
    ['a long metadata value', order({ metadata: { a: 'x'.repeat(501) } }), { param: 'metadata[a]' }],
    ['what the twin does not play', order({ allow_promotion_codes: true }), { code: 'parameter_unknown' }],
    // This version of Stripe's API has no such parameter any more; its name is allowed_payment_method_types now.
    ['an old name', { ...order(), payment_method_types: ['card'] } as Params, { code: 'parameter_unknown' }],
    ['a one-time price for a subscription', order({ mode: 'subscription' }), { param: 'line_items' }],
    ['a recurring price for a payment', membership({ mode: 'payment', subscription_data: undefined }), {}],
  ]
  for (const [what, params, expected] of wrong) {
    test(`${what} is refused`, async () => {
      const refused = await refusal(stripe.checkout.sessions.create(params))
      assert.equal(refused.type, 'StripeInvalidRequestError')
      assert.equal(refused.statusCode, 400)
      assert.deepEqual({ ...refused, ...expected }, refused)
      assert.deepEqual(twin.sessions(), [])
    })
  }

  test('a wrong key and an unknown id are refused', async () => {
    const stranger = new Stripe('sk_test_other', { ...twin.clientOptions, maxNetworkRetries: 0 })
    assert.equal((await refusal(stranger.checkout.sessions.create(order()))).type, 'StripeAuthenticationError')
    const { code, statusCode } = await refusal(stripe.checkout.sessions.retrieve('cs_test_none'))
    assert.deepEqual([code, statusCode], ['resource_missing', 404])
    assert.equal((await refusal(stripe.customers.list())).statusCode, 404)
  })

  test('accounts do not see each other', async () => {
    const [mine, others] = [{ stripeAccount: 'acct_mine' }, { stripeAccount: 'acct_others' }]
    const { id } = await stripe.checkout.sessions.create(order(), mine)
    twin.pay(id)
    const intent = intentOf(await stripe.checkout.sessions.retrieve(id, {}, mine))

    for (const options of [others, {}]) {
      assert.equal((await refusal(stripe.checkout.sessions.retrieve(id, {}, options))).statusCode, 404)
      assert.equal((await refusal(stripe.checkout.sessions.expire(id, {}, options))).statusCode, 404)
      assert.equal((await refusal(stripe.paymentIntents.retrieve(intent, {}, options))).statusCode, 404)
      assert.equal((await refusal(stripe.refunds.create({ payment_intent: intent }, options))).statusCode, 404)
      assert.deepEqual((await stripe.events.list({}, options)).data, [])
    }
    const { data } = await stripe.events.list({}, mine)
    assert.deepEqual(new Set(data.map(({ account }) => account)), new Set(['acct_mine']))
    assert.equal((await refusal(stripe.events.list({}, { stripeAccount: 'b1' }))).type, 'StripePermissionError')
  })

  test('an open session can be expired once, a paid one cannot', async () => {
    const first = await stripe.checkout.sessions.create(order())
    const second = await stripe.checkout.sessions.create(order())
    const expired = await stripe.checkout.sessions.expire(first.id)
    twin.pay(second.id)

    assert.deepEqual([expired.status, expired.url], ['expired', null])
    assert.equal((await refusal(stripe.checkout.sessions.expire(first.id))).statusCode, 400)
    assert.match((await refusal(stripe.checkout.sessions.expire(second.id))).message, /status of `complete`/)
    assert.throws(() => twin.pay(first.id), /expired/)
  })

  test('a session expires by itself', async () => {
    const { id } = await stripe.checkout.sessions.create(order({ expires_at: START + 1_800 }))
    time += 1_799
    assert.equal((await stripe.checkout.sessions.retrieve(id)).status, 'open')
    time += 1
    await until('the session has expired', () => receiver.types().includes('checkout.session.expired'))
    assert.equal((await stripe.checkout.sessions.retrieve(id)).status, 'expired')
  })
})

describe('idempotency', () => {
  const idempotencyKey = 'order:1:1'

  test('the same key gives the same answer', async () => {
    const first = await stripe.checkout.sessions.create(order(), { idempotencyKey })
    const second = await stripe.checkout.sessions.create(order(), { idempotencyKey })
    const elsewhere = await stripe.checkout.sessions.create(order(), { idempotencyKey, stripeAccount: 'acct_a' })

    assert.deepEqual({ ...second }, { ...first })
    assert.equal(first.lastResponse.headers['idempotent-replayed'], undefined)
    assert.equal(second.lastResponse.headers['idempotent-replayed'], 'true')
    assert.notEqual(elsewhere.id, first.id)
    time += 24 * 3_600
    assert.notEqual((await stripe.checkout.sessions.create(order(), { idempotencyKey })).id, first.id)
  })

  test('the same key with other parameters is refused', async () => {
    await stripe.checkout.sessions.create(order(), { idempotencyKey })
    const other = order({ client_reference_id: 'other' })
    const { type, statusCode } = await refusal(stripe.checkout.sessions.create(other, { idempotencyKey }))
    assert.deepEqual([type, statusCode], ['StripeIdempotencyError', 400])
  })

  test('a request that was wrong does not use up its key', async () => {
    await refusal(stripe.checkout.sessions.create(order({ line_items: [line(1, 1)] }), { idempotencyKey }))
    assert.ok(await stripe.checkout.sessions.create(order(), { idempotencyKey }))
  })

  test('two at once with one key: one is told to wait, and there is one session', async () => {
    twin.behave({ next: 'slow', delayMs: 500 })
    const create = () => stripe.checkout.sessions.create(order(), { idempotencyKey })
    const [first, second] = await Promise.allSettled([create(), create()])

    assert.deepEqual([first.status, second.status].sort(), ['fulfilled', 'rejected'])
    const lost = first.status === 'rejected' ? first : (second as PromiseRejectedResult)
    assert.equal(lost.reason.statusCode, 409)
    assert.equal(lost.reason.code, 'idempotency_key_in_use')
    assert.equal(twin.sessions().length, 1)
  })
})

describe('paying', () => {
  test('a payment makes an intent and a charge', async () => {
    const { id } = await stripe.checkout.sessions.create(
      order({ metadata: { on: 'session' }, payment_intent_data: { metadata: { on: 'intent' } } }),
    )
    twin.pay(id, { email: 'ada@example.com' })
    const session = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent.latest_charge'] })
    const intent = session.payment_intent as Stripe.PaymentIntent
    const charge = intent.latest_charge as Stripe.Charge

    assert.deepEqual([session.status, session.payment_status, session.url], ['complete', 'paid', null])
    assert.equal(session.customer_details?.email, 'ada@example.com')
    assert.deepEqual([intent.status, intent.amount_received, intent.currency], ['succeeded', 2_500, 'eur'])
    assert.deepEqual([session.metadata, intent.metadata], [{ on: 'session' }, { on: 'intent' }])
    assert.deepEqual([charge.amount, charge.amount_refunded, charge.refunded], [2_500, 0, false])
    assert.throws(() => twin.pay(id), /complete/)
    await twin.settled()
    assert.deepEqual(receiver.types(), ['payment_intent.succeeded', 'checkout.session.completed'])
    assert.deepEqual(receiver.events[1]?.data.object, { ...session, payment_intent: intent.id })
  })

  test('after a decline one may try again, with the same intent', async () => {
    const { id } = await stripe.checkout.sessions.create(order())
    const intent = intentOf(twin.decline(id))
    const declined = await stripe.paymentIntents.retrieve(intent)
    const paid = twin.pay(id)

    assert.deepEqual([declined.status, declined.last_payment_error?.code], ['requires_payment_method', 'card_declined'])
    assert.deepEqual([paid.payment_intent, paid.payment_status], [intent, 'paid'])
    await twin.settled()
    assert.equal(receiver.types()[0], 'payment_intent.payment_failed')
  })

  test('a payment that comes later may fail', async () => {
    const { id } = await stripe.checkout.sessions.create(order())
    assert.deepEqual([twin.pay(id, { later: true }).status, twin.sessions()[0]?.payment_status], ['complete', 'unpaid'])
    twin.conclude(id, 'failed')
    await twin.settled()
    const types = [
      'checkout.session.completed',
      'payment_intent.payment_failed',
      'checkout.session.async_payment_failed',
    ]
    assert.deepEqual(receiver.types(), types)
  })

  test('events can be read and listed, newest first', async () => {
    const { id } = await stripe.checkout.sessions.create(order())
    twin.pay(id)
    const { data } = await stripe.events.list({ limit: 1 })
    const rest = await stripe.events.list({ starting_after: data[0]?.id ?? '' })
    const chosen = await stripe.events.list({ type: 'payment_intent.succeeded', created: { gte: START } })

    assert.deepEqual([data[0]?.type, rest.data[0]?.type], ['checkout.session.completed', 'payment_intent.succeeded'])
    assert.deepEqual(
      chosen.data.map(({ id }) => id),
      [rest.data[0]?.id],
    )
    assert.equal((await stripe.events.retrieve(data[0]?.id ?? '')).api_version, Stripe.API_VERSION)
    assert.deepEqual((await stripe.events.list({ created: { gt: START } })).data, [])
  })
})

describe('the page', () => {
  const press = (url: string, button: string, email = '') =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ button, email }), redirect: 'manual' })

  test('shows what is bought, and escapes it', async () => {
    const item = { ...line(), price_data: { ...line().price_data, product_data: { name: '<b>Salt</b>' } } }
    const { url } = await stripe.checkout.sessions.create(order({ line_items: [item] }))
    const html = await (await fetch(url ?? '')).text()

    assert.match(html, /€25\.00/)
    assert.match(html, /&lt;b&gt;Salt/)
    assert.match(html, /2 × €12\.50/)
    assert.equal((await fetch(`${twin.url}/pay/cs_none`)).status, 404)
  })

  test('Decline lets one try again, Pay leads to the success address, and then there is nothing left to pay', async () => {
    const { id, url } = await stripe.checkout.sessions.create(order())
    const declined = await press(url ?? '', 'decline', 'ada@example.com')
    const nameless = await press(url ?? '', 'pay', 'nobody')
    const paid = await press(url ?? '', 'pay', 'ada@example.com')

    assert.match(await declined.text(), /declined.*value="ada@example.com"/s)
    assert.match(await nameless.text(), /valid email/)
    assert.deepEqual([paid.status, paid.headers.get('location')], [303, `https://shop.example/thanks?session=${id}`])
    assert.equal(twin.sessions()[0]?.customer_details?.email, 'ada@example.com')
    assert.match(await (await press(url ?? '', 'pay', 'ada@example.com')).text(), /payment is done/)
  })

  test('Close leads to the cancel address and leaves the session open; an expired one says so', async () => {
    const { id, url } = await stripe.checkout.sessions.create(order())
    const closed = await press(url ?? '', 'close')
    assert.equal(closed.headers.get('location'), 'https://shop.example/cart')
    assert.equal(twin.sessions()[0]?.status, 'open')
    twin.expire(id)
    assert.match(await (await fetch(url ?? '')).text(), /has expired/)
    assert.match(await (await press(url ?? '', 'pay', 'ada@example.com')).text(), /has expired/)
  })
})

describe('refunds', () => {
  async function paid(): Promise<string> {
    const { id } = await stripe.checkout.sessions.create(order())
    return intentOf(twin.pay(id))
  }
  const chargeOf = async (intent: string) =>
    (await stripe.paymentIntents.retrieve(intent, { expand: ['latest_charge'] })).latest_charge as Stripe.Charge

  test('never give back more than is left', async () => {
    const intent = await paid()
    const part = await stripe.refunds.create({ payment_intent: intent, amount: 1_000, metadata: { note: 'a' } })
    const tooMuch = await refusal(stripe.refunds.create({ payment_intent: intent, amount: 1_501 }))
    const half = await chargeOf(intent)
    await stripe.refunds.create({ payment_intent: intent, reason: 'requested_by_customer' })
    const whole = await chargeOf(intent)
    const again = await refusal(stripe.refunds.create({ payment_intent: intent, amount: 1 }))

    assert.deepEqual([(await stripe.refunds.retrieve(part.id)).metadata, part.status], [{ note: 'a' }, 'succeeded'])
    assert.deepEqual([tooMuch.statusCode, tooMuch.param], [400, 'amount'])
    assert.match(tooMuch.message, /€15\.01.*€15\.00/)
    assert.deepEqual([half.amount_refunded, half.refunded], [1_000, false])
    assert.deepEqual([whole.amount_refunded, whole.refunded], [2_500, true])
    assert.deepEqual([again.statusCode, again.code], [400, 'charge_already_refunded'])
    assert.equal((await stripe.refunds.list({ payment_intent: intent })).data.length, 2)
  })

  test('an intent that was not paid has nothing to refund', async () => {
    const { id } = await stripe.checkout.sessions.create(order())
    const intent = intentOf(twin.decline(id))
    assert.equal((await refusal(stripe.refunds.create({ payment_intent: intent }))).statusCode, 400)
  })

  test('can be made at the dashboard, and fail', async () => {
    const intent = await paid()
    await twin.settled()
    receiver.events.length = 0
    const { id } = twin.refund(intent, 500)
    twin.failRefund(id)
    await twin.settled()

    const types = ['refund.created', 'charge.refunded', 'refund.updated', 'refund.updated', 'refund.failed']
    assert.deepEqual(receiver.types(), types)
    assert.equal((receiver.events[1]?.data.object as Stripe.Charge | undefined)?.amount_refunded, 500)
    assert.equal((await chargeOf(intent)).amount_refunded, 0)
  })
})

describe('subscriptions', () => {
  async function subscribed(): Promise<string> {
    const { id } = await stripe.checkout.sessions.create(membership())
    const session = twin.pay(id, { email: 'ada@example.com' })
    assert.deepEqual([session.payment_status, session.payment_intent], ['paid', null])
    return session.subscription as string
  }

  test('begin, renew by themselves and may fail to', async () => {
    const id = await subscribed()
    const { metadata, status, items } = await stripe.subscriptions.retrieve(id)
    await twin.settled()
    assert.deepEqual([metadata, status], [{ letter: 'l1' }, 'active'])
    assert.deepEqual(receiver.types(), [
      'customer.subscription.created',
      'payment_intent.succeeded',
      'customer.subscription.updated',
      'invoice.paid',
      'checkout.session.completed',
    ])

    time = items.data[0]?.current_period_end ?? 0
    await twin.settled()
    const invoice = receiver.events.at(-1)?.data.object as Stripe.Invoice
    assert.equal(receiver.types().at(-1), 'invoice.paid')
    assert.deepEqual(invoice.parent?.subscription_details, { metadata: { letter: 'l1' }, subscription: id })

    assert.equal(twin.renew(id, { fails: true }).status, 'past_due')
    await twin.settled()
    assert.equal(receiver.types().at(-1), 'invoice.payment_failed')
  })

  test('owe what failed until it is paid after all, or all tries have failed', async () => {
    const id = await subscribed()
    assert.throws(() => twin.retry(id), /Nothing is owed/)
    const failed = twin.renew(id, { fails: true }).latest_invoice as string
    assert.equal(twin.retry(id, { fails: true }).status, 'past_due')
    const paid = twin.retry(id)
    const { status, attempt_count: attempts } = await stripe.invoices.retrieve(failed)
    assert.deepEqual([paid.status, paid.latest_invoice, status, attempts], ['active', failed, 'paid', 3])

    twin.renew(id, { fails: true })
    const ended = twin.cancel(id, 'payment_failed')
    assert.deepEqual([ended.status, ended.cancellation_details?.reason], ['canceled', 'payment_failed'])
    assert.throws(() => twin.cancel(id), /is canceled/)
    assert.throws(() => twin.retry(id), /Nothing is owed/)
    await twin.settled()
    assert.equal(receiver.types().at(-1), 'customer.subscription.deleted')
  })

  test('end with the period, or at once', async () => {
    const [slow, quick] = [await subscribed(), await subscribed()]
    const ending = await stripe.subscriptions.update(slow, { cancel_at_period_end: true })
    const ended = await stripe.subscriptions.cancel(quick)

    assert.deepEqual([ending.status, ending.cancel_at], ['active', ending.items.data[0]?.current_period_end])
    assert.equal(ended.status, 'canceled')
    assert.equal((await refusal(stripe.subscriptions.cancel(quick))).statusCode, 404)
    time = ending.cancel_at ?? 0
    assert.equal((await stripe.subscriptions.retrieve(slow)).status, 'canceled')
    await twin.settled()
    assert.equal(receiver.types().filter((type) => type === 'customer.subscription.deleted').length, 2)
  })
})

describe('webhooks', () => {
  async function paid(options: Stripe.RequestOptions = {}): Promise<string> {
    const { id } = await stripe.checkout.sessions.create(order(), options)
    return twin.pay(id).id
  }

  test("a connected account's events carry its name and the other secret", async () => {
    await paid({ stripeAccount: 'acct_a' })
    await twin.settled()
    assert.deepEqual(
      receiver.events.map(({ account }) => account),
      ['acct_a', 'acct_a'],
    )
    assert.deepEqual(receiver.refused, [])
  })

  test('are tried again until they are taken, and given up in the end', async () => {
    const { id } = await stripe.checkout.sessions.create(order())
    receiver.answers.push(500, 503)
    twin.expire(id)
    await twin.settled()
    assert.deepEqual(
      twin.deliveries.map(({ attempt, status }) => [attempt, status]),
      [
        [1, 500],
        [2, 503],
        [3, 200],
      ],
    )
    receiver.answers.push(...Array.from({ length: 6 }, () => 500))
    await paid()
    await twin.settled()
    assert.equal(twin.deliveries.length, 9)
    assert.equal(receiver.events.length, 1)
  })

  test('an address where nobody answers is noted', async () => {
    twin.setWebhookUrl('http://127.0.0.1:1/')
    await paid()
    await twin.settled()
    assert.deepEqual(new Set(twin.deliveries.map(({ outcome }) => outcome)), new Set(['failed']))
    assert.match(twin.deliveries[0]?.error ?? '', /\S/)
  })

  test('an event can be sent again', async () => {
    await paid()
    await twin.settled()
    const [event] = twin.events()
    const { status } = await twin.redeliver(event?.id ?? '')
    assert.equal(status, 200)
    assert.deepEqual(receiver.events.at(-1), event)
  })

  test('forged, stale, unsigned and changed events are told from true ones', async () => {
    const mine = { type: 'payment_intent.succeeded', data: { object: { id: 'pi_1' } } }
    assert.equal((await twin.forge(mine)).status, 200)
    assert.equal((await twin.forge(mine, { secret: 'whsec_guess' })).status, 400)
    assert.equal((await twin.forge(mine, { secret: null })).status, 400)
    assert.equal((await twin.forge(mine, { timestamp: START - 301 })).status, 400)
    assert.equal((await twin.forge(mine, { tamper: (payload) => payload.replace('pi_1', 'pi_2') })).status, 400)
    assert.equal(receiver.events.length, 1)
    assert.deepEqual(
      twin.deliveries.map(({ isForged }) => isForged),
      [true, true, true, true, true],
    )
    assert.deepEqual(twin.events(), [])
  })

  test('an event that happened can be told otherwise, with a true signature', async () => {
    await paid()
    await twin.settled()
    const event = twin.events().at(-1)
    await twin.forge({ ...event, account: 'acct_other' })
    assert.deepEqual(receiver.events.at(-1), { ...event, account: 'acct_other' })
  })

  test('held ones come together, in another order, and the same for the same seed', async () => {
    const fates = []
    for (const seed of [7, 7, 8]) {
      twin.deliveries.length = 0
      twin.useRandom(seed)
      twin.mischief({ shuffle: true, duplicate: 1, drop: 0.3 })
      twin.hold()
      for (let orders = 0; orders < 4; orders++) await paid()
      assert.equal(twin.deliveries.length, 0)
      twin.release()
      await twin.settled()
      const places = new Map(
        twin
          .events()
          .slice(-8)
          .map(({ id }, place) => [id, place]),
      )
      fates.push(twin.deliveries.map(({ eventId, outcome }) => `${places.get(eventId)} ${outcome}`))
    }
    const [first, second, third] = fates
    assert.equal(first?.length, 16)
    assert.deepEqual(first, second)
    assert.notDeepEqual(first, third)
    assert.notDeepEqual(first, first?.toSorted())
    assert.ok(first?.some((fate) => fate.endsWith('lost')))
  })

  test('may be late, and pass each other', async () => {
    twin.useRandom(3)
    twin.mischief({ delayMs: [1, 60] })
    for (let orders = 0; orders < 4; orders++) await paid()
    await twin.settled()
    const happened = twin.events().map(({ id }) => id)
    const came = receiver.events.map(({ id }) => id)
    assert.deepEqual(came.toSorted(), happened.toSorted())
    assert.notDeepEqual(came, happened)
  })
})

describe('behaviours', () => {
  const idempotencyKey = 'order:2:1'
  const create = ({ timeout = 5_000 } = {}) => stripe.checkout.sessions.create(order(), { idempotencyKey, timeout })

  test('an answer that never comes, before anything happened', async () => {
    twin.behave({ next: 'timeout' })
    assert.equal((await refusal(create({ timeout: 100 }))).type, 'StripeConnectionError')
    assert.equal(twin.sessions().length, 0)
    assert.ok(await create())
  })

  for (const next of ['timeout', 'reset'] as const) {
    test(`an answer that is lost after it happened (${next}): the same key finds it`, async () => {
      twin.behave({ next, afterEffect: true, times: next === 'reset' ? 2 : 1 })
      // The SDK itself tries again once when a connection breaks.
      assert.equal((await refusal(create({ timeout: 500 }))).type, 'StripeConnectionError')
      assert.equal(twin.sessions().length, 1)
      const found = await create()
      assert.equal(found.id, twin.sessions()[0]?.id)
      assert.equal(found.lastResponse.headers['idempotent-replayed'], 'true')
    })
  }

  test('a 500 before anything happened may be tried again; one after it stays with its key', async () => {
    twin.behave({ next: 'error500' })
    assert.equal((await refusal(create())).statusCode, 500)
    assert.ok(await create())

    const later = () => stripe.checkout.sessions.create(order(), { idempotencyKey: 'order:3:1' })
    twin.behave({ next: 'error500', afterEffect: true })
    assert.equal((await refusal(later())).type, 'StripeAPIError')
    assert.equal(twin.sessions().length, 2)
    assert.equal((await refusal(later())).statusCode, 500)
    assert.equal(twin.sessions().length, 2)
  })

  test('a refusal and a full line have no effect', async () => {
    twin.behave({ next: 'refuse' })
    twin.behave({ next: 'rate-limit' })
    assert.equal((await refusal(create())).type, 'StripeInvalidRequestError')
    assert.equal((await refusal(create())).type, 'StripeRateLimitError')
    assert.equal(twin.sessions().length, 0)
  })

  test('only the named calls go wrong, as often as told, until it is taken back', async () => {
    const lift = twin.behave({ next: 'error500', path: /^POST .*\/expire$/, times: Number.POSITIVE_INFINITY })
    const { id } = await create()
    for (let tries = 0; tries < 3; tries++) await refusal(stripe.checkout.sessions.expire(id))
    lift()
    assert.equal((await stripe.checkout.sessions.expire(id)).status, 'expired')
    assert.deepEqual(
      twin.requests.map(({ status }) => status),
      [200, 500, 500, 500, 200],
    )
  })

  test('a slow answer is a right one', async () => {
    twin.behave({ next: 'slow', delayMs: 60 })
    const start = performance.now()
    assert.ok(await create())
    assert.ok(performance.now() - start >= 55)
  })
})
