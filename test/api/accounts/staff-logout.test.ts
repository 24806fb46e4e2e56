import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { addTotp, codeOf } from '../../support/factors.ts'
import { refusal } from '../../support/refusal.ts'
import { openStaffDesk, type StaffDesk } from '../../support/staff-desk.ts'

// OpenID Connect Back-Channel Logout 1.0.

const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} }

let desk: StaffDesk
before(async () => {
  desk = await openStaffDesk()
})
after(() => desk.close())

const fresh = () => randomBytes(6).toString('hex')
const tokenOf = (claims: Record<string, unknown>, options?: Parameters<StaffDesk['idp']['idToken']>[1]) =>
  desk.idp.idToken({ jti: fresh(), events: EVENTS, ...claims }, options)

async function tell(businessId: string, token: string) {
  const answer = await fetch(`${desk.api.url}/v1/users/login/logout/${businessId}`, {
    method: 'POST',
    body: new URLSearchParams({ logout_token: token }),
  })
  await answer.arrayBuffer()
  return answer.status
}
const isIn = async (person: { get: (path: string) => Promise<{ status: number }> }) =>
  (await person.get('/v1/users/me')).status === 200

test('told about a person: their sessions by this provider end, and so do the roles that it gave, for their keys, too', async () => {
  const { id, domain, path } = await desk.openBusiness()
  const claims = { sub: fresh(), email: `ivy@${domain}` }
  const [one, two] = [await desk.enter(id, { ...claims, sid: 'a' }), await desk.enter(id, { ...claims, sid: 'b' })]
  const key = await desk.make.apiKey(one.userId)
  const other = await desk.enter(id, { sub: fresh(), email: `jo@${domain}` })
  assert.ok('contactEmail' in (await key.get(path)).body)

  assert.equal(await tell(id, await tokenOf({ sub: claims.sub })), 200)
  assert.deepEqual([await isIn(one), await isIn(two), await isIn(other)], [false, false, true])
  assert.ok(!('contactEmail' in (await key.get(path)).body))

  const again = await desk.enter(id, claims)
  assert.ok('contactEmail' in (await again.get(path)).body, 'whoever still belongs has the role again')
})

test('told about one session: that one ends, and no role', async () => {
  const { id, domain, path } = await desk.openBusiness()
  const claims = { sub: fresh(), email: `kim@${domain}` }
  const [one, two] = [
    await desk.enter(id, { ...claims, sid: fresh() }),
    await desk.enter(id, { ...claims, sid: 'kept' }),
  ]
  const { sid } = { sid: await sidOf(one.userId) }
  assert.equal(await tell(id, await tokenOf({ sub: claims.sub, sid })), 200)
  assert.deepEqual([await isIn(one), await isIn(two)], [false, true])
  assert.ok('contactEmail' in (await two.get(path)).body)
})

const sidOf = async (userId: string) => {
  const rows = await desk.control
    .selectFrom('accounts.sessions')
    .select('providerSession')
    .where('userId', '=', userId)
    .where('providerSession', '<>', 'kept')
    .execute()
  return rows[0]?.providerSession
}

test('the same token once more does nothing to what began since', async () => {
  const { id, domain } = await desk.openBusiness()
  const claims = { sub: fresh(), email: `lea@${domain}` }
  const before = await desk.enter(id, claims)
  const token = await tokenOf({ sub: claims.sub })
  assert.equal(await tell(id, token), 200)
  const after = await desk.enter(id, claims)
  assert.equal(await tell(id, token), 200)
  assert.deepEqual([await isIn(before), await isIn(after)], [false, true])
})

