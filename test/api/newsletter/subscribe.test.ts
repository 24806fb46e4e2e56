import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { now } from '#platform/clock.ts'
import { assertError } from '../../support/assert-error.ts'
import { holdClock } from '../../support/clock.ts'
import { linkIn } from '../../support/mail-server.ts'
import { openNewsletter, PLANS } from '../../support/newsletter-api.ts'
import { faultsIn } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter', own: true })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

const FREE = PLANS.slice(0, 2)
const ADA = { email: 'ada@example.com' }

describe('an address is subscribed', () => {
  test('to a newsletter without plans: ACTIVE at once', async () => {
    const { subscribe, collection, eventsOf } = await openNewsletter(used.make)
    const { status, body } = await subscribe(await used.make.guest(), { email: 'Ada@Example.com', name: 'Ada' })

    assert.equal(status, 201)
    const { id, createdAt, updatedAt, ...rest } = body
    assert.match(id, /^sub_/)
    assert.deepEqual([typeof createdAt, updatedAt], ['number', createdAt])
    assert.deepEqual(rest, {
      entity: `collection:${collection.id}`,
      email: 'Ada@Example.com',
      name: 'Ada',
      status: 'ACTIVE',
    })
    assert.deepEqual(await eventsOf(id), ['subscription.created'])
  })

  test('to a free plan, named planId or plan_id, with or without a price of 0', async () => {
    const { subscribe } = await openNewsletter(used.make, { plans: PLANS })
    const guest = await used.make.guest()
    const plans = []
    for (const [index, body] of [
      { planId: 'free' },
      { plan_id: 'free' },
      { planId: 'friend', plan_id: 'friend' },
    ].entries()) {
      const answer = await subscribe(guest, { email: `reader${index}@example.com`, ...body })
      assert.equal(answer.status, 201, answer.text)
      plans.push(answer.body.planId)
    }
    assert.deepEqual(plans, ['free', 'free', 'friend'])
  })

  test('by a guest, a user and a key, who become customers of the business; not by a key of another', async () => {
    const { subscribe, subscribed, id, admin } = await openNewsletter(used.make)
    const [guest, user] = [await used.make.guest(), await used.make.user()]
    const key = await used.make.apiKey(user.id, id)
    const keyOfOther = await used.make.apiKey(user.id, (await used.make.business()).id)
    await subscribed(guest, { email: 'guest@example.com' })
    await subscribed(user, { email: 'user@example.com' })
    await subscribed(key, { email: 'key@example.com' })
    assert.equal((await subscribe(keyOfOther, { email: 'other@example.com' })).status, 403)
    await subscribed(admin, { email: 'admin@example.com' })
    const customers = used.api.services.databases.control.selectFrom('access.customers').select('userId')
    const known = (await customers.where('businessId', '=', id).execute()).map(({ userId }) => userId)

    assert.deepEqual(known.sort(), [guest.id, user.id, admin.id].sort())
  })

  test('in a market of the business, and in no other', async () => {
    const { subscribe, admin, path } = await openNewsletter(used.make)
    const market = { id: 'de', name: 'Germany', currency: 'EUR', taxBps: 0, taxShipping: false, shippingMethods: [] }
    assert.equal((await admin.put(path, { markets: [{ ...market, paymentMethods: [] }] })).status, 200)
    assert.equal((await subscribe(admin, { ...ADA, market: 'de' })).status, 201)
    assert.equal(refusal(await subscribe(admin, { ...ADA, market: 'us' })), '422 VALIDATION_FAILED market NOT_FOUND')
  })

  test('with an Idempotency-Key: the same answer again, another body is refused', async () => {
    const { subscribe, subscribers, eventsOf } = await openNewsletter(used.make)
    const guest = await used.make.guest()
    const key = { 'idempotency-key': 'once' }
    const first = await subscribe(guest, ADA, key)
    const again = await subscribe(guest, ADA, key)
    const other = await subscribe(guest, { email: 'bob@example.com' }, key)

    assert.deepEqual([first.status, again.status], [201, 201])
    assert.equal(again.text, first.text)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    assert.equal(refusal(other), '422 VALIDATION_FAILED Idempotency-Key IDEMPOTENCY_KEY_REUSED')
    assert.deepEqual([(await subscribers()).length, await eventsOf(first.body.id)], [1, ['subscription.created']])
  })
})

