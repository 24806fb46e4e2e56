import assert from 'node:assert/strict'
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKeyInput,
  type KeyObject,
  sign,
} from 'node:crypto'
import { after, before, test } from 'node:test'
import type { JWK } from 'jose'
import { addGuest } from '#modules/accounts/index.ts'
import { CALLBACK_PATH } from '#modules/accounts/sign-in/oauth.ts'
import { newId } from '#vocabulary/ids.ts'
import { type Answer, type Client, createClient } from '../../support/client.ts'
import { openIdentityProvider } from '../../support/identity-provider.ts'
import { linkIn } from '../../support/mail-server.ts'
import { createPeople, PASSWORD, type People } from '../../support/people.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

const SHOP = 'https://shop.example.com'
const PUBLIC = 'http://localhost:3000'
let idp: Awaited<ReturnType<typeof openIdentityProvider>>
let world: StartedWorld<'mail' | 'sms'>
let people: People
before(async () => {
  idp = await openIdentityProvider(PUBLIC + CALLBACK_PATH)
  world = await startWorld({
    providers: ['mail', 'sms'],
    worker: 'accounts',
    publicUrl: PUBLIC,
    env: { ...idp.env, ALLOWED_ORIGINS: SHOP },
  })
  people = createPeople(world.api)
})
after(async () => {
  await world.close()
  await idp.close()
})

const anonymous = () => createClient(world.api.url)
const bearer = (token: string) => createClient(world.api.url, { authorization: `Bearer ${token}` })
const tokenIn = async (email: string, path: string) =>
  linkIn(await world.mailServer.mailTo(email), path).searchParams.get('token') ?? ''

async function oauthCode(): Promise<string> {
  idp.people.set('grace', { sub: 'grace', email: `grace-${process.pid}@example.com`, email_verified: true })
  const query = new URLSearchParams({ provider: 'OAUTH_IDP', originUrl: SHOP, redirectUrl: `${SHOP}/after` })
  const { body } = await anonymous().get(`/v1/users/login/url?${query.toString()}`)
  const callback = await idp.logIn(body.url, 'grace')
  const answer = await fetch(world.api.url + callback.pathname + callback.search, { redirect: 'manual' })
  return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
}

let numbers = 0
const newNumber = () => `+4915113${String(++numbers).padStart(6, '0')}`
async function phoneCode(client: Client, phoneNumber: string): Promise<string> {
  assert.equal((await client.post('/v1/users/phone-number', { phoneNumber })).status, 200)
  return world.sms.codeTo(phoneNumber)
}

/** As a business makes it that has an order for somebody. */
async function claimToken(email: string): Promise<string> {
  const { id: businessId } = await world.make.business()
  await addGuest(world.api.services.databases.control, { id: newId('usr'), businessId, email, name: '' })
  return tokenIn(email, '/claim')
}

/** One credential of every kind, all of them good where they belong. */
async function everyCredential() {
  const [signedIn, leaving, resetting, invited, claiming] = await Promise.all(
    [1, 2, 3, 4, 5].map(() => people.person()),
  )
  assert.ok(signedIn && leaving && resetting && invited && claiming)
  const newcomer = `newcomer${newId('x')}@example.com`
  await anonymous().post('/v1/users/register', { provider: 'EMAIL_REGISTER', email: newcomer, password: PASSWORD })
  await anonymous().post('/v1/users/forgot-password', { email: resetting.email })
  const business = await world.make.business()
  const { body: roles } = await business.admin.get(`${business.path}/roles`)
  const invitation = { email: invited.email, roleId: roles.items[0].id }
  assert.equal((await business.admin.post(`${business.path}/invitations`, invitation)).status, 201)
  const session = await people.session(signedIn.email)
  const guest = await world.make.guest()
  const number = newNumber()
  return {
    credentials: {
      access: session.accessToken,
      refresh: (await people.session(leaving.email)).refreshToken,
      confirm: await tokenIn(newcomer, '/confirm'),
      reset: await tokenIn(resetting.email, '/reset-password'),
      invitation: await tokenIn(invited.email, '/invitation'),
      claim: await claimToken(claiming.email),
      'api key': (await world.make.apiKey(signedIn.id)).value,
      'oauth code': await oauthCode(),
      'phone code': await phoneCode(guest, number),
      'guest access': guest.token,
    },
    invited: await people.session(invited.email),
    claiming: await people.session(claiming.email),
    guest,
    number,
  }
}

type Kind = keyof Awaited<ReturnType<typeof everyCredential>>['credentials']

