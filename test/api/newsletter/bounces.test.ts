import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { findBusiness } from '#modules/access/index.ts'
import { markCustomers } from '#modules/customers/index.ts'
import { bounceRoutes, deliverAll } from '#modules/newsletter/index.ts'
import type { Db } from '#platform/database/database.ts'
import type { BulkMessage } from '#platform/mail/bulk.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { newId } from '#vocabulary/ids.ts'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { faultsIn } from '../../support/paid-shop.ts'
import { type Envelope, openSns, TOPIC } from '../../support/sns.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const SECRET = 'a secret of the mail server'
const OLD_SECRET = 'the secret before it'
const BOUNCES = '/v1/newsletters/webhooks/bounces'
const SES = '/v1/newsletters/webhooks/ses'

const lines: string[] = []
const sns = await openSns()
// The routes once more, with an SNS that can be reached.
const used = useWorld({
  own: true,
  lines,
  env: { BOUNCE_WEBHOOK_SECRET: `${SECRET},${OLD_SECRET}`, SNS_TOPIC_ARNS: TOPIC },
  routes: async (app) => {
    await app.register(bounceRoutes, {
      prefix: '/test',
      secrets: [],
      topicArns: [TOPIC],
      findBusiness: (id) => findBusiness(used.api.services.databases.control, id),
      cells: { get: (name: string) => used.api.services.databases.cells.get(name) } as ReadonlyMap<string, Db>,
      metrics: createMetrics(),
      fetch: sns.fetch,
    })
  },
})
after(() => sns.close())
after(() => assert.deepEqual(faultsIn(lines), [], 'nothing was logged as our fault'))

type MailEvent = { type: string; email: string; businessId?: string; messageId?: string }
type Signing = { secret?: string; at?: number; signed?: string; header?: string }

const now = () => Math.floor(Date.now() / 1000)
function signatureOf(raw: string, { secret = SECRET, at = now() }: Signing = {}): string {
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${raw}`).digest('hex')}`
}
const post = (raw: string, { signed = raw, ...signing }: Signing = {}) =>
  createClient(used.api.url).send('POST', BOUNCES, {
    raw,
    headers: { 'kontor-signature': signing.header ?? signatureOf(signed, signing) },
  })
const report = (...events: MailEvent[]) => post(JSON.stringify({ events }))
const postSns = (envelope: Envelope | string, path = `/test${SES}`) =>
  createClient(used.api.url).send('POST', path, {
    raw: typeof envelope === 'string' ? envelope : JSON.stringify(envelope),
    headers: { 'content-type': 'text/plain; charset=UTF-8' },
  })

/** A business with a newsletter, to which people subscribe. */
async function openNewsletter(options: { cell?: string } = {}) {
  const business = await used.make.business(options)
  const { admin, path, db, id: businessId } = business
  const guest = await used.make.guest()
  async function addNewsletter() {
    const body = { name: 'Letters', type: 'NEWSLETTER', statuses: [{ status: 'PUBLISHED' }] }
    const made = await admin.post(`${path}/collections`, body)
    assert.equal(made.status, 201, made.text)
    return made.body.id as string
  }
  const collectionId = await addNewsletter()
  return {
    ...business,
    businessId,
    collectionId,
    addNewsletter,
    async subscribe(email: string, to = collectionId): Promise<string> {
      const made = await guest.post(`${path}/collections/${to}/subscribe`, { email })
      assert.equal(made.status, 201, made.text)
      return made.body.id
    },
    suppressed: async () => {
      const { body } = await admin.get(`${path}/suppressions`)
      return (body.items as { email: string; reason: string }[]).map(({ email, reason }) => `${email} ${reason}`)
    },
    /** What was told of bounces, of that subscription. */
    told: async (subscriptionId: string) => {
      const { rows } = await sql<{ type: string; data: Record<string, unknown> }>`
        select type, data
          from cell.event_outbox
         where business_id = ${businessId} and subject = ${subscriptionId} and type <> 'subscription.created'
         order by position`.execute(db)
      return rows.map(({ type, data }) => [type, data.bounce, data.sendId].filter(Boolean).join(' '))
    },
  }
}
type Newsletter = Awaited<ReturnType<typeof openNewsletter>>

