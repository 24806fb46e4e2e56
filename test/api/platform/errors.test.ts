import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { assertError } from '../../support/assert-error.ts'
import { onServer } from '../../support/database.ts'
import { openRaw } from '../../support/raw-http.ts'
import { useWorld } from '../../support/world.ts'

const PUBLIC = { access: 'public', business: 'none' } as const
const SLOW = 'select pg_sleep(20)'

const { promise: reached, resolve: reach } = Promise.withResolvers<number>()
const { promise: released, resolve: goOn } = Promise.withResolvers<void>()
const between = { reached, reach, released, goOn }

const lines: string[] = []
const used = useWorld({
  own: true,
  lines,
  routes(app) {
    app.get('/test/bug', { config: PUBLIC }, () => {
      throw new Error('the password is hunter2')
    })
    app.get('/test/begun', { config: PUBLIC }, (_request, reply) => {
      const body = new PassThrough()
      body.write('begun')
      return reply.type('text/plain').send(body)
    })
    app.get('/test/odd-throw', { config: PUBLIC }, async () => {
      throw null
    })
    app.get('/test/slow', { config: PUBLIC }, () => sql.raw(SLOW).execute(used.api.services.databases.control))
    app.get('/test/slow-transaction', { config: PUBLIC }, () =>
      used.api.services.databases.control.transaction().execute((tx) => sql.raw(SLOW).execute(tx)),
    )
    app.get('/test/between', { config: PUBLIC }, () =>
      used.api.services.databases.control.transaction().execute(async (tx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
        between.reach(rows[0]?.pid ?? 0)
        await between.released
        return sql`select 1`.execute(tx)
      }),
    )
    app.post('/test/echo', { config: PUBLIC, schema: { body: Type.Object({}) } }, () => ({ read: true }))
  },
})

const anonymous = () => used.make.anonymous()
const post = (raw: string, headers: Record<string, string> = {}) =>
  anonymous().send('POST', '/test/echo', { raw, headers })

test('an unknown path is 404, and so is a known one with another method', async () => {
  const { message } = assertError(await anonymous().get('/v1/nothing?secret=1'), 404, 'NOT_FOUND')
  assert.match(message, /GET \/v1\/nothing/)
  assert.doesNotMatch(message, /secret/)
  assertError(await anonymous().delete('/v1/businesses'), 404, 'NOT_FOUND')
  assertError(await anonymous().post('/v1/nothing', { any: 'body' }), 404, 'NOT_FOUND')
  assertError(await anonymous().send('POST', '/v1/nothing', { raw: '{', headers: {} }), 400, 'BAD_REQUEST')
})

test('what is not JSON is 400', async () => {
  for (const raw of ['{', '{"a":}', "{'a': 1}", '\u0000', '{"a":"\u0000"}', '{"a":1}x', 'NaN']) {
    assertError(await post(raw), 400, 'BAD_REQUEST')
  }
})

test('a body of another content type is 400', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
  ]) {
    assertError(await post('{"a":1}', { 'content-type': type }), 400, 'BAD_REQUEST')
  }
  assert.equal((await post('{"a":1}', { 'content-type': 'application/json; charset=utf-8' })).status, 200)
})

test('a body that is no object is 400', async () => {
  for (const raw of ['[]', '[{}]', '"text"', '5', 'null', 'true']) assertError(await post(raw), 400, 'BAD_REQUEST')
})

