import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { assertError } from '../../support/assert-error.ts'
import { holdClock } from '../../support/clock.ts'
import { createSendWorker, letter, openNewsletter } from '../../support/newsletter-api.ts'
import { faultsIn } from '../../support/paid-shop.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['stripe', 'mail'], worker: 'newsletter', own: true })
const unconfigured = useWorld({ own: true })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => clock.release())

const mailsTo = (domain: string) => used.mailServer.mails.filter(({ to }) => to?.[0]?.address?.endsWith(`@${domain}`))
const inSeconds = (seconds: number) => toSeconds(now()) + seconds

/** A sendWorker that sends so many mails a second, and no more as long as the clock is held. */
const slowSendWorker = (perSecondOfBusiness: number) =>
  createSendWorker(used.api, { smtpUrl: used.mailServer.env.SMTP_URL, perSecondOfBusiness })

describe('an entry is sent', () => {
  test('to everybody who is subscribed, at once and once', async () => {
    const { fill, entry, send, db, eventsOf } = await openNewsletter(used.make)
    const emails = await fill(7, 'all.example')
    const made = await entry()
    const sending = await send(made)
    const { status, scheduledAt, createdAt, startedAt, finishedAt, entryId, ...rest } = await sending.get()
    assert.deepEqual(
      [status, scheduledAt, startedAt, finishedAt, entryId],
      ['SCHEDULED', createdAt, null, null, made.id],
    )
    assert.deepEqual(rest, {
      id: sending.id,
      total: 0,
      planned: 0,
      sent: 0,
      failed: 0,
      suppressed: 0,
      uncertain: 0,
      perSecond: null,
      estimatedEndAt: null,
      onUncertain: 'SKIP',
      problem: null,
    })
    await used.sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 7')
    await used.sendWorker.run(db)
    const addresses = mailsTo('all.example').map(({ to }) => to?.[0]?.address ?? '')
    assert.deepEqual(addresses.sort(), emails.sort())
    const types = ['newsletter.send_planned', 'newsletter.send_started', 'newsletter.send_done']
    assert.deepEqual(await eventsOf(sending.id), types)
  })

  test('with or without a body, whether PUBLISHED or not', async () => {
    const { entry, owner, db } = await openNewsletter(used.make)
    const bodies = [{}, { raw: '', headers: { 'content-type': 'application/json' } }, { body: {} }, { raw: '{}' }]
    for (const [index, options] of bodies.entries()) {
      const { path } = await entry(letter(), index === 0 ? { statuses: [{ status: 'PUBLISHED' }] } : {})
      const answer = await owner.send('POST', `${path}/send`, options)
      assert.deepEqual([answer.status, answer.body.status], [202, 'SCHEDULED'], answer.text)
    }
    await used.sendWorker.run(db)
  })

  test('to nobody, if nobody is subscribed', async () => {
    const { entry, send, db, subscribed, admin, unsubscribe, tokenOf } = await openNewsletter(used.make)
    await subscribed(admin, { email: 'left@nobody.example' })
    await unsubscribe(await tokenOf('left@nobody.example'))
    const sending = await send(await entry())
    await used.sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE')
    assert.equal(mailsTo('nobody.example').length, 0)
  })

  test('by who holds NEWSLETTER_SEND there', async () => {
    const { id, entry, path } = await openNewsletter(used.make)
    const made = await entry()
    const sender = await used.make.member(id, 'NEWSLETTER_SEND')
    const writer = await used.make.member(id, 'CONTENT_WRITE', 'SUBSCRIBERS_READ')
    const elsewhere = await openNewsletter(used.make)
    for (const caller of [writer, elsewhere.admin, await used.make.guest()])
      assertError(await caller.post(`${made.path}/send`, {}), 403, 'FORBIDDEN')
    assertError(await elsewhere.admin.post(`${elsewhere.path}/entries/${made.id}/send`, {}), 404, 'NOT_FOUND')
    const answer = await sender.post(`${made.path}/send`, { scheduledAt: inSeconds(60) })
    assert.equal(answer.status, 202)
    const at = `${made.path}/sends/${answer.body.id}`
    assert.equal((await sender.get(at)).status, 200)
    assertError(await writer.get(at), 403, 'FORBIDDEN')
    assertError(await writer.post(`${at}/cancel`, undefined), 403, 'FORBIDDEN')
    assertError(await sender.get(`${path}/entries/ent_other/sends/${answer.body.id}`), 404, 'NOT_FOUND')
    assert.equal((await sender.post(`${at}/cancel`, undefined)).status, 200)
  })
})

