import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { now } from '#platform/clock.ts'
import { newId } from '#vocabulary/ids.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { verify } from '../../../src/apps/verify.ts'
import { holdClock } from '../../support/clock.ts'
import { BODY, text } from '../../support/content.ts'
import { follow } from '../../support/customers.ts'
import { openNewsletter, PLANS } from '../../support/newsletter-api.ts'
import { faultsIn } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { createRandom, item, market } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter', own: true })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

type Condition = { field: string; not?: boolean; [name: string]: unknown }
type Letters = Awaited<ReturnType<typeof open>>

const DAY = 86_400
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** A shop in two markets with lamps and ropes, and its newsletter, which counts clicks. */
async function open() {
  const letters = await openNewsletter(used.make, {
    plans: PLANS,
    countClicks: true,
    blocks: [{ id: 'title', type: 'TEXT' }, BODY],
  })
  const { owner, path, db, collection } = letters
  const markets = [market(), market({ id: 'de', name: 'Germany', currency: 'EUR' })]
  const ok = (answer: Awaited<ReturnType<typeof owner.get>>) => {
    assert.ok(answer.status < 300, answer.text)
    return answer.body
  }
  ok(await owner.put(path, { markets }))
  const lamps = ok(await owner.post(`${path}/categories`, { name: 'Lamps' }))
  const lanterns = ok(await owner.post(`${path}/categories`, { name: 'Lanterns', parentId: lamps.id }))
  const product = (category: string) =>
    used.make.product({ admin: letters.admin, products: `${path}/products` }, { category })
  const [lamp, lantern, rope] = [await product('lamps'), await product('lanterns'), await product('')]
  return {
    ...letters,
    ok,
    lamps: lamps.id as string,
    lanterns: lanterns.id as string,
    lamp,
    lantern,
    rope,
    /** A reader who subscribed by themselves. */
    async reader(name: string, fields: object = {}) {
      const person = await used.make.user()
      await letters.subscribed(person, { email: `${name}@readers.example`, planId: 'free', ...fields })
      return person
    },
    /** An order by hand, PAID unless told. */
    async sell(customerId: string, product: { id: string }, fields: object = {}) {
      const sums = { subtotal: 1_000, tax: 0, shipping: 0, total: 1_000 }
      const lines = [{ ...item(product), unitPrice: 1_000, totalPrice: 1_000 }]
      const paymentStatus = [{ status: 'PAID' }]
      return ok(
        await owner.post(`${path}/orders`, { customerId, market: 'us', lines, ...sums, paymentStatus, ...fields }),
      ) as { id: string }
    },
    tag: async (id: string, ...tags: string[]) => ok(await owner.put(`${path}/customers/${id}`, { tags })),
    follow: () => follow(used.api, db),
    ask: (conditions: Condition[]) => owner.post(`${collection.path}/subscribers/matching`, { conditions }),
    async count(...conditions: Condition[]) {
      const { total, matching } = ok(await this.ask(conditions))
      return `${matching} of ${total}`
    },
    /** By a key, which lasts however the clock is moved. */
    async write() {
      const blocks = [text('title', 'Boats'), text('body', LINK)]
      const { id } = ok(await owner.post(`${path}/entries`, { collectionId: collection.id, blocks }))
      return { id: id as string, path: `${path}/entries/${id}` }
    },
    /** Who is planned for a new letter with these conditions, by the beginning of their address. */
    async planned(...conditions: Condition[]) {
      const entry = await this.write()
      const send = await letters.send(entry, { conditions })
      await used.sendWorker.run(db)
      const { items } = ok(await owner.get(`${send.path}/recipients?limit=100`))
      const names = items.map(({ email }: { email: string }) => email.split('@')[0])
      return { entry, send, names: (names as string[]).sort().join(' ') }
    },
  }
}

const LINK = '<p><a href="https://shop.example/boats">boats</a></p>'