test('an empty body with a JSON content type is none: refused where one is needed, fine where none is', async () => {
  assertError(await post(''), 400, 'BAD_REQUEST')
  assertError(await anonymous().send('POST', '/test/echo'), 400, 'BAD_REQUEST')
  const { admin, path, id } = await used.make.business()
  const role = await admin.post(`${path}/roles`, { name: 'Editors', permissions: [] })
  const deleted = await admin.send('DELETE', `${path}/roles/${role.body.id}`, {
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(deleted.status, 200, `${id} ${deleted.text}`)
})

test('JSON nested 200 deep is 400, at the top and far inside', async () => {
  assertError(await post(`{"a":${'['.repeat(200)}${']'.repeat(200)}}`), 400, 'BAD_REQUEST')
  assertError(await post(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`), 400, 'BAD_REQUEST')
  assertError(await post('['.repeat(1_000_000)), 400, 'BAD_REQUEST')
  assert.equal((await post(`{"a":"${'['.repeat(200)}"}`)).status, 200)
})

test('keys that would reach into prototypes are 400', async () => {
  for (const raw of [
    '{"__proto__":{"isAdmin":true}}',
    '{"a":{"b":[{"__proto__":null}]}}',
    '{"\\u005f_proto__":{}}',
    '{"constructor":{"prototype":{"isAdmin":true}}}',
  ]) {
    assertError(await post(raw), 400, 'BAD_REQUEST')
  }
})

test('text that cannot be stored is 422 and names its field', async () => {
  const cases = [
    ['{"name":"a\\u0000b"}', 'name'],
    ['{"name":"\\ud800"}', 'name'],
    ['{"name":"\\uDC00 and \\uD83D"}', 'name'],
    ['{"ok":1,"markets":[{},{"name":"\\u0000"}]}', 'markets.1.name'],
    ['{"settings":{"\\u0000":1}}', 'settings'],
  ] as const
  for (const [raw, field] of cases) {
    const { details } = assertError(await post(raw), 422, 'VALIDATION_FAILED')
    assert.deepEqual(
      details.map((detail) => [detail.field, detail.error]),
      [[field, 'INVALID']],
    )
  }
  assert.equal((await post('{"name":"\\ud83d\\ude00 \\\\u0000"}')).status, 200)
})

test('malformed percent encoding and NUL in the address are 400', async () => {
  const { admin, id } = await used.make.business()
  for (const address of [
    '/v1/businesses/%',
    '/v1/businesses/%zz',
    '/v1/businesses/%ED%A0%80',
    '/v1/businesses/%C0%80',
    `/v1/businesses/${id}%00`,
    `/v1/businesses?cursor=%00`,
    '/%00',
  ]) {
    assertError(await admin.get(address), 400, 'BAD_REQUEST')
  }
})

test('an id that is far too long is refused, not looked for', async () => {
  const { admin, path } = await used.make.business()
  const answer = await admin.get(`${path}/roles/${'x'.repeat(5_000)}`)
  assert.ok(answer.status === 400 || answer.status === 422, answer.text)
  assertError(answer, answer.status, answer.status === 400 ? 'BAD_REQUEST' : 'VALIDATION_FAILED')
})

test('a bug is 500: the answer tells nothing, the log everything', async () => {
  const answer = await anonymous().get('/test/bug')
  const { requestId, message, details } = assertError(answer, 500, 'INTERNAL')
  assert.deepEqual(details, [])
  assert.doesNotMatch(answer.text, /hunter2|Error|\.ts|stack/)
  assert.match(message, /requestId/)
  const logged = lines.find((line) => JSON.parse(line).requestId === requestId) // as in the answer and the access log
  assert.ok(logged?.includes('hunter2') && logged.includes('errors.test.'), logged)
  assertError(await anonymous().get('/test/odd-throw'), 500, 'INTERNAL')
})

for (const route of ['/test/slow', '/test/slow-transaction']) {
  test(`a statement whose connection is ended is 503 with Retry-After (${route})`, async () => {
    const answer = anonymous().get(route)
    await terminate(SLOW)
    const ended = await answer
    assertError(ended, 503, 'UNAVAILABLE')
    assert.ok(Number(ended.headers.get('retry-after')) >= 1)
    assert.equal((await anonymous().get('/readyz')).status, 200)
  })
}

test('a connection that is ended between two statements of a transaction is 503, and the process lives on', async () => {
  const answer = anonymous().get('/test/between')
  const pid = await between.reached
  await onServer((client) => client.query('select pg_terminate_backend($1)', [pid]))
  between.goOn()
  assertError(await answer, 503, 'UNAVAILABLE')
  assert.equal((await anonymous().get('/readyz')).status, 200)
})

/** Ends the connection that runs `statement`, as soon as there is one. */
async function terminate(statement: string): Promise<void> {
  await onServer(async (client) => {
    for (;;) {
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and query = $1 and state = 'active'`,
        [statement],
      )
      if (rowCount) return
      await sleep(10)
    }
  }, used.api.databases.main.url)
}

const LARGE = 11 * 1024 * 1024

test('an 11 MB body is 413, and a client that sends all of it gets to read that', async () => {
  const body = `{"a":"${'x'.repeat(LARGE)}"}`
  for (let round = 0; round < 5; round++) {
    assertError(await post(body), 413, 'PAYLOAD_TOO_LARGE')
  }
  const chunked = await fetch(`${used.api.url}/test/echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: new Blob([body]).stream(),
    duplex: 'half',
  })
  assertError(
    { status: chunked.status, text: await chunked.text(), headers: chunked.headers },
    413,
    'PAYLOAD_TOO_LARGE',
  )
})

/** Sends a body of that size in many packets, and reads not a byte before the last of it is sent. */
async function sendAllThenRead(head: string, size: number, framing: 'content-length' | 'chunked') {
  const raw = await openRaw(used.api.url)
  const failures: Error[] = []
  raw.socket.on('error', (error) => failures.push(error)).pause()
  const chunked = framing === 'chunked'
  const piece = Buffer.alloc(64 * 1024, 'x')
  raw.write(
    `${head}\r\nhost: x\r\ncontent-type: application/json\r\n` +
      (chunked ? 'transfer-encoding: chunked\r\n\r\n' : `content-length: ${size}\r\n\r\n`),
  )
  for (let sent = 0; sent < size; sent += piece.length) {
    if (chunked) raw.write(`${piece.length.toString(16)}\r\n`)
    raw.write(piece)
    if (chunked) raw.write('\r\n')
    if (sent % (512 * 1024) === 0) await sleep(2)
  }
  if (chunked) raw.write('0\r\n\r\n')
  raw.socket.resume()
  const answer = await raw.read()
  assert.deepEqual(failures, [])
  raw.destroy()
  return answer
}

for (const framing of ['content-length', 'chunked'] as const) {
  test(`who reads only after sending everything gets to read a refusal, too (${framing})`, async () => {
    assertError(await sendAllThenRead('POST /test/echo HTTP/1.1', LARGE, framing), 413, 'PAYLOAD_TOO_LARGE')
    const size = 1024 * 1024
    const create = 'POST /v1/businesses HTTP/1.1'
    assertError(await sendAllThenRead(create, size, framing), 401, 'UNAUTHENTICATED')
    assertError(await sendAllThenRead(`${create}\r\nconnection: close`, size, framing), 401, 'UNAUTHENTICATED')
    assertError(await sendAllThenRead(`${create}\r\nconnection: close`, LARGE, framing), 401, 'UNAUTHENTICATED')
  })
}

test('an announced body that never comes holds nobody up for long', async () => {
  const raw = await openRaw(used.api.url)
  const begin = performance.now()
  raw.write(
    `POST /test/echo HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${LARGE}\r\n\r\n{`,
  )
  assertError(await raw.read(), 413, 'PAYLOAD_TOO_LARGE')
  await raw.closed
  assert.ok(performance.now() - begin < 5_000)
})

test('what is not HTTP is 400, on a socket that is closed then', async () => {
  for (const bytes of [
    'hello\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    'GET / HTTP/1.1\r\nbad header\r\n\r\n',
    'POST /test/echo HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n',
    'POST /test/echo HTTP/1.1\r\nhost: x\r\ncontent-length: one\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01',
  ]) {
    const raw = await openRaw(used.api.url)
    raw.write(bytes)
    assertError(await raw.read(), 400, 'BAD_REQUEST')
    await raw.closed
  }
})

/** All that comes until the connection is closed. */
async function bytesAfter(bytes: string, then?: string): Promise<string> {
  const raw = await openRaw(used.api.url)
  let heard = ''
  raw.socket.on('data', (chunk) => {
    heard += chunk.toString('latin1')
  })
  raw.write(bytes)
  if (then !== undefined) {
    while (!heard.includes('begun')) await sleep(5)
    raw.write(then)
  }
  await raw.closed
  return heard
}

test('a HEAD that is not readable is answered without a body, which would pass for the next answer', async () => {
  const head = await bytesAfter('HEAD /healthz HTTP/1.1\r\nbad header\r\n\r\n')
  assert.match(head, /^HTTP\/1\.1 400 [^]*connection: close\r\n\r\n$/)
  const get = await bytesAfter('GET /healthz HTTP/1.1\r\nbad header\r\n\r\n')
  assert.match(get, /\r\n\r\n\{"error":"BAD_REQUEST"/)
})

test('what is not readable behind a request puts nothing into the answer to that request', async () => {
  const heard = await bytesAfter('GET /test/begun HTTP/1.1\r\nhost: x\r\n\r\n', 'hello\r\n\r\n')
  assert.equal(heard.match(/HTTP\/1\.1/g)?.length, 1)
  assert.ok(heard.endsWith('begun\r\n'))
})

test('headers beyond all measure are 431', async () => {
  const raw = await openRaw(used.api.url)
  raw.write(`GET /healthz HTTP/1.1\r\nhost: x\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`)
  assertError(await raw.read(), 431, 'BAD_REQUEST')
  await raw.closed
})
