import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { followFeed, planDue } from '#modules/newsletter/index.ts'
import { sequenceEvents } from '#platform/events/sequencer.ts'
import { invariants, verify } from '../../../src/apps/verify.ts'
import { assertError } from '../../support/assert-error.ts'
import type { Client } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { letter, openNewsletter } from '../../support/newsletter-api.ts'
import { faultsIn } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { market } from '../../support/shop.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter', own: true })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

const PUBLISHED = { statuses: [{ status: 'PUBLISHED' }] }
const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400
const log = pino({ level: 'silent' })

/** A newsletter of a shop, and what a worker does for its letters, once and now. */
async function open(fields: Record<string, unknown> = {}) {
  const letters = await openNewsletter(used.make, fields)
  const { owner, admin, path, db, collection } = letters
  const storefront = { productUrl: 'https://shop.example/p/{slug}' }
  const markets = [market(), market({ id: 'de', name: 'Germany', currency: 'EUR' })]
  const settings = { markets, allowedOrigins: ['https://shop.example'], storefront }
  const set = await admin.put(path, settings)
  assert.equal(set.status, 200, set.text)
  const at = `${collection.path}/automations`
  const { control } = used.api.services.databases
  return {
    ...letters,
    at,
    /** A published letter that goes out by itself. */
    async automate(trigger: string, options: object = {}, body = 'About {{ goods.names }}: {{ goods.url }}') {
      const entry = await letters.entry(letter(`A ${trigger}`, body), PUBLISHED)
      const made = await owner.post(at, { trigger, entryId: entry.id, ...options })
      assert.equal(made.status, 201, made.text)
      return { ...made.body, entry, path: `${at}/${made.body.id}` }
    },
    async run() {
      while (((await sequenceEvents(db)) ?? 0) > 0);
      await followFeed(db, log)
      await planDue(control, db, used.api.config.publicUrl, log)
      await used.sendWorker.run(db)
    },
    mailsTo: (address: string) => used.mailServer.mails.filter(({ to }) => to?.[0]?.address === address),
    /** What became of the letters that were due to this reader, oldest first. */
    async dueTo(email: string): Promise<string[]> {
      const { id } = await letters.row(email)
      const { rows } = await sql<{ said: string }>`
        select concat_ws(' ', state, reason) as said from newsletter.due_letters where subscription_id = ${id} order by due_at, cause`.execute(
        db,
      )
      return rows.map(({ said }) => said)
    },
    sends: async (entry: { path: string }) => (await owner.get(`${entry.path}/sends`)).body.items,
    product: (body: object = {}) => used.make.product({ admin, products: `${path}/products` }, body),
    /** A checkout that nobody pays within its hour. */
    async leaveCheckout(shopper: Pick<Client, 'post'>, product: { id: string }, email?: string) {
      const items = [{ productId: product.id, variantId: 'one', quantity: 1 }]
      const body = { market: 'us', items, ...(email && { email }) }
      const answer = await shopper.post(`${path}/orders/checkout`, body)
      assert.equal(answer.status, 200, answer.text)
      clock.advance(HOUR + 100)
      await used.sweep(db)
      await used.waitUntilIdle(db)
    },
    async allAddsUp() {
      const [found] = (await verify(db)).filter(({ violations }) => violations.length > 0)
      assert.equal(found, undefined)
      assert.ok(invariants.size > 0)
    },
  }
}