const messageIdOf = ({ businessId }: Newsletter) => `<newsletter.${businessId}.snd_1.sub_1@api.example.com>`

describe('a signature', () => {
  const event = { type: 'HARD_BOUNCE', email: 'ada@example.com', businessId: 'biz_000000000000' }
  const raw = JSON.stringify({ events: [event] })
  const assertForged = (answer: Awaited<ReturnType<typeof post>>) =>
    assert.equal(assertError(answer, 400, 'BAD_REQUEST').details[0]?.error, 'SIGNATURE_INVALID')

  test('of the secret, or of the one before it, is believed', async () => {
    assert.deepEqual((await post(raw)).body, { success: true })
    assert.equal((await post(raw, { secret: OLD_SECRET })).status, 200)
  })

  test('that is missing, malformed, of another secret or of another body is refused', async () => {
    assertForged(await createClient(used.api.url).send('POST', BOUNCES, { raw }))
    assertForged(await createClient(used.api.url).send('POST', BOUNCES))
    assertForged(await post(raw, { secret: 'another' }))
    assertForged(await post(raw, { signed: `${raw} ` }))
    const good = signatureOf(raw)
    for (const header of [
      '',
      't=1',
      'v1=00',
      good.slice(0, -1),
      `${good}0`,
      `${good},${good}`,
      good.replace('t=', 't=-'),
    ]) {
      assertForged(await post(raw, { header }))
    }
    assertForged(await post(raw, { header: good.replace(/t=\d+/, `t=${now() + 1}`) }))
  })

  test('holds for five minutes', async () => {
    assert.equal((await post(raw, { at: now() - 290 })).status, 200)
    assertForged(await post(raw, { at: now() - 310 }))
    assertForged(await post(raw, { at: now() + 310 }))
  })

  test('does not help a body that is none', async () => {
    const bodies = [
      '',
      'null',
      '[]',
      '{}',
      '{"events":{}}',
      '{"events":[]}',
      '{"events":[{}]}',
      '{',
      '"\\ud800"',
      '\0',
      '1',
    ]
    const odd = [
      { ...event, type: 'BOUNCE' },
      { ...event, email: 'nobody' },
      { ...event, email: 'a\0@example.com' },
      { ...event, email: `${'a'.repeat(255)}@example.com` },
      { ...event, businessId: "' or 1=1" },
      { ...event, messageId: 5 },
    ]
    const many = { events: Array.from({ length: 1_001 }, () => event) }
    const deep = `{"events":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    for (const body of [
      ...bodies,
      ...odd.map((each) => JSON.stringify({ events: [each] })),
      JSON.stringify(many),
      deep,
    ]) {
      const { status, text } = await post(body)
      assert.ok(status === 400 || status === 422, `${status} ${body.slice(0, 80)} ${text}`)
    }
    assert.equal((await post('x'.repeat(3 * 1024 * 1024))).status, 413)
  })

  test('cannot be checked where there is no secret', async () => {
    const api = await startApi({ databases: used.api.databases })
    try {
      for (const path of [BOUNCES, SES]) {
        assertError(await createClient(api.url).post(path, {}), 503, 'PROVIDER_NOT_CONFIGURED')
      }
    } finally {
      await api.close()
    }
  })
})

describe('a bounce', () => {
  test('for good suppresses the address in all newsletters of the business, and is told once', async () => {
    const letters = await openNewsletter()
    const { businessId } = letters
    const first = await letters.subscribe('Ada@Example.com')
    const second = await letters.subscribe('ada@example.com', await letters.addNewsletter())
    const other = await letters.subscribe('bob@example.com')
    const bounce = { type: 'HARD_BOUNCE', email: 'ADA@example.com', businessId }
    assert.deepEqual((await report(bounce, bounce)).body, { success: true })
    assert.equal((await report(bounce)).status, 200)

    assert.deepEqual(await letters.suppressed(), ['ada@example.com BOUNCE'])
    for (const id of [first, second]) assert.deepEqual(await letters.told(id), ['subscription.bounced HARD'])
    assert.deepEqual(await letters.told(other), [])
  })

  test('that is soft is told, and nothing else', async () => {
    const letters = await openNewsletter()
    const ada = await letters.subscribe('ada@example.com')
    await report({ type: 'SOFT_BOUNCE', email: 'ada@example.com', messageId: messageIdOf(letters) })

    assert.deepEqual(await letters.suppressed(), [])
    assert.deepEqual(await letters.told(ada), ['subscription.bounced SOFT snd_1'])
  })

  test('finds its business by our Message-ID, and leaves the recipient’s row as it is', async () => {
    const letters = await openNewsletter({ cell: 'second' })
    const ada = await letters.subscribe('ada@example.com')
    const sendId = await insertSend(letters)
    const [mail] = await deliverMails(letters.db)
    await report({ type: 'HARD_BOUNCE', email: 'ada@example.com', messageId: mail?.messageId ?? '' })

    assert.deepEqual(await letters.suppressed(), ['ada@example.com BOUNCE'])
    assert.deepEqual(await letters.told(ada), [`subscription.bounced HARD ${sendId}`])
    assert.deepEqual(await statesOf(letters, sendId), { [ada]: 'SENT' })
  })

  test('of an address that nobody subscribed is remembered all the same', async () => {
    const letters = await openNewsletter()
    await report({ type: 'HARD_BOUNCE', email: 'nobody@example.com', businessId: letters.businessId })
    assert.deepEqual(await letters.suppressed(), ['nobody@example.com BOUNCE'])
  })
})

test('a complaint suppresses too, weighs more than a bounce, and is not undone by one', async () => {
  const letters = await openNewsletter()
  const { businessId } = letters
  const ada = await letters.subscribe('ada@example.com')
  const about = { email: 'ada@example.com', businessId }
  await report({ type: 'HARD_BOUNCE', ...about })
  await report({ type: 'COMPLAINT', ...about }, { type: 'HARD_BOUNCE', ...about }, { type: 'SOFT_BOUNCE', ...about })
  await report({ type: 'HARD_BOUNCE', ...about })

  assert.deepEqual(await letters.suppressed(), ['ada@example.com COMPLAINT'])
  assert.deepEqual(await letters.told(ada), ['subscription.bounced HARD', 'subscription.complained'])
})

test('events of many businesses, in both cells, come at once; each touches its own, and unknown ones are ignored', async () => {
  const [here, there, untouched] = [
    await openNewsletter({ cell: 'main' }),
    await openNewsletter({ cell: 'second' }),
    await openNewsletter({ cell: 'second' }),
  ]
  const ids = await Promise.all([here, there, untouched].map((letters) => letters.subscribe('ada@example.com')))
  const email = 'ada@example.com'
  const answer = await report(
    { type: 'HARD_BOUNCE', email, businessId: here.businessId },
    { type: 'COMPLAINT', email, messageId: messageIdOf(there) },
    { type: 'HARD_BOUNCE', email, businessId: 'biz_000000000000', messageId: messageIdOf(untouched) },
    { type: 'HARD_BOUNCE', email, messageId: '<somebody-else@example.com>' },
    { type: 'HARD_BOUNCE', email },
  )
  assert.equal(answer.status, 200)

  assert.deepEqual(await here.suppressed(), [`${email} BOUNCE`])
  assert.deepEqual(await there.suppressed(), [`${email} COMPLAINT`])
  assert.deepEqual(await untouched.suppressed(), [])
  assert.deepEqual(await there.told(ids[1] ?? ''), ['subscription.complained snd_1'])
  assert.deepEqual(await untouched.told(ids[2] ?? ''), [])
})

test('a thousand events are taken in one request, and many at the same time get along', async () => {
  const letters = await openNewsletter()
  const { businessId } = letters
  const events = Array.from({ length: 1_000 }, (_, index) => ({
    type: 'HARD_BOUNCE',
    email: `reader${index}@example.com`,
    businessId,
  }))
  const answers = await Promise.all([report(...events), report(...events.toReversed()), report(...events)])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  )
  const { rows } = await sql<{ count: number }>`
    select count(*) from newsletter.suppressions where business_id = ${businessId}`.execute(letters.db)
  assert.equal(rows[0]?.count, 1_000)
})

describe('a send', () => {
  test('leaves suppressed addresses out when it is planned', async () => {
    const letters = await openNewsletter()
    const [ada, bob] = [await letters.subscribe('ada@example.com'), await letters.subscribe('bob@example.com')]
    await report({ type: 'HARD_BOUNCE', email: 'Ada@example.com', businessId: letters.businessId })
    const sendId = await insertSend(letters)
    assert.deepEqual(await deliver(letters.db), ['bob@example.com'])
    assert.deepEqual(await statesOf(letters, sendId), { [bob]: 'SENT' })
    assert.ok(ada)
  })

  test('does not go to an address that is suppressed after it was planned', async () => {
    const letters = await openNewsletter()
    const [ada, bob] = [await letters.subscribe('ada@example.com'), await letters.subscribe('bob@example.com')]
    const sendId = await insertSend(letters, { planned: [ada, bob] })
    const messageId = messageIdOf(letters).slice(1, -1) // as some servers tell it
    await report({ type: 'COMPLAINT', email: 'ada@example.com', messageId })
    assert.deepEqual(await deliver(letters.db), ['bob@example.com'])
    assert.deepEqual(await statesOf(letters, sendId), { [ada]: 'SUPPRESSED', [bob]: 'SENT' })
  })
})

describe('suppressions', () => {
  test('are listed in pages, by address', async () => {
    const { businessId, admin, path } = await openNewsletter()
    const emails = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}@example.com`)
    await report(...emails.toReversed().map((email) => ({ type: 'HARD_BOUNCE', email, businessId })))
    const found: string[] = []
    for (let cursor = ''; cursor !== 'null'; ) {
      const { status, body, text } = await admin.get(`${path}/suppressions?limit=2&cursor=${cursor}`)
      assert.equal(status, 200, text)
      for (const { email, reason, createdAt } of body.items) {
        assert.deepEqual([reason, Math.abs(createdAt - now()) < 60], ['BOUNCE', true])
        found.push(email)
      }
      cursor = String(body.cursor)
    }
    assert.deepEqual(found, emails)
    const other = await openNewsletter()
    const { body } = await admin.get(`${path}/suppressions?limit=2`)
    assertError(await other.admin.get(`${other.path}/suppressions?cursor=${body.cursor}`), 422, 'VALIDATION_FAILED')
  })

  test('are lifted, once, whatever the case, and mail goes there again', async () => {
    const letters = await openNewsletter({ cell: 'main' })
    const other = await openNewsletter({ cell: 'main' })
    const { businessId, admin, path, db } = letters
    const ada = await letters.subscribe('ada+news@example.com')
    for (const id of [businessId, other.businessId]) {
      await report({ type: 'HARD_BOUNCE', email: 'ada+news@example.com', businessId: id })
    }
    const address = `${path}/suppressions/${encodeURIComponent('Ada+News@Example.com')}`
    assert.deepEqual((await admin.delete(address)).body, { success: true })
    assertError(await admin.delete(address), 404, 'NOT_FOUND')

    assert.deepEqual(await letters.suppressed(), [])
    assert.deepEqual(await other.suppressed(), ['ada+news@example.com BOUNCE'])
    assert.deepEqual(await letters.told(ada), ['subscription.bounced HARD', 'subscription.unsuppressed'])
    await insertSend(letters)
    assert.deepEqual(await deliver(db), ['ada+news@example.com'])
  })

  test('are read and lifted by different permissions', async () => {
    const { businessId, path } = await openNewsletter()
    await report({ type: 'HARD_BOUNCE', email: 'ada@example.com', businessId })
    const reader = await used.make.member(businessId, 'SUBSCRIBERS_READ')
    const sender = await used.make.member(businessId, 'NEWSLETTER_SEND')
    assert.equal((await reader.get(`${path}/suppressions`)).status, 200)
    assertError(await sender.get(`${path}/suppressions`), 403, 'FORBIDDEN')
    assertError(await reader.delete(`${path}/suppressions/ada@example.com`), 403, 'FORBIDDEN')
    assert.equal((await sender.delete(`${path}/suppressions/ada@example.com`)).status, 200)
  })
})

