import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import pino from 'pino'
import { reconcileSubscriptions } from '#modules/newsletter/subscriptions/reconcile-subscriptions.ts'
import { findPayment, reconcileStale } from '#modules/payments/index.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Client } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { type Newsletter, openNewsletter, PLANS } from '../../support/newsletter-api.ts'
import { connect, faultsIn } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter', own: true })
const unconfigured = useWorld({ own: true })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
  used.twin.mischief()
})
afterEach(() => clock.release())

const log = pino({ level: 'silent' })
const ask = (db: Db) => reconcileStale(used.context, db, log)
const EMAIL = 'ada@example.com'
const open = () => openNewsletter(used.make, { plans: PLANS })

/** Asks for a paid plan; answers the page, and what can be done there. */
async function order(letters: Newsletter, body: object = {}, caller?: Pick<Client, 'post'>) {
  const guest = caller ?? (await used.make.guest())
  const answer = await letters.subscribe(guest, { email: EMAIL, planId: 'monthly', ...body })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.body), ['checkoutUrl'])
  return pageOf(letters, answer.body.checkoutUrl)
}

function pageOf({ db, id }: Newsletter, url: string) {
  const pageId = url.split('/').at(-1) ?? ''
  const session = () => {
    const found = used.twin.sessions().find((known) => known.id === pageId)
    assert.ok(found)
    return found
  }
  return {
    url,
    pageId,
    session,
    /** Its subscription at the provider, once it is paid. */
    providerId: () => session().subscription as string,
    pay: async () => {
      used.twin.pay(pageId)
      await used.waitUntilIdle(db)
    },
    payment: () => findPayment(db, id, session().client_reference_id ?? ''),
  }
}

const cancelledAt = (providerId: string) =>
  used.twin.requests.filter(({ method, path }) => method === 'DELETE' && path.endsWith(providerId)).length

describe('a paid plan', () => {
  test('is answered with where it is paid, and begins with the money', async () => {
    const letters = await open()
    const page = await order(letters, { name: 'Ada' })
    const { mode, customer_email, success_url, cancel_url, amount_total, currency } = page.session()
    assert.deepEqual([mode, customer_email, amount_total, currency], ['subscription', EMAIL, 500, 'eur'])
    assert.equal(success_url, `${used.api.config.publicUrl}/newsletters/result?outcome=paid`)
    assert.equal(cancel_url, `${used.api.config.publicUrl}/newsletters/result?outcome=cancelled`)
    assert.deepEqual(await letters.subscribers(), [])
    await page.pay()

    const [subscription, ...others] = await letters.subscribers()
    const { email, name, planId, status } = subscription
    assert.deepEqual([email, name, planId, status, others], [EMAIL, 'Ada', 'monthly', 'ACTIVE', []])
    assert.deepEqual(await letters.eventsOf(subscription.id), ['subscription.paid'])
    assert.equal((await page.payment())?.status, 'PAID')
  })

  test('follows what becomes of it at the provider: owing, paid again, ended', async () => {
    const letters = await open()
    const page = await order(letters)
    await page.pay()
    const { id } = await letters.row(EMAIL)
    const steps: [() => unknown, string][] = [
      [() => used.twin.renew(page.providerId()), 'ACTIVE monthly'],
      [() => used.twin.renew(page.providerId(), { fails: true }), 'PAST_DUE monthly'],
      [() => used.twin.retry(page.providerId()), 'ACTIVE monthly'],
      [() => used.twin.cancel(page.providerId(), 'payment_failed'), 'CANCELLED monthly'],
    ]
    for (const [step, expected] of steps) {
      step()
      await used.waitUntilIdle(letters.db)
      assert.equal(await letters.state(EMAIL), expected)
    }
    assert.deepEqual(await letters.eventsOf(id), [
      'subscription.paid',
      'subscription.past_due',
      'subscription.paid',
      'subscription.cancelled',
    ])
    const again = await order(letters, { planId: 'yearly' })
    await again.pay()
    assert.deepEqual([await letters.state(EMAIL), (await letters.row(EMAIL)).id], ['ACTIVE yearly', id])
  })

  test('is not begun by a page that is declined, left or over', async () => {
    const letters = await open()
    const [declined, over] = [await order(letters), await order(letters)]
    used.twin.decline(declined.pageId)
    used.twin.expire(over.pageId)
    await used.waitUntilIdle(letters.db)
    assert.deepEqual(await letters.subscribers(), [])
    assert.deepEqual([(await declined.payment())?.status, (await over.payment())?.status], ['OPEN', 'ENDED'])
  })

  test('on a connected account is paid and cancelled there', async () => {
    const letters = await open()
    await connect(used, letters, 'acct_letters')
    const page = await order(letters)
    await page.pay()
    assert.equal(await letters.state(EMAIL), 'ACTIVE monthly')
    await letters.unsubscribe(await letters.tokenOf(EMAIL))
    await used.waitUntilIdle(letters.db)
    assert.throws(() => used.twin.renew(page.providerId()), /canceled/)
  })

  test('takes over a free subscription, and keeps its id and name', async () => {
    const letters = await open()
    const free = await letters.subscribed(letters.owner, { email: EMAIL, name: 'Ada', planId: 'free' })
    const page = await order(letters)
    assert.equal(await letters.state(EMAIL), 'ACTIVE free')
    await page.pay()
    const { id, name, planId } = await letters.row(EMAIL)
    assert.deepEqual([id, name, planId], [free.id, 'Ada', 'monthly'])
  })
})

