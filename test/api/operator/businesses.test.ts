import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { askDeletion, setPaymentAccount } from '#modules/access/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { recordStatements } from '../../support/explain.ts'
import type { Make } from '../../support/make.ts'
import { refusal } from '../../support/refusal.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

let operator: Awaited<ReturnType<Make['operator']>>
const used = useWorld({ own: true }, async ({ make }) => {
  operator = await make.operator()
})
const PATH = '/v1/operator/businesses'
const control = () => used.api.services.databases.control
type Shown = { id: string; name: string }

const find = async (query: string): Promise<string[]> => {
  const { status, body, text } = await operator.get(`${PATH}?${query}`)
  assert.equal(status, 200, text)
  return body.items.map(({ id }: Shown) => id)
}

test('a business is found by its id, words of its name, its slug, and the address of its ADMIN', async () => {
  const { id, slug, admin } = await used.make.business({ name: 'Blaue Laterne & Söhne' })
  await used.make.business({ name: 'Blaue Tasse' })
  const asked = [id, id.slice(0, 9), 'laterne', 'LATER bla', 'söhne', slug.slice(0, 14), admin.email ?? '']
  for (const text of [...asked, (admin.email ?? '').toUpperCase()])
    assert.deepEqual(await find(`query=${encodeURIComponent(text)}`), [id], text)
  for (const text of ['tasse laterne', 'biz_none', 'nobody@example.com', '&', "' or true --", 'a:* | b', '%'])
    assert.deepEqual(await find(`query=${encodeURIComponent(text)}`), [], text)
  const member = await used.make.member(id, 'ORDERS_READ')
  assert.deepEqual(await find(`query=${encodeURIComponent(member.email ?? '')}`), [], 'no ADMIN')
})

test('of a business its sizes, health, cell and admins are shown, and the last four characters of its account', async () => {
  const { id, name, slug, admin } = await used.make.business({ cell: 'second' })
  await transaction(control(), (tx) => setPaymentAccount(tx, id, `acct_${id.slice(4)}Be2p`))
  const { body, text } = await operator.get(`${PATH}/${id}`)
  const { createdAt, ...shown } = body
  assert.ok(createdAt > 0)
  assert.deepEqual(shown, {
    id,
    name,
    slug,
    cell: 'second',
    cellState: 'up',
    state: 'ACTIVE',
    suspendedAt: null,
    suspendedReason: null,
    deleteAt: null,
    health: 'GOOD',
    deadJobs: 0,
    stoppedSends: 0,
    admins: [{ userId: admin.id, email: admin.email }],
    size: { rows: 0, mediaBytes: 0 },
    lastDay: { requests: 0, mails: 0, jobs: 0 },
    measuredAt: null,
    lastCheck: null,
    paymentAccount: 'Be2p',
    limits: { requestsPerMinute: null, requestsAtOnce: null, jobsAtOnce: null, mediaBytes: null, mailsPerDay: null },
  })
  assert.doesNotMatch(text, /acct_/)
  assert.equal(refusal(await operator.get(`${PATH}/biz_000000000000`)), '404 NOT_FOUND')
})

test('businesses are listed newest first, or by a figure, page by page, and filtered', async () => {
  const word = `Quartett${process.pid}`
  const made: string[] = []
  for (const cell of ['main', 'second', 'main', 'second'])
    made.push((await used.make.business({ cell, name: word })).id)
  const [a, b, c, d] = made as [string, string, string, string]
  for (const [id, rows, deadJobs] of [
    [a, 5, 0],
    [b, 50, 2],
    [c, 5, 0],
    [d, 500, 0],
  ] as const)
    await control()
      .updateTable('access.businessFigures')
      .set({ rows, requests: 1000 - rows, deadJobs })
      .where('businessId', '=', id)
      .execute()

  assert.deepEqual(await find(`query=${word}&sort=-rows&limit=2`), [d, b])
  assert.deepEqual(await find(`query=${word}&cell=second&sort=-requests`), [b, d])
  assert.deepEqual(await find(`query=${word}&health=TROUBLED`), [b])
  assert.deepEqual((await find(`query=${word}&health=GOOD`)).sort(), [a, c, d].sort())
  assert.deepEqual(await find(`query=${word}&cell=none`), [])

  for (const sort of ['-createdAt', 'createdAt', '-rows', '-mediaBytes', '-requests', '-mails', '-jobs']) {
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await operator.get(`${PATH}?query=${word}&sort=${sort}&limit=1&cursor=${cursor}`)
      seen.push(...body.items.map(({ id }: Shown) => id))
      if (body.cursor === null) break
      cursor = body.cursor
    }
    assert.deepEqual(seen.toSorted(), made.toSorted(), `${sort}: each once`)
    assert.deepEqual(seen, await find(`query=${word}&sort=${sort}`), sort)
  }
  assert.equal(refusal(await operator.get(`${PATH}?sort=name`)), '422 VALIDATION_FAILED sort INVALID')
  for (const time of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
    const { cursor } = (await operator.get(`${PATH}?limit=1`)).body
    const [print] = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const forged = Buffer.from(JSON.stringify([print, time, 'biz_a'])).toString('base64url')
    assert.equal((await operator.get(`${PATH}?limit=1&cursor=${forged}`)).status, 200)
  }
})

