import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { createPeople, decodeToken } from '../../support/people.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

const people = () => createPeople(used.api)
const refresh = (refreshToken: string) =>
  createClient(used.api.url).post('/v1/users/refresh', { provider: 'EMAIL', refreshToken })
const me = (accessToken: string) =>
  createClient(used.api.url, { authorization: `Bearer ${accessToken}` }).get('/v1/users/me')
const control = () => used.api.services.databases.control

async function loggedIn() {
  const person = await people().person()
  return { ...person, ...(await people().session(person.email)) }
}

function heldClock(t: TestContext) {
  const clock = holdClock()
  t.after(clock.release)
  return clock
}

const sessionsOf = (userId: string) =>
  control().selectFrom('accounts.sessions').selectAll().where('userId', '=', userId).execute()
const reusesOf = (userId: string) =>
  control()
    .selectFrom('access.auditLog')
    .selectAll()
    .where('subject', '=', userId)
    .where('action', '=', 'session.reuse-detected')
    .execute()

const SESSIONS = 200
const AT_ONCE = 10
const BATCH = 20

test('ten refreshes of one token at once get one successor, in each of 200 sessions', async () => {
  async function session() {
    const { id, email = '', sessionId, refreshId } = await used.make.user()
    const claims = { sub: id, sid: sessionId, jti: refreshId, provider: 'EMAIL', email }
    const { token } = await used.api.services.tokens.issue('refresh', claims)
    return { id, refreshId, token }
  }
  async function race() {
    const { id, refreshId, token } = await session()
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => refresh(token)))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]), answers[0]?.text)
    const successors = new Set(answers.map(({ body }) => decodeToken(body.refreshToken).jti))
    assert.equal(successors.size, 1)
    assert.ok(!successors.has(refreshId))
    assert.equal(new Set(answers.map(({ body }) => body.accessToken)).size, AT_ONCE)

    const next = await refresh(answers[0]?.body.refreshToken)
    assert.equal(next.status, 200, 'the successor works')
    const rows = await sessionsOf(id)
    assert.deepEqual(
      rows.map(({ refreshId, previousRefreshId, revokedAt }) => [refreshId, previousRefreshId, revokedAt]),
      [[decodeToken(next.body.refreshToken).jti, [...successors][0], null]],
    )
    assert.equal((await reusesOf(id)).length, 0)
  }
  for (let done = 0; done < SESSIONS; done += BATCH) await Promise.all(Array.from({ length: BATCH }, race))
})

test('a rotated token that comes back within 30 seconds is answered with the same successor', async (t) => {
  const clock = heldClock(t)
  const { refreshToken } = await loggedIn()
  const first = await refresh(refreshToken)
  clock.advance(29)
  const again = await refresh(refreshToken)
  assert.equal(again.status, 200)
  assert.equal(decodeToken(again.body.refreshToken).jti, decodeToken(first.body.refreshToken).jti)
  assert.equal((await me(again.body.accessToken)).status, 200)
})

test('a rotated token that comes back after 30 seconds ends the whole session, once, and is written down', async (t) => {
  const clock = heldClock(t)
  const { id, email, refreshToken, accessToken } = await loggedIn()
  const elsewhere = await people().session(email)
  const { body: current } = await refresh(refreshToken)
  assert.equal((await me(current.accessToken)).status, 200)

  clock.advance(30)
  const thieves = await Promise.all(Array.from({ length: 5 }, () => refresh(refreshToken)))
  for (const { status, body } of thieves) assert.deepEqual([status, body.error], [401, 'UNAUTHENTICATED'])
  assert.equal((await refresh(current.refreshToken)).status, 401)
  for (const token of [accessToken, current.accessToken]) assert.equal((await me(token)).status, 401)
  const written = await reusesOf(id)
  assert.equal(written.length, 1)
  assert.deepEqual(written[0]?.data, { sessionId: decodeToken(refreshToken).sid })
  assert.equal((await elsewhere.get('/v1/users/me')).status, 200, 'other sessions are none of its business')
})

test('a token from two rotations ago ends the session even within the 30 seconds', async (t) => {
  heldClock(t)
  const { id, refreshToken } = await loggedIn()
  const { body: second } = await refresh(refreshToken)
  const { body: third } = await refresh(second.refreshToken)
  assert.equal((await refresh(refreshToken)).status, 401)
  assert.equal((await refresh(third.refreshToken)).status, 401)
  assert.equal((await reusesOf(id)).length, 1)
})

test('a session that was logged out cannot be refreshed, and that is no reuse', async () => {
  const { id, refreshToken, accessToken } = await loggedIn()
  const out = await createClient(used.api.url).post('/v1/users/logout', { provider: 'EMAIL', token: accessToken })
  assert.equal(out.status, 200)
  const { status, body } = await refresh(refreshToken)
  assert.deepEqual([status, body.error], [401, 'UNAUTHENTICATED'])
  assert.equal((await reusesOf(id)).length, 0)
})

test('a suspended user cannot refresh, and that is no reuse', async () => {
  const { id, refreshToken } = await loggedIn()
  await refresh(refreshToken)
  await people().suspend(id)
  const { status, body } = await refresh(refreshToken)
  assert.deepEqual([status, body.error], [401, 'UNAUTHENTICATED'])
  assert.equal((await reusesOf(id)).length, 0)
})

test('a user who is gone cannot refresh', async () => {
  const { id, refreshToken, ...client } = await loggedIn()
  assert.equal((await client.delete('/v1/users/me')).status, 200)
  assert.equal((await refresh(refreshToken)).status, 401)
  assert.equal((await sessionsOf(id)).length, 0)
})

test('a refresh token is no access token, and an access token no refresh token', async () => {
  const { refreshToken, accessToken } = await loggedIn()
  assert.equal((await me(refreshToken)).status, 401)
  assert.equal((await refresh(accessToken)).status, 401)
  assert.equal((await refresh('')).status, 401)
  const key = await createClient(used.api.url, { 'x-api-key': refreshToken }).get('/v1/users/me')
  assert.equal(key.status, 401)
  assert.equal((await refresh(refreshToken)).status, 200, 'still good where it belongs')
})

test('access tokens expire after an hour, refresh tokens do not, and both carry the same claims', async (t) => {
  const clock = heldClock(t)
  const { id, email, refreshToken } = await loggedIn()
  const before = Math.floor(Date.now() / 1000)
  const { body } = await refresh(refreshToken)
  const access = decodeToken(body.accessToken)
  const next = decodeToken(body.refreshToken)
  for (const claims of [access, next]) {
    assert.deepEqual([claims.sub, claims.email, claims.provider], [id, email, 'EMAIL'])
    assert.equal(claims.iss, used.api.config.publicUrl)
    assert.equal(typeof claims.jti, 'string')
  }
  assert.equal(access.sid, next.sid)
  assert.equal(next.exp, null)
  assert.equal(Number(access.exp) - Number(access.iat), 3600)
  assert.equal(access.exp, body.expiresAt)
  assert.ok(Math.abs(body.expiresAt - before - 3600) < 60)
  assert.deepEqual([body.userId, body.tokenType, body.scope, body.isGuest], [id, 'Bearer', 'user', false])

  clock.advance(3599)
  assert.equal((await me(body.accessToken)).status, 200)
  clock.advance(1)
  assert.equal((await me(body.accessToken)).status, 401)
  clock.advance(5 * 365 * 86_400)
  assert.equal((await refresh(body.refreshToken)).status, 200)
})
