import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import pino from 'pino'
import { applyMailEvents } from '#modules/newsletter/bounces/suppress.ts'
import { followFeed, planDue } from '#modules/newsletter/index.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import type { Client } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { letter, openNewsletter } from '../../support/newsletter-api.ts'
import { faultsIn } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { market } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

// Anybody can type an address, and whatever name they like.

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter', own: true })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

type Poster = Pick<Client, 'post'>

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400
const log = pino({ level: 'silent' })
const mailsTo = (address: string) => used.mailServer.mails.filter(({ to }) => to?.[0]?.address === address)

/** What a worker does for letters that go out by themselves, once and now. */
async function run(db: Db): Promise<void> {
  while (((await sequenceEvents(db)) ?? 0) > 0);
  await followFeed(db, log)
  await planDue(used.api.services.databases.control, db, used.api.config.publicUrl, log)
  await used.sendWorker.run(db)
}

describe('a stranger who types an address again and again', () => {
  test('has its owner asked less and less often, and at most once a day', async () => {
    const { subscribed, db, owner } = await openNewsletter(used.make, { doubleOptIn: true })
    const email = 'asked@strangers.example'
    const typeFor = async (seconds: number) => {
      for (let passed = 0; passed < seconds; passed += 30 * MINUTE) {
        await subscribed(owner, { email }) // a guest’s token would not last
        clock.advance(30 * MINUTE)
      }
      await used.waitUntilIdle(db)
      return mailsTo(email).length
    }
    const firstDay = await typeFor(DAY)
    assert.ok(firstDay >= 2 && firstDay <= 10, `${firstDay} mails on the first day`)
    const twoDays = await typeFor(DAY)
    assert.ok(twoDays - firstDay <= 2, `${twoDays - firstDay} mails on the second day`)
  })

  test('has nobody asked who called our mail spam, nor where it bounced', async () => {
    const { subscribed, db, id } = await openNewsletter(used.make, { doubleOptIn: true })
    for (const reason of ['COMPLAINT', 'BOUNCE']) {
      const email = `${reason.toLowerCase()}@strangers.example`
      const suppression = { businessId: id, emailKey: email, reason, createdAt: now() }
      await db.insertInto('newsletter.suppressions').values(suppression).execute()
      assert.equal((await subscribed(await used.make.guest(), { email })).status, 'PENDING')
      await used.waitUntilIdle(db)
      assert.equal(mailsTo(email).length, 0, reason)
    }
  })
})

for (const order of ['before', 'after'])
  test(`who left everything has left it, also if the address bounced ${order} that and works again`, async () => {
    const letters = await openNewsletter(used.make)
    const { subscribed, unsubscribe, tokenOf, owner, path, db, id: businessId } = letters
    const email = `${order}@left.example`
    await subscribed(owner, { email })
    const bounce = () =>
      transaction(db, (tx) => applyMailEvents(tx, [{ type: 'HARD_BOUNCE', businessId, email, sendId: undefined }]))
    if (order === 'before') await bounce()
    await unsubscribe(await tokenOf(email), { everything: true })
    if (order === 'after') await bounce()
    const { items } = (await owner.get(`${path}/suppressions`)).body
    assert.deepEqual(
      items.map(({ reason }: { reason: string }) => reason),
      ['UNSUBSCRIBED'],
      'whoever lifts it sees what it is',
    )
    assert.equal((await subscribed(await used.make.guest(), { email })).status, 'PENDING', 'a stranger undoes nothing')
  })

test('a name leads nowhere: a shop does not mail the links of whoever typed it', async () => {
  const { subscribed, entry, owner, collection, db } = await openNewsletter(used.make)
  const welcome = await entry(letter('Welcome {{ subscriber.name }}', 'Dear {{ subscriber.name }}!'), {
    statuses: [{ status: 'PUBLISHED' }],
  })
  const made = await owner.post(`${collection.path}/automations`, { trigger: 'WELCOME', entryId: welcome.id })
  assert.equal(made.status, 201, made.text)
  const names = {
    'won@names.example': 'You won! Claim at https://evil.example/claim or evil.example, me@evil.example, evil。example',
    'tolkien@names.example': 'Dr. J.R.R. Tolkien-O’Neill',
  }
  for (const [email, name] of Object.entries(names)) await subscribed(await used.make.guest(), { email, name })
  await run(db)
  const [won] = mailsTo('won@names.example')
  assert.ok(won)
  for (const part of [won.subject, won.text, won.html])
    assert.doesNotMatch(String(part), /https:\/\/evil|evil[.。]example/, 'nothing that a mail program makes a link of')
  assert.match(won.text ?? '', /^Dear You won!/m)
  assert.match(mailsTo('tolkien@names.example')[0]?.text ?? '', /Dear Dr\. J\. ?R\. ?R\. Tolkien-O’Neill!/)
})