test('a credential of one kind is accepted where that kind belongs, and nowhere else', async () => {
  const { credentials, invited, claiming, guest, number } = await everyCredential()
  const post = (path: string, body: object) => anonymous().post(`/v1/users/${path}`, body)

  type Place = { accepts: Kind[]; refusal: number[]; present: (value: string, kind: Kind) => Promise<Answer> }
  const places: Record<string, Place> = {
    Authorization: {
      accepts: ['access', 'guest access', 'api key'],
      refusal: [401],
      present: (value) => bearer(value).get('/v1/users/me'),
    },
    'X-API-Key': {
      accepts: ['api key'],
      refusal: [401],
      present: (value) => createClient(world.api.url, { 'x-api-key': value }).get('/v1/users/me'),
    },
    '/confirm': {
      accepts: ['confirm'],
      refusal: [422],
      present: (token) => anonymous().put('/v1/users/confirm', { token }),
    },
    '/reset-forgot-password': {
      accepts: ['reset'],
      refusal: [422],
      present: (token) => post('reset-forgot-password', { token, password: 'seventeen quiet umbrellas' }),
    },
    '/invitations/accept': {
      accepts: ['invitation'],
      refusal: [422],
      present: (token) => invited.post('/v1/users/invitations/accept', { token }),
    },
    '/claim': {
      accepts: ['claim'],
      refusal: [422],
      present: (token) => claiming.post('/v1/users/claim', { token }),
    },
    '/login': {
      accepts: ['oauth code'],
      refusal: [400, 422], // 400: longer than any code
      present: (code) => post('login', { provider: 'OAUTH_IDP', code, originUrl: SHOP }),
    },
    '/phone-number/confirm': {
      accepts: ['phone code'],
      refusal: [422],
      async present(code, kind) {
        const phoneNumber = kind === 'phone code' ? number : newNumber()
        if (kind !== 'phone code') await phoneCode(guest, phoneNumber) // five tries a code: a new one for each
        return guest.post('/v1/users/phone-number/confirm', { phoneNumber, code })
      },
    },
    '/refresh': {
      accepts: ['refresh'],
      refusal: [401],
      present: (refreshToken) => post('refresh', { provider: 'EMAIL', refreshToken }),
    },
    // last, because it ends what it accepts
    '/logout': {
      accepts: ['refresh', 'access', 'guest access'],
      refusal: [401],
      present: (token) => post('logout', { provider: 'EMAIL', token }),
    },
  }
  const kinds = Object.keys(credentials) as Kind[]
  let refused = 0
  for (const [name, { accepts, refusal, present }] of Object.entries(places)) {
    for (const kind of kinds.filter((kind) => !accepts.includes(kind))) {
      const { status, text } = await present(credentials[kind], kind)
      assert.ok(refusal.includes(status), `${kind} at ${name}: ${status} ${text}`)
      refused++
    }
  }
  assert.equal(refused, 10 * 10 - 14)
  // Only now: so it is also shown that being refused elsewhere used up none of them.
  for (const [name, { accepts, present }] of Object.entries(places)) {
    for (const kind of accepts) {
      const { status, text } = await present(credentials[kind], kind)
      assert.equal(status, 200, `${kind} at ${name}: ${text}`)
    }
  }
})

test('a guest’s token opens what guests may do, and nothing that needs an account', async () => {
  const guest = await world.make.guest()
  assert.equal((await guest.get('/v1/users/me')).status, 200)
  assert.equal((await guest.put('/v1/users/update', { name: 'Guest' })).body.name, 'Guest')
  const business = await world.make.business()
  for (const { status, body } of await Promise.all([
    guest.post('/v1/businesses', { name: 'Mine' }),
    guest.post('/v1/users/reset-password', { oldPassword: 'x', newPassword: 'y' }),
    guest.post('/v1/users/invitations/accept', { token: 'x' }),
    guest.get(`/v1/users/search?businessId=${business.id}`),
    guest.put('/v1/users/update', { apiTokens: [{ name: 'mine' }] }),
  ])) {
    assert.deepEqual([status, body.error], [403, 'FORBIDDEN'])
  }
})

type Part = Record<string, unknown>
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString()) as Part

/** Signs as ES256 does, whatever the header says. */
function signed(key: KeyObject, header: Part, payload: unknown): string {
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

/** The key that this service signs with, as only the service itself can know it. */
async function ownKey(): Promise<KeyObject> {
  const { databases, box } = world.api.services
  const row = await databases.control
    .selectFrom('accounts.signingKeys')
    .select('sealedPrivate')
    .executeTakeFirstOrThrow()
  const jwk = JSON.parse(box.open(row.sealedPrivate)?.toString() ?? '') as JsonWebKeyInput['key']
  return createPrivateKey({ key: jwk, format: 'jwk' })
}

const changeAt = (text: string, index: number) =>
  text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1)