/** Opens the link of the last letter to an address, as a browser does. */
async function click(address: string) {
  const mail = used.mailServer.mails.findLast(({ to }) => to?.[0]?.address === address)
  const [, href = ''] = /href="([^"]*\/newsletters\/go\/[^"]*)"/.exec(mail?.html ?? '') ?? []
  assert.ok(href, `a link for ${address}`)
  const answer = await fetch(used.api.url + new URL(href).pathname, {
    headers: { 'user-agent': BROWSER },
    redirect: 'manual',
  })
  assert.equal(answer.status, 302)
}

/** Ada (us, friend, regular) bought a lamp long ago; Bob (de) a lantern today; Cleo a rope; Dora nothing. */
async function openFour() {
  const letters = await open()
  const ada = await letters.reader('ada', { planId: 'friend', market: 'us' })
  const bob = await letters.reader('bob', { market: 'de' })
  const cleo = await letters.reader('cleo')
  const lampOrder = await letters.sell(ada.id, letters.lamp)
  clock.advance(100 * DAY)
  const dora = await letters.reader('dora', { market: 'us' })
  await letters.sell(bob.id, letters.lantern)
  await letters.sell(cleo.id, letters.rope)
  await letters.follow()
  await letters.tag(ada.id, 'regular', 'press')
  await letters.tag(bob.id, 'wholesale')
  return { ...letters, ada, bob, cleo, dora, lampOrder }
}

describe('a condition', () => {
  test('finds its readers, with `not` all the others, and a send goes to those who were counted', async () => {
    const four = await openFour()
    const { lamp, rope, lamps, lanterns } = four
    const at = toSeconds(now())
    const expected: [Condition, string][] = [
      [{ field: 'plan', values: ['friend'] }, 'ada'],
      [{ field: 'plan', values: ['friend', 'free'] }, 'ada bob cleo dora'],
      [{ field: 'market', values: ['us'] }, 'ada dora'],
      [{ field: 'tag', values: ['regular'] }, 'ada'],
      [{ field: 'tag', values: ['press', 'wholesale', 'nobody'] }, 'ada bob'],
      [{ field: 'bought', productIds: [lamp.id, rope.id] }, 'ada cleo'],
      [{ field: 'bought', categoryId: lamps }, 'ada bob'],
      [{ field: 'bought', categoryId: lanterns }, 'bob'],
      [{ field: 'bought', categoryId: lamps, withinDays: 99 }, 'bob'],
      [{ field: 'bought', categoryId: lamps, withinDays: 101 }, 'ada bob'],
      [{ field: 'clicked' }, ''],
      [{ field: 'subscribed', from: at }, 'dora'],
      [{ field: 'subscribed', to: at }, 'ada bob cleo'],
      [{ field: 'subscribed', from: at - 200 * DAY, to: at + 1 }, 'ada bob cleo dora'],
    ]
    const all = ['ada', 'bob', 'cleo', 'dora']
    for (const [condition, names] of expected) {
      const says = JSON.stringify(condition)
      const fit = names === '' ? [] : names.split(' ')
      assert.equal(await four.count(condition), `${fit.length} of 4`, says)
      assert.equal((await four.planned(condition)).names, names, says)
      const others = all.filter((name) => !fit.includes(name))
      assert.equal(await four.count({ ...condition, not: true }), `${others.length} of 4`, `not ${says}`)
      assert.equal((await four.planned({ ...condition, not: true })).names, others.join(' '), `not ${says}`)
    }
  })

  test('about clicks looks at one letter, or at all of them, and at the last click', async () => {
    const four = await openFour()
    const first = await four.planned()
    clock.advance(600)
    await click('ada@readers.example')
    clock.advance(10 * DAY)
    const second = await four.planned()
    clock.advance(600)
    await click('bob@readers.example')
    assert.equal((await four.planned({ field: 'clicked' })).names, 'ada bob')
    assert.equal((await four.planned({ field: 'clicked', entryId: first.entry.id })).names, 'ada')
    assert.equal((await four.planned({ field: 'clicked', entryId: second.entry.id })).names, 'bob')
    assert.equal((await four.planned({ field: 'clicked', withinDays: 9 })).names, 'bob')
    assert.equal((await four.planned({ field: 'clicked', withinDays: 11 })).names, 'ada bob')
    assert.equal((await four.planned({ field: 'clicked', not: true })).names, 'cleo dora')
  })

  test('has to hold together with all others', async () => {
    const four = await openFour()
    const us = { field: 'market', values: ['us'] }
    const bought = { field: 'bought', categoryId: four.lamps }
    const wholesale = { field: 'tag', values: ['wholesale'], not: true }
    assert.equal(await four.count(), '4 of 4')
    assert.equal(await four.count(us, bought, wholesale), '1 of 4')
    assert.equal(await four.count(us, { ...bought, not: true }), '1 of 4')
    assert.equal(await four.count(bought, { ...bought, not: true }), '0 of 4')
    assert.equal((await four.planned(us, bought, wholesale)).names, 'ada')
    assert.equal((await four.planned(bought, { field: 'bought', productIds: [four.rope.id] })).names, '')
  })
})

