import assert from 'node:assert/strict'
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { createLocalJWKSet, decodeProtectedHeader, type JWK, jwtVerify } from 'jose'
import { resealSigningKeys, revokeSession, rotateSigningKey } from '#modules/accounts/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { assertError } from '../../support/assert-error.ts'
import { createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { onServer } from '../../support/database.ts'
import { createMake } from '../../support/make.ts'
import { startProxy } from '../../support/proxy.ts'
import { createTestDatabases, type StartOptions, startApi, type TestApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

/** Databases in which no key has been made yet, and any number of nodes on them. */
async function setUp(t: TestContext) {
  const databases = await createTestDatabases()
  const nodes: TestApi[] = []
  t.after(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await databases.drop()
  })
  return {
    databases,
    async start(options: Omit<StartOptions, 'databases'> = {}) {
      const node = await startApi({ ...options, databases })
      nodes.push(node)
      return node
    },
    rows: async () =>
      (
        await onServer(
          (client) => client.query('select * from accounts.signing_keys order by active_from'),
          databases.main.url,
        )
      ).rows,
  }
}

const claims = { sub: 'usr_1', sid: 'ses_1', provider: 'EMAIL' }
const issue = async ({ services }: TestApi, kind: 'access' | 'refresh' | 'confirm' = 'access') =>
  (await services.tokens.issue(kind, claims)).token
const kidOf = (token: string) => decodeProtectedHeader(token).kid
const publishedBy = async ({ url }: TestApi): Promise<(JWK & { kid: string })[]> =>
  (await createClient(url).get('/.well-known/jwks.json')).body.keys

test('the first signing key is made when it is needed, and is one, however many need it at once', async (t) => {
  const { start, rows } = await setUp(t)
  const nodes = await Promise.all([start(), start(), start()])
  assert.deepEqual(await rows(), [])
  const tokens = await Promise.all(nodes.flatMap((node) => Array.from({ length: 10 }, () => issue(node))))

  assert.equal((await rows()).length, 1)
  assert.equal(new Set(tokens.map(kidOf)).size, 1)
  for (const node of nodes) {
    for (const token of tokens) assert.equal((await node.services.tokens.verify('access', token))?.sub, 'usr_1')
  }
})

test('a key that another process made a moment ago, by a clock that is ahead, signs and verifies here', async (t) => {
  const { start, rows } = await setUp(t)
  const [ahead, behind] = [await start(), await start()]
  const clock = holdClock()
  t.after(clock.release)
  clock.advance(30)
  const token = await issue(ahead)
  clock.advance(-30)

  assert.equal((await behind.services.tokens.verify('access', token))?.sub, 'usr_1')
  assert.equal(kidOf(await issue(behind)), kidOf(token))
  assert.equal((await rows()).length, 1)
})

test('signing keys rest sealed: no copy of the table holds a private one', async () => {
  await issue(used.api)
  const { box } = used.api.services
  const dump = await onServer(async (client) => {
    const { rows } = await client.query(
      `select signing_keys::text as text, sealed_private, encode(sealed_private, 'escape') as sealed from accounts.signing_keys`,
    )
    return rows
  }, used.api.databases.main.url)

  assert.ok(dump.length > 0)
  for (const { text, sealed, sealed_private } of dump) {
    const { d } = JSON.parse(String(box.open(sealed_private))) as { d: string }
    const bytes = Buffer.from(d, 'base64url')
    assert.equal(bytes.length, 32)
    for (const trace of [`"d"`, d, bytes.toString('hex'), bytes.toString('base64')]) {
      assert.ok(!text.includes(trace) && !sealed.includes(trace), `the row holds ${trace}`)
    }
    assert.equal(sealed_private.indexOf(bytes), -1)
  }
})

test('the public keys are published, nothing private with them, and are all that a stranger needs to verify a token', async () => {
  const user = await used.make.user()
  const { status, body, headers } = await used.make.anonymous().get('/.well-known/jwks.json')
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'public, max-age=300')
  for (const key of body.keys) {
    assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    assert.deepEqual([key.kty, key.crv, key.alg, key.use], ['EC', 'P-256', 'ES256', 'sig'])
  }
  const { payload } = await jwtVerify(user.token, createLocalJWKSet(body), {
    issuer: used.api.config.publicUrl,
    audience: 'kontor/access',
    typ: 'at+jwt',
    algorithms: ['ES256'],
  })
  assert.equal(payload.sub, user.id)
})