describe('it is refused', () => {
  test('for what is no letter of a newsletter, is incomplete, or is not there', async () => {
    const standard = await openNewsletter(used.make, { type: 'STANDARD' })
    const letters = await openNewsletter(used.make)
    const refused = async ({ owner }: typeof letters, path: string) => refusal(await owner.post(`${path}/send`, {}))

    const page = await standard.entry()
    assert.equal(await refused(standard, page.path), '409 CONFLICT entryId NOT_A_NEWSLETTER')
    const half = await letters.entry(letter().slice(0, 1))
    assert.match(await refused(letters, half.path), /^422 VALIDATION_FAILED .*REQUIRED/)
    assert.equal(await refused(letters, `${letters.path}/entries/ent_none`), '404 NOT_FOUND')
    const whole = await letters.entry()
    for (const body of [
      { scheduledAt: 'soon' },
      { scheduledAt: 1.5 },
      { scheduledAt: -1 },
      { onUncertain: 'HOPE' },
      [],
    ])
      assert.ok(
        [400, 422].includes((await letters.owner.post(`${whole.path}/send`, body)).status),
        JSON.stringify(body),
      )
  })

  test('without a mail server', async () => {
    const letters = await openNewsletter(unconfigured.make)
    const { path } = await letters.entry()
    for (const verb of ['send', 'test'])
      assert.equal(refusal(await letters.admin.post(`${path}/${verb}`, {})), '503 PROVIDER_NOT_CONFIGURED')
  })

  test('a second time, unless it is asked for; while it is under way it is the same send', async () => {
    const { fill, entry, send, db, owner } = await openNewsletter(used.make)
    await fill(2, 'again.example')
    const made = await entry()
    const first = await send(made, { scheduledAt: inSeconds(10) })
    assert.equal((await send(made, { scheduledAt: inSeconds(99), resend: true })).id, first.id)
    const atOnce = await Promise.all(Array.from({ length: 5 }, () => send(made)))
    assert.deepEqual(new Set(atOnce.map(({ id }) => id)), new Set([first.id]))
    clock.advance(10)
    await used.sendWorker.run(db)
    assert.equal(await first.state(), 'DONE sent 2')

    assert.equal(refusal(await owner.post(`${made.path}/send`, {})), '409 CONFLICT entryId ALREADY_SENT')
    const second = await send(made, { resend: true })
    assert.notEqual(second.id, first.id)
    await used.sendWorker.run(db)
    assert.equal(mailsTo('again.example').length, 4)
    const { items, cursor } = (await owner.get(`${made.path}/sends?limit=1`)).body
    assert.equal(items[0].id, second.id)
    assert.equal((await owner.get(`${made.path}/sends?limit=1&cursor=${cursor}`)).body.items[0].id, first.id)
  })

  test('ten at once that nobody has asked for before are one send', async () => {
    const { fill, entry, send, db } = await openNewsletter(used.make)
    await fill(1, 'race.example')
    const made = await entry()
    const sends = await Promise.all(Array.from({ length: 10 }, () => send(made)))
    assert.equal(new Set(sends.map(({ id }) => id)).size, 1)
    await used.sendWorker.run(db)
    assert.equal(mailsTo('race.example').length, 1)
  })
})

