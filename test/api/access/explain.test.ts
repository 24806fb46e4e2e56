import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listAllBusinesses, mintInvitationToken } from '#modules/access/index.ts'
import { notify } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import { newId } from '#vocabulary/ids.ts'
import { type Answer, createClient } from '../../support/client.ts'
import { onServer } from '../../support/database.ts'
import { findSequentialScans, recordStatements } from '../../support/explain.ts'
import { market } from '../../support/shop.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

/** A service that has been running for a while: many businesses, none of them large. */
const FILL = `
  set session_replication_role = replica; -- foreign keys are not checked row by row
  alter table access.businesses set (autovacuum_enabled = false); -- plans are the same in every run
  insert into access.businesses
         (id, name, slug, default_locale, locales, allowed_origins, markets, cell, created_at, updated_at)
  select 'biz_' || n, 'Business ' || n, 'business-' || n, 'en', '{en}', '{}', '[]',
         (array['main', 'second'])[n % 2 + 1], now(), now()
    from generate_series(1, 10000) n;
  insert into access.roles (business_id, id, name, permissions, created_at, updated_at)
  select 'biz_' || n % 10000 + 1, 'role_' || n, 'Role ' || n, array['ADMIN'], now(), now()
    from generate_series(1, 20000) n;
  insert into accounts.users (id, name, email, email_key, confirmed_at, created_at, updated_at)
  select 'usr_' || n, 'User ' || n, n || '@example.org', n || '@example.org', now(), now(), now()
    from generate_series(1, 20000) n;
  insert into accounts.sessions (id, user_id, provider, created_at, last_used_at)
  select 'ses_' || n, 'usr_' || n, 'EMAIL', now(), now() from generate_series(1, 20000) n;
  insert into accounts.api_keys (user_id, id, name, key_hash, last4, created_at)
  select 'usr_' || n, 'ak_' || n, 'Key', sha256(n::text::bytea), '1234', now() from generate_series(1, 20000) n;
  insert into access.memberships (business_id, role_id, user_id, created_at)
  select business_id, id, 'usr_' || n, now()
    from access.roles, lateral (select substr(id, 6)::int as n) as numbered
   union all
  select business_id, id, 'usr_' || n + 10000, now()
    from access.roles, lateral (select substr(id, 6)::int as n) as numbered where n <= 10000;
  insert into access.customers (business_id, user_id, created_at)
  select 'biz_' || n, 'usr_' || n, now() from generate_series(1, 10000) n;
  insert into access.invitations
         (business_id, id, email, role_id, invited_by, token_hash, expires_at, created_at)
  select business_id, 'inv_' || id, id || '@example.org', id, 'usr_1', sha256(id::bytea), now(), now() from access.roles;
  insert into access.audit_log (business_id, id, action, subject, actor_kind, data, occurred_at)
  select 'biz_' || n % 10000 + 1, 'aud_' || n, 'role.updated', 'role_' || n, 'user', '{}', now()
    from generate_series(1, 50000) n;
  insert into control.idempotency_keys (business_id, caller, key, request_hash, status, body, created_at)
  select 'biz_' || n, 'usr_' || n, 'key', '', 201, '{}', now() from generate_series(1, 10000) n;
  analyze`

let filling: Promise<unknown> | undefined
/** Once, by the test that comes first. */
const filled = () => {
  filling ??= onServer((client) => client.query(FILL), used.api.databases.main.url)
  return filling
}