describe('it is refused', () => {
  test('without a plan where there are plans, with an unknown one, with two', async () => {
    const { subscribe, subscribers } = await openNewsletter(used.make, { plans: PLANS })
    const guest = await used.make.guest()
    const tried = async (body: object) => refusal(await subscribe(guest, { ...ADA, ...body }))

    assert.equal(await tried({}), '422 VALIDATION_FAILED planId REQUIRED')
    assert.equal(await tried({ planId: 'gold' }), '422 VALIDATION_FAILED planId NOT_FOUND')
    assert.equal(await tried({ plan_id: 'gold' }), '422 VALIDATION_FAILED plan_id NOT_FOUND')
    assert.equal(await tried({ planId: 'free', plan_id: 'friend' }), '422 VALIDATION_FAILED planId INVALID')
    assert.equal(await tried({ planId: '' }), '422 VALIDATION_FAILED planId TOO_SHORT')
    assert.deepEqual(await subscribers(), [])
  })

  test('with a plan where there is none', async () => {
    const { subscribe } = await openNewsletter(used.make)
    const answer = await subscribe(await used.make.guest(), { ...ADA, planId: 'free' })
    assert.equal(refusal(answer), '422 VALIDATION_FAILED planId NOT_FOUND')
  })

  test('for what is no newsletter, is a draft, is unknown or belongs to another business', async () => {
    const standard = await openNewsletter(used.make, { type: 'STANDARD' })
    const draft = await openNewsletter(used.make, { statuses: [] })
    const [guest, there] = [await used.make.guest(), await openNewsletter(used.make)]

    assert.equal(refusal(await standard.subscribe(guest, ADA)), '409 CONFLICT collectionId NOT_A_NEWSLETTER')
    assert.equal(
      refusal(await standard.owner.get(`${standard.collection.path}/subscribers`)),
      '409 CONFLICT id NOT_A_NEWSLETTER',
    )
    assertError(await draft.subscribe(guest, ADA), 404, 'NOT_FOUND')
    assert.equal((await draft.subscribe(draft.admin, ADA)).status, 201)
    assertError(await guest.post(`${there.path}/collections/col_none/subscribe`, ADA), 404, 'NOT_FOUND')
    assertError(
      await guest.post(`${there.path}/collections/${standard.collection.id}/subscribe`, ADA),
      404,
      'NOT_FOUND',
    )
    assertError(await there.subscribe(used.make.anonymous(), ADA), 401, 'UNAUTHENTICATED')
  })

  test('for what is no address of one mailbox', async () => {
    const { subscribe, subscribers } = await openNewsletter(used.make)
    const guest = await used.make.guest()
    const hostile = [
      '',
      'ada',
      '@example.com',
      'ada@',
      'ada@example.com, bob@example.com',
      'ada@example.com bob@example.com',
      'ada@example.com\r\nBcc: bob@example.com',
      'ada@exa\nmple.com',
      'Ada <ada@example.com>',
      ' ada@example.com',
      'ada@example.com ',
      'ada@@example.com',
      'a\tb@example.com',
      `${'a'.repeat(250)}@example.com`,
      'ada@example..com',
    ]
    for (const email of hostile) {
      const answer = await subscribe(guest, { email })
      assert.match(refusal(answer), /^422 VALIDATION_FAILED email (INVALID|TOO_LONG|TOO_SHORT)$/, JSON.stringify(email))
    }
    for (const email of [undefined, null, 7, ['ada@example.com'], { address: 'ada@example.com' }])
      assert.equal((await subscribe(guest, { email })).status, 422)
    assert.equal((await subscribe(guest, { ...ADA, name: 'x'.repeat(201) })).status, 422)
    assert.deepEqual(await subscribers(), [])
  })
})