describe('a welcome', () => {
  test('goes to whoever subscribes, after its delay, once, as a recipient of a send', async () => {
    const { automate, owner, subscribed, run, mailsTo, sends, dueTo, allAddsUp } = await open()
    const email = 'ada@welcome.example'
    const automation = await automate('WELCOME', { delayMinutes: 10 }, 'Hello {{ subscriber.name }}.')
    await subscribed(owner, { email, name: 'Ada' })
    await run()
    assert.deepEqual(await dueTo(email), ['WAITING'])
    assert.equal(mailsTo(email).length, 0)
    clock.advance(10 * MINUTE)
    for (let times = 0; times < 3; times++) await run()

    const [mail, ...more] = mailsTo(email)
    assert.deepEqual(more, [])
    assert.equal(mail?.subject, 'A WELCOME')
    assert.match(mail?.text ?? '', /Hello Ada\./)
    assert.match(JSON.stringify(mail?.headers), /list-unsubscribe-post/)
    assert.deepEqual(await dueTo(email), ['PLANNED'])
    const [send, ...others] = await sends(automation.entry)
    assert.deepEqual(others, [])
    assert.deepEqual([send.automationId, send.status, send.total, send.sent], [automation.id, 'RUNNING', 1, 1])
    const people = await owner.get(`${automation.entry.path}/sends/${send.id}/recipients`)
    assert.deepEqual(
      people.body.items.map((one: { email: string; status: string }) => [one.email, one.status]),
      [[email, 'SENT']],
    )
    const { body } = await owner.get(automation.path)
    assert.deepEqual([body.sentLately, body.latestSendId, body.problem], [1, send.id, null])

    clock.advance(HOUR)
    await run()
    assert.equal((await sends(automation.entry))[0].status, 'DONE')
    await allAddsUp()
  })

  test('waits for the confirmation where readers confirm their address', async () => {
    const { automate, owner, subscribed, run, mailsTo, tokenOf } = await open({ doubleOptIn: true })
    const email = 'bo@welcome.example'
    await automate('WELCOME')
    await subscribed(owner, { email })
    await used.mailServer.mailTo(email)
    await run()
    assert.equal(mailsTo(email).length, 1, 'the mail that asks')
    const token = await tokenOf(email, 'confirm')
    const confirmed = await fetch(`${used.api.url}/newsletters/confirm`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
    })
    assert.equal(confirmed.status, 200)
    await run()
    assert.deepEqual(
      mailsTo(email).map(({ subject }) => subject?.slice(0, 9)),
      ['Confirm y', 'A WELCOME'],
    )
  })

  test('is nothing for those who were readers before, nor for those who leave before it is due', async () => {
    const { automate, owner, subscribed, run, mailsTo, dueTo, unsubscribe, tokenOf, allAddsUp } = await open({
      plans: [
        { id: 'a', name: 'A' },
        { id: 'b', name: 'B' },
      ],
    })
    await subscribed(owner, { email: 'old@early.example', planId: 'a' })
    clock.advance(1)
    await automate('WELCOME', { delayMinutes: 5 })
    await subscribed(owner, { email: 'old@early.example', planId: 'b' })
    await subscribed(owner, { email: 'gone@early.example', planId: 'a' })
    await run()
    await unsubscribe(await tokenOf('gone@early.example'))
    clock.advance(5 * MINUTE)
    await run()
    assert.deepEqual(await dueTo('old@early.example'), [])
    assert.deepEqual(await dueTo('gone@early.example'), ['SKIPPED LEFT'])
    assert.equal(mailsTo('old@early.example').length + mailsTo('gone@early.example').length, 0)
    await allAddsUp()
  })

  test('comes as often as the limit allows, however often somebody leaves and comes back', async () => {
    const { automate, owner, subscribed, run, mailsTo, dueTo, unsubscribe, tokenOf } = await open()
    const email = 'again@limit.example'
    await automate('WELCOME', { limit: { times: 2, days: 10 } })
    for (let times = 0; times < 4; times++) {
      await subscribed(owner, { email })
      await run()
      clock.advance(2 * HOUR)
      await run()
      await unsubscribe(await tokenOf(email))
    }
    assert.deepEqual(await dueTo(email), ['PLANNED', 'PLANNED', 'SKIPPED LIMIT', 'SKIPPED LIMIT'])
    clock.advance(10 * DAY)
    await subscribed(owner, { email })
    await run()
    assert.equal(mailsTo(email).length, 3)
  })

  test('takes all of an hour into one send, and begins another when the letter was changed', async () => {
    const { automate, owner, subscribed, run, mailsTo, sends, allAddsUp } = await open()
    const automation = await automate('WELCOME', {}, 'First.')
    for (const name of ['a', 'b']) {
      await subscribed(owner, { email: `${name}@hour.example` })
      await run()
      clock.advance(10 * MINUTE)
    }
    assert.deepEqual(
      (await sends(automation.entry)).map(({ total }: { total: number }) => total),
      [2],
    )
    const changed = await owner.put(automation.entry.path, { blocks: letter('A WELCOME', 'Second.') })
    assert.equal(changed.status, 200, changed.text)
    clock.advance(1)
    await subscribed(owner, { email: 'c@hour.example' })
    await run() // the open send is closed, and ends
    await run()
    assert.match(mailsTo('b@hour.example')[0]?.text ?? '', /First/)
    assert.match(mailsTo('c@hour.example')[0]?.text ?? '', /Second/)
    assert.deepEqual(
      (await sends(automation.entry)).map(({ total, status }: { total: number; status: string }) => [total, status]),
      [
        [1, 'RUNNING'],
        [2, 'DONE'],
      ],
    )
    await allAddsUp()
  })
})

