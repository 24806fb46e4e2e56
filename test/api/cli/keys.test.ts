import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { runCli } from '../../support/cli.ts'
import { createClient } from '../../support/client.ts'
import { createPeople } from '../../support/people.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true }) // revokes signing keys
const cli = (...args: string[]) => runCli(args, used.api.databases.env)
const me = async (token: string) =>
  (await createClient(used.api.url, { authorization: `Bearer ${token}` }).get('/v1/users/me')).status
const refresh = async (refreshToken: string) =>
  (await createClient(used.api.url).post('/v1/users/refresh', { provider: 'EMAIL', refreshToken })).status

async function logIn() {
  const people = createPeople(used.api)
  const { email } = await people.person()
  const { body } = await people.login(email)
  return { email, access: body.accessToken as string, refresh: body.refreshToken as string }
}

const kidOf = (token: string) =>
  (JSON.parse(Buffer.from(token.split('.', 1)[0] ?? '', 'base64url').toString()) as { kid: string }).kid
const published = async () => {
  const { body } = await createClient(used.api.url).get('/.well-known/jwks.json')
  return (body.keys as { kid: string }[]).map(({ kid }) => kid)
}

// One after the other: each ends what the others have.
describe('keys and sessions from the command line', () => {
  test('a revoked signing key verifies nothing any more, at once, and another one signs', async () => {
    const ada = await logIn()
    const kid = kidOf(ada.access)
    assert.equal(await me(ada.access), 200)
    const unsure = await cli('keys', 'revoke', kid)
    assert.equal(unsure.code, 2)
    assert.match(unsure.err, /--yes/)
    const revoked = await cli('keys', 'revoke', kid, '--yes', '--json')
    assert.equal(revoked.code, 0, revoked.err)
    assert.equal(revoked.json.kid, kid)
    await until('the API has heard of it', async () => (await me(ada.access)) === 401)
    assert.equal(await refresh(ada.refresh), 401)
    assert.ok(!(await published()).includes(kid))

    const again = await logIn()
    assert.equal(kidOf(again.access), revoked.json.signsNow)
    assert.equal(await me(again.access), 200)
    const gone = await cli('keys', 'revoke', kid, '--yes')
    assert.equal(gone.code, 1)
    assert.match(gone.err, new RegExp(`^Signing key ${kid} not found\\. Run cli keys list`))
  })

  test('a key that was announced can be revoked, and the one that signs goes on', async () => {
    const ada = await logIn()
    const rotated = await cli('keys', 'rotate', '--json')
    const listed = await cli('keys', 'list', '--json')
    assert.deepEqual(
      listed.lines.map(({ kid, state }) => [kid, state]),
      [
        [kidOf(ada.access), 'signs'],
        [rotated.json.kid, 'announced'],
      ],
    )
    assert.equal((await cli('keys', 'revoke', rotated.json.kid, '--yes')).code, 0)
    assert.equal(await me(ada.access), 200)
    assert.equal(kidOf((await logIn()).access), kidOf(ada.access))
  })

  test('all sessions end at once; who logs in again gets on, and API keys stay', async () => {
    const [ada, bob] = [await logIn(), await logIn()]
    const key = await used.make.apiKey((await used.make.user()).id)
    assert.deepEqual([await me(ada.access), await me(bob.access)], [200, 200])
    const [everybody, unsure] = await Promise.all([cli('sessions', 'end', '--yes'), cli('sessions', 'end', '--all')])
    assert.deepEqual([everybody.code, unsure.code], [2, 2])
    assert.match(unsure.err, /--yes/)
    assert.equal(await me(ada.access), 200)

    const ended = await cli('sessions', 'end', '--all', '--yes', '--json')
    assert.equal(ended.code, 0, ended.err)
    assert.ok(ended.json.ended >= 3)
    await until('the API has heard of it', async () => (await me(ada.access)) === 401)
    assert.deepEqual([await me(bob.access), await refresh(ada.refresh)], [401, 401])
    assert.equal((await key.get('/v1/users/me')).status, 200)
    assert.equal(await me((await logIn()).access), 200)
    const audit = await used.api.services.databases.control
      .selectFrom('access.auditLog')
      .select('action')
      .where('action', 'in', ['sessions.ended', 'signing-key.revoked'])
      .execute()
    assert.deepEqual(new Set(audit.map(({ action }) => action)), new Set(['sessions.ended', 'signing-key.revoked']))
  })

  test('an API key with permissions and an end is made, listed with them, and revoked', async () => {
    const business = await used.make.business()
    const { email = '', id: userId } = business.admin
    const limits = [
      '--business',
      business.id,
      '--days',
      '30',
      '--permission',
      'PRODUCTS_WRITE',
      '--permission',
      'ORDERS_READ',
    ]
    const made = await cli('keys', 'create', '--user', email, '--name', 'Till', '--json', ...limits)
    assert.equal(made.code, 0, made.err)
    const { id, value, permissions, expiresAt } = made.json
    assert.deepEqual(permissions, ['PRODUCTS_WRITE', 'ORDERS_READ'])
    assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 30 * 86_400_000) < 60_000)
    const key = createClient(used.api.url, { 'x-api-key': value })
    assert.equal((await key.get(`${business.path}/customers`)).status, 200)
    assert.equal((await key.get(`${business.path}/roles`)).status, 403)

    const [listed, table] = await Promise.all([
      cli('keys', 'list', '--user', email, '--json'),
      cli('keys', 'list', '--user', email),
    ])
    assert.equal(listed.lines.length, 1)
    assert.deepEqual(listed.lines[0].permissions, 'PRODUCTS_WRITE ORDERS_READ')
    assert.deepEqual(listed.lines[0].value, `••••${value.slice(-4)}`)
    assert.ok(table.out.includes(id) && !table.out.includes(value))

    const unsure = await cli('keys', 'revoke', id, '--user', email)
    assert.deepEqual([unsure.code, (await key.get(business.path)).status], [2, 200])
    const revoked = await cli('keys', 'revoke', id, '--user', email, '--yes', '--json')
    assert.deepEqual([revoked.code, revoked.json], [0, { id, userId }], revoked.err)
    await until('the API has heard of it', async () => (await key.get('/v1/users/me')).status === 401)
    const [again, none] = await Promise.all([
      cli('keys', 'revoke', id, '--user', email, '--yes'),
      cli('keys', 'list', '--user', email),
    ])
    assert.equal(again.code, 1)
    assert.match(again.err, /has no API key/)
    assert.match(none.out, /has no API keys\./)
  })

  test('a permission that there is not, and an end that is no number of days, are refused in a line', async () => {
    const { email = '' } = await used.make.user()
    const runs = await Promise.all([
      cli('keys', 'create', '--user', email, '--permission', 'EVERYTHING'),
      cli('keys', 'create', '--user', email, '--days', '0'),
      cli('keys', 'create', '--user', email, '--days', 'soon'),
    ])
    assert.deepEqual(
      runs.map(({ code }) => code),
      [2, 2, 2],
    )
    assert.match(runs[0]?.err ?? '', /Unknown permission EVERYTHING\. Available: ADMIN, /)
  })
})