describe('a send that is scheduled', () => {
  test('starts at its time and not before', async () => {
    const { fill, entry, send, db } = await openNewsletter(used.make)
    await fill(1, 'later.example')
    const sending = await send(await entry(), { scheduledAt: inSeconds(3_600) })
    clock.advance(3_598)
    await used.sendWorker.run(db)
    assert.equal(await sending.state(), 'SCHEDULED')
    clock.advance(2)
    await used.sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 1')
  })

  test('for the past starts now', async () => {
    const { fill, entry, send, db } = await openNewsletter(used.make)
    await fill(1, 'past.example')
    const sending = await send(await entry(), { scheduledAt: inSeconds(-86_400) })
    assert.equal((await sending.get()).scheduledAt, toSeconds(now()))
    await used.sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 1')
  })

  test('and cancelled never starts; the entry can be sent all the same', async () => {
    const { fill, entry, send, db, eventsOf } = await openNewsletter(used.make)
    await fill(1, 'never.example')
    const made = await entry()
    const sending = await send(made, { scheduledAt: inSeconds(60) })
    for (let times = 0; times < 2; times++) assert.equal((await sending.move('cancel')).body.status, 'CANCELLED')
    clock.advance(61)
    await used.sendWorker.run(db)
    assert.equal(await sending.state(), 'CANCELLED')
    assert.equal(refusal(await sending.move('resume')), '409 CONFLICT status WRONG_STATE')
    assert.deepEqual(await eventsOf(sending.id), ['newsletter.send_planned', 'newsletter.send_cancelled'])
    const other = await send(made)
    assert.notEqual(other.id, sending.id)
    await used.sendWorker.run(db)
    assert.equal(mailsTo('never.example').length, 1)
  })

  test('and paused waits, and goes on waiting for its time', async () => {
    const { fill, entry, send, db } = await openNewsletter(used.make)
    await fill(1, 'waiting.example')
    const sending = await send(await entry(), { scheduledAt: inSeconds(60) })
    assert.equal((await sending.move('pause')).body.status, 'PAUSED')
    clock.advance(30)
    assert.equal((await sending.move('resume')).body.status, 'SCHEDULED')
    await sending.move('pause')
    clock.advance(60)
    await used.sendWorker.run(db)
    assert.equal(await sending.state(), 'PAUSED')
    await sending.move('resume')
    await used.sendWorker.run(db)
    assert.equal(await sending.state(), 'DONE sent 1')
  })

  test('sends what the entry is when it starts', async () => {
    const { fill, entry, send, db, admin } = await openNewsletter(used.make)
    await fill(2, 'changed.example')
    const made = await entry()
    const sending = await send(made)
    await admin.put(made.path, { blocks: letter('Summer is here') })
    await used.sendWorker.start(db)
    await admin.put(made.path, { blocks: letter('Too late') })
    await used.sendWorker.deliver(db)
    assert.equal(await sending.state(), 'DONE sent 2')
    assert.deepEqual(new Set(mailsTo('changed.example').map(({ subject }) => subject)), new Set(['Summer is here']))
  })

  test('of an entry that is gone or no longer complete by then ends with the reason, and is told', async () => {
    const { fill, entry, send, db, admin, owner, eventsOf } = await openNewsletter(used.make)
    await fill(1, 'gone.example')
    const [gone, half] = [await entry(), await entry()]
    const sends = [await send(gone, { scheduledAt: inSeconds(9) }), await send(half, { scheduledAt: inSeconds(9) })]
    assert.equal((await admin.delete(gone.path)).status, 200)
    const changed = await admin.put(half.path, { blocks: letter().slice(0, 1) })
    assert.equal(changed.status, 200, changed.text)
    clock.advance(10)
    await used.sendWorker.run(db)
    for (const sending of sends) {
      const { status, problem, finishedAt } = await sending.get()
      assert.deepEqual([status, finishedAt], ['CANCELLED', toSeconds(now())])
      assert.match(problem, /^Entry not found|body.* is required/)
      assert.deepEqual(await eventsOf(sending.id), ['newsletter.send_planned', 'newsletter.send_failed'])
    }
    const { rows } = await sql<{ data: object }>`
      select data from cell.event_outbox where subject = ${sends[0]?.id} and type = 'newsletter.send_failed'`.execute(
      db,
    )
    assert.deepEqual(rows[0]?.data, { entryId: gone.id })
    assert.equal(mailsTo('gone.example').length, 0)
    assertError(await owner.post(`${gone.path}/send`, {}), 404, 'NOT_FOUND')
  })
})

