import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { holdClock } from '../../support/clock.ts'
import { createSendWorker, letter, openNewsletter, type SendWorker } from '../../support/newsletter-api.ts'
import { refusal } from '../../support/refusal.ts'
import { type Manners, openRoughServer } from '../../support/rough-smtp.ts'
import { useWorld } from '../../support/world.ts'

const server = await openRoughServer()
const used = useWorld({ own: true, env: { SMTP_URL: server.url, MAIL_FROM: 'Kontor <hello@kontor.example>' } })
const unconfigured = useWorld({ own: true })
after(() => server.close())

let clock: ReturnType<typeof holdClock>
let sendWorker: SendWorker
beforeEach(() => {
  clock = holdClock()
  sendWorker ??= createSendWorker(used.api, { smtpUrl: server.url, answerSeconds: 5 })
  server.behave(() => undefined)
  server.taken.length = 0
})
afterEach(() => clock.release())
after(() => sendWorker.close())

type Mood = [stage: Parameters<Manners>[0], mood: ReturnType<Manners>]
const REFUSED: Mood = ['RCPT', { say: '550 5.1.1 No such mailbox' }]
const LOST: Mood = ['TAKEN', { and: 'DROP' }]

/** How the mail server treats each of these readers; the others well. */
const treat = (moods: Record<string, Mood>) =>
  server.behave((at, { recipient }) => {
    const [stage, mood] = moods[recipient.split('@')[0] ?? ''] ?? []
    return at === stage ? mood : undefined
  })
const timesTaken = (name: string) =>
  server.taken.filter(({ recipients }) => recipients[0]?.startsWith(`${name}@`)).length

type Listed = { email: string; status: string; attempts: number; response: string | null }

/** A letter that was sent to so many readers, each treated so. */
async function sentTo(readers: number, moods: Record<string, Mood>) {
  const letters = await openNewsletter(used.make)
  await letters.fill(readers)
  const entry = await letters.entry()
  const sending = await letters.send(entry)
  treat(moods)
  await sendWorker.run(letters.db)
  treat({})
  const { owner } = letters
  const list = async (query = '', of = sending.path): Promise<Listed[]> => {
    const { status, body, text } = await owner.get(`${of}/recipients?limit=100${query}`)
    assert.equal(status, 200, text)
    return body.items
  }
  const sendRest = (statuses: string[] = ['FAILED', 'UNCERTAIN'], of = sending.path) =>
    owner.post(`${of}/send-remaining`, { statuses })
  const stateOf = async (id: string) => {
    const { status, total, sent, failed, uncertain, planned } = (await owner.get(`${entry.path}/sends/${id}`)).body
    return [status, total, sent, failed, uncertain, planned].join(' ')
  }
  return { ...letters, entry, sending, list, sendRest, stateOf }
}

const names = (items: Listed[]) => items.map(({ email }) => email.split('@')[0] ?? '').sort()

