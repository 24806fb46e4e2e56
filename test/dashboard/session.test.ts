import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { dashboardSource } from '../support/dashboard-source.ts'

type Signed = { userId: string; accessToken: string; expiresAt: number }
type Session = {
  sessionStore: { get: () => { signed: Signed | undefined } }
  accessToken: (refused?: string) => Promise<string>
  resume: () => Promise<Signed | undefined>
  signIn: (body: object) => Promise<{ challenge: string; methods: string[] } | undefined>
  signOut: () => Promise<void>
}

/** As much of a browser's storage as is used: what is kept are its own properties. */
class Kept {
  [name: string]: unknown
  getItem(name: string) {
    return Object.hasOwn(this, name) ? this[name] : null
  }
  setItem(name: string, value: string) {
    this[name] = value
  }
  removeItem(name: string) {
    delete this[name]
  }
}

const MARK = 'kontor:signed-out'
const local = new Kept()
const tab = new Kept()
let answer: (method: string, init: RequestInit) => Promise<Response>
let sent: string[] = []
Object.defineProperty(globalThis, 'localStorage', { value: local, configurable: true })
Object.defineProperty(globalThis, 'sessionStorage', { value: tab, configurable: true })
globalThis.fetch = async (_address, init = {}) => {
  const method = `${init.method}${init.body ? ' login' : ''}`
  sent.push(method)
  assert.ok(init.signal, 'all tabs would wait for it')
  return answer(method, init)
}

const { sessionStore, accessToken, resume, signIn, signOut } = (await dashboardSource('session/session.ts')) as Session

const as = (userId: string) =>
  Response.json({ userId, accessToken: `of ${userId}`, expiresAt: Date.now() / 1_000 + 900 })
const says = (status: number, error: string) => Response.json({ error, message: error }, { status })
const current = () => sessionStore.get().signed?.userId

beforeEach(async () => {
  local.removeItem(MARK)
  answer = async () => as('usr_a')
  await signIn({ provider: 'EMAIL' })
  sent = []
})

test('a service that is busy or away signs nobody out; one that refuses does', async () => {
  for (const [status, code] of [
    [429, 'RATE_LIMITED'],
    [503, 'UNAVAILABLE'],
    [422, 'VALIDATION_FAILED'],
  ] as const) {
    answer = async () => says(status, code)
    await assert.rejects(accessToken('of usr_a'), { code })
    assert.equal(current(), 'usr_a')
  }
  answer = async () => new Response('<html>', { status: 403 })
  await assert.rejects(accessToken('of usr_a'), { code: 'UNKNOWN_ANSWER' })
  assert.equal(current(), 'usr_a')
  answer = async () => says(401, 'UNAUTHENTICATED')
  await assert.rejects(accessToken('of usr_a'), { status: 401 })
  assert.equal(current(), undefined)
})

test('a page of somebody else is no session', async () => {
  answer = async () => new Response('<html>Welcome to our wireless network')
  await assert.rejects(accessToken('of usr_a'), { code: 'UNKNOWN_ANSWER' })
  assert.equal(current(), 'usr_a')
})

test('a sign-out that the service did not hear of is kept, and the cookie is not used until it has', async () => {
  answer = async () => Promise.reject(new TypeError('no line'))
  await signOut()
  assert.equal(current(), undefined)
  assert.notEqual(local.getItem(MARK), null)

  await assert.rejects(accessToken(), { status: 401 })
  assert.deepEqual(sent, ['DELETE', 'DELETE'])
  answer = async () => new Response('<html>')
  await assert.rejects(accessToken(), { status: 401 })
  assert.notEqual(local.getItem(MARK), null, 'somebody else said yes')
  answer = async () => Response.json({ success: true })
  await assert.rejects(accessToken(), { status: 401 })
  assert.equal(local.getItem(MARK), null)
  assert.ok(!sent.includes('POST'))
  assert.equal(await resume(), undefined)
})

test('a renewal that was under way does not bring back who signed out', async () => {
  let release = () => {}
  answer = async (method) => {
    if (method === 'DELETE') return Response.json({ success: true })
    await new Promise<void>((resolve) => {
      release = resolve
    })
    return as('usr_a')
  }
  const renewed = assert.rejects(accessToken('of usr_a'), { status: 401 })
  while (sent.length === 0) await new Promise(setImmediate)
  const out = signOut()
  release()
  await Promise.all([renewed, out])
  assert.equal(current(), undefined)
})

test('signing in ends what an earlier sign-out could not', async () => {
  answer = async () => Promise.reject(new TypeError('no line'))
  await signOut()
  sent = []
  answer = async (method) => (method === 'DELETE' ? Response.json({ success: true }) : as('usr_b'))
  await signIn({ provider: 'EMAIL' })
  assert.deepEqual(sent, ['DELETE', 'POST login'])
  assert.equal(current(), 'usr_b')
  assert.equal(local.getItem(MARK), null)
})

test('whoever signs out takes their drafts along', async () => {
  tab.setItem('kontor:draft:usr_a:comment:ord_1', '"Call her"')
  tab.setItem('another', 'stays')
  await signOut()
  assert.deepEqual(Object.keys(tab), ['another'])
})

test('a login that wants a second factor signs nobody in, and says with what it goes on', async () => {
  await signOut()
  const refusal = {
    error: 'FORBIDDEN',
    message: 'This account has a second factor.',
    details: [{ field: '', error: 'SECOND_FACTOR_REQUIRED', message: '' }],
  }
  const challenge = { challenge: 'opaque', methods: ['TOTP', 'RECOVERY_CODE'] }
  answer = async () => Response.json({ ...refusal, ...challenge }, { status: 403 })
  assert.deepEqual(await signIn({ provider: 'EMAIL' }), challenge)
  assert.equal(current(), undefined)
  answer = async () => as('usr_a')
  assert.equal(await signIn({ challenge: 'opaque', code: '123456' }), undefined)
  assert.equal(current(), 'usr_a')
})

test('a login that is forbidden for another reason is refused', async () => {
  answer = async () => says(403, 'FORBIDDEN')
  await assert.rejects(signIn({ provider: 'EMAIL' }), { status: 403 })
})