test('a token that is not right in every part is 400, and ends nothing', async () => {
  const [here, there] = [await desk.openBusiness(), await desk.openBusiness()]
  const claims = { sub: fresh(), email: `max@${here.domain}` }
  const max = await desk.enter(here.id, claims)
  const seconds = Math.floor(Date.now() / 1000)
  const { sub } = claims
  const lies: Record<string, string> = {
    'no token': 'nonsense',
    'another audience': await tokenOf({ sub, aud: 'another' }),
    'another issuer': await tokenOf({ sub, iss: 'https://evil.example' }),
    'another key': await tokenOf({ sub }, { key: desk.idp.foreignKey, kid: 'own' }),
    'an id token': await desk.idp.idToken({ sub, jti: fresh(), nonce: 'x' }),
    'a nonce': await tokenOf({ sub, nonce: 'x' }),
    'no event': await tokenOf({ sub, events: {} }),
    'no id': await tokenOf({ sub, jti: undefined }),
    nobody: await tokenOf({}),
    'long ago': await tokenOf({ sub, iat: seconds - 3_600, exp: seconds + 3_600 }),
    over: await tokenOf({ sub, iat: seconds - 200, exp: seconds - 120 }),
    unsigned: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ iss: desk.idp.issuer, aud: 'kontor', sub, iat: seconds, jti: 'x', events: EVENTS })).toString('base64url')}.`,
  }
  for (const [lie, token] of Object.entries(lies)) assert.equal(await tell(here.id, token), 400, lie)
  assert.equal(await isIn(max), true)
  assert.equal(await tell(there.id, await tokenOf({ sub })), 200)
  assert.equal(await isIn(max), true, 'another business ends none of its sessions')
  assert.equal(await tell('biz_000000000000', await tokenOf({ sub })), 404)
})

test('a login by password goes on', async () => {
  const { id, domain } = await desk.openBusiness()
  const member = await desk.make.user()
  const email = `nia@${domain}`
  await desk.control.updateTable('accounts.users').set({ email, emailKey: email }).where('id', '=', member.id).execute()
  const sub = fresh()
  const staff = await desk.enter(id, { sub, email })
  assert.equal(await tell(id, await tokenOf({ sub })), 200)
  assert.deepEqual([await isIn(staff), await isIn(member)], [false, true])
})

test('a provider is understood whether its issuer was typed with a slash at the end or without', async () => {
  const { id, domain } = await desk.openBusiness({ issuer: `${desk.idp.issuer}/` })
  const claims = { sub: fresh(), email: `max@${domain}` }
  const person = await desk.enter(id, claims)
  assert.equal(await tell(id, await tokenOf({ sub: claims.sub })), 200)
  assert.ok(!(await isIn(person)))
})

test('a login that has not got its session yet ends as well, and that of somebody else does not', async () => {
  const { id, domain } = await desk.openBusiness()
  const [out, stays] = [fresh(), fresh()].map((sub) => ({ sub, email: `${sub}@${domain}`, sid: fresh() }))
  assert.ok(out && stays)
  for (const told of [{ sub: out.sub }, { sid: out.sid }]) {
    const waiting = await desk.signIn(id, desk.claiming(out))
    const other = await desk.signIn(id, desk.claiming(stays))
    assert.equal(await tell(id, await tokenOf(told)), 200)
    assert.deepEqual([(await desk.redeem(waiting.code)).status, (await desk.redeem(other.code)).status], [422, 200])
  }
})

test('so does one that waits for its second factor', async () => {
  const { id, domain } = await desk.openBusiness()
  const claims = { sub: fresh(), email: `nia@${domain}` }
  const person = await desk.enter(id, claims)
  const { secret } = await addTotp(await desk.make.sessionOf({ id: person.userId, email: claims.email }))
  const { code } = await desk.signIn(id, desk.claiming(claims))
  const { challenge } = (await desk.redeem(code)).body
  assert.ok(challenge)
  assert.equal(await tell(id, await tokenOf({ sub: claims.sub })), 200)
  const finished = await desk.anonymous().post('/v1/users/login/second-factor', { challenge, code: codeOf(secret) })
  assert.equal(refusal(finished), '422 VALIDATION_FAILED challenge CHALLENGE_INVALID')
})
