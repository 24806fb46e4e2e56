import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUrlOf } from '#modules/newsletter/clicks/counted-link.ts'
import { createClient } from '../../support/client.ts'
import { recordStatements } from '../../support/explain.ts'
import type { Make } from '../../support/make.ts'
import { refusal } from '../../support/refusal.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

let operator: Awaited<ReturnType<Make['operator']>>
const used = useWorld({ own: true, env: { RATE_LIMITS: 'on' } }, async ({ make }) => {
  operator = await make.operator()
})
const NONE = { requestsPerMinute: null, requestsAtOnce: null, jobsAtOnce: null, mediaBytes: null, mailsPerDay: null }
const setLimits = (id: string, limits: object) => operator.put(`/v1/operator/businesses/${id}/limits`, limits)

async function requestsOf(id: string): Promise<number> {
  await used.api.services.usage.flush()
  const { body } = await operator.get(`/v1/operator/businesses/${id}/usage`)
  return body.items[0]?.requests ?? 0
}

test('a business over its requests a minute is refused, whoever calls, and told who can raise it; others are not', async () => {
  const { id, admin, path } = await used.make.business()
  const member = await used.make.member(id, 'ORDERS_READ')
  const other = await used.make.business({ owner: admin })
  const set = await setLimits(id, { requestsPerMinute: 3 })
  assert.equal(set.status, 200, set.text)
  assert.deepEqual(set.body.limits, { ...NONE, requestsPerMinute: 3 })
  const callers = [admin, member, admin, member, admin]
  const statuses: number[] = []
  for (const caller of callers) statuses.push((await caller.get(`${path}/orders`)).status)
  assert.deepEqual(statuses, [200, 200, 200, 429, 429])
  const refused = await member.get(`${path}/orders`)
  assert.match(refused.body.message, /3 requests a minute.*operator of this service can raise the limit/)
  assert.ok(Number(refused.headers.get('retry-after')) >= 1)
  for (const name of ['limit', 'remaining', 'reset'])
    assert.equal(refused.headers.get(`x-ratelimit-${name}`), null, 'those tell of the limit of the caller')
  assert.equal((await admin.get(`${other.path}/roles`)).status, 200)

  await setLimits(id, { requestsPerMinute: 100 })
  assert.equal((await admin.get(`${path}/roles`)).status, 200, 'from the next request on')
  await setLimits(id, { requestsPerMinute: 0 })
  assert.equal((await admin.get(`${path}/roles`)).status, 429)
  await setLimits(id, { requestsPerMinute: null })
  assert.equal((await admin.get(`${path}/roles`)).status, 200)
})

test('a limit that there is not is named, with the one that was meant', async () => {
  const { id } = await used.make.business()
  const { status, body } = await setLimits(id, { requestPerMinute: 4 })
  const message = 'Unknown field "requestPerMinute". Did you mean "requestsPerMinute"?'
  assert.equal(status, 422)
  assert.deepEqual(body.details, [{ field: 'requestPerMinute', error: 'UNKNOWN_FIELD', message }])
  const { body: other } = await setLimits(id, { rows: 4, mails: 5 })
  assert.deepEqual(
    other.details.map(({ field }: { field: string }) => field),
    ['rows', 'mails'],
  )
  assert.match(other.message, /Known fields: requestsPerMinute, requestsAtOnce/)
})

test('a storefront counts for its business as well', async () => {
  const { id, slug, admin, path } = await used.make.business()
  await admin.put(path, { storefront: { isPublic: true } })
  await setLimits(id, { requestsPerMinute: 1 })
  const reader = used.make.anonymous()
  assert.equal((await reader.get(`/v1/storefront/${slug}`)).status, 200)
  assert.equal((await reader.get(`/v1/storefront/${slug}`)).status, 429)
})

test('requests that the limit of a business refuses are its use as well, of its shop as of its people', async () => {
  const { id, slug, admin, path } = await used.make.business()
  await admin.put(path, { storefront: { isPublic: true } })
  const requests = () => requestsOf(id)
  const before = await requests()
  await setLimits(id, { requestsPerMinute: 0 })
  assert.equal((await admin.get(`${path}/roles`)).status, 429)
  assert.equal(await requests(), before + 1)
  const reader = used.make.anonymous()
  for (let count = 0; count < 3; count++) assert.equal((await reader.get(`/v1/storefront/${slug}`)).status, 429)
  assert.equal(await requests(), before + 4)
  assert.equal((await reader.get(`/v1/storefront/${slug}-not`)).status, 404)
  assert.equal(await requests(), before + 4)
})

test('a letter that somebody opens is use of the business that sent it; a link that nobody was sent is none', async () => {
  const { id } = await used.make.business()
  const reader = used.make.anonymous()
  const { pathname } = new URL(
    openUrlOf('https://kontor.example', used.api.services.box, {
      businessId: id,
      sendId: 'snd_1',
      subscriptionId: 'sub_1',
    }),
  )
  const before = await requestsOf(id)
  assert.equal((await reader.get(pathname)).status, 200)
  assert.equal((await reader.get(`${pathname.slice(0, -1)}${pathname.endsWith('A') ? 'B' : 'A'}`)).status, 404)
  assert.equal(await requestsOf(id), before + 1)
})