describe('again', () => {
  test('it is the same subscription, however the address is spelled', async () => {
    const { subscribed, subscribers, eventsOf } = await openNewsletter(used.make)
    const first = await subscribed(await used.make.guest(), { email: 'Ada@Example.com', name: 'Ada' })
    const again = await subscribed(await used.make.guest(), { email: 'ADA@example.COM' })

    assert.deepEqual([again.id, again.status], [first.id, 'ACTIVE'])
    const emails = (await subscribers()).map(({ email }: { email: string }) => email)
    assert.deepEqual(emails, ['Ada@Example.com'])
    assert.deepEqual(await eventsOf(first.id), ['subscription.created'])
  })

  test('somebody else neither learns nor changes what the owner of an address is called', async () => {
    const { subscribed, subscribers } = await openNewsletter(used.make)
    const ada = await used.make.guest()
    await subscribed(ada, { email: 'ada@example.com', name: 'Ada' })
    const curious = await subscribed(await used.make.guest(), { email: 'ada@example.com' })
    const rude = await subscribed(await used.make.guest(), { email: 'ada@example.com', name: 'Rude' })
    assert.deepEqual([curious.name, rude.name], [undefined, undefined])
    assert.deepEqual(
      (await subscribers()).map(({ name }: { name: string }) => name),
      ['Ada'],
    )
    assert.equal((await subscribed(ada, { email: 'ada@example.com', name: 'Ada L.' })).name, 'Ada L.')
  })

  test('a stranger sees by nothing but the id whether the address was subscribed, nor what became of it', async () => {
    const clock = holdClock()
    try {
      for (const doubleOptIn of [false, true]) {
        const { subscribed, unsubscribe, tokenOf, owner } = await openNewsletter(used.make, { doubleOptIn })
        const [active, left] = [`Active${doubleOptIn}@Example.com`, `Left${doubleOptIn}@Example.com`]
        for (const email of [active, left]) await subscribed(owner, { email, name: 'Ada' })
        const confirm = `${used.api.url}/newsletters/confirm?token=${await tokenOf(active, 'confirm')}`
        if (doubleOptIn) assert.equal((await fetch(confirm, { method: 'POST' })).status, 200)
        await unsubscribe(await tokenOf(left))
        clock.advance(3_600)

        const answers = []
        for (const email of [active, left, `Never${doubleOptIn}@Example.com`]) {
          const stranger = await used.make.guest()
          const { id: _id, ...seen } = await subscribed(stranger, { email: email.toLowerCase() })
          assert.equal(seen.email, email.toLowerCase())
          answers.push({ ...seen, email: '' })
        }
        assert.deepEqual(answers, Array(3).fill(answers[2]))
        assert.deepEqual(
          [answers[2]?.createdAt, answers[2]?.status],
          [answers[2]?.updatedAt, doubleOptIn ? 'PENDING' : 'ACTIVE'],
        )
        const own = await subscribed(owner, { email: active })
        assert.deepEqual([own.status, own.email, own.createdAt < own.updatedAt], ['ACTIVE', active, true])
      }
    } finally {
      clock.release()
    }
  })

  test('an account sees the subscription of its own address, whoever made it', async () => {
    const { subscribed, owner } = await openNewsletter(used.make)
    const ada = await used.make.user()
    const email = String(ada.email).toUpperCase()
    const first = await subscribed(owner, { email })
    const again = await subscribed(ada, { email: ada.email })
    assert.deepEqual([again.email, again.createdAt], [email, first.createdAt])
  })

  test('who left everything is asked by mail first: a stranger who types the address undoes nothing', async () => {
    const letters = await openNewsletter(used.make)
    const email = 'left-everything@example.com'
    await letters.subscribed(await used.make.guest(), { email })
    await letters.unsubscribe(await letters.tokenOf(email), { everything: true })
    const suppressed = async () => (await letters.owner.get(`${letters.path}/suppressions`)).body.items.length
    assert.equal((await letters.subscribed(await used.make.guest(), { email })).status, 'PENDING')
    assert.deepEqual([await letters.state(email), await suppressed()], ['PENDING', 1])

    const link = linkIn(await used.mailServer.mailTo(email), '/newsletters/confirm')
    const pressed = await fetch(used.api.url + link.pathname + link.search, { method: 'POST' })
    assert.match(await pressed.text(), /You are subscribed/)
    assert.deepEqual([await letters.state(email), await suppressed()], ['ACTIVE', 0])
  })

  test('another free plan replaces the plan', async () => {
    const { subscribed, state, eventsOf } = await openNewsletter(used.make, { plans: FREE })
    const guest = await used.make.guest()
    const first = await subscribed(guest, { ...ADA, planId: 'free' })
    const again = await subscribed(guest, { ...ADA, planId: 'friend' })

    assert.equal(again.id, first.id)
    assert.equal(await state(ADA.email), 'ACTIVE friend')
    assert.deepEqual(await eventsOf(first.id), ['subscription.created', 'subscription.changed'])
  })

  test('after it was cancelled it is the same one, ACTIVE', async () => {
    const { subscribed, unsubscribe, tokenOf, state, eventsOf } = await openNewsletter(used.make)
    const guest = await used.make.guest()
    const first = await subscribed(guest, ADA)
    await unsubscribe(await tokenOf(ADA.email))
    assert.equal(await state(ADA.email), 'CANCELLED')
    const again = await subscribed(guest, ADA)

    assert.deepEqual([again.id, again.status], [first.id, 'ACTIVE'])
    assert.deepEqual(await eventsOf(first.id), [
      'subscription.created',
      'subscription.cancelled',
      'subscription.created',
    ])
  })

  test('fifty at once with one address are one subscription', async () => {
    const { subscribe, subscribers, eventsOf } = await openNewsletter(used.make)
    const guest = await used.make.guest()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        subscribe(guest, { email: index % 2 ? 'ada@example.com' : 'ADA@example.com' }),
      ),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
    const [id, ...others] = new Set(answers.map(({ body }) => body.id))
    assert.deepEqual([others, (await subscribers()).length], [[], 1])
    assert.deepEqual(await eventsOf(String(id)), ['subscription.created'])
  })

  test('it is another one in another newsletter, and in another business', async () => {
    const [here, there] = [
      await openNewsletter(used.make, { cell: 'main' }),
      await openNewsletter(used.make, { cell: 'second' }),
    ]
    const guest = await used.make.guest()
    const [first, second] = [await here.subscribed(guest, ADA), await there.subscribed(guest, ADA)]
    assert.notEqual(first.id, second.id)
    assert.deepEqual([(await here.subscribers()).length, (await there.subscribers()).length], [1, 1])
  })
})

