import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { newsletterJobs } from '#modules/newsletter/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type AnyJob, enqueue } from '#platform/jobs/define.ts'
import { newId } from '#vocabulary/ids.ts'
import { startChild } from '../../support/child.ts'
import type { Client } from '../../support/client.ts'
import { CSV, faultsIn, type ImportAnswer, NDJSON, toLines } from '../../support/imports.ts'
import { createMake, type Make } from '../../support/make.ts'
import { largestRead } from '../../support/read-bytes.ts'
import { refusal } from '../../support/refusal.ts'
import { startApi, type TestApi } from '../../support/start-api.ts'
import { startTestWorker, type TestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'

// By the clock nothing runs here: a test says when.
const jobs: readonly AnyJob[] = newsletterJobs.map(({ cron: _cron, ...job }) => job)
const lines: string[] = []
const used = {} as { api: TestApi; make: Make; worker: TestWorker }
before(async () => {
  used.api = await startApi({ lines })
  used.make = createMake(used.api)
  used.worker = startTestWorker(used.api.databases.env, jobs, { lines })
})
after(async () => {
  await used.worker.stop()
  await used.api.close()
  assert.deepEqual(faultsIn(lines), [], 'nothing was logged as our fault')
})

// biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body is for the test to say
type Body = any // oxlint-disable-line typescript/no-explicit-any
type Answer = ImportAnswer & { skipped: number }
type Newsletter = Awaited<ReturnType<typeof makeNewsletter>>

const PLANS = [
  { id: 'free', name: 'Free' },
  { id: 'extra', name: 'Free, too', price: { amount: 0, currency: 'usd', interval: 'MONTHLY' } },
  { id: 'paid', name: 'Paid', price: { amount: 500, currency: 'usd', interval: 'MONTHLY' } },
]

async function makeNewsletter(body: object = {}, options: { cell?: string } = {}) {
  const business = await used.make.business(options)
  const made = await business.admin.post(`${business.path}/collections`, {
    name: 'Weekly',
    type: 'NEWSLETTER',
    statuses: [{ status: 'PUBLISHED' }],
    ...body,
  })
  assert.equal(made.status, 201, made.text)
  const collection = `${business.path}/collections/${made.body.id}`
  return { ...business, collectionId: made.body.id as string, collection, subscribers: `${collection}/subscribers` }
}

const upload = ({ admin, subscribers }: { admin: Client; subscribers: string }, text: string, type = CSV) =>
  admin.send('POST', `${subscribers}/import`, { raw: text, headers: { 'content-type': type } })

const finish = ({ admin, subscribers }: Newsletter, id: string): Promise<Answer> =>
  until(`import ${id} is finished`, async () => {
    const { status, text, body } = await admin.get(`${subscribers}/imports/${id}`)
    assert.equal(status, 200, text)
    return body.status === 'DONE' ? (body as Answer) : undefined
  })

async function importText(newsletter: Newsletter, text: string, type = CSV): Promise<Answer> {
  const made = await upload(newsletter, text, type)
  assert.equal(made.status, 201, made.text)
  return finish(newsletter, made.body.id)
}

/** `created/updated/skipped/failed of total`. */
const countsOf = ({ created, updated, skipped, failed, total }: Answer) =>
  `${created}/${updated}/${skipped}/${failed} of ${total}`

const problemsOf = async ({ admin, subscribers }: Newsletter, id: string): Promise<string[]> => {
  const { status, text, body } = await admin.get(`${subscribers}/imports/${id}/errors?limit=100`)
  assert.equal(status, 200, text)
  return body.items.map(({ number, details }: Body) => `${number} ${details[0].field} ${details[0].error}`)
}

const rowsOf = ({ db, id }: Newsletter) =>
  db.selectFrom('newsletter.subscriptions').selectAll().where('businessId', '=', id).orderBy('emailKey').execute()
/** `address name plan status`, in the order of the addresses. */
const subscribersOf = async (newsletter: Newsletter) =>
  (await rowsOf(newsletter)).map(({ email, name, planId, status }) => [email, name, planId ?? '-', status].join(' '))

const leftOf = async ({ db, id }: Newsletter) => {
  const rows = await db.selectFrom('newsletter.importRows').select('number').where('businessId', '=', id).execute()
  const imports = await db.selectFrom('newsletter.imports').select('id').where('businessId', '=', id).execute()
  return { rows: rows.length, imports: imports.length }
}

const addresses = (count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => `reader${index + from}@example.com`)

describe('importing subscribers', { concurrency: true }, () => {
  test('columns that are not imported are listed, those of an export excepted', async () => {
    const newsletter = await makeNewsletter()
    const made = await upload(newsletter, 'email,createdAt,First name,Plan,Shoe size\nada@example.com,,Ada,,39\n')
    const unknownColumns = [
      { name: 'First name', suggestions: ['name'] },
      { name: 'Plan', suggestions: ['planId'] },
      { name: 'Shoe size', suggestions: [] },
    ]
    assert.deepEqual(made.body.unknownColumns, unknownColumns, made.text)
    assert.deepEqual((await finish(newsletter, made.body.id)).unknownColumns, unknownColumns)
  })

  test('a CSV file of some thousand rows is imported in batches; its progress and errors can be read', async () => {
    const newsletter = await makeNewsletter({ doubleOptIn: true }, { cell: 'second' })
    const rows = addresses(1_200).map((email, index) =>
      index % 100 === 0 ? `nobody${index},` : `${email},Reader ${index}`,
    )
    const uploaded = await upload(newsletter, `email,name\n${rows.join('\n')}\n`)
    assert.equal(uploaded.status, 201, uploaded.text)
    const { id, createdAt, ...first } = uploaded.body
    assert.match(id, /^imp_/)
    assert.ok(Math.abs(createdAt - Date.now() / 1000) < 60)
    const none = { done: 0, created: 0, updated: 0, skipped: 0, failed: 0 }
    assert.deepEqual(first, { status: 'RUNNING', total: 1_200, ...none, unknownColumns: [], finishedAt: null })

    const done = await finish(newsletter, id)
    assert.equal(countsOf(done), '1188/0/0/12 of 1200')
    assert.ok(done.done === 1_188 && done.finishedAt !== null && done.finishedAt >= createdAt)
    const found = await rowsOf(newsletter)
    assert.equal(found.length, 1_188)
    assert.ok(
      found.every(({ status, activatedAt }) => status === 'ACTIVE' && activatedAt !== null),
      'nobody is asked',
    )
    const moments = new Set(found.map(({ updatedAt }) => updatedAt.getTime()))
    assert.equal(moments.size, 3, 'a statement for each 500')

    const errors = `${newsletter.subscribers}/imports/${id}/errors`
    const page = await newsletter.admin.get(`${errors}?limit=10`)
    const next = await newsletter.admin.get(`${errors}?limit=10&cursor=${page.body.cursor}`)
    const numbers = [...page.body.items, ...next.body.items].map(({ number }: Body) => number)
    assert.deepEqual(
      numbers,
      Array.from({ length: 12 }, (_, index) => index * 100 + 2),
    )
    assert.equal(next.body.cursor, null)
    assert.equal(page.body.items[0].line, '{"email":"nobody0"}')
    assert.deepEqual([page.body.items[0].details[0].field, page.body.items[0].details[0].error], ['email', 'INVALID'])
    assert.deepEqual(await leftOf(newsletter), { rows: 12, imports: 1 }, 'what was imported is forgotten')

    const told = await newsletter.db
      .selectFrom('cell.eventOutbox')
      .select(['type', 'subject', 'data'])
      .where('businessId', '=', newsletter.id)
      .where('type', '~', 'subscri')
      .execute()
    const counts = { collectionId: newsletter.collectionId, created: 1_188, updated: 0, skipped: 0, failed: 12 }
    assert.deepEqual(told, [{ type: 'subscriber_import.finished', subject: id, data: counts }])
  })

  test('columns are found by their names, with a BOM, semicolons, CRLF, or others among them', async () => {
    const newsletter = await makeNewsletter()
    const text =
      '\ufeffId;Name;EMAIL;__proto__\r\n\r\n1;"Lovelace; ""Ada""";ada@example.com;x\r\n2;Hopper, Grace;grace@example.com\r\n'
    assert.equal(countsOf(await importText(newsletter, text)), '2/0/0/0 of 2')
    assert.equal(countsOf(await importText(newsletter, 'email\nlinus@example.com')), '1/0/0/0 of 1')
    assert.deepEqual(await subscribersOf(newsletter), [
      'ada@example.com Lovelace; "Ada" - ACTIVE',
      'grace@example.com Hopper, Grace - ACTIVE',
      'linus@example.com  - ACTIVE',
    ])
  })

  test('NDJSON is read line by line; what is wrong with one is its own failure', async () => {
    const newsletter = await makeNewsletter()
    const file = [
      '{"email":"a@example.com","name":"A"}',
      '{"email":"b@example.com"',
      '',
      '{"email":"c@example.com","name":"\\u0000"}',
      '{"email":"d@example.com","status":"PENDING"}',
      `{"email":"e@example.com","x":"${'x'.repeat(20_000)}"}`,
      '[]',
      '{"name":"nobody"}',
      '{"email":"f@example.com","colour":"red","id":"sub_1"}',
    ].join('\n')
    const done = await importText(newsletter, file, `${NDJSON}; charset=utf-8`)
    assert.equal(countsOf(done), '2/0/0/6 of 8')
    assert.deepEqual(await problemsOf(newsletter, done.id), [
      '2  INVALID',
      '4  INVALID',
      '5 status INVALID',
      '6  INVALID',
      '7  INVALID',
      '8 email REQUIRED',
    ])
    assert.deepEqual(await subscribersOf(newsletter), ['a@example.com A - ACTIVE', 'f@example.com  - ACTIVE'])
  })

  test('only free plans can be imported', async () => {
    const newsletter = await makeNewsletter({ plans: PLANS })
    const text = [
      'email,planId,status',
      'a@example.com,free,',
      'b@example.com,extra,ACTIVE',
      'c@example.com,paid,',
      'd@example.com,none,',
      'e@example.com,,',
      'f@example.com,paid,CANCELLED',
      'g@example.com,free,PAST_DUE',
    ].join('\n')
    const done = await importText(newsletter, text)
    assert.deepEqual(await problemsOf(newsletter, done.id), [
      '4 planId PAID_PLAN',
      '5 planId NOT_FOUND',
      '6 planId REQUIRED',
      '8 status INVALID',
    ])
    assert.deepEqual(await subscribersOf(newsletter), [
      'a@example.com  free ACTIVE',
      'b@example.com  extra ACTIVE',
      'f@example.com  - CANCELLED',
    ])
  })

  test('who has left stays away, who pays is left alone, who has not confirmed is subscribed', async () => {
    const newsletter = await makeNewsletter({ plans: PLANS, doubleOptIn: true })
    const { db, id: businessId, collectionId } = newsletter
    const at = new Date(0)
    const known = (email: string, status: string, more: object = {}) => ({
      businessId,
      collectionId,
      id: newId('sub'),
      email,
      emailKey: email,
      name: 'Old',
      planId: 'free',
      status,
      activatedAt: null,
      createdAt: at,
      updatedAt: at,
      ...more,
    })
    const rows = [
      known('left@example.com', 'CANCELLED'),
      known('left-paid@example.com', 'CANCELLED', { providerId: 'sub_1', planId: 'paid' }),
      known('pays@example.com', 'ACTIVE', { providerId: 'sub_2', planId: 'paid', activatedAt: at }),
      known('owes@example.com', 'PAST_DUE', { providerId: 'sub_3', planId: 'paid' }),
      known('pending@example.com', 'PENDING'),
      known('active@example.com', 'ACTIVE', { activatedAt: at }),
      known('same@example.com', 'ACTIVE', { activatedAt: at }),
    ]
    await db.insertInto('newsletter.subscriptions').values(rows).execute()

    const text = `email,name,planId\n${rows.map(({ email }) => `${email.toUpperCase()},${email.startsWith('same') ? '' : 'New'},${email.startsWith('same') ? 'free' : 'extra'}`).join('\n')}`
    assert.equal(countsOf(await importText(newsletter, text)), '0/3/4/0 of 7')
    assert.deepEqual(await subscribersOf(newsletter), [
      'active@example.com New extra ACTIVE',
      'left-paid@example.com Old paid CANCELLED',
      'left@example.com Old free CANCELLED',
      'owes@example.com Old paid PAST_DUE',
      'pays@example.com Old paid ACTIVE',
      'pending@example.com New extra ACTIVE',
      'same@example.com Old free ACTIVE',
    ])
    const after = new Map((await rowsOf(newsletter)).map((row) => [row.email, row]))
    assert.equal(after.get('active@example.com')?.activatedAt?.getTime(), 0, 'since when they get mail stays')
    assert.ok((after.get('pending@example.com')?.activatedAt?.getTime() ?? 0) > 0)
    assert.equal(after.get('same@example.com')?.updatedAt.getTime(), 0, 'what is so already is not written')

    const off = `email,status\n${rows.map(({ email }) => `${email},CANCELLED`).join('\n')}\nnew@example.com,CANCELLED`
    assert.equal(countsOf(await importText(newsletter, off)), '1/3/4/0 of 8')
    const left = (await rowsOf(newsletter)).filter(({ status, activatedAt }) => status === 'CANCELLED' && !activatedAt)
    assert.equal(left.length, 6, 'all but those who pay')
    const again = `email,planId\nnew@example.com,free\nactive@example.com,free\n`
    assert.equal(countsOf(await importText(newsletter, again)), '0/0/2/0 of 2')
  })

  test('an address that is there twice, in any case, is one subscription: rows count in their order', async () => {
    const newsletter = await makeNewsletter()
    const file = toLines([
      { email: 'Ada@example.com', name: 'First' },
      { email: 'ada@EXAMPLE.com', name: 'Second' },
      ...addresses(600).map((email) => ({ email })),
      { email: 'ADA@example.com', status: 'CANCELLED' },
      { email: 'ada@example.com', name: 'Too late' },
      { email: 'gone@example.com', status: 'CANCELLED' },
      { email: 'gone@example.com' },
    ])
    assert.equal(countsOf(await importText(newsletter, file, NDJSON)), '602/2/2/0 of 606')
    const found = await subscribersOf(newsletter)
    assert.deepEqual(
      [found.length, found[0], found[1]],
      [602, 'Ada@example.com Second - CANCELLED', 'gone@example.com  - CANCELLED'],
    )
    assert.equal(countsOf(await importText(newsletter, file, NDJSON)), '0/600/6/0 of 606')
    assert.deepEqual(await subscribersOf(newsletter), found)
  })

  test('imports of the same addresses at the same time, and people who subscribe, meet on one subscription each', async () => {
    const newsletter = await makeNewsletter()
    const all = addresses(900)
    const files = [all, all.toReversed(), all.slice(300)]
    const guests = await Promise.all(all.slice(0, 20).map(() => used.make.guest()))
    const [uploaded] = await Promise.all([
      Promise.all(files.map((file) => upload(newsletter, `email\n${file.join('\n')}`))),
      ...guests.map((guest, index) => guest.post(`${newsletter.collection}/subscribe`, { email: all[index * 45] })),
    ])
    const done = await Promise.all(uploaded.map(({ body }) => finish(newsletter, body.id)))
    for (const { created, updated, skipped, failed, total } of done) {
      assert.deepEqual([created + updated, skipped, failed], [total, 0, 0])
    }
    const found = await rowsOf(newsletter)
    assert.equal(found.length, 900)
    const created = done.reduce((sum, one) => sum + one.created, 0)
    assert.ok(created <= 900 && created >= 880, `${created} created`)
  })

  test('what is not a file of subscribers is refused as a whole, and leaves nothing behind', async () => {
    const newsletter = await makeNewsletter()
    const bad: [text: string, said: RegExp][] = [
      ['', /must name its columns, email among them/],
      ['\n \n', /must name its columns/],
      ['name,mail\nAda,ada@example.com', /must name its columns/],
      ['ada@example.com\ngrace@example.com', /must name its columns/],
      ['email,name\na@example.com,"open\n', /not readable as CSV/],
      ['email,name\na@example.com,the 5" one\n', /not readable as CSV/],
      [`email,name\na@example.com,${'x'.repeat(1_100_000)}\n`, /not readable as CSV/],
    ]
    for (const [text, said] of bad) {
      const answer = await upload(newsletter, text)
      assert.equal(refusal(answer), '400 BAD_REQUEST', `${text.slice(0, 50)} ${answer.text}`)
      assert.match(answer.body.message, said)
    }
    const latin = await fetch(`${used.api.url}${newsletter.subscribers}/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${newsletter.admin.token}`, 'content-type': CSV },
      body: Buffer.concat([Buffer.from('email,name\na@example.com,Caf'), Buffer.from([0xe9])]),
    })
    assert.equal(latin.status, 400)
    assert.match(await latin.text(), /not UTF-8/)
    const json = await newsletter.admin.post(`${newsletter.subscribers}/import`, { email: 'a@example.com' })
    assert.equal(refusal(json), '400 BAD_REQUEST', json.text)
    assert.deepEqual(await leftOf(newsletter), { rows: 0, imports: 0 })
    const empty = await upload(newsletter, 'email\n')
    assert.deepEqual([empty.status, empty.body.status, empty.body.total], [201, 'DONE', 0])
  })

  test('a file that is too large, or breaks off, is not imported at all', async () => {
    const newsletter = await makeNewsletter()
    const send = (headers: Record<string, string>) =>
      httpRequest(`${used.api.url}${newsletter.subscribers}/import`, {
        method: 'POST',
        headers: { authorization: `Bearer ${newsletter.admin.token}`, 'content-type': CSV, ...headers },
      })
    const large = send({ 'content-length': String(101 * 1024 * 1024) })
    const status = await new Promise((resolve, reject) => {
      large.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject)
      large.flushHeaders()
    })
    large.destroy()
    assert.equal(status, 413)

    const broken = send({ 'transfer-encoding': 'chunked' })
    broken.on('error', () => {})
    broken.write(`email\n${addresses(3_000).join('\n')}`)
    await until('some of it has arrived', async () => (await leftOf(newsletter)).rows > 0)
    broken.destroy()
    await until('it is forgotten', async () => (await leftOf(newsletter)).imports === 0)
    assert.deepEqual(await leftOf(newsletter), { rows: 0, imports: 0 })
    assert.deepEqual(await rowsOf(newsletter), [])
  })

  test('it needs a newsletter, of this business, and the permission', async () => {
    const newsletter = await makeNewsletter()
    const { admin, path, id } = newsletter
    const text = 'email\na@example.com'
    const articles = await admin.post(`${path}/collections`, { name: 'Articles' })
    const at = (collectionId: string) => ({ admin, subscribers: `${path}/collections/${collectionId}/subscribers` })
    assert.equal(refusal(await upload(at(articles.body.id), text)), '409 CONFLICT id NOT_A_NEWSLETTER')
    assert.equal(refusal(await upload(at('col_nobody'), text)), '404 NOT_FOUND')
    assert.equal((await admin.get(`${path}/collections/${articles.body.id}/subscribers/export`)).status, 409)
    assert.equal((await admin.get(`${path}/collections/col_nobody/subscribers/export`)).status, 404)

    const sender = await used.make.member(id, 'NEWSLETTER_SEND')
    const reader = await used.make.member(id, 'SUBSCRIBERS_READ')
    const made = await upload({ ...newsletter, admin: sender }, text)
    assert.equal(made.status, 201)
    await finish(newsletter, made.body.id)
    const progress = `${newsletter.subscribers}/imports/${made.body.id}`
    assert.equal((await sender.get(progress)).status, 200)
    assert.equal((await sender.get(`${progress}/errors`)).status, 403, 'addresses are not for everybody who sends')
    assert.equal((await reader.get(`${progress}/errors`)).status, 200)
    assert.equal((await reader.get(`${newsletter.subscribers}/export`)).status, 200)
    assert.equal((await upload({ ...newsletter, admin: reader }, text)).status, 403)
    assert.equal((await reader.get(progress)).status, 403)
    assert.equal((await sender.get(`${newsletter.subscribers}/export`)).status, 403)

    const other = await makeNewsletter()
    assert.equal((await upload({ ...newsletter, admin: other.admin }, text)).status, 403)
    assert.equal((await other.admin.get(`${other.subscribers}/imports/${made.body.id}`)).status, 404)
    const second = await admin.post(`${path}/collections`, { name: 'Other', type: 'NEWSLETTER' })
    const elsewhere = `${path}/collections/${second.body.id}/subscribers/imports/${made.body.id}`
    assert.equal((await admin.get(elsewhere)).status, 404)
    assert.equal((await admin.get(`${elsewhere}/errors`)).status, 404)
  })

  test('rows of a newsletter that is gone meanwhile fail, and the import ends', async () => {
    const { db, id: businessId } = await makeNewsletter()
    const at = { createdAt: new Date(), updatedAt: new Date() }
    await db
      .insertInto('newsletter.imports')
      .values({ businessId, id: 'imp_late', collectionId: 'col_gone', status: 'RUNNING', total: 1, ...at })
      .execute()
    const row = { businessId, importId: 'imp_late', number: 2, line: '{"email":"a@example.com"}' }
    await db.insertInto('newsletter.importRows').values(row).execute()
    const job = jobs.find(({ name }) => name === 'newsletter.import-subscribers')
    await transaction(db, (tx) => enqueue(tx, job as never, { businessId, importId: 'imp_late' }))
    const done = await until('it ends', () =>
      db
        .selectFrom('newsletter.imports')
        .selectAll()
        .where('businessId', '=', businessId)
        .where('status', '=', 'DONE')
        .executeTakeFirst(),
    )
    assert.deepEqual([done.created, done.failed], [0, 1])
  })

  test('old imports, and uploads that never ended, are forgotten', async () => {
    const newsletter = await makeNewsletter({}, { cell: 'second' })
    const { db, id: businessId, collectionId } = newsletter
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
    const make = async (id: string, status: string, createdAt: Date) => {
      await db
        .insertInto('newsletter.imports')
        .values({ businessId, id, collectionId, status, createdAt, updatedAt: createdAt })
        .execute()
      await db.insertInto('newsletter.importRows').values({ businessId, importId: id, number: 1, line: '{}' }).execute()
    }
    await make('imp_old', 'DONE', hoursAgo(31 * 24))
    await make('imp_kept', 'DONE', hoursAgo(29 * 24))
    await make('imp_lost', 'RECEIVING', hoursAgo(3))
    await make('imp_coming', 'RECEIVING', hoursAgo(1))
    await make('imp_slow', 'RUNNING', hoursAgo(31 * 24))
    const tidy = jobs.find(({ name }) => name === 'newsletter.tidy-imports')
    await transaction(db, (tx) => enqueue(tx, tidy as never, {}))
    await until('they are gone', async () => (await leftOf(newsletter)).imports === 3)
    const left = await db
      .selectFrom('newsletter.importRows')
      .select('importId')
      .where('businessId', '=', businessId)
      .orderBy('importId')
      .execute()
    assert.deepEqual(
      left.map(({ importId }) => importId),
      ['imp_coming', 'imp_kept', 'imp_slow'],
    )
  })
})