/** One successful call of every operation, by callers whom nobody has met before. */
async function callEverything(): Promise<Set<string>> {
  const called = new Set<string>()
  const call = async (operation: string, asked: Promise<Answer>) => {
    const { status, text, body } = await asked
    assert.ok(status < 300, `${operation}: ${status} ${text}`)
    called.add(operation)
    return body
  }
  const { admin, id, path } = await used.make.business()
  const [bo, key] = [await used.make.user(), await used.make.apiKey(admin.id)]
  const { control } = used.api.services.databases

  await call('getBusiness', key.get(path))
  await call('listSigningKeys', key.get('/.well-known/jwks.json'))
  const once = (key: string) => ({ 'idempotency-key': key })
  await call('createBusiness', admin.post('/v1/businesses', { name: 'New' }, once('business')))
  await call('createBusiness', admin.post('/v1/businesses', { name: 'New' }, once('business')))
  await call('updateBusiness', admin.put(path, { name: 'Renamed' }, { 'if-match': '*' }))

  const newRole = { name: 'Helpers', permissions: ['ADMIN'] }
  const role = await call('createRole', admin.post(`${path}/roles`, newRole, once('role')))
  await call('getRole', admin.get(`${path}/roles/${role.id}`))
  await call('updateRole', admin.put(`${path}/roles/${role.id}`, { permissions: [] }))
  const setRole = (roleId: string | null) =>
    call('setRole', admin.put('/v1/users/set-role', { userId: bo.id, roleId, businessId: id }))
  await setRole(role.id)
  const waiting = await call('listMyInvitations', bo.get('/v1/users/invitations?limit=1'))
  await call('declineInvitation', bo.delete(`/v1/users/invitations/${waiting.items[0].id}`))
  await setRole(role.id)
  await setRole(null)

  const invite = (email: string | undefined) =>
    call('createInvitation', admin.post(`${path}/invitations`, { email, roleId: role.id }, once(`to ${email}`)))
  await call('revokeInvitation', admin.delete(`${path}/invitations/${(await invite('cy@example.com')).id}`))
  const invitation = await invite(bo.email)
  const token = await transaction(control, (tx) => mintInvitationToken(tx, id, invitation.id))
  await call('acceptInvitation', bo.post('/v1/users/invitations/accept', { token }))
  await call('setMemberRoles', admin.put(`${path}/members/${bo.id}`, { roleIds: [] }))
  await call('countRoles', admin.get(`${path}/roles/counts`))
  await call('getPaymentAccount', admin.get(`${path}/payment-account`))
  const carts = [{ lines: [{ unitPrice: 1, quantity: 1 }] }]
  await call('tryMarket', admin.post(`${path}/markets/try`, { market: market(), carts }))

  for (const [operation, list] of [
    ['listBusinesses', '/v1/businesses'],
    ['listRoles', `${path}/roles`],
    ['listInvitations', `${path}/invitations`],
    ['listMembers', `${path}/members`],
    ['listAudit', `${path}/audit`],
    ['listEvents', `${path}/events`],
  ] as const) {
    const { cursor } = await call(operation, admin.get(`${list}?limit=1`))
    if (cursor) await call(operation, admin.get(`${list}?limit=1&cursor=${cursor}`))
  }
  const stream = new AbortController()
  const opened = await fetch(`${used.api.url}${path}/events/stream?after=0`, {
    headers: { 'x-api-key': key.value },
    signal: stream.signal,
  })
  assert.equal(opened.status, 200)
  called.add('streamEvents')
  stream.abort()
  await call('deleteRole', admin.delete(`${path}/roles/${role.id}`))
  return called
}

test('no statement of these routes reads a whole table', async () => {
  await filled()
  let called = new Set<string>()
  const statements = await recordStatements(async () => {
    called = await callEverything()
  })
  const texts = statements.map(({ text }) => text).join('\n')
  for (const table of ['users', 'sessions', 'api_keys']) assert.ok(texts.includes(`"accounts"."${table}"`), table)

  const { paths } = used.api.app.openApiDocument() as { paths: Record<string, Record<string, Operation>> }
  type Operation = { operationId: string; tags: string[] }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const ours = operations.filter(({ tags }) => tags.some((tag) => /^(Businesses|Roles|Invitations|Events)$/.test(tag)))
  assert.deepEqual(
    ours.map(({ operationId }) => operationId).filter((operation) => !called.has(operation)),
    [],
  )

  assert.deepEqual(await findSequentialScans(statements), [])
})

test('all businesses are gone through by key, each comes once, and no page reads the others', async () => {
  await filled()
  const ids: string[] = []
  const statements = await recordStatements(async () => {
    for await (const some of listAllBusinesses(used.api.services.databases.control))
      ids.push(...some.map(({ id }) => id))
  })
  assert.ok(ids.length >= 10_000)
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(await findSequentialScans(statements), [])
})

test('a statement that reads a whole table is found', async () => {
  await filled()
  const { control } = used.api.services.databases
  const planted = await recordStatements(async () => {
    await control.selectFrom('access.businesses').select('id').where('name', '=', 'Business 7').execute()
    await control.updateTable('access.roles').set({ name: 'x' }).where('name', '=', 'nobody').execute()
    await control.deleteFrom('accounts.sessions').where('provider', '=', 'NOBODY').execute()
    await control.selectFrom('accounts.signingKeys').selectAll().execute() // small: read as you like
    await control.selectFrom('access.businesses').select('name').where('id', '=', 'biz_7').execute()
  })
  const found = (await findSequentialScans(planted)).map((line) => line.split(' ')[0])
  assert.equal(planted.length, 5)
  assert.deepEqual(found, ['access.businesses', 'access.roles', 'accounts.sessions'])
})