describe('an unfinished checkout', () => {
  test('is followed by a letter that names its goods, if its address is a reader', async () => {
    const { automate, owner, subscribed, run, mailsTo, product, leaveCheckout, allAddsUp } = await open()
    await automate('CHECKOUT_UNFINISHED', { delayMinutes: 120 })
    await subscribed(owner, { email: 'Reader@checkout.example' })
    const lamp = await product({ name: 'Fog lamp' })
    await leaveCheckout(await used.make.guest(), lamp, 'reader@checkout.example')
    await leaveCheckout(await used.make.guest(), lamp, 'stranger@checkout.example')
    await leaveCheckout(await used.make.guest(), lamp)
    clock.advance(2 * HOUR)
    await run()
    await run()
    const [mail, ...more] = mailsTo('Reader@checkout.example')
    assert.deepEqual(more, [])
    assert.match(mail?.text ?? '', /About Fog lamp.*https:\/\/shop\.example/s)
    assert.equal(mailsTo('stranger@checkout.example').length, 0)
    await allAddsUp()
  })

  test('is over when its shopper has ordered since', async () => {
    const { automate, owner, subscribed, run, mailsTo, product, leaveCheckout, path, dueTo } = await open()
    await automate('CHECKOUT_UNFINISHED', { delayMinutes: 60 })
    const email = 'buyer@checkout.example'
    await subscribed(owner, { email })
    const lamp = await product()
    const shopper = await used.make.guest()
    await leaveCheckout(shopper, lamp, email)
    const items = [{ productId: lamp.id, variantId: 'one', quantity: 1 }]
    const later = await used.make.guest()
    const bought = await later.post(`${path}/orders/checkout`, { market: 'us', items, email })
    assert.equal(bought.status, 200, bought.text)
    clock.advance(50 * MINUTE)
    await run()
    clock.advance(15 * MINUTE)
    await run()
    assert.deepEqual(await dueTo(email), ['SKIPPED ORDERED'])
    assert.equal(mailsTo(email).length, 0)
  })
})

