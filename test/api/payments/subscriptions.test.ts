import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { Stripe } from 'stripe'
import { type NewSession, NotTheirs, type PaymentProvider, ProviderRefusal } from '#platform/payments/provider.ts'
import { createStripe } from '#platform/payments/stripe.ts'
import { type StripeTwin, startStripeTwin } from '../../../twins/stripe/server.ts'

const SECRETS = { secretKey: 'sk_test_twin', webhookSecret: 'whsec_twin', connectWebhookSecret: 'whsec_connected' }
const webhookSecrets = [SECRETS.webhookSecret, SECRETS.connectWebhookSecret]
const NAMES = { businessId: 'biz_letters', subject: 'newsletter:chk_1' }
const DAY = 86_400

let twin: StripeTwin
let provider: PaymentProvider
const receiver = createServer((request, response) => void request.resume().on('end', () => response.end()))

before(async () => {
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  twin = await startStripeTwin({ ...SECRETS, webhookUrl })
  provider = createStripe({ secretKey: SECRETS.secretKey, webhookSecrets, apiUrl: twin.url })
})

after(async () => {
  await twin.close()
  receiver.closeAllConnections()
  receiver.close()
})

let number = 0
beforeEach(async () => {
  number++
  await heard()
})

const page = (changes: Partial<NewSession> = {}): NewSession => ({
  ...NAMES,
  key: `newsletter:chk_${number}:1`,
  account: null,
  currency: 'EUR',
  items: [{ name: 'Letters from the coast', quantity: 1, amount: 500 }],
  email: 'ada@example.com',
  successUrl: 'https://letters.example/thanks',
  cancelUrl: 'https://letters.example/plans',
  expiresAt: new Date(Date.now() + 3_600_000),
  interval: 'MONTHLY',
  ...changes,
})

async function subscribe(changes?: Partial<NewSession>): Promise<string> {
  const { sessionId } = await provider.openSession(page(changes))
  twin.pay(sessionId)
  const { subscriptionId } = await provider.readSession(changes?.account ?? null, sessionId)
  assert.ok(subscriptionId)
  return subscriptionId
}

let told = 0
/** What came since it was last asked, as our API would read it. */
async function heard() {
  await twin.settled()
  const fresh = twin.deliveries.slice(told)
  told = twin.deliveries.length
  return fresh.map(({ payload, signature }) => {
    const event = provider.readEvent(Buffer.from(payload), { 'stripe-signature': signature })
    assert.ok(event, 'it is signed')
    return event
  })
}

/** Of each kind of event that names us, how it does. Intents and charges of an invoice name nobody. */
async function named() {
  const events = (await heard()).filter(({ type }) => !type.startsWith('payment_intent.'))
  return Object.fromEntries(events.map(({ type, businessId, subject }) => [type, { businessId, subject }]))
}

const statusOf = async (subscriptionId: string) => (await provider.readSubscription(null, subscriptionId)).status

describe('a page that is paid again and again', () => {
  test('is open without a subscription, and has one once it is paid', async () => {
    const opened = await provider.openSession(page())
    assert.deepEqual([opened.status, opened.subscriptionId, opened.amount], ['OPEN', null, 500])
    assert.ok(opened.url.includes(opened.sessionId))
    twin.decline(opened.sessionId)
    assert.equal((await provider.readSession(null, opened.sessionId)).status, 'OPEN')
    twin.pay(opened.sessionId, { email: 'ada@example.com' })

    const { subscriptionId, ...paid } = await provider.readSession(null, opened.sessionId)
    assert.deepEqual(paid, {
      sessionId: opened.sessionId,
      status: 'PAID',
      intentId: null,
      amount: 500,
      currency: 'EUR',
      refunded: 0,
      refunds: [],
      email: 'ada@example.com',
      names: NAMES,
    })
    assert.equal(await statusOf(subscriptionId ?? ''), 'ACTIVE')
  })

  test('is one page, however often it is asked for with its key', async () => {
    const known = twin.sessions().length
    const lost = twin.behave({ next: 'reset', path: 'POST /v1/checkout/sessions', afterEffect: true, times: 2 })
    const wanted = page()
    await assert.rejects(provider.openSession(wanted), (error) => !(error instanceof ProviderRefusal))
    lost()
    const [first, second] = [await provider.openSession(wanted), await provider.openSession(wanted)]

    assert.equal(first.sessionId, second.sessionId)
    assert.equal(twin.sessions().length, known + 1)
  })

  test('ends unpaid, without a subscription', async () => {
    const { sessionId } = await provider.openSession(page())
    const ended = await provider.expireSession(null, sessionId)
    assert.deepEqual([ended.status, ended.subscriptionId], ['ENDED', null])
    assert.deepEqual(await named(), { 'checkout.session.expired': NAMES })
  })

  test('that was paid is not ended any more, but says so', async () => {
    const { sessionId } = await provider.openSession(page())
    twin.pay(sessionId)
    const state = await provider.expireSession(null, sessionId)
    assert.equal(state.status, 'PAID')
    assert.ok(state.subscriptionId)
  })
})

test('a page that is paid once begins no subscription', async () => {
  const { sessionId } = await provider.openSession(page({ interval: undefined }))
  twin.pay(sessionId)
  const { status, intentId, subscriptionId } = await provider.readSession(null, sessionId)
  assert.deepEqual([status, typeof intentId, subscriptionId], ['PAID', 'string', null])
})

