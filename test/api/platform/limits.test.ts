import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startSession } from '#modules/accounts/index.ts'
import { now } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { assertError } from '../../support/assert-error.ts'
import { type Answer, createClient } from '../../support/client.ts'
import { recordStatements } from '../../support/explain.ts'
import { createPeople } from '../../support/people.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const ADDRESS = 5
const ACCOUNT = 8
const KEY = 12
const PUBLIC = '/.well-known/jwks.json'
const ME = '/v1/users/me'

/** An API with low limits, on the same data. */
async function startLimited(t: TestContext, env: Record<string, string> = {}) {
  const limited = await startApi({
    databases: used.api.databases,
    env: {
      RATE_LIMITS: 'on',
      LIMIT_ADDRESS_PER_MINUTE: `${ADDRESS}`,
      LIMIT_ACCOUNT_PER_MINUTE: `${ACCOUNT}`,
      LIMIT_KEY_PER_MINUTE: `${KEY}`,
      ...env,
    },
  })
  t.after(() => limited.close())
  const as = (headers: Record<string, string> = {}) => createClient(limited.url, headers)
  const bearer = (token: string) => as({ authorization: `Bearer ${token}` })
  return { ...limited, as, bearer }
}

/** Another login of the same account. */
async function anotherToken(userId: string) {
  const { databases, tokens } = used.api.services
  const { id } = await transaction(databases.control, (tx) => startSession(tx, { userId, provider: 'EMAIL' }))
  return (await tokens.issue('access', { sub: userId, sid: id, provider: 'EMAIL' })).token
}

async function statusesOf(count: number, send: (index: number) => Promise<Answer>): Promise<number[]> {
  const statuses: number[] = []
  for (let index = 0; index < count; index++) statuses.push((await send(index)).status)
  return statuses
}
const all = (count: number, status: number) => Array<number>(count).fill(status)

test('the sessions of an account count together, and for nobody else', async (t) => {
  const { bearer } = await startLimited(t)
  const user = await used.make.user()
  const sessions = [bearer(user.token), bearer(await anotherToken(user.id))] as const
  assert.deepEqual(await statusesOf(ACCOUNT, (index) => sessions[index % 2 ? 1 : 0].get(ME)), all(ACCOUNT, 200))
  for (const session of sessions) {
    const refused = await session.get(ME)
    assertError(refused, 429, 'RATE_LIMITED')
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    assert.equal(refused.headers.get('x-ratelimit-limit'), `${ACCOUNT}`)
    assert.equal(refused.headers.get('x-ratelimit-remaining'), '0')
  }
  const neighbour = await bearer((await used.make.user()).token).get(ME)
  assert.equal(neighbour.status, 200)
  assert.equal(neighbour.headers.get('x-ratelimit-remaining'), `${ACCOUNT - 1}`)
})

test('an API key counts by itself, apart from its account and from its other keys', async (t) => {
  const { as, bearer } = await startLimited(t)
  const user = await used.make.user()
  const [key, other] = [await used.make.apiKey(user.id), await used.make.apiKey(user.id)]
  const call = () => as({ 'x-api-key': key.value }).get(ME)
  assert.deepEqual(await statusesOf(KEY, call), all(KEY, 200))
  const refused = await call()
  assertError(refused, 429, 'RATE_LIMITED')
  assert.equal(refused.headers.get('x-ratelimit-limit'), `${KEY}`)
  assert.equal((await bearer(key.value).get(ME)).status, 429, 'as a bearer it is the same key')
  assert.equal((await as({ 'x-api-key': other.value }).get(ME)).status, 200)
  assert.equal((await bearer(user.token).get(ME)).status, 200)
})

test('without a credential, or with one that is not valid, a request counts for its address', async (t) => {
  const { as } = await startLimited(t)
  const wrong = [
    () => as().get(PUBLIC),
    () => as({ 'x-api-key': `guess-${Math.random()}` }).get(ME),
    () => as({ authorization: 'Bearer eyJ.e30.x' }).get(ME),
    () => as({ authorization: 'Bearer a', 'x-api-key': 'b' }).get(ME),
    () => as({ authorization: 'Basic eDp5' }).get('/v1/nothing'),
  ]
  assert.equal(wrong.length, ADDRESS)
  assert.deepEqual(await statusesOf(ADDRESS, (index) => (wrong[index] ?? assert.fail())()), [200, 401, 401, 400, 404])
  for (const send of wrong) assertError(await send(), 429, 'RATE_LIMITED')
})

test('who floods an address locks out nobody with a valid token or key behind it', async (t) => {
  const { as, bearer } = await startLimited(t)
  const [early, late] = [await used.make.user(), await used.make.user()]
  const key = await used.make.apiKey(early.id)
  assert.equal((await bearer(early.token).get(ME)).status, 200)
  assert.equal((await as({ 'x-api-key': key.value }).get(ME)).status, 200)
  await statusesOf(ADDRESS * 2, () => as({ authorization: 'Bearer nonsense' }).get(ME))
  assert.equal((await as().get(PUBLIC)).status, 429)

  assert.equal((await bearer(early.token).get(ME)).status, 200)
  assert.equal((await as({ 'x-api-key': key.value }).get(ME)).status, 200, 'a key that was used before')
  assert.equal((await bearer(late.token).get(ME)).status, 200, 'a token that was never seen here')
})