describe('a variant that is back in stock', () => {
  async function openSoldOut(options: object = {}) {
    const opened = await open()
    const { automate, product, collection, path, owner } = opened
    const automation = await automate('BACK_IN_STOCK', options)
    const variant = {
      id: 'one',
      sku: 'LAMP',
      pricing: { markets: [{ marketId: 'us', price: 1_000 }] },
      inventory: { tracked: true, quantity: 0 },
    }
    const lamp = await product({ name: 'Fog lamp', slug: 'fog-lamp', variants: [variant] })
    const wish = (email: string) => ({ email, productId: lamp.id, variantId: 'one' })
    return {
      ...opened,
      automation,
      lamp,
      wish: (email: string, caller: Pick<Client, 'post'> = owner) =>
        caller.post(`${collection.path}/wishes`, wish(email)),
      withdraw: (email: string, caller: Pick<Client, 'send'>) =>
        caller.send('DELETE', `${collection.path}/wishes?${new URLSearchParams(wish(email)).toString()}`),
      restock: async (delta: number) => {
        const answer = await owner.post(`${path}/products/${lamp.id}/variants/one/stock`, { delta, reason: 'counted' })
        assert.equal(answer.status, 201, answer.text)
      },
    }
  }

  test('is told to those who wait for it, once', async () => {
    const { wish, owner, subscribed, run, mailsTo, restock, allAddsUp } = await openSoldOut()
    for (const name of ['a', 'b']) {
      await subscribed(owner, { email: `${name}@stock.example` })
      assert.equal((await wish(`${name}@stock.example`)).status, 200)
      clock.advance(1)
    }
    assert.equal((await wish('a@stock.example')).status, 200, 'twice is once')
    const stranger = await wish('stranger@stock.example')
    assert.deepEqual([stranger.status, stranger.body], [200, { success: true }], 'who reads it does not show')
    await run()
    assert.equal(mailsTo('a@stock.example').length, 0)
    await restock(5)
    await run()
    for (const name of ['a', 'b'])
      assert.match(
        mailsTo(`${name}@stock.example`)[0]?.text ?? '',
        /About Fog lamp: https:\/\/shop\.example\/p\/fog-lamp/,
      )
    clock.advance(2 * HOUR)
    await restock(-5)
    await restock(5)
    await run()
    assert.equal(mailsTo('a@stock.example').length + mailsTo('b@stock.example').length, 2)
    assert.equal(mailsTo('stranger@stock.example').length, 0)
    await allAddsUp()
  })

  test('is not told when it was sold out again before the letter was due: they go on waiting', async () => {
    const { wish, owner, subscribed, run, mailsTo, restock, dueTo } = await openSoldOut({ delayMinutes: 10 })
    const email = 'patient@stock.example'
    await subscribed(owner, { email })
    await wish(email)
    await restock(1)
    await run()
    await restock(-1)
    clock.advance(10 * MINUTE)
    await run()
    assert.deepEqual(await dueTo(email), ['SKIPPED SOLD_OUT'])
    await restock(1)
    await run()
    clock.advance(10 * MINUTE)
    await run()
    assert.deepEqual(await dueTo(email), ['SKIPPED SOLD_OUT', 'PLANNED'])
    assert.equal(mailsTo(email).length, 1)
  })

  test('is not told to those who have withdrawn their wish, which nobody else can', async () => {
    const { wish, withdraw, owner, subscribed, run, mailsTo, restock } = await openSoldOut()
    const [mine, other] = [await used.make.guest(), await used.make.guest()]
    for (const email of ['kept@stock.example', 'withdrawn@stock.example']) {
      await subscribed(owner, { email })
      await wish(email, mine)
    }
    assert.equal((await withdraw('kept@stock.example', other)).status, 200)
    assert.equal((await withdraw('withdrawn@stock.example', mine)).status, 200)
    await restock(1)
    await run()
    assert.equal(mailsTo('kept@stock.example').length, 1)
    assert.equal(mailsTo('withdrawn@stock.example').length, 0)
  })

  test('needs something to wait for, and a letter that tells it', async () => {
    const { wish, collection, owner, restock, automation } = await openSoldOut()
    const nothing = { email: 'a@b.example', productId: 'prod_none', variantId: 'one' }
    assert.equal(
      refusal(await owner.post(`${collection.path}/wishes`, nothing)),
      '422 VALIDATION_FAILED variantId NOT_FOUND',
    )
    await restock(1)
    assert.equal(refusal(await wish('a@b.example')), '409 CONFLICT variantId WRONG_STATE')
    await owner.put(automation.path, { isEnabled: false })
    assert.equal(refusal(await wish('a@b.example')), '409 CONFLICT collectionId WRONG_STATE')
    const none = await owner.post(`${collection.path.replace(/[^/]+$/, 'col_none')}/wishes`, nothing)
    assertError(none, 404, 'NOT_FOUND')
  })
})