function forgeries(good: string, other: string, own: KeyObject, jwk: JWK, seconds: number): Map<string, string> {
  const forged = new Map<string, string>()
  const add = (name: string, token: string) => {
    assert.ok(!forged.has(name), name)
    forged.set(name, token)
  }
  const [head = '', body = '', signature = ''] = good.split('.')
  const [otherHead = '', otherBody = '', otherSignature = ''] = other.split('.')
  const header = decode(head)
  const payload = decode(body)
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const strangerJwk = stranger.publicKey.export({ format: 'jwk' })

  for (const alg of ['none', 'None', 'NONE', 'nOnE', '', null, 'ES256 ', 'es256'])
    for (const tail of ['', signature])
      add(`alg ${JSON.stringify(alg)} ${tail && 'signed'}`, `${encode({ ...header, alg })}.${body}.${tail}`)

  const publicKey = createPublicKey(own)
  const secrets: Record<string, string | Buffer> = {
    pem: publicKey.export({ format: 'pem', type: 'spki' }),
    'pem without newline': publicKey.export({ format: 'pem', type: 'spki' }).toString().trim(),
    der: publicKey.export({ format: 'der', type: 'spki' }),
    jwk: JSON.stringify(jwk),
    x: String(jwk.x),
    point: Buffer.concat([Buffer.from(String(jwk.x), 'base64url'), Buffer.from(String(jwk.y), 'base64url')]),
    kid: String(jwk.kid),
    nothing: '',
  }
  for (const [alg, hash] of Object.entries({ HS256: 'sha256', HS384: 'sha384', HS512: 'sha512', ES256: 'sha256' })) {
    for (const [name, secret] of Object.entries(secrets)) {
      const input = `${encode({ ...header, alg })}.${body}`
      add(`${alg} keyed with ${name}`, `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`)
    }
  }

  for (const kid of [
    undefined,
    null,
    '',
    0,
    'key_unknown',
    ['x'],
    {},
    '../../../../dev/null',
    "' or 1=1 --",
    '\u0000',
    '__proto__',
  ]) {
    add(`own key, kid ${JSON.stringify(kid)}`, signed(own, { ...header, kid }, payload))
    add(`a stranger's key, kid ${JSON.stringify(kid)}`, signed(stranger.privateKey, { ...header, kid }, payload))
  }
  add("a stranger's key under our kid", signed(stranger.privateKey, header, payload))
  for (const [name, more] of Object.entries({
    jwk: { jwk: strangerJwk },
    'jwk without kid': { jwk: strangerJwk, kid: undefined },
    jku: { jku: 'https://evil.example.com/jwks.json' },
    'jku at loopback': { jku: `${world.api.url}/.well-known/jwks.json` },
    x5u: { x5u: 'https://evil.example.com/cert.pem' },
    x5c: { x5c: ['MIIB'] },
    'kid and jwk': { kid: 'key_mine', jwk: { ...strangerJwk, kid: 'key_mine' } },
  }))
    add(`a stranger's key with ${name}`, signed(stranger.privateKey, { ...header, ...more }, payload))

  for (const [name, more] of Object.entries({
    'crit unknown': { crit: ['unknown'], unknown: true },
    'crit exp': { crit: ['exp'], exp: seconds + 3600 },
    'crit b64': { crit: ['b64'], b64: false },
    'crit b64 true': { crit: ['b64'], b64: true },
    'crit empty': { crit: [] },
    'crit null': { crit: null },
    'typ absent': { typ: undefined },
    'typ JWT': { typ: 'JWT' },
    'typ in capitals': { typ: 'AT+JWT' },
    'typ in full': { typ: 'application/at+jwt' },
    'typ refresh': { typ: 'kontor-refresh+jwt' },
    'typ confirm': { typ: 'kontor-confirm+jwt' },
    'typ list': { typ: ['at+jwt'] },
    'alg ES384': { alg: 'ES384' },
    'alg ES512': { alg: 'ES512' },
    'alg RS256': { alg: 'RS256' },
    'alg PS256': { alg: 'PS256' },
    'alg EdDSA': { alg: 'EdDSA' },
    'alg list': { alg: ['ES256'] },
  }))
    add(`own key, header ${name}`, signed(own, { ...header, ...more }, payload))

  for (const [claim, values] of Object.entries({
    iss: [undefined, null, '', 'https://evil.example.com', `${PUBLIC}/`, PUBLIC.toUpperCase(), [PUBLIC]],
    aud: [undefined, null, '', 'kontor/refresh', 'kontor/confirm', 'kontor', ['kontor/access'], 'KONTOR/ACCESS'],
    exp: [undefined, null, 0, -1, seconds, seconds - 1, seconds - 3600, String(seconds + 3600), true, [seconds + 60]],
    iat: [undefined, null, seconds + 120, seconds + 86_400, seconds * 1000, String(seconds), 'now', {}],
    sub: [undefined, null, 5, ['x'], {}],
    sid: [undefined, null, 5, '', 'ses_unknown', ['x'], payload.sub],
    jti: [undefined, null, 5, {}],
    provider: [undefined, null, 5, {}],
  })) {
    for (const value of values)
      add(`own key, ${claim} ${JSON.stringify(value)}`, signed(own, header, { ...payload, [claim]: value }))
  }
  for (const odd of [null, [], 5, 'text', {}]) add(`own key, payload ${JSON.stringify(odd)}`, signed(own, header, odd))

  add("another token's payload", `${head}.${otherBody}.${signature}`)
  add("another token's signature", `${head}.${body}.${otherSignature}`)
  add(
    "another token's payload and signature, header changed",
    `${encode({ ...header, x: 1 })}.${otherBody}.${otherSignature}`,
  )
  add(
    "another's header respaced",
    `${Buffer.from(` ${JSON.stringify(decode(otherHead))}`).toString('base64url')}.${otherBody}.${otherSignature}`,
  )
  add('payload and signature swapped', `${head}.${signature}.${body}`)
  add('header and payload swapped', `${body}.${head}.${signature}`)
  add('no signature', `${head}.${body}.`)
  add('two parts', `${head}.${body}`)
  add('four parts', `${good}.${signature}`)
  add('five parts', `${head}.${body}.${signature}.${body}.${signature}`)
  add('no payload', `${head}..${signature}`)
  add('no header', `.${body}.${signature}`)
  add('half a signature', `${head}.${body}.${signature.slice(0, 43)}`)
  add('a signature twice', `${good}${signature}`)
  add('a signature of zeros', `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`)
  add('a signature of ones', `${head}.${body}.${Buffer.alloc(64, 255).toString('base64url')}`)
  add(
    'a signature in DER',
    `${head}.${body}.${sign('sha256', Buffer.from(`${head}.${body}`), own).toString('base64url')}`,
  )

  // One character changed, all over the token; not the last of a part, whose low bits say nothing.
  for (const [name, start, length] of [
    ['header', 0, head.length],
    ['payload', head.length + 1, body.length],
    ['signature', head.length + body.length + 2, signature.length],
  ] as const) {
    for (let step = 0; step < 30; step++) {
      const index = start + Math.floor((step * (length - 2)) / 30)
      add(`${name} changed at ${index}`, changeAt(good, index))
    }
  }
  return forged
}