const UNINDEXED = `
  select conrelid::regclass || ' ' || conname as name
    from pg_constraint
   where contype = 'f' and connamespace::regnamespace::text not like 'graphile%'
     and not exists (select from pg_index where indrelid = conrelid
                        and (indkey::int2[])[0:cardinality(conkey) - 1] @> conkey)`

test('every foreign key can be followed from the other end by an index', async () => {
  for (const { url } of [used.api.databases.main, used.api.databases.second]) {
    await onServer(async (client) => {
      assert.deepEqual((await client.query(UNINDEXED)).rows, [])
      await client.query('begin; create table cell.parents (a int primary key);')
      await client.query('create table cell.children (b int primary key, a int references cell.parents)')
      assert.deepEqual((await client.query(UNINDEXED)).rows, [{ name: 'cell.children children_a_fkey' }])
    }, url)
  }
})

/** Until this process has heard its own news a second time, from the database: after that nothing more is forgotten. */
async function allIsHeard(): Promise<void> {
  const { databases, listener } = used.api.services
  const topic = `test-${newId('x')}`
  let times = 0
  listener.on(topic, () => void times++)
  await transaction(databases.control, (tx) => notify(tx, topic, 'x'))
  await until('it is heard twice', () => times === 2)
}

test('reading a business costs no round trip once it is known, and few before', async (t) => {
  const { admin, id, path } = await used.make.business()
  const [member, guest] = [await used.make.member(id, 'SETTINGS_WRITE'), await used.make.guest()]
  const key = await used.make.apiKey(admin.id)
  await allIsHeard()
  const tables = async (caller: { get(path: string): Promise<Answer> }, url = path) => {
    const statements = await recordStatements(async () => assert.equal((await caller.get(url)).status, 200))
    return statements.map(({ text }) => /from "\w+"\."(\w+)"/.exec(text)?.[1] ?? text).sort()
  }

  assert.deepEqual(await tables(admin), ['businesses', 'memberships', 'sessions'])
  assert.deepEqual(await tables(guest), ['sessions'])
  assert.deepEqual(await tables(member), ['memberships', 'sessions'])
  assert.deepEqual(await tables(key), ['api_keys'])
  for (const caller of [admin, guest, member, key]) assert.deepEqual(await tables(caller), [])
  assert.deepEqual(await tables(member, `${path}/roles`), ['roles'])

  const second = await startApi({ databases: used.api.databases })
  t.after(() => second.close())
  const elsewhere = createClient(second.url, { authorization: `Bearer ${admin.token}` })
  assert.deepEqual(await tables(elsewhere), ['businesses', 'memberships', 'sessions', 'signing_keys'])
  assert.deepEqual(await tables(elsewhere), [])
})

test('a text that cannot be the id of a business is answered like one of none, and looked up nowhere', async () => {
  const user = await used.make.user()
  const long = 'x'.repeat(1024 * 1024)
  const quote = (businessId: string) => user.post('/v1/payments/quote', { businessId })
  const initialize = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const mcp = (businessId: string) =>
    user.post(`/mcp?business=${businessId}`, initialize, { accept: 'application/json, text/event-stream' })
  await allIsHeard()
  const [unknown, noTools] = [await quote('biz_nowhere'), await mcp('biz_nowhere')]
  assert.deepEqual([unknown.status, noTools.status], [422, 200])
  const statements = await recordStatements(async () => {
    const answer = await quote(long)
    assert.equal(answer.status, 422)
    assert.deepEqual(
      answer.body.details.map(({ field, error }: { field: string; error: string }) => [field, error]),
      unknown.body.details.map(({ field, error }: { field: string; error: string }) => [field, error]),
    )
    assert.ok(answer.text.length < 1_000, 'nor is it sent back')
    assert.equal((await quote('no id')).status, 422)
    assert.equal((await user.get(`/v1/businesses/${'x'.repeat(150)}/roles`)).status, 403)
    assert.equal((await user.get(`/v1/storefront/${'x'.repeat(150)}`)).status, 404)
    assert.equal((await mcp('x'.repeat(5_000))).status, 200)
  })
  assert.deepEqual(statements, [])
})