describe('a reader', () => {
  test('who left, bounced or has not confirmed is neither counted nor written to', async () => {
    const four = await openFour()
    const { db, id: businessId } = four
    await four.unsubscribe(await four.tokenOf('ada@readers.example'))
    await db
      .insertInto('newsletter.suppressions')
      .values({ businessId, emailKey: 'bob@readers.example', reason: 'BOUNCE', createdAt: now() })
      .execute()
    await db
      .updateTable('newsletter.subscriptions')
      .set({ status: 'PENDING', activatedAt: null })
      .where((row) => row.and({ businessId, emailKey: 'cleo@readers.example' }))
      .execute()
    assert.equal(await four.count(), '1 of 1')
    assert.equal(await four.count({ field: 'bought', categoryId: four.lamps }), '0 of 1')
    assert.equal((await four.planned({ field: 'bought', categoryId: four.lamps, not: true })).names, 'dora')
  })

  test('is a customer by the id that they subscribed with, also as a guest, or by the address', async () => {
    const letters = await open()
    const { lamp, rope, db, id: businessId, collection } = letters
    const guest = await used.make.guest()
    await letters.subscribed(guest, { email: 'gil@readers.example', planId: 'free' })
    await letters.sell(guest.id, lamp)
    // Imported, and a customer under the same address, written differently.
    const at = now()
    const made = { businessId, collectionId: collection.id, name: '', status: 'ACTIVE', activatedAt: at }
    const times = { createdAt: at, updatedAt: at }
    const imported = (email: string) => ({ ...made, ...times, id: newId('sub'), email, emailKey: email })
    await db
      .insertInto('newsletter.subscriptions')
      .values([imported('ida@readers.example'), imported('jon@readers.example')])
      .execute()
    const [ida, kim] = [await used.make.user(), await letters.reader('kim')]
    await letters.sell(ida.id, rope, { contactEmail: 'Ida@Readers.example' })
    // Subscribed with one id, and ordered with another.
    await letters.sell((await used.make.user()).id, rope, { contactEmail: 'kim@readers.example' })
    await letters.follow()
    await letters.tag(ida.id, 'regular')
    await letters.tag(kim.id, 'regular')

    assert.equal((await letters.planned({ field: 'bought', productIds: [rope.id] })).names, 'ida kim')
    assert.equal((await letters.planned({ field: 'tag', values: ['regular'] })).names, 'ida kim')
    assert.equal((await letters.planned({ field: 'bought', productIds: [lamp.id] })).names, 'gil')
    assert.equal((await letters.planned({ field: 'bought', productIds: [lamp.id, rope.id], not: true })).names, 'jon')

    const user = await used.make.user()
    await db.insertInto('customers.aliases').values({ businessId, guestId: guest.id, userId: user.id }).execute()
    await db.updateTable('customers.bought').set({ userId: user.id }).where('userId', '=', guest.id).execute()
    assert.equal(
      (await letters.planned({ field: 'bought', productIds: [lamp.id] })).names,
      'gil',
      'the guest became a user',
    )
  })

  test('is judged by what they did in this business, and by this newsletter', async () => {
    const [mine, other] = [await open(), await open()]
    const person = await used.make.user()
    for (const letters of [mine, other])
      await letters.subscribed(person, { email: 'ada@readers.example', planId: 'free' })
    await other.sell(person.id, other.lamp, { contactEmail: 'ada@readers.example' })
    await other.follow()
    await mine.follow()
    await other.tag(person.id, 'regular')
    const { entry } = await other.planned()
    clock.advance(600)
    await click('ada@readers.example')

    for (const [letters, found] of [
      [other, '1 of 1'],
      [mine, '0 of 1'],
    ] as const) {
      assert.equal(await letters.count({ field: 'tag', values: ['regular'] }), found)
      assert.equal(await letters.count({ field: 'bought', categoryId: letters.lamps }), found)
      assert.equal(await letters.count({ field: 'clicked' }), found)
    }
    assert.equal(
      refusal(
        await mine.ask([
          { field: 'bought', productIds: [other.lamp.id] },
          { field: 'bought', categoryId: other.lamps },
          { field: 'clicked', entryId: entry.id },
        ]),
      ),
      '422 VALIDATION_FAILED conditions.0.productIds.0 NOT_FOUND conditions.1.categoryId NOT_FOUND conditions.2.entryId NOT_FOUND',
    )
    const foreign = `${mine.path}/collections/${other.collection.id}/subscribers/matching`
    assert.equal((await mine.owner.post(foreign, { conditions: [] })).status, 404)
  })

  test('has bought what is paid, for as long as the order says so', async () => {
    const four = await openFour()
    const { ada, bob, lamp, lampOrder, db, id: businessId } = four
    const bought = { field: 'bought', productIds: [lamp.id] }
    await four.sell(bob.id, lamp, { paymentStatus: [{ status: 'PENDING' }] })
    await four.follow()
    assert.equal((await four.planned(bought)).names, 'ada', 'an order that is not paid does not count')
    const again = await four.sell(ada.id, lamp)
    await four.follow()
    assert.equal((await four.planned({ ...bought, withinDays: 1 })).names, 'ada')
    // A paid order cannot be given to another by the API; a support case may still have it so.
    const giveToBob = async (id: string) => {
      await db
        .updateTable('orders.orders')
        .set((row) => ({ customerId: bob.id, version: row('version', '+', 1) }))
        .where((row) => row.and({ businessId, id }))
        .execute()
      await db.insertInto('cell.followed').values({ topic: 'customers-orders', businessId, subject: id }).execute()
      await four.follow()
    }
    await giveToBob(again.id)
    assert.equal((await four.planned({ ...bought, withinDays: 1 })).names, 'bob', 'it was bob’s')
    assert.equal((await four.planned(bought)).names, 'ada bob', 'and ada’s first one counts again')
    await giveToBob(lampOrder.id)
    assert.equal((await four.planned(bought)).names, 'bob')
    for (const { check, violations } of await verify(db, businessId)) assert.deepEqual(violations, [], check)
  })
})