describe('while it is paid for', () => {
  test('the same plan again is the subscription, any other is refused', async () => {
    const letters = await open()
    await (await order(letters)).pay()
    const guest = await used.make.guest()
    const pages = used.twin.sessions().length
    const again = await letters.subscribe(guest, { email: EMAIL.toUpperCase(), planId: 'monthly' })
    assert.deepEqual([again.status, again.body.status, again.body.planId], [200, 'ACTIVE', 'monthly'])
    for (const planId of ['yearly', 'free']) {
      const other = await letters.subscribe(guest, { email: EMAIL, planId })
      assert.equal(refusal(other), '409 CONFLICT planId ALREADY_SUBSCRIBED')
    }
    assert.equal(used.twin.sessions().length, pages)
  })

  test('a plan that is paid for cannot be taken away, nor the newsletter', async () => {
    const letters = await open()
    const page = await order(letters)
    await page.pay()
    used.twin.renew(page.providerId(), { fails: true })
    await used.waitUntilIdle(letters.db)
    const { admin, collection } = letters
    const without = PLANS.filter(({ id }) => id !== 'monthly')
    assert.equal(refusal(await admin.put(collection.path, { plans: without })), '409 CONFLICT plans.2 IN_USE')
    assert.equal(refusal(await admin.delete(collection.path)), '409 CONFLICT id IN_USE')
  })

  test('leaving stops it here at once, and at the provider', async () => {
    const letters = await open()
    const page = await order(letters)
    await page.pay()
    assert.equal((await letters.unsubscribe(await letters.tokenOf(EMAIL))).status, 200)
    assert.equal(await letters.state(EMAIL), 'CANCELLED monthly')
    await used.waitUntilIdle(letters.db)
    assert.equal(cancelledAt(page.providerId()), 1)
    assert.throws(() => used.twin.renew(page.providerId()), /canceled/)
    await letters.unsubscribe(await letters.tokenOf(EMAIL))
    await used.waitUntilIdle(letters.db)
    assert.equal(cancelledAt(page.providerId()), 1)
  })

  test('who left and comes back for free does not pay, and is not cut off by what ended', async () => {
    const letters = await open()
    const page = await order(letters)
    await page.pay()
    used.twin.hold()
    await letters.unsubscribe(await letters.tokenOf(EMAIL))
    await used.waitUntilIdle(letters.db)
    await letters.subscribed(letters.owner, { email: EMAIL, planId: 'free' })
    used.twin.release()
    await used.waitUntilIdle(letters.db)

    assert.equal(await letters.state(EMAIL), 'ACTIVE free')
    const { providerId, checkoutId } = await letters.row(EMAIL)
    assert.deepEqual([providerId, checkoutId], [null, null])
    await letters.subscribed(letters.owner, { email: EMAIL, planId: 'friend' })
    assert.equal(await letters.state(EMAIL), 'ACTIVE friend')
  })
})