describe('where the address must be confirmed', () => {
  let clock: ReturnType<typeof holdClock>
  beforeEach(() => {
    clock = holdClock()
  })
  afterEach(() => clock.release())
  const mailsTo = (email: string) => used.mailServer.mails.filter(({ to }) => to?.[0]?.address === email)
  const here = (link: URL) => used.api.url + link.pathname + link.search

  test('it is PENDING until the button behind the mailed link is pressed', async () => {
    const { subscribed, state, db, collection, eventsOf } = await openNewsletter(used.make, { doubleOptIn: true })
    const email = 'confirm@example.com'
    const { id, status } = await subscribed(await used.make.guest(), { email })
    assert.equal(status, 'PENDING')
    const mail = await used.mailServer.mailTo(email)
    assert.equal(mail.subject, `Confirm your subscription to ${collection.name}`)
    const link = linkIn(mail, '/newsletters/confirm')

    const page = await fetch(here(link))
    assert.match(await page.text(), new RegExp(`Subscribe to ${collection.name}`))
    assert.equal(await state(email), 'PENDING')

    const pressed = await fetch(here(link), { method: 'POST' })
    assert.match(await pressed.text(), /You are subscribed/)
    assert.equal(await state(email), 'ACTIVE')
    await fetch(here(link), { method: 'POST' })
    assert.match(await (await fetch(here(link))).text(), /Nothing left to confirm/)
    assert.deepEqual(await eventsOf(id), ['subscription.created', 'subscription.confirmed'])
    await used.waitUntilIdle(db)
    assert.equal(mailsTo(email).length, 1)
  })

  test('no second mail goes out within ten minutes', async () => {
    const { subscribed, db, owner } = await openNewsletter(used.make, { doubleOptIn: true })
    const email = 'patience@example.com'
    const { id } = await subscribed(owner, { email })
    clock.advance(9 * 60)
    assert.equal((await subscribed(owner, { email })).id, id)
    await used.waitUntilIdle(db)
    assert.equal(mailsTo(email).length, 1)
    clock.advance(61)
    assert.equal((await subscribed(owner, { email })).status, 'PENDING')
    await used.waitUntilIdle(db)
    assert.equal(mailsTo(email).length, 2)
    assert.equal(new Set(mailsTo(email).map(({ messageId }) => messageId)).size, 2)
  })

  test('a link of a subscription that was cancelled confirms nothing; who comes back confirms again', async () => {
    const { subscribed, unsubscribe, tokenOf, state, owner } = await openNewsletter(used.make, { doubleOptIn: true })
    const email = 'undecided@example.com'
    await subscribed(owner, { email })
    const link = linkIn(await used.mailServer.mailTo(email), '/newsletters/confirm')
    await unsubscribe(await tokenOf(email))
    assert.match(await (await fetch(here(link), { method: 'POST' })).text(), /used up/)
    assert.equal(await state(email), 'CANCELLED')
    assert.equal((await subscribed(owner, { email })).status, 'PENDING')
  })

  test('a link for leaving does not confirm', async () => {
    const { subscribed, tokenOf, state, owner } = await openNewsletter(used.make, { doubleOptIn: true })
    const email = 'forwarded@example.com'
    await subscribed(owner, { email })
    const url = `${used.api.url}/newsletters/confirm?token=${await tokenOf(email)}`
    assert.equal((await fetch(url, { method: 'POST' })).status, 422)
    assert.equal(await state(email), 'PENDING')
  })

  test('who is ACTIVE already stays so', async () => {
    const { subscribed, admin, collection } = await openNewsletter(used.make)
    const email = 'before@example.com'
    await subscribed(admin, { email })
    assert.equal((await admin.put(collection.path, { doubleOptIn: true })).status, 200)
    assert.equal((await subscribed(admin, { email })).status, 'ACTIVE')
    assert.equal(mailsTo(email).length, 0)
  })
})