describe('a send with conditions', () => {
  test('keeps them, shows them, and keeps to those who were planned', async () => {
    const four = await openFour()
    const { ada, db, owner, ok } = four
    const conditions = [{ field: 'tag', values: ['regular', 'wholesale'] }]
    const entry = await four.write()
    const send = await four.send(entry, { conditions, scheduledAt: toSeconds(now()) + DAY })
    assert.deepEqual((await send.get()).conditions, conditions)
    assert.equal('conditions' in (await (await four.send(await four.write())).get()), false)
    await four.tag(four.dora.id, 'regular')
    clock.advance(DAY)
    await used.sendWorker.start(db)
    await four.tag(ada.id)
    await used.sendWorker.run(db)
    assert.equal(await send.state(), 'DONE sent 2', 'as they are when it is planned')

    const failed = await db
      .updateTable('newsletter.recipients')
      .set({ state: 'FAILED' })
      .where('sendId', '=', send.id)
      .returning('subscriptionId')
      .execute()
    assert.equal(failed.length, 2)
    await db.updateTable('newsletter.sends').set({ sent: 0, failed: 2 }).where('id', '=', send.id).execute()
    await four.tag(four.bob.id)
    await four.tag(four.cleo.id, 'regular')
    const rest = ok(await owner.post(`${send.path}/send-remaining`, { statuses: ['FAILED'] }))
    await used.sendWorker.run(db)
    const { items } = ok(await owner.get(`${entry.path}/sends/${rest.id}/recipients`))
    assert.deepEqual(
      items.map(({ subscriptionId }: { subscriptionId: string }) => subscriptionId).sort(),
      failed.map(({ subscriptionId }) => subscriptionId).sort(),
      'the same people, whatever became of their tags',
    )
  })

  test('to nobody ends at once, and one whose category is gone says so and goes to nobody', async () => {
    const four = await openFour()
    const { db, owner, path, ok } = four
    assert.equal(await (await four.planned({ field: 'tag', values: ['nobody'] })).send.state(), 'DONE')
    const gone = ok(await owner.post(`${path}/categories`, { name: 'Gone' }))
    const send = await four.send(await four.write(), {
      conditions: [{ field: 'bought', categoryId: gone.id, not: true }],
      scheduledAt: toSeconds(now()) + DAY,
    })
    ok(await owner.delete(`${path}/categories/${gone.id}`))
    clock.advance(DAY)
    await used.sendWorker.run(db)
    const { status, problem, total } = await send.get()
    assert.deepEqual([status, problem, total], ['CANCELLED', `This business has no category ${gone.id}.`, 0])
  })
})