test('whoever wants no more letters is heard, however many others call', async () => {
  const { id, admin, path } = await used.make.business()
  await setLimits(id, { requestsPerMinute: 0 })
  assert.equal((await admin.get(`${path}/roles`)).status, 429)
  const reader = used.make.anonymous()
  const answer = await reader.post(`${path}/collections/unsubscribe`, { token: 'unknown' })
  assert.notEqual(answer.status, 429, answer.text)
})

test('a limit costs no request a further round trip', async () => {
  const { id, admin, path } = await used.make.business()
  const count = async () => (await recordStatements(() => admin.get(`${path}/roles`))).length
  await count()
  const before = await count()
  await setLimits(id, { requestsPerMinute: 1_000, mediaBytes: 5, mailsPerDay: 5 })
  await count()
  assert.equal(await count(), before)
})

test('another process heeds a new limit at once', async (t) => {
  const second = await startApi({ databases: used.api.databases, env: { RATE_LIMITS: 'on' } })
  t.after(() => second.close())
  const { id, admin, path } = await used.make.business()
  const there = createClient(second.url, { authorization: `Bearer ${admin.token}` })
  assert.equal((await there.get(`${path}/roles`)).status, 200)
  await setLimits(id, { requestsPerMinute: 0 })
  await until('it has heard of it', async () => (await there.get(`${path}/roles`)).status === 429, { withinMs: 1_000 })
})

test('limits that are as they were leave no line in either log', async () => {
  const { id, admin, path } = await used.make.business()
  const lines = async () => {
    const ofBusiness = await admin.get(`${path}/audit?action=business.limits-set`)
    const ofOperator = await operator.get(`/v1/operator/audit?businessId=${id}`)
    return [ofBusiness.body.items.length, ofOperator.body.items.length]
  }
  for (const nothing of [{}, { mediaBytes: null }]) {
    const { status, body } = await setLimits(id, nothing)
    assert.deepEqual([status, body.limits.mediaBytes], [200, null])
  }
  assert.deepEqual(await lines(), [0, 0])
  await setLimits(id, { mediaBytes: 1_000, mailsPerDay: 10 })
  assert.deepEqual(await lines(), [1, 1])
  for (const nothing of [
    {},
    { mailsPerDay: 10 },
    { mailsPerDay: 10, mediaBytes: 1_000 },
    { requestsPerMinute: null },
  ]) {
    const { status, body } = await setLimits(id, nothing)
    assert.deepEqual([status, body.limits], [200, { ...NONE, mediaBytes: 1_000, mailsPerDay: 10 }])
  }
  assert.deepEqual(await lines(), [1, 1])
  await setLimits(id, { mailsPerDay: 10, mediaBytes: null })
  assert.deepEqual(await lines(), [2, 2])
  const unknown = await setLimits('biz_000000000000', {})
  assert.equal(refusal(unknown), '404 NOT_FOUND')
})

test('limits are kept one by one, written down for both sides, and checked', async () => {
  const { id, admin, path } = await used.make.business()
  await setLimits(id, { mediaBytes: 1_000 })
  const { body } = await setLimits(id, { mailsPerDay: 10 })
  assert.deepEqual(body.limits, { ...NONE, mediaBytes: 1_000, mailsPerDay: 10 })
  const { body: log } = await admin.get(`${path}/audit?action=business.limits-set`)
  assert.deepEqual(
    log.items.map((entry: { actorId: string; data: object }) => [entry.actorId, entry.data]),
    [
      [operator.id, { mailsPerDay: 10 }],
      [operator.id, { mediaBytes: 1_000 }],
    ],
  )
  const after = await Promise.all([
    setLimits(id, { mediaBytes: 2_000 }),
    setLimits(id, { mailsPerDay: null }),
    setLimits(id, { requestsPerMinute: 500 }),
  ])
  for (const { status } of after) assert.equal(status, 200)
  const { body: merged } = await operator.get(`/v1/operator/businesses/${id}`)
  assert.deepEqual(merged.limits, { ...NONE, requestsPerMinute: 500, mediaBytes: 2_000 }, 'none was lost')
  assert.equal(refusal(await setLimits(id, { mediaBytes: -1 })), '422 VALIDATION_FAILED mediaBytes TOO_SMALL')
  assert.equal(refusal(await setLimits(id, { mediaBytes: '5' })), '422 VALIDATION_FAILED mediaBytes INVALID')
  assert.equal((await setLimits(id, { bytes: 5 })).status, 422)
  assert.equal(refusal(await setLimits(id, { jobsAtOnce: 0 })), '422 VALIDATION_FAILED jobsAtOnce TOO_SMALL')
  assert.equal(
    refusal(await setLimits(id, { requestsAtOnce: 1_001 })),
    '422 VALIDATION_FAILED requestsAtOnce TOO_LARGE',
  )
  assert.equal(refusal(await setLimits('biz_000000000000', { mediaBytes: 5 })), '404 NOT_FOUND')
})