describe('the list of subscribers', () => {
  test('has the newest first, in pages, by status or address', async () => {
    const { fill, subscribers, owner, collection, unsubscribe, tokenOf } = await openNewsletter(used.make)
    const emails = await fill(25)
    await unsubscribe(await tokenOf('reader3@readers.example'))
    const path = `${collection.path}/subscribers`
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body } = await owner.get(`${path}?limit=10&cursor=${cursor}`)
      seen.push(...body.items.map(({ email }: { email: string }) => email))
      cursor = body.cursor
    }
    assert.deepEqual(seen, emails.toReversed())
    assert.equal((await subscribers('&status=ACTIVE')).length, 24)
    const [left, ...others] = await subscribers('&status=CANCELLED')
    assert.deepEqual([left.email, others], ['reader3@readers.example', []])
    assert.equal((await subscribers('&email=READER7@readers.example'))[0].email, 'reader7@readers.example')
    assert.deepEqual(await subscribers('&email=nobody@readers.example'), [])
    assert.ok(!JSON.stringify(await subscribers()).includes('secret'))

    const { cursor } = (await owner.get(`${path}?limit=10`)).body
    assert.equal(
      refusal(await owner.get(`${path}?limit=10&status=ACTIVE&cursor=${cursor}`)),
      '422 VALIDATION_FAILED cursor INVALID',
    )
    assert.equal((await owner.get(`${path}?status=LOST`)).status, 422)
  })

  test('is counted by status, and says whom of the ACTIVE a letter does not reach', async () => {
    const { id, db, fill, owner, collection, unsubscribe, tokenOf } = await openNewsletter(used.make)
    const path = `${collection.path}/subscribers/counts`
    assert.deepEqual((await owner.get(path)).body, { items: [], suppressed: 0 })
    await fill(5, 'counted.example')
    await unsubscribe(await tokenOf('reader3@counted.example'))
    const suppress = (email: string) =>
      db
        .insertInto('newsletter.suppressions')
        .values({ businessId: id, emailKey: email, reason: 'BOUNCE', createdAt: now() })
        .execute()
    for (const email of ['reader1@counted.example', 'reader3@counted.example', 'else@counted.example'])
      await suppress(email)
    assert.deepEqual((await owner.get(path)).body, {
      items: [
        { value: 'ACTIVE', count: 4 },
        { value: 'CANCELLED', count: 1 },
      ],
      suppressed: 1,
    })

    const standard = await openNewsletter(used.make, { type: 'STANDARD' })
    assert.equal(
      refusal(await standard.owner.get(`${standard.collection.path}/subscribers/counts`)),
      '409 CONFLICT id NOT_A_NEWSLETTER',
    )
    assertError(await owner.get(`${collection.path}x/subscribers/counts`), 404, 'NOT_FOUND')
    assertError(await (await used.make.member(id, 'NEWSLETTER_SEND')).get(path), 403, 'FORBIDDEN')
    assert.equal((await (await used.make.member(id, 'SUBSCRIBERS_READ')).get(path)).status, 200)
  })

  test('is for who holds SUBSCRIBERS_READ there', async () => {
    const { id, collection, subscribed } = await openNewsletter(used.make)
    const path = `${collection.path}/subscribers`
    const guest = await used.make.guest()
    await subscribed(guest, ADA)
    const elsewhere = await openNewsletter(used.make)
    assert.equal((await (await used.make.member(id, 'SUBSCRIBERS_READ')).get(path)).body.items.length, 1)
    assertError(await (await used.make.member(id, 'CONTENT_WRITE', 'NEWSLETTER_SEND')).get(path), 403, 'FORBIDDEN')
    assertError(await guest.get(path), 403, 'FORBIDDEN')
    assertError(await elsewhere.admin.get(path), 403, 'FORBIDDEN')
    assertError(
      await elsewhere.admin.get(`${elsewhere.path}/collections/${collection.id}/subscribers`),
      404,
      'NOT_FOUND',
    )
  })
})