describe('Amazon SES', () => {
  const mailOf = (letters: Newsletter) => ({ messageId: '0100', commonHeaders: { messageId: messageIdOf(letters) } })
  const bounceOf = (letters: Newsletter, changes: object = {}) => ({
    notificationType: 'Bounce',
    bounce: { bounceType: 'Permanent', bouncedRecipients: [{ emailAddress: 'ada@example.com', status: '5.1.1' }] },
    mail: mailOf(letters),
    ...changes,
  })

  for (const version of ['1', '2'] as const) {
    test(`tells of bounces, with signatures of version ${version}`, async () => {
      const letters = await openNewsletter()
      const ada = await letters.subscribe('ada@example.com')
      const envelope = sns.notification(bounceOf(letters), { Subject: 'Amazon SES Email Event' }, { version })
      assert.deepEqual((await postSns(envelope)).body, { success: true })
      assert.deepEqual(await letters.suppressed(), ['ada@example.com BOUNCE'])
      assert.deepEqual(await letters.told(ada), ['subscription.bounced HARD snd_1'])
    })
  }

  test('tells of bounces that pass and of complaints, but not of those that are none', async () => {
    const letters = await openNewsletter()
    const ids: Record<string, string> = {}
    for (const name of ['soft', 'spam', 'ham']) ids[name] = await letters.subscribe(`${name}@example.com`)
    const recipient = (name: string) => [{ emailAddress: `A reader <${name}@Example.com>` }]
    const mail = mailOf(letters)
    for (const message of [
      { eventType: 'Bounce', bounce: { bounceType: 'Transient', bouncedRecipients: recipient('soft') }, mail },
      { eventType: 'Complaint', complaint: { complainedRecipients: recipient('spam') }, mail },
      {
        notificationType: 'Complaint',
        complaint: { complainedRecipients: recipient('ham'), complaintFeedbackType: 'not-spam' },
        mail,
      },
      { eventType: 'Delivery', bounce: { bounceType: 'Permanent', bouncedRecipients: recipient('ham') }, mail },
    ]) {
      assert.equal((await postSns(sns.notification(message))).status, 200)
    }
    assert.deepEqual(await letters.suppressed(), ['spam@example.com COMPLAINT'])
    assert.deepEqual(await letters.told(ids.soft ?? ''), ['subscription.bounced SOFT snd_1'])
    assert.deepEqual(await letters.told(ids.ham ?? ''), [])
  })

  test('names the business in headers or tags', async () => {
    for (const mailFor of [
      (letters: Newsletter) => ({ headers: [{ name: 'Message-ID', value: messageIdOf(letters) }] }),
      ({ businessId }: Newsletter) => ({ headers: [{ name: 'x-kontor-business', value: businessId }], tags: null }),
      ({ businessId }: Newsletter) => ({ commonHeaders: {}, tags: { 'X-Kontor-Business': [businessId] } }),
    ]) {
      const letters = await openNewsletter()
      await postSns(sns.notification(bounceOf(letters, { mail: mailFor(letters) })))
      assert.deepEqual(await letters.suppressed(), ['ada@example.com BOUNCE'])
    }
  })

  test('may say the same twice', async () => {
    const letters = await openNewsletter()
    const ada = await letters.subscribe('ada@example.com')
    const envelope = sns.notification(bounceOf(letters))
    for (let time = 0; time < 3; time++) assert.equal((await postSns(envelope)).status, 200)
    assert.deepEqual(await letters.told(ada), ['subscription.bounced HARD snd_1'])
  })

  test('may say what we do not understand', async () => {
    const letters = await openNewsletter()
    const messages = [
      'Successfully validated SNS topic for Amazon SES event publishing.',
      'null',
      '[]',
      '{}',
      '['.repeat(5_000),
      { notificationType: 'Bounce', mail: mailOf(letters) },
      bounceOf(letters, { mail: { commonHeaders: { messageId: '<somebody-else@example.com>' } } }),
      bounceOf(letters, { mail: { tags: { 'X-Kontor-Business': ["' or 1=1", 'biz_000000000000'] } } }),
      bounceOf(letters, {
        bounce: { bounceType: 'Permanent', bouncedRecipients: [{ emailAddress: 'a\0@example.com' }] },
      }),
      bounceOf(letters, { bounce: { bounceType: 'Permanent', bouncedRecipients: [{ emailAddress: 'nobody' }] } }),
      bounceOf(letters, { bounce: { bounceType: 'Permanent', bouncedRecipients: [{ emailAddress: '"q"@b.de' }] } }),
    ]
    for (const message of messages) {
      const { status, text } = await postSns(sns.notification(message))
      assert.equal(status, 200, `${text} ${JSON.stringify(message).slice(0, 100)}`)
    }
    assert.deepEqual(await letters.suppressed(), [])
    assert.ok(lines.some((line) => line.includes('an SNS message that is about no mail of ours')))
  })
})