describe('a letter that cannot go out', () => {
  test('says why, sends nothing, and is passed over when it is a day late', async () => {
    const { automate, owner, subscribed, run, mailsTo, dueTo, eventsOf } = await open()
    const automation = await automate('WELCOME')
    const drafted = await owner.put(automation.entry.path, { statuses: [{ status: 'DRAFT' }] })
    assert.equal(drafted.status, 200, drafted.text)
    assert.equal((await owner.get(automation.path)).body.problem, 'The letter is not published.')
    await subscribed(owner, { email: 'late@problem.example' })
    clock.advance(23 * HOUR)
    await subscribed(owner, { email: 'soon@problem.example' })
    await run()
    await run()
    assert.equal(mailsTo('late@problem.example').length, 0)
    clock.advance(2 * HOUR)
    await owner.put(automation.entry.path, { statuses: [{ status: 'PUBLISHED' }] })
    await run()
    assert.deepEqual(await dueTo('late@problem.example'), ['SKIPPED TOO_LATE'])
    assert.deepEqual(await dueTo('soon@problem.example'), ['PLANNED'])
    assert.equal((await owner.get(automation.path)).body.problem, null)
    const told = (await eventsOf(automation.id)).filter((type) => type === 'newsletter.automation_failed')
    assert.ok(told.length <= 1)
  })

  test('waits while its send is paused, and goes on', async () => {
    const { automate, owner, subscribed, run, mailsTo, sends } = await open()
    const automation = await automate('WELCOME')
    await subscribed(owner, { email: 'first@paused.example' })
    await run()
    const [send] = await sends(automation.entry)
    const at = `${automation.entry.path}/sends/${send.id}`
    assert.equal((await owner.post(`${at}/pause`, undefined)).status, 200)
    await subscribed(owner, { email: 'second@paused.example' })
    await run()
    assert.equal(mailsTo('second@paused.example').length, 0)
    assert.equal((await owner.post(`${at}/resume`, undefined)).status, 200)
    await run()
    assert.equal(mailsTo('second@paused.example').length, 1)
  })

  test('is neither sent by hand nor to the rest', async () => {
    const { automate, owner, subscribed, run, sends } = await open()
    const automation = await automate('WELCOME')
    await subscribed(owner, { email: 'one@hand.example' })
    await run()
    const [send] = await sends(automation.entry)
    assert.equal(refusal(await owner.post(`${automation.entry.path}/send`, {})), '409 CONFLICT entryId IN_USE')
    const rest = await owner.post(`${automation.entry.path}/sends/${send.id}/send-remaining`, { statuses: ['FAILED'] })
    assert.equal(refusal(rest), '409 CONFLICT id WRONG_STATE')
  })
})