describe('a send under way', () => {
  test('tells how far and how fast it is, and when it ends', async () => {
    const { fill, entry, send, db } = await openNewsletter(used.make)
    await fill(10, 'rate.example')
    const sending = await send(await entry())
    const sendWorker = slowSendWorker(5)
    await sendWorker.run(db)
    const first = await sending.get()
    assert.deepEqual([first.total, first.sent, first.planned, first.perSecond], [10, 5, 5, null])
    assert.deepEqual([first.startedAt, first.finishedAt], [toSeconds(now()), null])
    clock.advance(2)
    const second = await sending.get()
    assert.deepEqual(
      [second.perSecond, second.estimatedEndAt],
      [2.5, inSeconds(2) + (now().getTime() % 1_000 > 0 ? 1 : 0)],
    )
    await sendWorker.run(db)
    const done = await sending.get()
    assert.deepEqual([done.status, done.sent, done.perSecond, done.estimatedEndAt], ['DONE', 10, 5, null])
    assert.equal(done.finishedAt, toSeconds(now()))
    sendWorker.close()
  })

  test('can be paused, resumed and cancelled in the middle', async () => {
    const { fill, entry, send, db, owner, eventsOf } = await openNewsletter(used.make)
    await fill(10, 'middle.example')
    const made = await entry()
    const sending = await send(made)
    const sendWorker = slowSendWorker(3)
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'RUNNING sent 3 planned 7')
    for (let times = 0; times < 2; times++) assert.equal((await sending.move('pause')).body.status, 'PAUSED')
    clock.advance(60)
    assert.equal(await sendWorker.run(db), 0)
    assert.equal(await sending.state(), 'PAUSED sent 3 planned 7')
    assert.equal((await sending.get()).estimatedEndAt, null)
    assert.equal((await sending.move('resume')).body.status, 'RUNNING')
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'RUNNING sent 6 planned 4')
    assert.equal((await sending.move('cancel')).body.status, 'CANCELLED')
    clock.advance(60)
    assert.equal(await sendWorker.run(db), 0)
    assert.equal(await sending.state(), 'CANCELLED sent 6 planned 4')
    sendWorker.close()

    assert.equal(mailsTo('middle.example').length, 6)
    assert.equal(refusal(await sending.move('pause')), '409 CONFLICT status WRONG_STATE')
    assert.equal(refusal(await owner.post(`${made.path}/send`, {})), '409 CONFLICT entryId ALREADY_SENT')
    const moves = ['planned', 'started', 'paused', 'resumed', 'cancelled'].map((move) => `newsletter.send_${move}`)
    assert.deepEqual(await eventsOf(sending.id), moves)
  })

  test('goes to who was subscribed when it started, and has not left before their turn', async () => {
    const { fill, entry, send, db, subscribed, owner, unsubscribe, tokenOf } = await openNewsletter(used.make)
    await fill(6, 'turn.example')
    const sending = await send(await entry())
    const sendWorker = slowSendWorker(2)
    await sendWorker.start(db)
    clock.advance(1)
    await subscribed(owner, { email: 'late@turn.example' })
    await sendWorker.run(db)
    assert.equal(await sending.state(), 'RUNNING sent 2 planned 4')
    const got = mailsTo('turn.example').map(({ to }) => to?.[0]?.address ?? '')
    for (const email of ['reader5@turn.example', 'reader6@turn.example']) {
      assert.ok(!got.includes(email))
      await unsubscribe(await tokenOf(email))
    }
    for (let seconds = 0; seconds < 3; seconds++) {
      clock.advance(1)
      await sendWorker.run(db)
    }
    sendWorker.close()
    assert.equal(await sending.state(), 'DONE sent 4 suppressed 2')
    assert.equal(mailsTo('turn.example').length, 4)
    const left = (await sending.recipients()).filter(({ state }) => state === 'SUPPRESSED')
    assert.deepEqual(new Set(left.map(({ response }) => response)), new Set(['Not subscribed any more.']))
  })

  test('keeps its newsletter from being deleted, and ends although a subscription is gone', async () => {
    const { fill, entry, send, db, admin, collection, id, row } = await openNewsletter(used.make)
    await fill(2, 'orphan.example')
    const made = await entry()
    const sending = await send(made)
    const sendWorker = slowSendWorker(1)
    await sendWorker.run(db)
    for (const number of [1, 2]) {
      const { id: subscriptionId } = await row(`reader${number}@orphan.example`)
      const gone = db.deleteFrom('newsletter.subscriptions')
      await gone.where((known) => known.and({ businessId: id, id: subscriptionId })).execute()
    }
    assert.equal((await admin.delete(made.path)).status, 200)
    assert.match(refusal(await admin.delete(collection.path)), /^409 CONFLICT id /)
    clock.advance(1)
    await sendWorker.run(db)
    sendWorker.close()
    assert.equal(await sending.state(), 'DONE sent 1 suppressed 1')
    assert.equal((await admin.delete(collection.path)).status, 200)
  })
})