describe('what is no condition', () => {
  test('is refused at its place, by the count and by a send alike', async () => {
    const letters = await open()
    const { owner, lamp, lamps } = letters
    const entry = await letters.write()
    const wrong: [Condition, string][] = [
      [{ field: 'age' }, 'conditions.0.field INVALID'],
      [{ field: 'plan' }, 'conditions.0.values REQUIRED'],
      [{ field: 'plan', values: [] }, 'conditions.0.values TOO_FEW'],
      [{ field: 'plan', values: ['free', 'gold'] }, 'conditions.0.values.1 NOT_FOUND'],
      [{ field: 'market', values: ['fr'] }, 'conditions.0.values.0 NOT_FOUND'],
      [{ field: 'tag', values: [' '] }, 'conditions.0.values.0 INVALID'],
      [{ field: 'bought' }, 'conditions.0 INVALID'],
      [{ field: 'bought', productIds: [lamp.id], categoryId: lamps }, 'conditions.0 INVALID'],
      [{ field: 'bought', productIds: [lamp.id, 'prod_gone'] }, 'conditions.0.productIds.1 NOT_FOUND'],
      [{ field: 'bought', categoryId: 'cat_gone' }, 'conditions.0.categoryId NOT_FOUND'],
      [{ field: 'bought', productIds: [lamp.id], withinDays: 0 }, 'conditions.0.withinDays TOO_SMALL'],
      [{ field: 'clicked', entryId: 'ent_gone' }, 'conditions.0.entryId NOT_FOUND'],
      [{ field: 'subscribed' }, 'conditions.0 REQUIRED'],
      [{ field: 'subscribed', from: 20, to: 20 }, 'conditions.0.to INVALID'],
    ]
    for (const [condition, details] of wrong) {
      const says = JSON.stringify(condition)
      const expected = `422 VALIDATION_FAILED ${details}`
      assert.equal(refusal(await letters.ask([condition])), expected, says)
      assert.equal(refusal(await owner.post(`${entry.path}/send`, { conditions: [condition] })), expected, says)
    }
    const many = Array.from({ length: 11 }, () => ({ field: 'clicked' }))
    assert.match(refusal(await letters.ask(many)), /^422 VALIDATION_FAILED conditions /)
    assert.equal((await owner.get(`${entry.path}/sends`)).body.items.length, 0)
  })

  test('is asked only by who may read subscribers, and only of a newsletter', async () => {
    const letters = await open()
    const url = `${letters.collection.path}/subscribers/matching`
    const reader = await used.make.member(letters.id, 'SUBSCRIBERS_READ')
    assert.equal((await reader.post(url, { conditions: [] })).status, 200)
    const sender = await used.make.member(letters.id, 'NEWSLETTER_SEND')
    assert.equal((await sender.post(url, { conditions: [] })).status, 403)
    const journal = letters.ok(await letters.owner.post(`${letters.path}/collections`, { name: 'Journal' }))
    const asked = await letters.owner.post(`${letters.path}/collections/${journal.id}/subscribers/matching`, {
      conditions: [],
    })
    assert.equal(refusal(asked), '409 CONFLICT id NOT_A_NEWSLETTER')
  })
})