describe('Amazon SNS', () => {
  const assertRefused = async (envelope: Envelope | string, error = 'SIGNATURE_INVALID') => {
    const refused = assertError(await postSns(envelope), 400, 'BAD_REQUEST')
    assert.equal(refused.details[0]?.error, error)
  }
  const HOST = 'https://sns.eu-central-1.amazonaws.com'

  test('must have signed every part of a message', async () => {
    const envelope = sns.notification('{}', { Subject: 'a subject' })
    assert.equal((await postSns(envelope)).status, 200)
    for (const name of ['Message', 'MessageId', 'Subject', 'Signature']) {
      await assertRefused({ ...envelope, [name]: `${envelope[name]}x`.slice(name === 'Signature' ? 4 : 0) })
      await assertRefused({ ...envelope, [name]: undefined })
    }
    await assertRefused({ ...envelope, Timestamp: new Date(Date.now() + 1_000).toISOString() })
    await assertRefused({ ...envelope, Type: 'UnsubscribeConfirmation' })
    await assertRefused({ ...envelope, SignatureVersion: '1' })
    await assertRefused({ ...envelope, SignatureVersion: '3' })
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    await assertRefused(sns.notification('{}', {}, { key: privateKey }))
  })

  test('is heard only from topics of ours', async () => {
    sns.asked.length = 0
    for (const TopicArn of ['', 'arn:aws:sns:eu-central-1:999999999999:bounces', `${TOPIC}x`]) {
      await assertRefused(sns.notification('{}', { TopicArn }), 'TOPIC_UNKNOWN')
      await assertRefused(sns.confirmation({ TopicArn }), 'TOPIC_UNKNOWN')
    }
    assert.deepEqual(sns.asked, [])
  })

  test('is asked for its certificate, and nobody else is', async () => {
    sns.asked.length = 0
    for (const SigningCertURL of [
      'https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-1.pem',
      'https://evil.example/SimpleNotificationService-1.pem',
      'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-1.pem', // not the region of the topic
      'https://sns.eu-central-1.amazonaws.com.cn/SimpleNotificationService-1.pem',
      'http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem',
      'https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-1.pem',
      'https://evil@sns.eu-central-1.amazonaws.com/SimpleNotificationService-1.pem',
      `${HOST}@evil.example/SimpleNotificationService-1.pem`,
      `${HOST}/SimpleNotificationService-1.pem?Action=Publish`,
      `${HOST}/other/SimpleNotificationService-1.pem`,
      `${HOST}/?Action=GetTopicAttributes#/SimpleNotificationService-1.pem`,
      `${HOST}/SimpleNotificationService-..%2fx.pem`,
      'file:///SimpleNotificationService-1.pem',
      '',
    ]) {
      await assertRefused(sns.notification('{}', { SigningCertURL }))
    }
    assert.deepEqual(sns.asked, [])
  })

  test('is not believed with a certificate that ran out, is none, or is not there', async () => {
    for (const name of ['expired', 'broken', 'missing']) {
      await assertRefused(sns.notification('{}', { SigningCertURL: `${HOST}/SimpleNotificationService-${name}.pem` }))
    }
  })

  test('is asked for a certificate once', async () => {
    await postSns(sns.notification('{}'))
    sns.asked.length = 0
    const answers = await Promise.all(Array.from({ length: 5 }, () => postSns(sns.notification('{}'))))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    assert.deepEqual(sns.asked, [])
  })

  test('is told to come again while it cannot be asked', async () => {
    const SigningCertURL = `${HOST}/SimpleNotificationService-late.pem`
    sns.answer(503)
    const answers = [await postSns(sns.confirmation()), await postSns(sns.notification('{}', { SigningCertURL }))]
    sns.answer(200)
    for (const answer of answers) assertError(answer, 502, 'PROVIDER_FAILED')
    assert.equal((await postSns(sns.notification('{}', { SigningCertURL }))).status, 200)
  })

  test('is not flooded with questions by who makes up certificates', async () => {
    sns.asked.length = 0
    const answerNow = sns.hold()
    const messages = Array.from({ length: 4 }, (_, index) =>
      sns.notification('{}', { SigningCertURL: `${HOST}/SimpleNotificationService-made-up-${index}.pem` }),
    )
    const waiting = messages.map((message) => assertRefused(message))
    await until('four questions', () => sns.asked.length === 4)
    const SigningCertURL = `${HOST}/SimpleNotificationService-one-more.pem`
    assertError(await postSns(sns.notification('{}', { SigningCertURL })), 429, 'RATE_LIMITED')
    assert.equal((await postSns(sns.notification('{}'))).status, 200, 'a certificate that is known needs no question')
    answerNow()
    await Promise.all(waiting)
    assert.equal(sns.asked.length, 4)
  })

  test('may be an hour late, not more', async () => {
    const clock = holdClock()
    try {
      const envelope = sns.notification('{}')
      clock.advance(3_590)
      assert.equal((await postSns(envelope)).status, 200)
      clock.advance(20)
      await assertRefused(envelope)
      await assertRefused(sns.notification('{}', { Timestamp: 'soon' }))
    } finally {
      clock.release()
    }
  })

  test('has its subscription confirmed, by an address of its own', async () => {
    for (const version of ['1', '2'] as const) {
      sns.asked.length = 0
      assert.deepEqual((await postSns(sns.confirmation({}, { version }))).body, { success: true })
      assert.deepEqual(
        sns.asked.filter((url) => !url.endsWith('.pem')),
        [`${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=token`],
      )
    }
    sns.asked.length = 0
    for (const SubscribeURL of [
      `https://evil.example/?Action=ConfirmSubscription&TopicArn=${TOPIC}`,
      `http://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${TOPIC}`,
      `${HOST}/?Action=DeleteTopic&TopicArn=${TOPIC}`,
      `${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}x`,
      'http://127.0.0.1/',
    ]) {
      await assertRefused(sns.confirmation({ SubscribeURL }))
    }
    assert.deepEqual(sns.asked, [])
  })

  test('is not asked for anything by who cannot sign', async () => {
    await postSns(sns.notification('{}'))
    sns.asked.length = 0
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
    await assertRefused(sns.confirmation({}, { key: privateKey }))
    assert.deepEqual(sns.asked, [])
  })

  test('is no excuse for odd bodies', async () => {
    const envelope = sns.notification('{}')
    const odd = [
      '',
      '{',
      'null',
      '[]',
      '"text"',
      '\0',
      '['.repeat(5_000),
      ...[null, 5, {}, [], '\ud800', '\0', 'x'.repeat(500_000)].flatMap((value) =>
        Object.keys(envelope).map((name) => JSON.stringify({ ...envelope, [name]: value })),
      ),
    ]
    for (const raw of odd) {
      const { status, text } = await postSns(raw)
      assert.equal(status, 400, `${text} ${raw.slice(0, 200)}`)
    }
    assert.equal((await postSns('x'.repeat(3 * 1024 * 1024))).status, 413)
    assertError(await postSns('{}', SES), 400, 'BAD_REQUEST')
  })
})