describe('two pages that are both paid', () => {
  test('are one subscription: the later counts, the earlier is cancelled at the provider', async () => {
    const letters = await open()
    const [first, second] = [await order(letters), await order(letters, { planId: 'yearly' })]
    await first.pay()
    await second.pay()
    assert.equal((await letters.subscribers()).length, 1)
    assert.equal(await letters.state(EMAIL), 'ACTIVE yearly')
    assert.deepEqual([cancelledAt(first.providerId()), cancelledAt(second.providerId())], [1, 0])
    used.twin.renew(second.providerId())
    await used.waitUntilIdle(letters.db)
    assert.equal(await letters.state(EMAIL), 'ACTIVE yearly')
  })

  test('at the same moment, too', async () => {
    const letters = await open()
    const [first, second] = [await order(letters), await order(letters)]
    used.twin.hold()
    used.twin.mischief({ shuffle: true, duplicate: 1 })
    for (const { pageId } of [first, second]) used.twin.pay(pageId)
    used.twin.release()
    await used.waitUntilIdle(letters.db)
    const { providerId } = await letters.row(EMAIL)
    const [kept, dropped] = providerId === first.providerId() ? [first, second] : [second, first]
    assert.deepEqual([cancelledAt(kept.providerId()), cancelledAt(dropped.providerId()) > 0], [0, true])
    assert.equal(await letters.state(EMAIL), 'ACTIVE monthly')
  })
})

describe('events', () => {
  test('that come often and in any order change things once', async () => {
    const letters = await open()
    const page = await order(letters)
    used.twin.hold()
    used.twin.useRandom(7)
    used.twin.mischief({ shuffle: true, duplicate: 3 })
    used.twin.pay(page.pageId)
    used.twin.renew(page.providerId())
    used.twin.release()
    await used.waitUntilIdle(letters.db)
    for (const { id } of used.twin.events().slice(-8)) await used.twin.redeliver(id)
    await used.waitUntilIdle(letters.db)
    assert.equal(await letters.state(EMAIL), 'ACTIVE monthly')
    assert.deepEqual(await letters.eventsOf((await letters.row(EMAIL)).id), ['subscription.paid'])
  })

  test('that are lost are made up for by asking, after five minutes', async () => {
    const letters = await open()
    const page = await order(letters)
    used.twin.mischief({ drop: 1 })
    await page.pay()
    clock.advance(299)
    await ask(letters.db)
    assert.deepEqual(await letters.subscribers(), [])
    clock.advance(2)
    await ask(letters.db)
    assert.equal(await letters.state(EMAIL), 'ACTIVE monthly')
    assert.equal((await page.payment())?.status, 'PAID')
  })

  test('of renewals that are lost are made up for once a day', async () => {
    const letters = await open()
    const [owing, ended, fine] = [
      await order(letters, { email: 'owing@example.com' }),
      await order(letters, { email: 'ended@example.com' }),
      await order(letters, { email: 'fine@example.com' }),
    ]
    for (const page of [owing, ended, fine]) await page.pay()
    used.twin.mischief({ drop: 1 })
    used.twin.renew(owing.providerId(), { fails: true })
    used.twin.cancel(ended.providerId())
    await used.waitUntilIdle(letters.db)
    assert.equal(await letters.state('owing@example.com'), 'ACTIVE monthly')
    await transaction(letters.db, (tx) => enqueue(tx, reconcileSubscriptions, {}))
    await used.waitUntilIdle(letters.db)

    assert.equal(await letters.state('owing@example.com'), 'PAST_DUE monthly')
    assert.equal(await letters.state('ended@example.com'), 'CANCELLED monthly')
    assert.equal(await letters.state('fine@example.com'), 'ACTIVE monthly')
  })

  test('of money that is not what was asked for begin nothing, and somebody is told', async () => {
    const letters = await open()
    const page = await order(letters)
    const payment = await page.payment()
    assert.ok(payment)
    const payments = letters.db.updateTable('payments.payments').set({ amount: 501 })
    await payments.where((row) => row.and({ businessId: letters.id, id: payment.id })).execute()
    await page.pay()
    assert.deepEqual(await letters.subscribers(), [])
    assert.equal((await page.payment())?.status, 'WRONG')
    assert.deepEqual(await letters.eventsOf(payment.subject.slice('newsletter:'.length)), ['payment.mismatch'])
  })

  test('of a subscription that ended before we heard of it leave nothing behind', async () => {
    const letters = await open()
    const page = await order(letters)
    used.twin.hold()
    used.twin.pay(page.pageId)
    used.twin.cancel(page.providerId())
    used.twin.release()
    await used.waitUntilIdle(letters.db)
    assert.deepEqual(await letters.subscribers(), [])
    assert.equal((await page.payment())?.status, 'PAID')
  })

  test('of a newsletter that is gone cancel what was paid for it', async () => {
    const letters = await open()
    const page = await order(letters)
    assert.equal((await letters.admin.delete(letters.collection.path)).status, 200)
    await page.pay()
    assert.throws(() => used.twin.renew(page.providerId()), /canceled/)
  })
})