test('a new signing key is published at once, signs a quarter of an hour later, and the old one leaves in its time', async (t) => {
  const { start } = await setUp(t)
  const [node, second] = [await start(), await start()]
  const { databases, box, tokens } = node.services
  const clock = holdClock()
  t.after(clock.release)
  const oldAccess = await issue(node)
  const oldRefresh = await issue(node, 'refresh')
  const oldKid = kidOf(oldAccess) ?? ''
  assert.deepEqual(
    (await publishedBy(second)).map(({ kid }) => kid),
    [oldKid],
  )

  const { kid: newKid } = await transaction(databases.control, (tx) => rotateSigningKey(tx, box))
  assert.deepEqual(
    (await publishedBy(node)).map(({ kid }) => kid),
    [oldKid, newKid],
  )
  await until('the other node has heard of it', async () => (await publishedBy(second)).length === 2, {
    withinMs: 1_000,
  })

  clock.advance(15 * 60 - 1)
  assert.equal(kidOf(await issue(node)), oldKid)
  clock.advance(1)
  assert.equal(kidOf(await issue(node)), newKid)
  assert.equal(kidOf(await issue(second)), newKid)
  assert.equal((await second.services.tokens.verify('access', await issue(node)))?.sub, 'usr_1')

  clock.advance(44 * 60) // the old access token is 59 minutes old
  assert.equal((await tokens.verify('access', oldAccess))?.sub, 'usr_1')
  clock.advance(61)
  assert.equal(await tokens.verify('access', oldAccess), undefined, 'expired')

  clock.advance(2 * 3600 - 45 * 60 - 2)
  assert.deepEqual(
    (await publishedBy(node)).map(({ kid }) => kid),
    [oldKid, newKid],
  )
  clock.advance(1)
  assert.deepEqual(
    (await publishedBy(node)).map(({ kid }) => kid),
    [newKid],
  )
  assert.equal((await tokens.verify('refresh', oldRefresh))?.sub, 'usr_1', 'what does not expire is still ours')
})

test('SECRET_KEY is rotated without losing a key: the new one reads what the old one sealed, then makes it unnecessary', async (t) => {
  const { start } = await setUp(t)
  const [oldSecret, newSecret] = ['old', 'new'].map((name) => Buffer.from(name.padEnd(32, '.')).toString('base64'))
  const before = await start({ env: { SECRET_KEY: `${oldSecret}` } })
  const token = await issue(before)
  const onlyNew = await start({ env: { SECRET_KEY: `${newSecret}` } })
  await assert.rejects(issue(onlyNew), /SECRET_KEY=new,old/)
  assert.equal((await onlyNew.services.tokens.verify('access', token))?.sub, 'usr_1', 'verifying needs no secret')

  const both = await start({ env: { SECRET_KEY: `${newSecret},${oldSecret}` } })
  assert.equal(kidOf(await issue(both)), kidOf(token))
  const { databases, box } = both.services
  assert.equal(await transaction(databases.control, (tx) => resealSigningKeys(tx, box)), 1)

  const after = await start({ env: { SECRET_KEY: `${newSecret}` } })
  assert.equal(kidOf(await issue(after)), kidOf(token))
  await assert.rejects(
    transaction(databases.control, (tx) => resealSigningKeys(tx, before.services.box)),
    /No SECRET_KEY given opens signing key key_/,
  )
})

test('each kind of token is accepted as its own kind only', async () => {
  const { tokens } = used.api.services
  const kinds = ['access', 'refresh', 'confirm', 'claim'] as const
  const user = await used.make.user()
  const real = { sub: user.id, sid: user.sessionId, provider: 'EMAIL' }
  for (const kind of kinds) {
    const { token } = await tokens.issue(kind, real)
    for (const other of kinds) {
      assert.equal(
        (await tokens.verify(other, token))?.sub,
        other === kind ? user.id : undefined,
        `${kind} as ${other}`,
      )
    }
    const answer = await createClient(used.api.url, { authorization: `Bearer ${token}` }).get('/v1/businesses')
    if (kind === 'access') assert.equal(answer.status, 200)
    else assertError(answer, 401, 'UNAUTHENTICATED')
  }
})

const encode = (value: object | string) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** As a token library would, only without any of its scruples. */
function forge(header: object, payload: object | string, key: KeyObject | ((text: string) => Buffer)) {
  const text = `${encode(header)}.${encode(payload)}`
  const signature =
    typeof key === 'function' ? key(text) : sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
  return `${text}.${signature.toString('base64url')}`
}