/** A send that runs, with these recipients; none: they are planned when it is delivered. */
async function insertSend(letters: Newsletter, { planned }: { planned?: string[] } = {}): Promise<string> {
  const { businessId, collectionId, db } = letters
  const id = newId('snd')
  const at = new Date()
  await sql`
    insert into newsletter.sends (business_id, id, entry_id, collection_id, status, on_uncertain, scheduled_at, started_at,
                                  subject, html, body, is_planned, total, created_at, updated_at)
    values (${businessId}, ${id}, ${newId('ent')}, ${collectionId}, 'RUNNING', 'SKIP', ${at}, ${at}, 'News', '<p>News</p>',
            'News', ${planned !== undefined}, ${planned?.length ?? 0}, ${at}, ${at})`.execute(db)
  await sql`
    insert into newsletter.recipients (business_id, send_id, subscription_id, state, due_at, updated_at)
    select ${businessId}, ${id}, subscription_id, 'PLANNED', ${at}, ${at}
      from unnest(${planned ?? []}::text[]) as subscription_id`.execute(db)
  return id
}

async function statesOf({ businessId, db }: Newsletter, sendId: string): Promise<Record<string, string>> {
  const rows = await db
    .selectFrom('newsletter.recipients')
    .select(['subscriptionId', 'state'])
    .where((recipient) => recipient.and({ businessId, sendId }))
    .execute()
  return Object.fromEntries(rows.map(({ subscriptionId, state }) => [subscriptionId, state]))
}

/** Sends what is due in that cell; answers to whom. */
const deliver = async (db: Db) => (await deliverMails(db)).map(({ to }) => to)

async function deliverMails(db: Db) {
  const mailed: BulkMessage[] = []
  const mailer = {
    deliver: async (message: BulkMessage) => {
      mailed.push(message)
      return { outcome: 'SENT' as const, response: '250 OK' }
    },
    close: () => {},
  }
  const limits = { perSecond: undefined, perSecondOfBusiness: undefined }
  const log = pino({ level: 'silent' })
  const context = {
    sender: newId('snr'),
    mailer,
    from: 'mail@example.com',
    publicUrl: used.api.url,
    box: used.api.services.box,
    limits,
    markCustomers,
    log,
  }
  await deliverAll(db, context, AbortSignal.timeout(10_000))
  return mailed
}