describe('a page', () => {
  const KEY = { 'idempotency-key': 'paid-once' }

  test('is the same for the same key, and refused for another request with it', async () => {
    const letters = await open()
    const guest = await used.make.guest()
    const wish = { email: EMAIL, planId: 'monthly' }
    const [first, again] = [await letters.subscribe(guest, wish, KEY), await letters.subscribe(guest, wish, KEY)]
    assert.equal(again.body.checkoutUrl, first.body.checkoutUrl)
    assert.deepEqual(
      [first, again].map(({ headers }) => headers.get('idempotency-replayed')),
      [null, 'true'],
    )
    const others = [{ planId: 'yearly' }, { email: 'bob@example.com' }, { returnUrl: used.api.config.publicUrl }]
    for (const other of others) {
      const answer = await letters.subscribe(guest, { ...wish, ...other }, KEY)
      assert.equal(refusal(answer), '422 VALIDATION_FAILED Idempotency-Key IDEMPOTENCY_KEY_REUSED')
    }
    const stranger = await letters.subscribe(await used.make.guest(), wish, KEY)
    assert.notEqual(stranger.body.checkoutUrl, first.body.checkoutUrl)
  })

  test('leads back to where the business allows, and nowhere else', async () => {
    const letters = await open()
    const { admin, path } = letters
    assert.equal((await admin.put(path, { allowedOrigins: ['https://letters.example'] })).status, 200)
    const page = await order(letters, {
      returnUrl: 'https://letters.example/thanks?a=1',
      cancelUrl: 'https://letters.example/plans',
    })
    const { success_url, cancel_url } = page.session()
    assert.deepEqual([success_url, cancel_url], ['https://letters.example/thanks?a=1', 'https://letters.example/plans'])

    for (const field of ['returnUrl', 'cancelUrl']) {
      const body = { email: EMAIL, planId: 'monthly', [field]: 'https://evil.example/' }
      const answer = await letters.subscribe(admin, body)
      assert.equal(refusal(answer), `422 VALIDATION_FAILED ${field} INVALID_REDIRECT_URI`)
    }
    const noUrl = await letters.subscribe(admin, { email: EMAIL, planId: 'monthly', returnUrl: 'thanks' })
    assert.equal(noUrl.status, 422)
  })

  test('that the provider refuses is 502; one without an answer 503, and there for the same key', async () => {
    const letters = await open()
    const guest = await used.make.guest()
    const wish = { email: EMAIL, planId: 'monthly' }
    const refused = used.twin.behave({ next: 'refuse', path: 'POST /v1/checkout/sessions' })
    const no = { 'idempotency-key': 'refused' }
    assert.equal(refusal(await letters.subscribe(guest, wish, no)), '502 PROVIDER_FAILED')
    refused()
    assert.equal(refusal(await letters.subscribe(guest, wish, no)), '502 PROVIDER_FAILED')

    const lost = used.twin.behave({ next: 'reset', path: 'POST /v1/checkout/sessions', afterEffect: true, times: 9 })
    const unsure = { 'idempotency-key': 'unsure' }
    assert.equal(refusal(await letters.subscribe(guest, wish, unsure)), '503 UNAVAILABLE')
    lost()
    const answer = await letters.subscribe(guest, wish, unsure)
    assert.equal(answer.status, 200, answer.text)
    await pageOf(letters, answer.body.checkoutUrl).pay()
    assert.equal(await letters.state(EMAIL), 'ACTIVE monthly')
  })

  test('is for a price that the provider can take', async () => {
    const price = (amount: number) => ({ amount, currency: 'eur', interval: 'MONTHLY' })
    const plans = [
      { id: 'cents', name: 'Cents', price: price(49) },
      { id: 'fortune', name: 'Fortune', price: price(100_000_000) },
    ]
    const letters = await openNewsletter(used.make, { plans })
    for (const { id: planId } of plans) {
      const answer = await letters.subscribe(letters.admin, { email: EMAIL, planId })
      assert.equal(refusal(answer), '422 VALIDATION_FAILED planId AMOUNT_OUT_OF_RANGE')
    }
  })

  test('is not to be had without a payment provider', async () => {
    const letters = await openNewsletter(unconfigured.make, { plans: PLANS })
    const answer = await letters.subscribe(await unconfigured.make.guest(), { email: EMAIL, planId: 'monthly' })
    assert.equal(refusal(answer), '503 PROVIDER_NOT_CONFIGURED')
    assert.equal(
      (await letters.subscribe(await unconfigured.make.guest(), { email: EMAIL, planId: 'free' })).status,
      201,
    )
  })
})

