import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { openRaw } from '../../support/raw-http.ts'
import { type StartOptions, startApi } from '../../support/start-api.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const ORIGIN = { origin: 'https://shop.example.com' }

const words = (header: string | null) =>
  (header ?? '')
    .split(/\s*,\s*/)
    .map((word) => word.toLowerCase())
    .sort()

/** Another API on the same data, with other settings. */
async function startOther(t: TestContext, options: StartOptions) {
  const other = await startApi({ databases: used.api.databases, ...options })
  t.after(() => other.close())
  return other
}

test('a preflight allows any origin what a browser needs, without credentials', async () => {
  const { status, headers, text } = await used.make.anonymous().send('OPTIONS', '/v1/businesses', {
    headers: {
      ...ORIGIN,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,content-type,idempotency-key,if-match',
    },
  })
  assert.equal(status, 204)
  assert.equal(text, '')
  assert.equal(headers.get('access-control-allow-origin'), '*')
  assert.equal(headers.get('access-control-allow-credentials'), null)
  assert.deepEqual(words(headers.get('access-control-allow-methods')), ['delete', 'get', 'head', 'post', 'put'])
  assert.deepEqual(words(headers.get('access-control-allow-headers')), [
    'authorization',
    'content-type',
    'idempotency-key',
    'if-match',
    'if-none-match',
    'last-event-id',
    'x-api-key',
    'x-request-id',
  ])
  assert.ok(Number(headers.get('access-control-max-age')) > 0)
})

test('answers and refusals alike can be read by a page of any origin', async () => {
  const { admin, path } = await used.make.business()
  const anonymous = used.make.anonymous()
  const answers = [
    [await admin.get(path, ORIGIN), 200],
    [await anonymous.get(path, ORIGIN), 401],
    [await anonymous.get('/v1/nothing', ORIGIN), 404],
    [await admin.get('/v1/businesses?cursor=%00', ORIGIN), 400],
    [await admin.send('POST', `${path}/roles`, { raw: '{', headers: ORIGIN }), 400],
    [await admin.send('POST', `${path}/roles`, { raw: `"${'x'.repeat(3_000_000)}"`, headers: ORIGIN }), 413],
  ] as const
  for (const [{ status, headers }, expected] of answers) {
    assert.equal(status, expected)
    assert.equal(headers.get('access-control-allow-origin'), '*')
    assert.deepEqual(words(headers.get('access-control-expose-headers')), [
      'etag',
      'idempotency-replayed',
      'retry-after',
      'x-ignored-fields',
      'x-request-id',
    ])
  }
})

test('every answer forbids sniffing, framing and scripts', async (t) => {
  const anonymous = used.make.anonymous()
  for (const path of ['/healthz', '/v1/businesses', '/v1/nothing']) {
    const { headers } = await anonymous.get(path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('x-powered-by'), null)
    assert.equal(headers.get('server'), null)
    assert.equal(headers.get('strict-transport-security'), null) // served as http here
  }
  const secure = await startOther(t, { publicUrl: 'https://kontor.example.com' })
  const { headers } = await createClient(secure.url).get('/healthz')
  assert.match(headers.get('strict-transport-security') ?? '', /max-age=\d{7,}/)
})

test('a sane request id is kept, any other replaced', async () => {
  const { get } = used.make.anonymous()
  for (const id of ['a', 'abc-DEF_123', 'x'.repeat(64)]) {
    const answer = await get('/v1/nothing', { 'x-request-id': id })
    assert.equal(assertError(answer, 404, 'NOT_FOUND').requestId, id)
    assert.equal((await get('/healthz', { 'x-request-id': id })).headers.get('x-request-id'), id)
  }
  const seen = new Set<string>()
  for (const id of ['', 'x'.repeat(65), 'a b', '<script>', 'a\tb', 'é', '{"a":1}', '../..', 'a,b']) {
    const answer = await get('/v1/nothing', { 'x-request-id': id })
    const { requestId } = assertError(answer, 404, 'NOT_FOUND')
    assert.match(requestId, /^[\w-]{1,64}$/)
    assert.notEqual(requestId, id)
    seen.add(requestId)
  }
  assert.equal(seen.size, 9)

  const raw = await openRaw(used.api.url)
  raw.write('GET /v1/nothing HTTP/1.1\r\nhost: x\r\nx-request-id: one\r\nx-request-id: two\r\n\r\n')
  assert.match(assertError(await raw.read(), 404, 'NOT_FOUND').requestId, /^[\w-]{1,64}$/)
  raw.destroy()
})

const PER_MINUTE = 600

/** Sends that many requests, some at a time, and counts the answers by status. */
async function flood(count: number, send: (index: number) => Promise<{ status: number }>) {
  const statuses: Record<number, number> = {}
  let next = 0
  const worker = async () => {
    while (next < count) {
      const { status } = await send(next++)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 20 }, worker))
  return statuses
}

test('the 601st request within a minute is 429 and says when to come back', async (t) => {
  const { url } = await startOther(t, { env: { RATE_LIMITS: 'on' } })
  const { get } = createClient(url)
  assert.deepEqual(await flood(PER_MINUTE, () => get('/.well-known/jwks.json')), { 200: PER_MINUTE })

  const refused = await get('/.well-known/jwks.json', ORIGIN)
  assertError(refused, 429, 'RATE_LIMITED')
  const retryAfter = Number(refused.headers.get('retry-after'))
  assert.ok(retryAfter >= 1 && retryAfter <= 60, String(retryAfter))
  assert.equal(refused.headers.get('access-control-allow-origin'), '*')
  assert.equal((await get('/healthz')).status, 200) // whoever watches the process is never refused
  assert.equal((await get('/readyz')).status, 200)
  // Nor does a forged address help.
  assert.equal((await get('/.well-known/jwks.json', { 'x-forwarded-for': '203.0.113.7' })).status, 429)
})