describe('a mail', () => {
  test('comes from the business, to one reader, with what a mail program needs', async () => {
    const letters = await openNewsletter(used.make, { contactEmail: 'hello@business.example' })
    const { name, entry, send, db, fill } = letters
    await fill(2, 'headers.example')
    const [first, second] = [await send(await entry()), await send(await entry())]
    await used.sendWorker.run(db)
    const mails = mailsTo('headers.example')
    assert.equal(mails.length, 4)
    for (const mail of mails) {
      assert.deepEqual(mail.from, { name, address: 'letters@kontor.example' })
      assert.deepEqual(
        mail.replyTo?.map(({ address }) => address),
        ['hello@business.example'],
      )
      assert.equal(mail.to?.length, 1)
      assert.equal(mail.cc, undefined)
      assert.equal(mail.bcc, undefined)
      const number = /reader(\d)/.exec(mail.to?.[0]?.address ?? '')?.[1]
      assert.equal(mail.subject, 'Spring is here')
      assert.match(mail.text ?? '', new RegExp(`Dear Reader ${number}, the boats are out\\.`))
      assert.match(mail.html ?? '', new RegExp(`Dear Reader ${number}, the boats are out\\.`))
      const { id } = await letters.row(mail.to?.[0]?.address ?? '')
      const ids = [first, second].map((sending) => `<newsletter.${letters.id}.${sending.id}.${id}@localhost>`)
      assert.ok(ids.includes(mail.messageId ?? ''), mail.messageId)
    }
    assert.equal(new Set(mails.map(({ messageId }) => messageId)).size, 4)
  })

  test('shows names and texts as they were typed, whatever is in them, but makes no link of a name', async () => {
    const { subscribed, admin, entry, send, db } = await openNewsletter(used.make)
    const email = 'hostile@names.example'
    const name = '{{ unsubscribeUrl }}<b>Ada</b>\r\nBcc: bob@names.example'
    await subscribed(admin, { email, name })
    await send(await entry(letter('For {{ subscriber.name }}', 'Dear {{ subscriber.name }}')))
    await used.sendWorker.run(db)
    const [mail, ...others] = mailsTo('names.example')
    assert.deepEqual(others, [])
    assert.equal(mail?.subject, 'For {{ unsubscribeUrl }}<b>Ada</b> Bcc: bob@names. example')
    assert.match(mail?.html ?? '', /Dear \{\{ unsubscribeUrl \}\}&lt;b&gt;Ada&lt;\/b&gt;/)
    assert.equal(mail?.bcc, undefined)
  })

  test('can be seen before, by who sees drafts', async () => {
    const { entry, id, make } = { ...(await openNewsletter(used.make)), make: used.make }
    const { path } = await entry(letter('Hello {{ subscriber.name }}'))
    const reader = await make.member(id, 'CONTENT_READ_DRAFTS')
    const { status, body } = await reader.get(`${path}/preview`)
    assert.deepEqual([status, body.subject], [200, 'Hello Ada'])
    assert.match(body.html, /Dear Ada, the boats are out/)
    assert.match(body.text, /Dear Ada, the boats are out/)
    assertError(await (await make.member(id, 'NEWSLETTER_SEND')).get(`${path}/preview`), 403, 'FORBIDDEN')
    assertError(await reader.get(`${path}x/preview`), 404, 'NOT_FOUND')
    const broken = await entry(letter('Hello {{ subscriber.name'))
    assert.match(
      refusal(await reader.get(`${broken.path}/preview`)),
      /^422 VALIDATION_FAILED blocks\.0\.value TEMPLATE_INVALID$/,
    )
  })

  test('can be sent to oneself first', async () => {
    const { entry, id, db, owner } = await openNewsletter(used.make)
    const { path } = await entry()
    const sender = await used.make.member(id, 'NEWSLETTER_SEND')
    const { status, body } = await sender.post(`${path}/test`, undefined)
    assert.deepEqual([status, body], [200, { success: true }])
    await used.waitUntilIdle(db)
    const mail = await used.mailServer.mailTo(sender.email ?? '')
    assert.equal(mail.subject, 'Test: Spring is here')
    assert.deepEqual((await owner.get(`${path}/sends`)).body.items, [])
    const writer = await used.make.member(id, 'CONTENT_WRITE')
    assertError(await writer.post(`${path}/test`, undefined), 403, 'FORBIDDEN')
  })

  test('may name the variables that are listed', async () => {
    const guest = await used.make.guest()
    const { status, body } = await guest.get('/v1/collections/entry-types/NEWSLETTER/variables')
    assert.equal(status, 200)
    const names = body.variables.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, [
      'subscriber.name',
      'subscriber.email',
      'business.name',
      'newsletter.name',
      'goods.names',
      'goods.url',
      'unsubscribeUrl',
    ])
    for (const variable of body.variables) assert.deepEqual(Object.keys(variable), ['name', 'description', 'example'])
    assertError(await guest.get('/v1/collections/entry-types/PAGE/variables'), 404, 'NOT_FOUND')
    assertError(
      await used.make.anonymous().get('/v1/collections/entry-types/NEWSLETTER/variables'),
      401,
      'UNAUTHENTICATED',
    )

    const { entry, owner } = await openNewsletter(used.make)
    const { path } = await entry(letter('All', names.map((name: string) => `[{{ ${name} }}]`).join(' ')))
    const { text } = (await owner.get(`${path}/preview`)).body
    assert.equal(text.match(/\[[^\]]+\]/g).length, names.length)
  })
})