test('who may read readers, but no orders, does not learn by counting what a reader bought or is tagged', async () => {
  const { id, collection, entry, owner } = await openNewsletter(used.make)
  const product = (await used.make.product(await used.make.shop())).id
  const conditions = [
    { field: 'tag', values: ['late payer'] },
    { field: 'bought', productIds: [product] },
  ]
  const reader = await used.make.member(id, 'SUBSCRIBERS_READ')
  const sender = await used.make.member(id, 'NEWSLETTER_SEND')
  const boats = await entry()
  for (const condition of conditions) {
    const asked = await reader.post(`${collection.path}/subscribers/matching`, { conditions: [condition] })
    assert.equal(refusal(asked), '403 FORBIDDEN')
    const sent = await sender.post(`${boats.path}/send`, { conditions: [condition] })
    assert.equal(refusal(sent), '403 FORBIDDEN')
  }
  assert.equal((await owner.get(`${boats.path}/sends`)).body.items.length, 0)
  const [tagged] = conditions
  const clerk = await used.make.member(id, 'SUBSCRIBERS_READ', 'ORDERS_READ')
  assert.equal((await clerk.post(`${collection.path}/subscribers/matching`, { conditions: [tagged] })).status, 200)
  const own = [{ field: 'subscribed', from: 1 }]
  assert.equal((await reader.post(`${collection.path}/subscribers/matching`, { conditions: own })).status, 200)
})

test('a stranger who wishes for a hundred things leaves a reader room for their own', async () => {
  const { admin, path, subscribed, entry, owner, collection, db, id: businessId, row } = await openNewsletter(used.make)
  const back = await entry(letter(), { statuses: [{ status: 'PUBLISHED' }] })
  const made = await owner.post(`${collection.path}/automations`, { trigger: 'BACK_IN_STOCK', entryId: back.id })
  assert.equal(made.status, 201, made.text)
  assert.equal((await admin.put(path, { markets: [market()] })).status, 200)
  const [lamp, bell] = ['LAMP', 'BELL'].map((sku) => {
    const pricing = { markets: [{ marketId: 'us', price: 1_000 }] }
    const variants = [{ id: 'one', name: 'One size', sku, pricing, inventory: { tracked: true, quantity: 0 } }]
    return used.make.product({ admin, products: `${path}/products` }, { variants })
  })
  const email = 'waits@strangers.example'
  await subscribed(owner, { email })
  const { id: subscriptionId } = await row(email)
  const [stranger, reader] = [await used.make.guest(), await used.make.guest()]
  await db
    .insertInto('newsletter.wishes')
    .values(
      Array.from({ length: 100 }, (_, index) => ({
        businessId,
        productId: `prod_${index}`,
        variantId: 'one',
        subscriptionId,
        id: `wsh_${businessId}_${index}`,
        collectionId: collection.id,
        userId: stranger.id,
        createdAt: now(),
      })),
    )
    .execute()
  const wish = async (by: Poster, product: { id: string } | undefined) => {
    const answer = await by.post(`${collection.path}/wishes`, { email, productId: product?.id, variantId: 'one' })
    assert.equal(answer.status, 200, answer.text)
    const wishes = await db.selectFrom('newsletter.wishes').select('id').where('businessId', '=', businessId).execute()
    return wishes.length
  }
  assert.equal(await wish(stranger, await lamp), 100)
  assert.equal(await wish(reader, await bell), 101)
})

describe('whoever has many letters due to one reader', () => {
  for (const times of [1, 3])
    test(`keeps nobody else waiting, with a limit of ${times}`, async () => {
      const { subscribed, entry, owner, collection, db, id: businessId, row } = await openNewsletter(used.make)
      const welcome = await entry(letter(), { statuses: [{ status: 'PUBLISHED' }] })
      const body = { trigger: 'WELCOME', entryId: welcome.id, limit: { times, days: 30 } }
      const { id: automationId } = (await owner.post(`${collection.path}/automations`, body)).body
      const email = `flooded${times}@strangers.example`
      const other = `other${times}@strangers.example`
      await subscribed(owner, { email })
      const { id: subscriptionId } = await row(email)
      // Of a thousand unfinished checkouts with this address, say.
      await db
        .insertInto('newsletter.dueLetters')
        .values(
          Array.from({ length: 1_100 }, (_, index) => ({
            businessId,
            automationId,
            subscriptionId,
            cause: `ord_${index}`,
            dueAt: now(),
            state: 'WAITING',
          })),
        )
        .execute()
      clock.advance(1)
      await subscribed(owner, { email: other })
      for (let seconds = 0; seconds < 4; seconds++) {
        await run(db)
        clock.advance(1)
      }
      assert.deepEqual([mailsTo(email).length, mailsTo(other).length], [1, 1])
      for (let hours = 0; hours < 5; hours++) {
        clock.advance(HOUR + MINUTE)
        for (let seconds = 0; seconds < 3; seconds++) await run(db)
      }
      assert.equal(mailsTo(email).length, times)
    })
})