describe('what became of each reader', () => {
  test('is listed, found by address, and adds up to the counters of the send', async () => {
    const { list, sending, db, unsubscribe, tokenOf } = await sentTo(6, { reader2: REFUSED, reader5: LOST })
    assert.equal(await sending.state(), 'DONE sent 4 failed 1 uncertain 1')
    assert.equal((await list()).length, 6)
    const [refused] = await list('&status=FAILED')
    assert.deepEqual(
      [refused?.email, refused?.attempts, refused?.response],
      ['reader2@readers.example', 1, '550 5.1.1 No such mailbox'],
    )
    const send = await sending.get()
    for (const [status, count] of Object.entries({
      SENT: send.sent,
      FAILED: send.failed,
      UNCERTAIN: send.uncertain,
      SUPPRESSED: send.suppressed,
      PLANNED: 0,
      SENDING: 0,
    })) {
      const found = await list(`&status=${status}`)
      assert.equal(found.length, count, status)
      assert.ok(found.every((item) => item.status === status))
    }
    assert.deepEqual(names(await list('&email=READER5@readers.example')), ['reader5'])
    assert.deepEqual(await list('&email=reader5@readers.example&status=SENT'), [])
    assert.deepEqual(await list('&email=nobody@readers.example'), [])

    await unsubscribe(await tokenOf('reader1@readers.example'))
    assert.equal((await list('&email=reader1@readers.example'))[0]?.status, 'SENT', 'the past stays what it was')
    await db.deleteFrom('newsletter.subscriptions').where('email', '=', 'reader1@readers.example').execute()
    assert.equal((await list()).filter(({ email }) => email === null).length, 1)
  })

  test('comes in pages that hold everybody once, those who wait by their turn', async () => {
    const { owner, db, fill, entry, send } = await openNewsletter(used.make)
    await fill(7)
    const sending = await send(await entry())
    const slow = createSendWorker(used.api, { smtpUrl: server.url, perSecondOfBusiness: 2 })
    await slow.run(db)
    slow.close()
    assert.equal(await sending.state(), 'RUNNING sent 2 planned 5')
    for (const [query, count] of [
      ['', 7],
      ['&status=PLANNED', 5],
      ['&status=SENT', 2],
    ] as const) {
      const seen: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await owner.get(`${sending.path}/recipients?limit=2${query}&cursor=${cursor}`)
        seen.push(...body.items.map(({ email }: Listed) => email))
        cursor = body.cursor
      }
      assert.deepEqual([seen.length, new Set(seen).size], [count, count], query)
    }
    const page = await owner.get(`${sending.path}/recipients?limit=2&status=PLANNED`)
    const forged = JSON.parse(Buffer.from(page.body.cursor, 'base64url').toString())
    forged[1] = Number.MAX_SAFE_INTEGER
    const far = Buffer.from(JSON.stringify(forged)).toString('base64url')
    assert.deepEqual(
      (await owner.get(`${sending.path}/recipients?limit=2&status=PLANNED&cursor=${far}`)).body.items,
      [],
    )
    assertError(await owner.get(`${sending.path}/recipients?limit=2&cursor=${far}`), 422, 'VALIDATION_FAILED')
    await sending.move('cancel')
  })

  test('is for who holds SUBSCRIBERS_READ there', async () => {
    const { id, sending, entry, path } = await sentTo(1, {})
    const reader = await used.make.member(id, 'SUBSCRIBERS_READ')
    const at = `${sending.path}/recipients`
    assert.equal((await reader.get(at)).status, 200)
    assertError(await (await used.make.member(id, 'NEWSLETTER_SEND', 'CONTENT_WRITE')).get(at), 403, 'FORBIDDEN')
    assertError(await reader.get(`${path}/entries/ent_other/sends/${sending.id}/recipients`), 404, 'NOT_FOUND')
    assertError(await reader.get(`${entry.path}/sends/snd_other/recipients`), 404, 'NOT_FOUND')
    assert.equal(refusal(await reader.get(`${at}?status=LOST`)), '422 VALIDATION_FAILED status INVALID')
  })
})