test('a suspended business refuses everybody at once, and its people read later who did it and why', async () => {
  const { id, admin, path } = await used.make.business()
  assert.equal((await admin.get(`${path}/roles`)).status, 200)
  const suspended = await operator.post(`${PATH}/${id}/suspend`, { reason: 'Asked for by the owner.' })
  assert.equal(suspended.status, 200, suspended.text)
  assert.deepEqual([suspended.body.state, suspended.body.suspendedReason], ['SUSPENDED', 'Asked for by the owner.'])
  assert.equal(refusal(await admin.get(`${path}/roles`)), '403 FORBIDDEN')
  assert.deepEqual(await find(`state=SUSPENDED&query=${id}`), [id])
  assert.deepEqual(await find(`state=ACTIVE&query=${id}`), [])
  const WRONG = '409 CONFLICT id WRONG_STATE'
  assert.equal(refusal(await operator.post(`${PATH}/${id}/suspend`, { reason: 'Again.' })), WRONG)

  const resumed = await operator.post(`${PATH}/${id}/resume`, undefined)
  assert.deepEqual([resumed.body.state, resumed.body.suspendedReason], ['ACTIVE', null])
  assert.equal(refusal(await operator.post(`${PATH}/${id}/resume`, undefined)), WRONG)
  const { body } = await admin.get(`${path}/audit?action=business.suspended`)
  assert.deepEqual(
    body.items.map((entry: { actorId: string; actorKind: string; data: object }) => [
      entry.actorId,
      entry.actorKind,
      entry.data,
    ]),
    [[operator.id, 'operator', { reason: 'Asked for by the owner.' }]],
  )
})

test('of many who suspend and resume at once, each change happens once and is written down once', async () => {
  const { id } = await used.make.business()
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, turn) =>
      turn % 2 === 0
        ? operator.post(`${PATH}/${id}/suspend`, { reason: `Turn ${turn}.` })
        : operator.post(`${PATH}/${id}/resume`, undefined),
    ),
  )
  const done = answers.filter(({ status }) => status === 200)
  assert.ok(answers.every(({ status }) => status === 200 || status === 409))
  const { body } = await operator.get(`/v1/operator/audit?businessId=${id}&limit=50`)
  assert.equal(body.items.length, done.length)
  const order = body.items.map(({ action }: { action: string }) => action)
  for (const [index, action] of order.entries()) assert.notEqual(action, order[index + 1], 'in turns')
  const isSuspended = (await operator.get(`${PATH}/${id}`)).body.state === 'SUSPENDED'
  assert.equal(order[0], isSuspended ? 'business.suspended' : 'business.resumed')
})

test('a business is not opened by somebody who asks while its deletion is being asked for', async () => {
  const { id, path, admin } = await used.make.business()
  await operator.post(`${PATH}/${id}/suspend`, { reason: 'Fraud.' })
  let resumed: ReturnType<typeof operator.post> | undefined
  await transaction(control(), async (tx) => {
    await askDeletion(tx, id, new Date(Date.now() + 86_400_000))
    resumed = operator.post(`${PATH}/${id}/resume`, undefined)
    await until('the other one waits for the row', async () => {
      const { rows } = await sql`
        select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%businesses%'`.execute(
        control(),
      )
      return rows.length > 0
    })
  })
  assert.ok(resumed)
  assert.equal(refusal(await resumed), '409 CONFLICT id WRONG_STATE')
  assert.equal(refusal(await admin.get(`${path}/roles`)), '403 FORBIDDEN')
})

test('what operators do is listed with who did it and to whom, by business and by person', async () => {
  const other = await used.make.operator()
  const { id, name } = await used.make.business()
  await other.post(`${PATH}/${id}/suspend`, { reason: 'Fraud.' })
  await operator.post(`${PATH}/${id}/resume`, undefined)
  type Entry = Record<'action' | 'actorEmail' | 'subject' | 'subjectEmail' | 'businessName', string | null>
  const entries = async (query: string) =>
    (await operator.get(`/v1/operator/audit?${query}`)).body.items.map((entry: Entry) => [
      entry.action,
      entry.actorEmail,
      entry.subject,
      entry.subjectEmail,
      entry.businessName,
    ])
  assert.deepEqual(await entries(`businessId=${id}`), [
    ['business.resumed', operator.email, id, null, name],
    ['business.suspended', other.email, id, null, name],
  ])
  assert.deepEqual(await entries(`actorId=${other.id}`), [['business.suspended', other.email, id, null, name]])
  assert.deepEqual(await entries(`action=operator.added&limit=1`), [
    ['operator.added', null, other.id, other.email, null],
  ])
  const asked = async (limit: number) =>
    (await recordStatements(() => operator.get(`/v1/operator/audit?limit=${limit}`))).length
  assert.equal(await asked(50), await asked(1), 'names cost a page no more statements than a line')
})

test('a reason must say something', async () => {
  const { id } = await used.make.business()
  const suspend = (body: object) => operator.post(`${PATH}/${id}/suspend`, body)
  assert.equal(refusal(await suspend({})), '422 VALIDATION_FAILED reason REQUIRED')
  assert.equal(refusal(await suspend({ reason: '  ' })), '422 VALIDATION_FAILED reason INVALID')
  assert.equal(refusal(await suspend({ reason: 'x'.repeat(501) })), '422 VALIDATION_FAILED reason TOO_LONG')
  const unknown = await operator.post(`${PATH}/biz_000000000000/suspend`, { reason: 'Fraud.' })
  assert.equal(refusal(unknown), '404 NOT_FOUND')
})