describe('nobody gets a letter they should not', () => {
  test('one that was stopped after it had begun counts as sent, whatever was noted', async () => {
    const letters = await openNewsletter(used.make)
    await letters.fill(2, 'begun.example')
    const made = await letters.entry()
    const sending = await letters.send(made)
    await used.sendWorker.run(letters.db)
    await letters.db
      .updateTable('newsletter.sends')
      .set({ status: 'CANCELLED', sent: 0 })
      .where('id', '=', sending.id)
      .execute()
    assert.equal(refusal(await letters.owner.post(`${made.path}/send`, {})), '409 CONFLICT entryId ALREADY_SENT')
  })

  test('one whose entry was moved to another newsletter does not start', async () => {
    const letters = await openNewsletter(used.make)
    await letters.fill(1, 'moved.example')
    const made = await letters.entry()
    const sending = await letters.send(made, { scheduledAt: inSeconds(60) })
    const { body } = await letters.owner.get(letters.collection.path)
    const other = await letters.owner.post(`${letters.path}/collections`, {
      name: 'B',
      type: 'NEWSLETTER',
      blocks: body.blocks,
    })
    assert.equal((await letters.owner.put(made.path, { collectionId: other.body.id })).status, 200)
    clock.advance(61)
    await used.sendWorker.run(letters.db)
    assert.match((await sending.get()).problem, /moved/)
    assert.equal(await sending.state(), 'CANCELLED')
    assert.deepEqual(mailsTo('moved.example'), [])
  })

  test('a repeated request with its key answers the same send, also when everybody has got it', async () => {
    const letters = await openNewsletter(used.make)
    await letters.fill(1, 'keyed.example')
    const made = await letters.entry()
    const key = { 'idempotency-key': 'once' }
    const first = await letters.owner.post(`${made.path}/send`, { resend: true }, key)
    await used.sendWorker.run(letters.db)
    const again = await letters.owner.post(`${made.path}/send`, { resend: true }, key)
    assert.deepEqual([again.status, again.text], [202, first.text])
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    await used.sendWorker.run(letters.db)
    assert.equal(mailsTo('keyed.example').length, 1)
  })

  test('who left everything gets nothing, whoever brings their address back', async () => {
    const letters = await openNewsletter(used.make)
    const guest = await used.make.guest()
    const email = 'gone@everything.example'
    await letters.subscribed(guest, { email })
    await letters.unsubscribe(await letters.tokenOf(email), { everything: true })
    await letters.db
      .updateTable('newsletter.subscriptions')
      .set({ status: 'ACTIVE', activatedAt: now() })
      .where('email', '=', email)
      .execute()
    const sending = await letters.send(await letters.entry())
    await used.sendWorker.run(letters.db)
    assert.equal(await sending.state(), 'DONE')
    await letters.subscribed(guest, { email })
    const confirm = `${used.api.url}/newsletters/confirm?token=${await letters.tokenOf(email, 'confirm')}`
    assert.equal((await fetch(confirm, { method: 'POST' })).status, 200)
    const next = await letters.send(await letters.entry())
    await used.sendWorker.run(letters.db)
    assert.equal(await next.state(), 'DONE sent 1')
  })
})