test('who pays for a newsletter reads it through the API too, until they leave', async () => {
  const letters = await open()
  const { id: entryId, path: entry } = await letters.entry(undefined, { statuses: [{ status: 'PUBLISHED' }] })
  const [reader, other, guest] = [await used.make.user(), await used.make.user(), await used.make.guest()]
  const email = reader.email as string
  const page = await order(letters, { email }, reader)
  const list = `${letters.path}/entries?collectionId=${letters.collection.id}`
  const sees = async (caller: Pick<Client, 'get'>) => [
    (await caller.get(entry)).status,
    ...(await caller.get(list)).body.items.map(({ id }: { id: string }) => id),
    ...(await caller.get(`${list}&query=letter`)).body.items.map(({ id }: { id: string }) => id),
  ]
  assert.deepEqual(await sees(reader), [404], 'before it is paid')
  await page.pay()
  const [shown, ...found] = await sees(reader)
  assert.equal(shown, 200)
  assert.equal(found[0], entryId)
  assert.deepEqual([await sees(other), await sees(guest)], [[404], [404]])
  await letters.unsubscribe(await letters.tokenOf(email))
  assert.deepEqual(await sees(reader), [404], 'after leaving')
})

test('what goes on being charged after leaving is cancelled again when it is heard of', async () => {
  const letters = await open()
  const page = await order(letters)
  await page.pay()
  await letters.db
    .updateTable('newsletter.subscriptions')
    .set({ status: 'CANCELLED' })
    .where('email', '=', EMAIL)
    .where('businessId', '=', letters.id)
    .execute()
  used.twin.renew(page.providerId())
  await used.waitUntilIdle(letters.db)
  assert.equal(await letters.state(EMAIL), 'CANCELLED monthly')
  const known = await used.context.payments.providers[0]?.readSubscription(null, page.providerId())
  assert.equal(known?.status, 'ENDED')
})

test('whoever pays for a plan that went meanwhile is not charged again, and the business is told', async () => {
  const letters = await open()
  const page = await order(letters)
  const plans = PLANS.filter(({ id }) => id !== 'monthly')
  assert.equal((await letters.owner.put(letters.collection.path, { plans })).status, 200)
  await page.pay()
  assert.equal(await letters.state(EMAIL), '')
  const known = await used.context.payments.providers[0]?.readSubscription(null, page.providerId())
  assert.equal(known?.status, 'ENDED')
  const subject = (page.session().client_reference_id ?? '').replace('newsletter:', '')
  assert.deepEqual(await letters.eventsOf(subject), ['payment.unexpected'])
})