describe('a newsletter with subscribers', () => {
  test('keeps its type for good, and is not deleted while somebody is subscribed', async () => {
    const { subscribed, admin, collection, unsubscribe, tokenOf } = await openNewsletter(used.make)
    assert.equal((await admin.put(collection.path, { type: 'STANDARD' })).status, 200)
    assert.equal((await admin.put(collection.path, { type: 'NEWSLETTER' })).status, 200)
    await subscribed(admin, ADA)
    const changed = async () => refusal(await admin.put(collection.path, { type: 'STANDARD' }))

    assert.equal(await changed(), '409 CONFLICT type IN_USE')
    assert.equal(refusal(await admin.delete(collection.path)), '409 CONFLICT id IN_USE')
    await unsubscribe(await tokenOf(ADA.email))
    assert.equal(await changed(), '409 CONFLICT type IN_USE')
    assert.equal((await admin.delete(collection.path)).status, 200)
  })

  test('keeps the plans that somebody has', async () => {
    const { subscribed, admin, collection, unsubscribe, tokenOf } = await openNewsletter(used.make, { plans: FREE })
    await subscribed(admin, { ...ADA, planId: 'friend' })
    const leave = (...ids: string[]) => admin.put(collection.path, { plans: FREE.filter(({ id }) => ids.includes(id)) })

    assert.equal(refusal(await leave('free')), '409 CONFLICT plans.1 IN_USE')
    assert.equal((await leave('friend')).status, 200)
    await unsubscribe(await tokenOf(ADA.email))
    assert.equal((await leave()).status, 200)
  })
})