describe('a subscription', () => {
  test('is renewed, owes, is paid after all and ends; each event says whose it is', async () => {
    const id = await subscribe()
    assert.deepEqual(await named(), {
      'customer.subscription.created': NAMES,
      'customer.subscription.updated': NAMES,
      'invoice.paid': NAMES,
      'checkout.session.completed': NAMES,
    })
    const begun = await provider.readSubscription(null, id)
    assert.deepEqual([begun.id, begun.status, begun.cancelsAtPeriodEnd], [id, 'ACTIVE', false])

    twin.renew(id)
    const renewed = await provider.readSubscription(null, id)
    assert.equal(renewed.status, 'ACTIVE')
    assert.ok((renewed.currentPeriodEnd ?? 0) > (begun.currentPeriodEnd ?? 0))
    assert.deepEqual(await named(), { 'customer.subscription.updated': NAMES, 'invoice.paid': NAMES })

    twin.renew(id, { fails: true })
    assert.equal(await statusOf(id), 'PAST_DUE')
    assert.deepEqual(await named(), { 'customer.subscription.updated': NAMES, 'invoice.payment_failed': NAMES })

    twin.retry(id)
    assert.equal(await statusOf(id), 'ACTIVE')
    assert.deepEqual(await named(), { 'customer.subscription.updated': NAMES, 'invoice.paid': NAMES })

    twin.cancel(id)
    assert.equal(await statusOf(id), 'ENDED')
    assert.deepEqual(await named(), { 'customer.subscription.deleted': NAMES })
  })

  test('lasts a month or a year', async () => {
    for (const [interval, days] of [
      ['MONTHLY', [28, 31]],
      ['YEARLY', [365, 366]],
    ] as const) {
      const id = await subscribe({ interval, key: `lasts:${interval}` })
      const { currentPeriodEnd } = await provider.readSubscription(null, id)
      const lasts = Math.round(((currentPeriodEnd ?? 0) - twin.now()) / DAY)
      assert.ok(lasts >= days[0] && lasts <= days[1], `${interval}: ${lasts} days`)
    }
  })

  test('that ends with its period is active until then', async () => {
    const id = await subscribe()
    const stripe = new Stripe(SECRETS.secretKey, twin.clientOptions)
    await stripe.subscriptions.update(id, { cancel_at_period_end: true })
    const { status, cancelsAtPeriodEnd } = await provider.readSubscription(null, id)
    assert.deepEqual([status, cancelsAtPeriodEnd], ['ACTIVE', true])
    twin.renew(id)
    assert.equal(await statusOf(id), 'ENDED')
  })

  test('on a connected account is known there only, and its events name the account', async () => {
    const account = 'acct_letters'
    const id = await subscribe({ account })
    const events = (await heard()).filter(({ businessId }) => businessId)
    assert.deepEqual(new Set(events.map((event) => event.account)), new Set([account]))
    assert.ok(events.some(({ type }) => type === 'invoice.paid'))

    await assert.rejects(provider.readSubscription(null, id), ProviderRefusal)
    await provider.cancelSubscription(null, id, NAMES.businessId)
    assert.equal((await provider.readSubscription(account, id)).status, 'ACTIVE')
    assert.equal((await provider.cancelSubscription(account, id, NAMES.businessId)).status, 'ENDED')
  })
})

describe('cancelling', () => {
  test('ends it at once, however often, and gives nothing back', async () => {
    const id = await subscribe()
    await heard()
    const first = await provider.cancelSubscription(null, id, NAMES.businessId)
    const second = await provider.cancelSubscription(null, id, NAMES.businessId)
    assert.deepEqual([first.status, second], ['ENDED', first])
    assert.deepEqual(
      (await heard()).map(({ type }) => type),
      ['customer.subscription.deleted'],
    )
    assert.throws(() => twin.renew(id), /is canceled/)
  })

  test('ends one that owes', async () => {
    const id = await subscribe()
    twin.renew(id, { fails: true })
    assert.equal((await provider.cancelSubscription(null, id, NAMES.businessId)).status, 'ENDED')
  })

  test('one of another business is refused, and it goes on', async () => {
    const id = await subscribe()
    await assert.rejects(provider.cancelSubscription(null, id, 'biz_other'), NotTheirs)
    assert.equal(await statusOf(id), 'ACTIVE')
  })

  test('one that nobody knows is done already', async () => {
    const ended = { id: 'sub_unknown', status: 'ENDED', cancelsAtPeriodEnd: false, currentPeriodEnd: null }
    assert.deepEqual(await provider.cancelSubscription(null, 'sub_unknown', NAMES.businessId), ended)
    await assert.rejects(provider.readSubscription(null, 'sub_unknown'), ProviderRefusal)
  })

  test('whose answer is lost has its effect, and is answered when asked for again', async () => {
    const id = await subscribe()
    twin.behave({ next: 'reset', path: 'DELETE /v1/subscriptions', afterEffect: true })
    assert.equal((await provider.cancelSubscription(null, id, NAMES.businessId)).status, 'ENDED')
  })

  test('is not believed when the provider is away, or says no for another reason', async () => {
    const id = await subscribe()
    const away = twin.behave({ next: 'error500', path: 'DELETE /v1/subscriptions', times: 2 })
    await assert.rejects(
      provider.cancelSubscription(null, id, NAMES.businessId),
      (error) => !(error instanceof ProviderRefusal),
    )
    away()
    twin.behave({ next: 'refuse', path: 'DELETE /v1/subscriptions' })
    await assert.rejects(provider.cancelSubscription(null, id, NAMES.businessId), ProviderRefusal)
    const stranger = createStripe({ secretKey: 'sk_test_old', webhookSecrets, apiUrl: twin.url })
    await assert.rejects(stranger.cancelSubscription(null, id, NAMES.businessId), ProviderRefusal)
    assert.equal(await statusOf(id), 'ACTIVE')
  })
})