test('valid tokens use up nothing of their address', async (t) => {
  const { as, bearer } = await startLimited(t)
  for (let index = 0; index < ADDRESS + 2; index++) {
    assert.equal((await bearer((await used.make.user()).token).get(ME)).status, 200)
  }
  assert.equal((await as().get(PUBLIC)).headers.get('x-ratelimit-remaining'), `${ADDRESS - 1}`)
})

test('an address over its limit is refused without a word to the database', async (t) => {
  const { as, bearer } = await startLimited(t)
  const gone = await used.make.user()
  assert.equal((await bearer(gone.token).get(ME)).status, 200)
  assert.equal((await gone.send('POST', '/v1/users/logout')).status, 200)
  await statusesOf(ADDRESS * 2, () => as().get(PUBLIC))
  const refused = [
    () => as({ 'x-api-key': `guess-${Math.random()}` }).get(ME),
    () => bearer(`eyJ${Math.random()}.e30.x`).get(ME),
    () => bearer(gone.token).get(ME),
  ]
  // It is looked up once: the token is ours, after all.
  await until('its end is heard', async () => (await bearer(gone.token).get(ME)).status === 401)
  const statements = await recordStatements(async () => {
    for (const send of refused) assertError(await send(), 429, 'RATE_LIMITED')
  })
  assert.deepEqual(statements, [])
})

test('guest logins of an address have a limit of their own, for an hour', async (t) => {
  const { as } = await startLimited(t, { LIMIT_ADDRESS_PER_MINUTE: '600', LIMIT_GUEST_LOGINS_PER_HOUR: '3' })
  const login = () => as().post('/v1/users/login', { provider: 'GUEST' })
  assert.deepEqual(await statusesOf(3, login), all(3, 200))
  const refused = await login()
  assertError(refused, 429, 'RATE_LIMITED')
  assert.ok(Number(refused.headers.get('retry-after')) > 60)
})

test('guest logins are limited for each shop, and ten times as many for all of them', async (t) => {
  const { as } = await startLimited(t, { LIMIT_ADDRESS_PER_MINUTE: '600', LIMIT_GUEST_LOGINS_PER_HOUR: '2' })
  await used.api.services.databases.control.deleteFrom('accounts.attempts').execute()
  const login = (businessId: string) => as().post('/v1/users/login', { provider: 'GUEST', businessId })
  const shops = await Promise.all(Array.from({ length: 11 }, () => used.make.business()))
  const [first, ...others] = shops.map(({ id }) => id)
  assert.deepEqual(await statusesOf(3, () => login(first ?? '')), [200, 200, 429])
  assert.deepEqual(await statusesOf(3, (index) => login(`biz_nowhere${index}`)), [200, 200, 429])
  for (const id of others.slice(0, 8)) assert.deepEqual(await statusesOf(2, () => login(id)), [200, 200])
  assertError(await login(others[8] ?? ''), 429, 'RATE_LIMITED')
})

test('twenty colleagues on one address can work, with the limits as they are', async (t) => {
  const api = await startApi({ databases: used.api.databases, env: { RATE_LIMITS: 'on' } })
  t.after(() => api.close())
  const { id, path } = await used.make.business()
  const people = createPeople({ url: api.url, services: used.api.services })
  const role = await used.make.member(id, 'ORDERS_READ')
  const colleagues = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const person = await people.person()
      await used.api.services.databases.control
        .insertInto('access.memberships')
        .values({ businessId: id, userId: person.id, roleId: role.roleId, createdAt: now() })
        .execute()
      return person
    }),
  )
  const sessions = await Promise.all(colleagues.map(({ email }) => people.session(email)))
  // 20 × 35 in less than a minute: more than an address has.
  const work = sessions.map((session) => statusesOf(35, () => session.get(`${path}/orders?limit=1`)))
  for (const statuses of await Promise.all(work)) assert.deepEqual(statuses, all(35, 200))
  const stranger = await createClient(api.url).get(PUBLIC)
  assert.equal(stranger.headers.get('x-ratelimit-limit'), '600')
  assert.ok(Number(stranger.headers.get('x-ratelimit-remaining')) > 500, 'they have used up nothing but their logins')
})

test('RATE_LIMITS=off lifts the limits a minute, and production is warned of it', async (t) => {
  const { as, bearer } = await startLimited(t, { RATE_LIMITS: 'off', LIMIT_GUEST_LOGINS_PER_HOUR: '1' })
  const user = await used.make.user()
  assert.deepEqual(await statusesOf(ACCOUNT + 1, () => bearer(user.token).get(ME)), all(ACCOUNT + 1, 200))
  assert.deepEqual(await statusesOf(ADDRESS + 1, () => as().get(PUBLIC)), all(ADDRESS + 1, 200))
  assert.deepEqual(await statusesOf(2, () => as().post('/v1/users/login', { provider: 'GUEST' })), all(2, 200))

  for (const [env, warnings] of [
    [{ RATE_LIMITS: 'off', NODE_ENV: 'production' }, 1],
    [{ RATE_LIMITS: 'on', NODE_ENV: 'production' }, 0],
    [{ RATE_LIMITS: 'off' }, 0],
  ] as const) {
    const lines: string[] = []
    const SECRET_KEY = Buffer.alloc(32, 'x').toString('base64')
    const api = await startApi({ databases: used.api.databases, lines, env: { SECRET_KEY, ...env } })
    await api.close()
    assert.equal(lines.filter((line) => line.includes('RATE_LIMITS')).length, warnings)
  }
})