type Reader = {
  id: string
  email: string
  userId: string | null
  planId: string | null
  market: string | null
  isReached: boolean
  activatedAt: number
  clickedAt: number | undefined
}
type Customer = { id: string; email: string | null; tags: string[]; bought: Map<string, number> }

/** Readers and customers at random, in the tables and in memory. */
async function openCrowd(letters: Letters, seed: number) {
  const { db, id: businessId, collection, lamp, lantern, rope } = letters
  const random = createRandom(seed)
  const at = Math.floor(now().getTime() / 1_000)
  const daysAgo = () => at - random.upTo(30) * DAY - 3_600
  const products = [lamp.id, lantern.id, rope.id]
  const customers = Array.from({ length: 60 }, (_, n): Customer => {
    const email = random.pick(null, `crowd${random.upTo(90)}@readers.example`)
    const tags = ['regular', 'press', 'wholesale'].filter(() => random.upTo(3) === 0)
    const bought = products.filter(() => random.upTo(2) === 0).map((id) => [id, daysAgo()] as const)
    return { id: `usr_${businessId}_${n}`, email, tags, bought: new Map(bought) }
  })
  const aliases = new Map(
    Array.from({ length: 20 }, (_, n) => [`usr_${businessId}_g${n}`, random.pick(...customers).id]),
  )
  const ids = [...customers.map(({ id }) => id), ...aliases.keys(), 'usr_stranger']
  const readers = Array.from(
    { length: 90 },
    (_, n): Reader => ({
      id: newId('sub'),
      email: `crowd${n}@readers.example`,
      userId: random.pick(null, random.pick(...ids)),
      planId: random.pick(null, 'free', 'friend', 'monthly'),
      market: random.pick(null, 'us', 'de'),
      isReached: random.upTo(5) > 0,
      activatedAt: daysAgo(),
      clickedAt: random.pick(undefined, daysAgo()),
    }),
  )
  const time = (seconds: number) => new Date(seconds * 1_000)
  const times = { createdAt: now(), updatedAt: now() }
  await db
    .insertInto('customers.customers')
    .values(customers.map(({ id, email, tags }) => ({ businessId, userId: id, email, tags, sortName: id, ...times })))
    .execute()
  await db
    .insertInto('customers.words')
    .values(customers.flatMap(({ id, tags }) => tags.map((tag) => ({ businessId, userId: id, word: `t:${tag}` }))))
    .execute()
  await db
    .insertInto('customers.bought')
    .values(
      customers.flatMap(({ id, bought }) =>
        [...bought].map(([productId, last]) => ({
          businessId,
          userId: id,
          productId,
          lastAt: time(last),
          orderId: 'ord_none',
        })),
      ),
    )
    .execute()
  await db
    .insertInto('customers.aliases')
    .values([...aliases].map(([guestId, userId]) => ({ businessId, guestId, userId })))
    .execute()
  await db
    .insertInto('newsletter.subscriptions')
    .values(
      readers.map(({ id, email, userId, planId, market, isReached, activatedAt }) => ({
        businessId,
        collectionId: collection.id,
        id,
        email,
        emailKey: email,
        name: '',
        userId,
        planId,
        market,
        status: isReached ? 'ACTIVE' : 'CANCELLED',
        activatedAt: time(activatedAt),
        ...times,
      })),
    )
    .execute()
  const first = await letters.planned({ field: 'tag', values: ['none at all'] })
  await db
    .insertInto('newsletter.clicks')
    .values(
      readers.flatMap(({ id, clickedAt }) =>
        clickedAt === undefined
          ? []
          : [
              {
                businessId,
                sendId: first.send.id,
                subscriptionId: id,
                link: 0,
                clicks: 1,
                firstAt: time(clickedAt),
                lastAt: time(clickedAt),
              },
            ],
      ),
    )
    .execute()

  const customersOf = ({ userId, email }: Reader) =>
    customers.filter(
      ({ id, email: theirs }) => id === userId || (userId && aliases.get(userId) === id) || theirs === email,
    )
  const isRecent = (then: number, days: unknown) => days === undefined || then >= at - Number(days) * DAY
  const inCategory = (id: unknown) => (id === letters.lamps ? [lamp.id, lantern.id] : [lantern.id])
  const holds = (reader: Reader, condition: Condition): boolean => {
    const { field, values = [], productIds, categoryId, withinDays, from = 0, to = Infinity } = condition
    const among = values as string[]
    switch (field) {
      case 'plan':
        return among.includes(reader.planId ?? '')
      case 'market':
        return among.includes(reader.market ?? '')
      case 'tag':
        return customersOf(reader).some(({ tags }) => tags.some((tag) => among.includes(tag)))
      case 'bought': {
        const wanted = (productIds ?? inCategory(categoryId)) as string[]
        return customersOf(reader).some(({ bought }) =>
          wanted.some((id) => bought.has(id) && isRecent(bought.get(id) ?? 0, withinDays)),
        )
      }
      case 'clicked':
        return reader.clickedAt !== undefined && isRecent(reader.clickedAt, withinDays)
      default:
        return reader.activatedAt >= Number(from) && reader.activatedAt < Number(to)
    }
  }
  const some = <Value>(...all: Value[]) => [...new Set([random.pick(...all), random.pick(...all)])]
  const anyCondition = (): Condition => {
    const within = random.pick({}, { withinDays: 1 + random.upTo(30) })
    const [low, high] = [at - (16 + random.upTo(15)) * DAY, at - random.upTo(15) * DAY]
    const condition: Condition = random.pick<() => Condition>(
      () => ({ field: 'plan', values: some('free', 'friend', 'monthly') }),
      () => ({ field: 'market', values: some('us', 'de') }),
      () => ({ field: 'tag', values: some('regular', 'press', 'wholesale', 'nobody') }),
      () => ({ field: 'bought', productIds: some(...products), ...within }),
      () => ({ field: 'bought', categoryId: random.pick(letters.lamps, letters.lanterns), ...within }),
      () => ({ field: 'clicked', ...random.pick({}, { entryId: first.entry.id }), ...within }),
      () => ({ field: 'subscribed', ...random.pick({ from: low }, { to: high }, { from: low, to: high }) }),
    )()
    return random.upTo(2) === 0 ? { ...condition, not: true } : condition
  }
  return {
    anyConditions: () => Array.from({ length: random.upTo(4) }, anyCondition),
    reached: readers.filter(({ isReached }) => isReached),
    fit: (conditions: Condition[]) =>
      readers.filter(
        (reader) => reader.isReached && conditions.every((one) => holds(reader, one) !== (one.not ?? false)),
      ),
  }
}

test('whatever is asked, counted and planned are those whom plain reckoning finds', async () => {
  const letters = await open()
  const crowd = await openCrowd(letters, 44)
  for (let round = 0; round < 150; round++) {
    const conditions = crowd.anyConditions()
    const expected = crowd.fit(conditions)
    const says = JSON.stringify(conditions)
    assert.equal(await letters.count(...conditions), `${expected.length} of ${crowd.reached.length}`, says)
    if (round % 10 > 0) continue
    const { names } = await letters.planned(...conditions)
    assert.equal(
      names,
      expected
        .map(({ email }) => email.split('@')[0] ?? '')
        .sort()
        .join(' '),
      says,
    )
  }
})