describe('automations', () => {
  test('are made, read, changed and deleted, with their versions and events', async () => {
    const { automate, owner, at, entry, eventsOf, collection } = await open()
    const made = await automate('WELCOME')
    const { entry: _entry, path, createdAt, updatedAt: _updatedAt, ...rest } = made
    assert.deepEqual(rest, {
      id: made.id,
      collectionId: collection.id,
      trigger: 'WELCOME',
      entryId: made.entry.id,
      delayMinutes: 0,
      limit: { times: 1, days: 30 },
      isEnabled: true,
      problem: null,
      sentLately: 0,
      latestSendId: null,
    })
    assert.ok(createdAt > 0)
    const read = await owner.get(path)
    const etag = read.headers.get('etag') ?? ''
    const changes = { delayMinutes: 43_200, limit: { times: 3, days: 7 }, isEnabled: false }
    const changed = await owner.put(path, changes, { 'if-match': etag })
    assert.equal(changed.status, 200, changed.text)
    assert.deepEqual({ ...changed.body, ...changes }, changed.body)
    assertError(await owner.put(path, { delayMinutes: 1 }, { 'if-match': etag }), 412, 'PRECONDITION_FAILED')

    const other = await entry(letter(), PUBLISHED)
    assert.equal(
      refusal(await owner.post(at, { trigger: 'WELCOME', entryId: other.id })),
      '409 CONFLICT trigger IN_USE',
    )
    assert.equal(
      refusal(await owner.post(at, { trigger: 'BACK_IN_STOCK', entryId: made.entry.id })),
      '409 CONFLICT entryId IN_USE',
    )
    const stock = await owner.post(at, { trigger: 'BACK_IN_STOCK', entryId: other.id })
    const { items } = (await owner.get(at)).body
    assert.deepEqual(
      items.map(({ id }: { id: string }) => id),
      [made.id, stock.body.id],
    )
    assert.equal((await owner.delete(path)).status, 200)
    assertError(await owner.get(path), 404, 'NOT_FOUND')
    assert.deepEqual(
      await eventsOf(made.id),
      ['created', 'updated', 'deleted'].map((what) => `newsletter.automation_${what}`),
    )
  })

  test('are refused for what is no letter of the newsletter, and out of bounds', async () => {
    const { at, owner, entry } = await open()
    const elsewhere = await (await open()).entry(letter(), PUBLISHED)
    const { id: entryId } = await entry(letter(), PUBLISHED)
    const asked = async (body: object) => refusal(await owner.post(at, { trigger: 'WELCOME', entryId, ...body }))
    assert.equal(await asked({ entryId: elsewhere.id }), '422 VALIDATION_FAILED entryId NOT_FOUND')
    assert.equal(await asked({ trigger: 'BIRTHDAY' }), '422 VALIDATION_FAILED trigger INVALID')
    assert.match(await asked({ delayMinutes: 43_201 }), /^422 .*delayMinutes/)
    assert.match(await asked({ limit: { times: 0, days: 1 } }), /^422 .*limit\.times/)
    assert.match(await asked({ limit: { times: 1, days: 366 } }), /^422 .*limit\.days/)
    const standard = await openNewsletter(used.make, { type: 'STANDARD' })
    const page = await standard.owner.post(`${standard.collection.path}/automations`, { trigger: 'WELCOME', entryId })
    assert.equal(refusal(page), '409 CONFLICT collectionId NOT_A_NEWSLETTER')
  })

  test('are for those who hold NEWSLETTER_SEND there', async () => {
    const { id, at, automate, collection } = await open()
    const made = await automate('WELCOME')
    const sender = await used.make.member(id, 'NEWSLETTER_SEND')
    const writer = await used.make.member(id, 'CONTENT_WRITE', 'SUBSCRIBERS_READ')
    assert.equal((await sender.get(made.path)).status, 200)
    assertError(await writer.get(made.path), 403, 'FORBIDDEN')
    assertError(await writer.post(at, {}), 403, 'FORBIDDEN')
    const elsewhere = await open()
    assertError(await elsewhere.owner.get(`${elsewhere.at}/${made.id}`), 404, 'NOT_FOUND')
    assertError(
      await elsewhere.owner.get(`${elsewhere.path}/collections/${collection.id}/automations`),
      404,
      'NOT_FOUND',
    )
  })

  test('that are deleted or turned off send nothing more', async () => {
    const { automate, owner, subscribed, run, mailsTo, entry, at, send } = await open()
    const automation = await automate('WELCOME', { delayMinutes: 5 })
    await subscribed(owner, { email: 'a@off.example' })
    await run()
    await owner.put(automation.path, { isEnabled: false })
    clock.advance(5 * MINUTE)
    await subscribed(owner, { email: 'b@off.example' })
    await run()
    await owner.put(automation.path, { isEnabled: true })
    await run()
    assert.equal(mailsTo('a@off.example').length, 1, 'whoever waited waits on')
    assert.equal(mailsTo('b@off.example').length, 0, 'what happened meanwhile is passed over')
    await subscribed(owner, { email: 'c@off.example' })
    await run()
    assert.equal((await owner.delete(automation.path)).status, 200)
    clock.advance(5 * MINUTE)
    await run()
    assert.equal(mailsTo('c@off.example').length, 0)
    const again = await entry(letter('Another'), PUBLISHED)
    assert.equal((await owner.post(at, { trigger: 'WELCOME', entryId: again.id })).status, 201)
    await run()
    const byHand = await send(automation.entry, { resend: true })
    assert.equal(await byHand.state(), 'SCHEDULED', 'the letter itself can be sent by hand again')
  })
})