test('forged and altered tokens are 401, all of them, and the true one works before and after', async () => {
  const [ada, bob] = await Promise.all([world.make.user(), world.make.user()])
  const own = await ownKey()
  const { body } = await anonymous().get('/.well-known/jwks.json')
  const jwk = body.keys[0] as JWK
  const seconds = Math.floor(Date.now() / 1000)
  const [head = '', payload = ''] = ada.token.split('.')
  const remade = signed(own, decode(head), decode(payload))
  assert.equal((await bearer(remade).get('/v1/users/me')).body.id, ada.id, 'the forger’s tools do work')
  assert.equal((await ada.get('/v1/users/me')).status, 200)

  const forged = forgeries(ada.token, bob.token, own, jwk, seconds)
  assert.ok(forged.size >= 250, `only ${forged.size}`)
  for (const [name, token] of forged) {
    const { status, body: answer } = await bearer(token).get('/v1/users/me')
    assert.deepEqual([status, answer?.error], [401, 'UNAUTHENTICATED'], `${name}: ${token}`)
  }
  assert.equal((await ada.get('/v1/users/me')).status, 200)
})

test('the same forgeries refresh nothing', async () => {
  const [ada, bob] = await Promise.all([people.person(), people.person()])
  const [mine, theirs] = await Promise.all([people.session(ada.email), people.session(bob.email)])
  const { body } = await anonymous().get('/.well-known/jwks.json')
  const seconds = Math.floor(Date.now() / 1000)
  const forged = forgeries(mine.refreshToken, theirs.refreshToken, await ownKey(), body.keys[0] as JWK, seconds)
  // What makes an access token bad makes a refresh token good, and the other way round.
  forged.delete('own key, header typ refresh')
  forged.delete('own key, aud "kontor/refresh"')
  forged.delete('own key, exp null')
  assert.ok(forged.size >= 250)
  for (const [name, refreshToken] of forged) {
    const { status } = await anonymous().post('/v1/users/refresh', { provider: 'EMAIL', refreshToken })
    assert.equal(status, 401, `${name}: ${refreshToken}`)
  }
  const good = await anonymous().post('/v1/users/refresh', { provider: 'EMAIL', refreshToken: mine.refreshToken })
  assert.equal(good.status, 200, good.text)
})