describe('a send to the rest', () => {
  test('goes to those whom the first did not reach, with the letter that the others got', async () => {
    const moods = { reader2: REFUSED, reader3: LOST, reader4: REFUSED, reader5: REFUSED }
    const { admin, db, entry, sending, sendRest, list, stateOf, unsubscribe, tokenOf, id, eventsOf } = await sentTo(
      6,
      moods,
    )
    await unsubscribe(await tokenOf('reader4@readers.example'))
    const suppression = { businessId: id, emailKey: 'reader5@readers.example', reason: 'BOUNCE', createdAt: new Date() }
    await db.insertInto('newsletter.suppressions').values(suppression).execute()
    const changed = await admin.put(entry.path, { blocks: letter('Another subject', 'Another body.') })
    assert.equal(changed.status, 200, changed.text)

    const answer = await sendRest()
    assert.deepEqual([answer.status, answer.body.remainderOf, answer.body.status], [201, sending.id, 'SCHEDULED'])
    await sendWorker.run(db)
    const rest = `${entry.path}/sends/${answer.body.id}`
    assert.equal(await stateOf(answer.body.id), 'DONE 2 2 0 0 0')
    assert.deepEqual(names(await list('', rest)), ['reader2', 'reader3'])
    assert.deepEqual(['reader1', 'reader2', 'reader4', 'reader5', 'reader6'].map(timesTaken), [1, 1, 0, 0, 1])
    assert.equal(timesTaken('reader3'), 2, 'it was uncertain, and somebody chose to send again')
    const subjects = server.taken.map(({ content }) => /^subject: (.*)$/im.exec(content)?.[1])
    assert.deepEqual([...new Set(subjects)], ['Spring is here'])
    assert.equal(await sending.state(), 'DONE sent 2 failed 3 uncertain 1', 'the first stays what it was')
    assert.equal((await sending.get()).remainderOf, undefined)
    const types = ['newsletter.send_planned', 'newsletter.send_started', 'newsletter.send_done']
    assert.deepEqual(await eventsOf(answer.body.id), types)
  })

  test('takes over whom it goes to: asked again, the first has nobody left', async () => {
    const { db, sendRest, list, entry, stateOf } = await sentTo(4, {
      reader1: REFUSED,
      reader2: LOST,
      reader3: REFUSED,
    })
    const failed = await sendRest(['FAILED'])
    treat({ reader3: REFUSED })
    await sendWorker.run(db)
    assert.equal(await stateOf(failed.body.id), 'DONE 2 1 1 0 0')
    assert.equal(refusal(await sendRest(['FAILED'])), '409 CONFLICT statuses NOBODY_LEFT')
    const both = await sendRest(['FAILED', 'UNCERTAIN'])
    await sendWorker.run(db)
    assert.deepEqual(names(await list('', `${entry.path}/sends/${both.body.id}`)), ['reader2'])
    treat({})
    const last = await sendRest(['FAILED'], `${entry.path}/sends/${failed.body.id}`)
    await sendWorker.run(db)
    assert.deepEqual(names(await list('', `${entry.path}/sends/${last.body.id}`)), ['reader3'])
    assert.deepEqual(['reader1', 'reader2', 'reader3', 'reader4'].map(timesTaken), [1, 2, 1, 1])
  })

  test('is made once, however many ask at the same time', async () => {
    const { db, sendRest, stateOf } = await sentTo(3, { reader1: REFUSED, reader2: REFUSED })
    const answers = await Promise.all(Array.from({ length: 10 }, () => sendRest()))
    const outcomes = answers.map(refusal).sort()
    assert.deepEqual(outcomes, ['201', ...Array<string>(9).fill('409 CONFLICT id WRONG_STATE')])
    await sendWorker.run(db)
    assert.equal(await stateOf(answers.find(({ status }) => status === 201)?.body.id), 'DONE 2 2 0 0 0')
    assert.deepEqual(['reader1', 'reader2', 'reader3'].map(timesTaken), [1, 1, 1])
  })

  test('of one that was cancelled half-way goes to those who waited', async () => {
    const { owner, db, fill, entry, send } = await openNewsletter(used.make)
    await fill(5)
    const made = await entry()
    const sending = await send(made)
    const slow = createSendWorker(used.api, { smtpUrl: server.url, perSecondOfBusiness: 2 })
    await slow.run(db)
    slow.close()
    assert.equal(
      refusal(await owner.post(`${sending.path}/send-remaining`, { statuses: ['PLANNED'] })),
      '409 CONFLICT id WRONG_STATE',
    )
    assert.equal((await sending.move('cancel')).status, 200)
    const rest = await owner.post(`${sending.path}/send-remaining`, { statuses: ['PLANNED', 'FAILED'] })
    assert.equal(rest.status, 201, rest.text)
    clock.advance(2)
    await sendWorker.run(db)
    assert.deepEqual(
      [1, 2, 3, 4, 5].map((number) => timesTaken(`reader${number}`)),
      [1, 1, 1, 1, 1],
    )
    assert.equal((await owner.get(`${made.path}/sends/${rest.body.id}`)).body.sent, 3)
  })

  test('is refused with a reason', async () => {
    const { id, sending, sendRest, owner, entry } = await sentTo(2, { reader1: REFUSED })
    const at = `${sending.path}/send-remaining`
    assert.equal(refusal(await sendRest([])), '422 VALIDATION_FAILED statuses TOO_FEW')
    assert.match(refusal(await sendRest(['SENT'])), /^422 VALIDATION_FAILED statuses\.0 INVALID/)
    assert.match(refusal(await sendRest(['FAILED', 'FAILED'])), /^422 VALIDATION_FAILED/)
    assert.match(refusal(await owner.post(at, {})), /^422 VALIDATION_FAILED statuses REQUIRED/)
    assert.equal(refusal(await sendRest(['UNCERTAIN'])), '409 CONFLICT statuses NOBODY_LEFT')
    assert.equal(refusal(await sendRest(['FAILED'], `${entry.path}/sends/snd_other`)), '404 NOT_FOUND')
    const writer = await used.make.member(id, 'SUBSCRIBERS_READ', 'CONTENT_WRITE')
    assertError(await writer.post(at, { statuses: ['FAILED'] }), 403, 'FORBIDDEN')

    const elsewhere = await openNewsletter(unconfigured.make)
    const nowhere = `${elsewhere.path}/entries/ent_one/sends/snd_one/send-remaining`
    assertError(await elsewhere.owner.post(nowhere, { statuses: ['FAILED'] }), 503, 'PROVIDER_NOT_CONFIGURED')
  })

  test('is made once for one Idempotency-Key', async () => {
    const { sending, owner } = await sentTo(2, { reader1: REFUSED })
    const ask = () =>
      owner.post(`${sending.path}/send-remaining`, { statuses: ['FAILED'] }, { 'idempotency-key': 'rest-1' })
    const [first, second] = [await ask(), await ask()]
    assert.deepEqual([first.status, second.status, second.body], [201, 201, first.body])
  })
})