describe('exporting subscribers', { concurrency: true }, () => {
  const exportText = async ({ admin, subscribers }: Newsletter, query = '') => {
    const { status, text, headers } = await admin.get(`${subscribers}/export${query}`)
    assert.equal(status, 200, text)
    return { text, headers }
  }

  test('CSV has everybody, oldest first, and no cell that a spreadsheet would run', async () => {
    const newsletter = await makeNewsletter({ plans: PLANS })
    const names = ['=1+1', '+1', '-1', '@x', '\tx', "'=x", "'x", 'Ada "A", B', 'x;=1', ' x ', '']
    const file = toLines([
      ...names.map((name, index) => ({ email: `r${index}@example.com`, name, planId: 'free' })),
      { email: '+tag@example.com', planId: 'extra', status: 'CANCELLED' },
    ])
    assert.equal(countsOf(await importText(newsletter, file, NDJSON)), '12/0/0/0 of 12')
    const { text, headers } = await exportText(newsletter)
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.equal(headers.get('content-disposition'), 'attachment; filename="subscribers.csv"')
    assert.equal(headers.get('content-length'), null)
    const [header, ...rows] = text.trimEnd().split('\n')
    assert.equal(header, 'email,name,planId,status,createdAt')
    assert.ok(rows.every((row) => /,\d{10}$/.test(row)))
    assert.deepEqual(rows.map((row) => row.slice(0, row.lastIndexOf(','))).sort(), [
      "'+tag@example.com,,,CANCELLED",
      "r0@example.com,'=1+1,free,ACTIVE",
      'r10@example.com,,free,ACTIVE',
      "r1@example.com,'+1,free,ACTIVE",
      "r2@example.com,'-1,free,ACTIVE",
      "r3@example.com,'@x,free,ACTIVE",
      'r4@example.com,"\'\tx",free,ACTIVE',
      "r5@example.com,''=x,free,ACTIVE",
      "r6@example.com,'x,free,ACTIVE",
      'r7@example.com,"Ada ""A"", B",free,ACTIVE',
      'r8@example.com,"x;=1",free,ACTIVE',
      'r9@example.com," x ",free,ACTIVE',
    ])

    const copy = await makeNewsletter({ plans: PLANS })
    assert.equal(countsOf(await importText(copy, text)), '12/0/0/0 of 12')
    assert.deepEqual(await subscribersOf(copy), await subscribersOf(newsletter), 'it reads back as it was')
  })

  test('NDJSON has a subscription a line, whatever their number', async () => {
    const newsletter = await makeNewsletter({}, { cell: 'second' })
    const { db, id, collectionId } = newsletter
    await sql`
      insert into newsletter.subscriptions (business_id, collection_id, id, email, email_key, name, status, created_at, updated_at)
      select ${id}, ${collectionId}, 'sub_' || to_char(n, 'FM000000'), email, email, '', 'ACTIVE', now(), now()
        from generate_series(1, 12345) as n, lateral (select 'r' || n || '@example.com' as email) as named`.execute(db)
    const { text, headers } = await exportText(newsletter, '?format=ndjson')
    assert.equal(headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    const found = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.equal(found.length, 12_345)
    assert.ok(found.every(({ email }, index) => email === `r${index + 1}@example.com`))
    const listed = await newsletter.admin.get(`${newsletter.subscribers}?limit=1`)
    assert.deepEqual(found.at(-1), listed.body.items[0], 'as the list shows it')
    assert.doesNotMatch(text, /secret/)
    assert.equal((await newsletter.admin.get(`${newsletter.subscribers}/export?format=xlsx`)).status, 422)
  })
})

test('the long lines of an import that failed are not read to be shortened', async () => {
  const newsletter = await makeNewsletter()
  const bad = { email: 'nobody', name: 'n'.repeat(15_000) }
  const { id, failed } = await importText(newsletter, toLines(Array.from({ length: 50 }, () => bad)), NDJSON)
  assert.equal(failed, 50)
  const read = await largestRead(() => newsletter.admin.get(`${newsletter.subscribers}/imports/${id}/errors?limit=100`))
  assert.ok(read < 100_000, `${read} bytes`)
})

test('an import whose workers are killed is finished by the next one, and nothing is doubled', async (t) => {
  await used.worker.stop()
  const newsletter = await makeNewsletter()
  const { env } = used.api.databases
  // 3,000 rows: 2,900 addresses, 70 of them twice, 30 rows that are wrong.
  const rows = [...addresses(2_900), ...addresses(70), ...Array.from({ length: 30 }, () => 'nobody')]
  const uploaded = await upload(newsletter, `email\n${rows.join('\n')}`)
  const { id } = uploaded.body
  const positionOf = async () =>
    (
      await newsletter.db
        .selectFrom('newsletter.imports')
        .select('position')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    ).position

  const doomed = await startChild('worker', env, { faults: { 'subscriber-import.before-commit': 'kill-second' } })
  t.after(() => doomed.kill())
  assert.equal((await doomed.exited).signal, 'SIGKILL')
  assert.equal(await positionOf(), 501, 'the first batch is there, nothing of the second')
  assert.equal((await rowsOf(newsletter)).length, 500)

  const next = await startChild('worker', env)
  t.after(() => next.kill())
  await until('it has gone on', async () => (await positionOf()) > 501, { everyMs: 2 })
  await next.kill()
  t.diagnostic(`killed after the line ${await positionOf()}`)
  const last = await startChild('worker', env)
  t.after(() => last.kill())
  assert.equal(countsOf(await finish(newsletter, id)), '2900/70/0/30 of 3000')
  assert.equal((await rowsOf(newsletter)).length, 2_900)
  assert.deepEqual(await leftOf(newsletter), { rows: 30, imports: 1 })
  assert.equal((await last.stop()).code, 0)
})