test('a forged token is refused, whatever is wrong with it', async () => {
  const { services, databases, config } = used.api
  const user = await used.make.user()
  const [publicJwk] = (await publishedBy(used.api)) as [JWK & { kid: string }]
  const { kid } = publicJwk
  const [row] = await onServer(
    async (client) =>
      (await client.query('select sealed_private from accounts.signing_keys where kid = $1', [kid])).rows,
    databases.main.url,
  )
  const privateJwk = JSON.parse(String(services.box.open(row.sealed_private)))
  const ours = createPrivateKey({ key: privateJwk, format: 'jwk' })
  const theirs = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = createPublicKey({ key: publicJwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' })

  const seconds = Math.floor(Date.now() / 1000)
  const header = { alg: 'ES256', kid, typ: 'at+jwt' }
  const payload = {
    sub: user.id,
    sid: user.sessionId,
    provider: 'EMAIL',
    jti: 'tok_1',
    iss: config.publicUrl,
    aud: 'kontor/access',
    iat: seconds,
    exp: seconds + 600,
  }
  const { exp: _exp, ...endless } = payload
  const { iat: _iat, ...unborn } = payload
  const { sid: _sid, ...sessionless } = payload
  const hmac = (secret: string | Buffer) => (text: string) => createHmac('sha256', secret).update(text).digest()
  const nothing = () => Buffer.alloc(0)
  const good = forge(header, payload, ours)
  const [h, p, s] = good.split('.') as [string, string, string]

  const forgeries: Record<string, string> = {
    'alg none': forge({ ...header, alg: 'none' }, payload, nothing),
    'alg None': forge({ ...header, alg: 'None' }, payload, nothing),
    'alg none, with a good signature': `${encode({ ...header, alg: 'none' })}.${p}.${s}`,
    'no alg': forge({ kid, typ: 'at+jwt' }, payload, ours),
    'HS256 with the public key as PEM': forge({ ...header, alg: 'HS256' }, payload, hmac(String(pem))),
    'HS256 with the public key as JWK': forge({ ...header, alg: 'HS256' }, payload, hmac(JSON.stringify(publicJwk))),
    'HS256 with the point as bytes': forge(
      { ...header, alg: 'HS256' },
      payload,
      hmac(Buffer.from(`${publicJwk.x}`, 'base64url')),
    ),
    'HS256 with nothing': forge({ ...header, alg: 'HS256' }, payload, hmac('')),
    'another key under our kid': forge(header, payload, theirs.privateKey),
    'another key with itself in the header': forge(
      { ...header, jwk: theirs.publicKey.export({ format: 'jwk' }) },
      payload,
      theirs.privateKey,
    ),
    'another key by address': forge({ ...header, jku: 'https://example.com/jwks.json' }, payload, theirs.privateKey),
    'another kid': forge({ ...header, kid: 'key_00000000000000000000000000' }, payload, ours),
    'kid of a path': forge({ ...header, kid: '../../dev/null' }, payload, ours),
    'kid of a prototype': forge({ ...header, kid: '__proto__' }, payload, ours),
    'no kid': forge({ alg: 'ES256', typ: 'at+jwt' }, payload, ours),
    'kid that is no text': forge({ ...header, kid: 1 }, payload, ours),
    'no typ': forge({ alg: 'ES256', kid }, payload, ours),
    'typ JWT': forge({ ...header, typ: 'JWT' }, payload, ours),
    'typ of a refresh token': forge({ ...header, typ: 'kontor-refresh+jwt' }, payload, ours),
    'crit of something unknown': forge({ ...header, crit: ['exp2'], exp2: 1 }, payload, ours),
    'crit of b64': forge({ ...header, crit: ['b64'], b64: true }, payload, ours),
    'empty crit': forge({ ...header, crit: [] }, payload, ours),
    'another iss': forge(header, { ...payload, iss: 'https://shop.example.com' }, ours),
    'several iss': forge(header, { ...payload, iss: [config.publicUrl] }, ours),
    'another aud': forge(header, { ...payload, aud: 'kontor/refresh' }, ours),
    'several aud': forge(header, { ...payload, aud: ['kontor/access', 'kontor/refresh'] }, ours),
    expired: forge(header, { ...payload, iat: seconds - 3700, exp: seconds - 1 }, ours),
    'without exp': forge(header, endless, ours),
    'exp null': forge(header, { ...payload, exp: null }, ours),
    'exp as text': forge(header, { ...payload, exp: `${seconds + 600}` }, ours),
    'from the future': forge(header, { ...payload, iat: seconds + 120 }, ours),
    'without iat': forge(header, unborn, ours),
    'without a session': forge(header, sessionless, ours),
    'of a session that never was': forge(header, { ...payload, sid: 'ses_00000000000000000000000000' }, ours),
    'sub that is no text': forge(header, { ...payload, sub: { id: user.id } }, ours),
    'a list for a payload': forge(header, [payload], ours),
    'null for a payload': forge(header, 'null', ours),
    'no JSON for a payload': forge(header, 'hello', ours),
    'payload altered': `${h}.${encode({ ...payload, sub: 'usr_other' })}.${s}`,
    'header altered': `${encode({ ...header, extra: true })}.${p}.${s}`,
    'signature altered': `${h}.${p}.${s.startsWith('A') ? 'B' : 'A'}${s.slice(1)}`,
    'signature in DER': forge(header, payload, (text) => sign('sha256', Buffer.from(text), ours)),
    'signature of zeros': forge(header, payload, () => Buffer.alloc(64)),
    'no signature': `${h}.${p}.`,
    'no signature part': `${h}.${p}`,
    'a part too many': `${good}.${s}`,
    'truncated in the signature': good.slice(0, -4),
    'truncated in the payload': good.slice(0, h.length + 20),
    'truncated in the header': good.slice(0, 20),
    'padding appended': `${good}==`,
    'longer than any token': forge(header, { ...payload, filler: 'x'.repeat(6_000) }, ours),
    'a header that is no JSON': `eyJ.${p}.${s}`,
  }
  const ask = (token: string) => createClient(used.api.url, { authorization: `Bearer ${token}` }).get('/v1/businesses')
  assert.equal((await ask(good)).status, 200, 'the test itself can make a good one')
  for (const [name, token] of Object.entries(forgeries)) {
    const answer = await ask(token)
    assert.equal(answer.status, 401, `${name}: ${answer.text}`)
    assertError(answer, 401, 'UNAUTHENTICATED')
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer', name)
  }
  for (const authorization of ['Bearer', 'Bearer ', `Basic ${good}`, good, `Bearer ${good} ${good}`]) {
    assertError(await createClient(used.api.url, { authorization }).get('/v1/businesses'), 401, 'UNAUTHENTICATED')
  }
  assert.equal((await ask(good)).status, 200, 'no forgery has spoilt what was verified')
})

test('a token is refused from the second in which it expires, also by who has seen it before', async (t) => {
  const { start } = await setUp(t)
  const node = await start()
  const clock = holdClock()
  t.after(clock.release)
  const user = await createMake(node).user()
  assert.equal((await user.get('/v1/businesses')).status, 200)
  clock.advance(3599)
  assert.equal((await user.get('/v1/businesses')).status, 200)
  clock.advance(1)
  assertError(await user.get('/v1/businesses'), 401, 'UNAUTHENTICATED')
})

const revoke = ({ services }: TestApi, sessionId: string) =>
  transaction(services.databases.control, (tx) => revokeSession(tx, sessionId))

test('a revoked session is refused here at once, and by another node within a second', async (t) => {
  const { start } = await setUp(t)
  const [node, second] = [await start(), await start()]
  const other = await createMake(node).user()
  const seconds: number[] = []
  for (let turn = 0; turn < 3; turn++) {
    const user = await createMake(node).user()
    const there = createClient(second.url, { authorization: `Bearer ${user.token}` })
    assert.equal((await user.get('/v1/businesses')).status, 200)
    assert.equal((await there.get('/v1/businesses')).status, 200)

    await revoke(node, user.sessionId)
    const before = performance.now()
    assertError(await user.get('/v1/businesses'), 401, 'UNAUTHENTICATED')
    await until('the other node refuses it', async () => (await there.get('/v1/businesses')).status === 401)
    seconds.push((performance.now() - before) / 1000)
  }
  // The quickest of three: the machine may be busy with other things.
  assert.ok(Math.min(...seconds) < 1, `took ${seconds.join(', ')} s`)
  assert.equal((await other.get('/v1/businesses')).status, 200, 'nobody else is affected')
})

test('a node whose listening connection is cut refuses a revoked session at once, and still when it is back', async (t) => {
  const { databases, start } = await setUp(t)
  const proxy = await startProxy(databases.main.url)
  t.after(() => proxy.close())
  const node = await start()
  const deaf = await start({ env: { DATABASE_DIRECT_URL: proxy.url } })
  const { listener } = deaf.services
  const users = [await createMake(node).user(), await createMake(node).user()]
  const clients = users.map(({ token }) => createClient(deaf.url, { authorization: `Bearer ${token}` }))
  for (const client of clients) assert.equal((await client.get('/v1/businesses')).status, 200)

  proxy.cut()
  await until('it knows that it is deaf', () => !listener.connected)
  await revoke(node, users[0]?.sessionId ?? '')
  assert.equal((await clients[0]?.get('/v1/businesses'))?.status, 401)
  assert.equal((await clients[1]?.get('/v1/businesses'))?.status, 200, 'being deaf is no reason to refuse')
  proxy.restore()
  await until('it hears again', () => listener.connected)
  assert.equal((await clients[0]?.get('/v1/businesses'))?.status, 401)

  await revoke(node, users[1]?.sessionId ?? '')
  await until('it has heard', async () => (await clients[1]?.get('/v1/businesses'))?.status === 401, {
    withinMs: 1_000,
  })
})

test('a node that hears nothing any more, and was not told so, finds out within about a second', async (t) => {
  const { databases, start } = await setUp(t)
  const proxy = await startProxy(databases.main.url)
  t.after(() => proxy.close())
  const node = await start()
  const deaf = await start({ env: { DATABASE_DIRECT_URL: proxy.url } })
  const user = await createMake(node).user()
  const there = createClient(deaf.url, { authorization: `Bearer ${user.token}` })
  assert.equal((await there.get('/v1/businesses')).status, 200)

  proxy.freeze()
  await revoke(node, user.sessionId)
  const before = performance.now()
  await until('it refuses', async () => (await there.get('/v1/businesses')).status === 401, { withinMs: 2_000 })
  t.diagnostic(`refused ${Math.round(performance.now() - before)} ms after it was revoked`)
  proxy.restore() // the old line stays dead, but there is a new one
  await until('it hears again', () => deaf.services.listener.connected)
})

test('an API key is accepted in X-API-Key and as a Bearer token, and two different credentials are refused', async () => {
  const business = await used.make.business()
  const key = await used.make.apiKey(business.admin.id)
  const roles = `${business.path}/roles`
  const as = (headers: Record<string, string>) => createClient(used.api.url, headers).get(roles)

  assert.equal((await as({ 'x-api-key': key.value })).status, 200)
  assert.equal((await as({ authorization: `Bearer ${key.value}` })).status, 200)
  assert.equal((await as({ authorization: `Bearer ${key.value}`, 'x-api-key': key.value })).status, 200)
  const two = await as({ authorization: `Bearer ${business.admin.token}`, 'x-api-key': key.value })
  assertError(two, 400, 'BAD_REQUEST')
  for (const wrong of [`${key.value}x`, key.value.slice(0, -1), key.value.toUpperCase(), 'nonsense']) {
    assertError(await as({ 'x-api-key': wrong }), 401, 'UNAUTHENTICATED')
    assertError(await as({ authorization: `Bearer ${wrong}` }), 401, 'UNAUTHENTICATED')
  }
  assertError(await as({ 'x-api-key': business.admin.token }), 401, 'UNAUTHENTICATED') // a token is no key
})

test('a key that is bound to a business has no permission in any other', async () => {
  const owner = await used.make.user()
  const [mine, alsoMine] = [await used.make.business({ owner }), await used.make.business({ owner })]
  const bound = await used.make.apiKey(owner.id, mine.id)
  const free = await used.make.apiKey(owner.id)

  assert.equal((await bound.get(`${mine.path}/roles`)).status, 200)
  assertError(await bound.get(`${alsoMine.path}/roles`), 403, 'FORBIDDEN')
  assert.ok(!('contactEmail' in (await bound.get(alsoMine.path)).body), 'it sees what a stranger sees')
  for (const { path } of [mine, alsoMine]) assert.equal((await free.get(`${path}/roles`)).status, 200)
})

test('a token that was seen before costs neither a signature check nor a statement', async (t) => {
  const { databases, start } = await setUp(t)
  const proxy = await startProxy(databases.main.url)
  t.after(() => proxy.close())
  const direct = databases.main.url
  const node = await start({ env: { DATABASE_URL: proxy.url, DATABASE_DIRECT_URL: direct }, lookEveryMs: 600_000 })
  const { path, admin } = await createMake(node).business()
  const key = await createMake(node).apiKey(admin.id)
  const checks = t.mock.method(globalThis.crypto.subtle, 'verify')

  assert.equal((await admin.get(path)).status, 200)
  assert.equal(checks.mock.callCount(), 1)
  assert.equal((await key.get(path)).status, 200)
  const said = proxy.said()
  for (let turn = 0; turn < 20; turn++) {
    assert.equal((await admin.get(path)).status, 200)
    assert.equal((await key.get(path)).status, 200)
  }
  assert.equal(checks.mock.callCount(), 1)
  assert.equal(proxy.said(), said)

  await revoke(node, admin.sessionId)
  assertError(await admin.get(path), 401, 'UNAUTHENTICATED')
  assert.equal(checks.mock.callCount(), 1, 'only whether its session lives is asked again')
})