test('requests that are refused count as well', async (t) => {
  const { url } = await startOther(t, { env: { RATE_LIMITS: 'on' } })
  const { get, send } = createClient(url)
  const kinds = [
    () => get('/v1/businesses'), // no token
    () => get('/v1/businesses', { 'x-api-key': `guess-${Math.random()}` }),
    () => get('/v1/nothing'),
    () => send('POST', '/v1/nothing', { raw: '{' }),
  ]
  const statuses = await flood(PER_MINUTE, (index) => kinds[index % kinds.length]!()) // oxlint-disable-line typescript/no-non-null-assertion
  assert.deepEqual(statuses, { 400: PER_MINUTE / 4, 401: PER_MINUTE / 2, 404: PER_MINUTE / 4 })
  for (const kind of kinds) assertError(await kind(), 429, 'RATE_LIMITED')
})

test('behind a trusted proxy each client has its own limit', async (t) => {
  const { url } = await startOther(t, { env: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1' } })
  const { get } = createClient(url)
  const from = (address: string) => get('/.well-known/jwks.json', { 'x-forwarded-for': address })
  assert.deepEqual(await flood(PER_MINUTE, (index) => from(`2001:db8:1:2::${index.toString(16)}`)), { 200: PER_MINUTE })

  assert.equal((await from('2001:db8:1:2:ffff::1')).status, 429) // the same /64 is the same caller
  assert.equal((await from('2001:db8:1:3::1')).status, 200)
  assert.equal((await from('203.0.113.7')).status, 200)
  assert.equal((await from('2001:db8:1:3::1, 2001:db8:1:2::1')).status, 429) // what the proxy itself saw comes last
})

test('a record has an ETag that changes with it, and only then', async () => {
  const { admin, path } = await used.make.business()
  const { body: role } = await admin.post(`${path}/roles`, { name: 'Editors', permissions: [] })
  const one = `${path}/roles/${role.id}`
  const first = await admin.get(one)
  const etag = first.headers.get('etag') ?? ''
  assert.match(etag, /^"[^"]+"$/)
  assert.equal((await admin.get(one)).headers.get('etag'), etag)

  const changed = await admin.put(one, { name: 'Writers' })
  assert.notEqual(changed.headers.get('etag'), etag)
  assert.equal((await admin.get(one)).headers.get('etag'), changed.headers.get('etag'))
})

test('If-None-Match answers 304 without a body, however the tag is written', async () => {
  const { admin, path } = await used.make.business()
  const etag = (await admin.get(path)).headers.get('etag') ?? ''
  for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, `"other",W/${etag}`, '*']) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await admin.send(method, path, { headers: { 'if-none-match': tags } })
      assert.equal(answer.status, 304, `${method} ${tags}`)
      assert.equal(answer.text, '')
      assert.equal(answer.headers.get('etag'), etag)
      assert.ok(answer.headers.get('x-request-id'))
    }
  }
  for (const tags of ['"other"', 'W/"other"', etag.replaceAll('"', ''), '']) {
    assert.equal((await admin.get(path, { 'if-none-match': tags })).status, 200, tags)
  }
})

test('what a cache keeps for one caller is not taken for another', async () => {
  const { admin, path } = await used.make.business()
  for (const caller of [admin, await used.make.guest()]) {
    const { headers } = await caller.get(path)
    assert.deepEqual(words(headers.get('vary')), ['authorization', 'x-api-key'])
  }
})

test('a stale If-Match is 412 and changes nothing', async () => {
  const { admin, path } = await used.make.business()
  const { body: role } = await admin.post(`${path}/roles`, { name: 'Editors', permissions: [] })
  const one = `${path}/roles/${role.id}`
  const etag = (await admin.get(one)).headers.get('etag') ?? ''
  const changed = await admin.put(one, { name: 'Writers' }, { 'if-match': etag })
  assert.equal(changed.status, 200)

  assertError(await admin.put(one, { name: 'Lost' }, { 'if-match': etag }), 412, 'PRECONDITION_FAILED')
  assertError(await admin.delete(one, { 'if-match': `${etag}, "0"` }), 412, 'PRECONDITION_FAILED')
  assert.equal((await admin.get(one)).body.name, 'Writers')

  const fresh = changed.headers.get('etag') ?? ''
  assert.equal((await admin.put(one, { name: 'Any' }, { 'if-match': '*' })).status, 200)
  assertError(await admin.delete(one, { 'if-match': fresh }), 412, 'PRECONDITION_FAILED')
  const last = (await admin.get(one)).headers.get('etag') ?? ''
  assert.equal((await admin.delete(one, { 'if-match': `"0", ${last}` })).status, 200)
})

test('of two who change the same version at once, one is told that it is stale', async () => {
  const { admin, path } = await used.make.business()
  const etag = (await admin.get(path)).headers.get('etag') ?? ''
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => admin.put(path, { name: `Name ${index}` }, { 'if-match': etag })),
  )
  assert.deepEqual(answers.map(({ status }) => String(status)).sort(), ['200', ...Array(9).fill('412')])
})
