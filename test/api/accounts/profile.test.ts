import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rememberCustomer } from '#modules/access/index.ts'
import { createClient } from '../../support/client.ts'
import { onServer } from '../../support/database.ts'
import { startApi } from '../../support/start-api.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const control = () => used.api.services.databases.control

const ADDRESS = { street: '1 Harbour Street', city: 'Lübeck', state: 'SH', zip: '23552', country: 'DE' }
const rowOf = (id: string) =>
  control().selectFrom('accounts.users').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

/** Another session of that user, straight from the database. */
async function logInAgain({ id, email }: { id: string; email: string | undefined }) {
  const { startSession } = await import('#modules/accounts/index.ts')
  const { transaction } = await import('#platform/database/transaction.ts')
  const session = await transaction(control(), (tx) => startSession(tx, { userId: id, provider: 'EMAIL' }))
  const { token } = await used.api.services.tokens.issue('access', {
    sub: id,
    sid: session.id,
    provider: 'EMAIL',
    ...(email ? { email } : {}),
  })
  return { sessionId: session.id, ...createClient(used.api.url, { authorization: `Bearer ${token}` }) }
}

/** Every table of the database, as text, except those named, and heartbeats. */
async function dump(...except: string[]): Promise<string> {
  return onServer(async (client) => {
    const { rows: tables } = await client.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema') and tablename <> 'processes'`,
    )
    const parts: string[] = []
    for (const { name } of tables) {
      if (except.some((prefix) => name.startsWith(prefix))) continue
      const { rows } = await client.query(`select t::text as line from ${name} as t`)
      parts.push(...rows.map(({ line }) => `${name}: ${line}`))
    }
    return parts.join('\n')
  }, used.api.databases.main.url)
}

test('GET /me has exactly the fields of a User', async () => {
  const business = await used.make.business()
  const ada = business.admin
  await ada.put('/v1/users/update', {
    name: 'Ada Lovelace',
    phoneNumbers: ['+4915112345678'],
    addresses: [ADDRESS],
    apiTokens: [{ id: 'key', name: 'Key' }],
  })
  await ada.put(`/v1/users/me/businesses/${business.id}`, { settings: { theme: 'dark' } })
  const { status, body } = await ada.get('/v1/users/me')
  assert.equal(status, 200)
  const [role] = body.roles
  assert.deepEqual(body, {
    id: ada.id,
    name: 'Ada Lovelace',
    email: ada.email,
    isConfirmed: true,
    phoneNumbers: ['+4915112345678'],
    addresses: [ADDRESS],
    roleIds: [role.id],
    roles: [{ id: role.id, name: 'Admin', permissions: ['ADMIN'], businessId: business.id }],
    apiTokens: [{ id: 'key', name: 'Key', value: body.apiTokens[0].value, provider: 'API' }],
    businessUserConfigs: [{ businessId: business.id, settings: { theme: 'dark' } }],
    lifecycle: { lastLoginAt: null, onboardingCompleted: false },
  })
  assert.match(String(body.apiTokens[0]?.value), /^••••.{4}$/)

  const guest = (await (await used.make.guest()).get('/v1/users/me')).body
  assert.deepEqual(
    Object.keys(guest).sort(),
    Object.keys(body)
      .filter((field) => field !== 'email')
      .sort(),
  )
})

test('who is nobody, or no longer somebody, is 401', async () => {
  const answers = await Promise.all([
    used.make.anonymous().get('/v1/users/me'),
    createClient(used.api.url, { authorization: 'Bearer nonsense' }).get('/v1/users/me'),
    createClient(used.api.url, { authorization: 'Basic YTpi' }).get('/v1/users/me'),
  ])
  for (const { status, body } of answers) assert.deepEqual([status, body.error], [401, 'UNAUTHENTICATED'])
})

test('an update changes what is sent and keeps the rest', async () => {
  const ada = await used.make.user()
  await ada.put('/v1/users/update', { name: 'Ada', addresses: [ADDRESS], phoneNumbers: ['+4915112345678'] })
  const { body } = await ada.put('/v1/users/update', { onboardingCompleted: true })
  assert.deepEqual(
    [body.name, body.addresses, body.phoneNumbers, body.lifecycle.onboardingCompleted],
    ['Ada', [ADDRESS], ['+4915112345678'], true],
  )
  const emptied = await ada.put('/v1/users/update', { name: '', addresses: [], phoneNumbers: [] })
  assert.deepEqual([emptied.body.name, emptied.body.addresses, emptied.body.phoneNumbers], ['', [], []])
  assert.deepEqual((await ada.put('/v1/users/update', {})).body, emptied.body)
})

test('fields of the wrong type or size are 422, each by its name, and nothing changes', async () => {
  const ada = await used.make.user()
  const before = await rowOf(ada.id)
  for (const [body, field] of [
    [{ name: 5 }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: null }, 'name'],
    [{ phoneNumbers: '+4915112345678' }, 'phoneNumbers'],
    [{ phoneNumbers: ['+4915112345678', '12'] }, 'phoneNumbers.1'],
    [{ addresses: [{ ...ADDRESS, zip: 23_552 }] }, 'addresses.0.zip'],
    [{ addresses: [{ street: 'x' }] }, 'addresses.0.city'],
    [{ onboardingCompleted: 'yes' }, 'onboardingCompleted'],
    [{ apiTokens: {} }, 'apiTokens'],
    [{ apiTokens: [{ id: 'not an id' }] }, 'apiTokens.0.id'],
  ] as const) {
    const answer = await ada.put('/v1/users/update', { ...body })
    assert.deepEqual([answer.status, answer.body.details[0].field], [422, field], answer.text)
  }
  assert.deepEqual(await rowOf(ada.id), before)
})

test('no field but the five can be set, whatever a caller sends', async () => {
  const other = await used.make.business()
  const [role] = (await other.admin.get(`${other.path}/roles`)).body.items
  for (const caller of [
    await used.make.user(),
    await used.make.guest(),
    await used.make.apiKey((await used.make.user()).id),
  ]) {
    const { body: before } = await caller.get('/v1/users/me')
    const row = await rowOf(before.id)
    const everything = await dump('accounts.attempts')
    const hostile = {
      id: other.admin.id,
      userId: other.admin.id,
      email: 'root@example.com',
      emailKey: 'root@example.com',
      email_key: 'root@example.com',
      isConfirmed: !before.isConfirmed,
      confirmedAt: null,
      confirmed_at: '2001-01-01T00:00:00Z',
      roleIds: [role.id],
      roles: [{ id: role.id, name: 'Admin', permissions: ['ADMIN'] }],
      permissions: ['ADMIN'],
      businessUserConfigs: [{ businessId: other.id, settings: { admin: true } }],
      lifecycle: { lastLoginAt: 1, onboardingCompleted: true },
      lastLoginAt: 1,
      last_login_at: 1,
      onboarding_completed: true,
      passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c29tZXRoaW5n$x',
      password_hash: 'x',
      password: 'harbour lantern teapot',
      isGuest: !row.isGuest,
      is_guest: !row.isGuest,
      suspendedAt: '2001-01-01T00:00:00Z',
      suspended_at: null,
      createdAt: 1,
      updatedAt: 1,
      updated_at: 1,
      phone_numbers: ['+4915112345678'],
      verifiedPhones: ['+4915112345678'],
      provider: 'EMAIL',
      scope: 'user',
      kind: 'user',
      sessionId: other.admin.sessionId,
      businessId: other.id,
    }
    for (const raw of ['{"__proto__":{"isGuest":false}}', '{"constructor":{"prototype":{"isGuest":false}}}'])
      assert.equal((await caller.send('PUT', '/v1/users/update', { raw })).status, 400)
    const { status, body, text } = await caller.put('/v1/users/update', hostile)
    assert.equal(status, 200, text)
    assert.deepEqual(body, before)
    const { updatedAt, ...after } = await rowOf(before.id)
    const { updatedAt: earlier, ...unchanged } = row
    assert.ok(updatedAt >= earlier)
    assert.deepEqual(after, unchanged)
    const lines = (text: string) =>
      text
        .split('\n')
        .filter((line) => !line.includes(before.id))
        .sort()
    assert.deepEqual(lines(await dump('accounts.attempts')), lines(everything), 'nobody else’s rows either')
  }
})

test('inside addresses and keys unknown fields are dropped as well', async () => {
  const ada = await used.make.user()
  const { body } = await ada.put('/v1/users/update', {
    addresses: [{ ...ADDRESS, verified: true }],
    apiTokens: [{ id: 'key', userId: 'usr_x', keyHash: 'x', last4: 'zzzz', createdAt: 1 }],
  })
  assert.deepEqual(body.addresses, [ADDRESS])
  const key = await control().selectFrom('accounts.apiKeys').selectAll().where('userId', '=', ada.id).executeTakeFirst()
  assert.equal(key?.last4, body.apiTokens[0].value.slice(-4))
})

test('settings for a business are one’s own, one set for each business', async () => {
  const [here, there] = [await used.make.business(), await used.make.business()]
  const [ada, eve] = [await used.make.user(), await used.make.user()]
  const put = (user: typeof ada, businessId: string, settings: unknown) =>
    user.put(`/v1/users/me/businesses/${businessId}`, { settings })
  const first = await put(ada, here.id, { theme: 'dark', nested: { list: [1, 'two', null] } })
  assert.equal(first.status, 200, first.text)
  assert.deepEqual(first.body.businessUserConfigs, [
    { businessId: here.id, settings: { theme: 'dark', nested: { list: [1, 'two', null] } } },
  ])
  await put(ada, there.id, { theme: 'light' })
  const { body } = await put(ada, here.id, { sidebar: true })
  assert.deepEqual(
    body.businessUserConfigs.find(({ businessId }: { businessId: string }) => businessId === here.id).settings,
    { sidebar: true },
    'replaced whole',
  )
  assert.equal(body.businessUserConfigs.length, 2)
  assert.deepEqual((await eve.get('/v1/users/me')).body.businessUserConfigs, [])
  assert.equal((await put(ada, 'biz_000000000000', {})).status, 404)
  for (const settings of [undefined, null, 'dark', []]) assert.equal((await put(ada, here.id, settings)).status, 422)
})

test('sessions are listed, ended one by one, or all the others at once', async () => {
  const ada = await used.make.user()
  const [phone, laptop] = [await logInAgain(ada), await logInAgain(ada)]
  const { body } = await ada.get('/v1/users/sessions')
  assert.deepEqual(
    new Map(body.items.map(({ id, current }: { id: string; current: boolean }) => [id, current])),
    new Map([
      [laptop.sessionId, false],
      [phone.sessionId, false],
      [ada.sessionId, true],
    ]),
  )
  const fields = ['address', 'createdAt', 'current', 'id', 'lastUsedAt', 'provider', 'userAgent']
  for (const session of body.items) assert.deepEqual(Object.keys(session).sort(), fields)

  assert.equal((await ada.delete(`/v1/users/sessions?id=${phone.sessionId}`)).status, 200)
  assert.equal((await phone.get('/v1/users/me')).status, 401)
  assert.equal((await laptop.get('/v1/users/me')).status, 200)
  assert.equal((await ada.delete(`/v1/users/sessions?id=${phone.sessionId}`)).status, 404, 'it has ended already')

  const tablet = await logInAgain(ada)
  assert.equal((await ada.delete('/v1/users/sessions')).status, 200)
  for (const ended of [laptop, tablet]) assert.equal((await ended.get('/v1/users/me')).status, 401)
  assert.equal((await ada.get('/v1/users/me')).status, 200)
  assert.equal((await ada.get('/v1/users/sessions')).body.items.length, 1)
})

test('nobody sees or ends a session of somebody else', async () => {
  const [ada, mallory] = [await used.make.user(), await used.make.user()]
  const list = await mallory.get('/v1/users/sessions')
  assert.ok(!list.text.includes(ada.sessionId))
  const ended = await mallory.delete(`/v1/users/sessions?id=${ada.sessionId}`)
  assert.deepEqual([ended.status, ended.body.error], [404, 'NOT_FOUND'])
  await mallory.delete('/v1/users/sessions')
  assert.equal((await ada.get('/v1/users/me')).status, 200)
})

/** A person with something in every table that can hold something of a person. */
async function personWithEverything() {
  const business = await used.make.business()
  const ada = await used.make.member(business.id, 'PRODUCTS_WRITE')
  const guest = await used.make.guest()
  const name = `Ada Unmistakable ${ada.id.slice(-6)}`
  const number = `+49151${String(Math.floor(Math.random() * 9e7) + 1e7)}`
  const formerNumber = `+49160${String(Math.floor(Math.random() * 8e6) + 1e6)}`
  await guest.put('/v1/users/update', { name: `${name} as guest`, phoneNumbers: [formerNumber], addresses: [ADDRESS] })
  const saved = await ada.put('/v1/users/update', {
    name,
    phoneNumbers: [number],
    addresses: [{ ...ADDRESS, street: `${name} Street` }],
    apiTokens: [{ id: 'key' }],
  })
  assert.equal(saved.status, 200, saved.text)
  await ada.put(`/v1/users/me/businesses/${business.id}`, { settings: { note: name } })
  const at = new Date()
  const expiresAt = new Date(Date.now() + 60_000)
  const db = control()
  await db
    .updateTable('accounts.users')
    .set({ passwordHash: `hash-of-${ada.id}` })
    .where('id', '=', ada.id)
    .execute()
  await db.insertInto('accounts.verifiedPhones').values({ number, userId: ada.id, verifiedAt: at }).execute()
  await db
    .insertInto('accounts.verifiedPhones')
    .values({ number: formerNumber, userId: guest.id, verifiedAt: at })
    .execute()
  await db.insertInto('accounts.guestAliases').values({ guestId: guest.id, userId: ada.id, createdAt: at }).execute()
  await db
    .insertInto('accounts.identities')
    .values({ issuer: 'https://idp.example.com', subject: `sub-${ada.id}`, userId: ada.id, createdAt: at })
    .execute()
  await db.insertInto('accounts.phoneCodes').values({ userId: ada.id, number, expiresAt }).execute()
  await db
    .insertInto('accounts.resetTokens')
    .values({ tokenHash: Buffer.from(ada.id), userId: ada.id, expiresAt })
    .execute()
  await rememberCustomer(db, business.id, ada.id)
  const { body: invitation } = await business.admin.post(`${business.path}/invitations`, {
    email: ada.email?.toUpperCase(),
    roleId: ada.roleId,
  })
  assert.ok(invitation.id)
  return { ada, guest, business, name, number, formerNumber, key: saved.body.apiTokens[0].value as string }
}

test('an export holds everything that is stored about a person, and no secret', async () => {
  const { ada, guest, business, name, number, formerNumber, key } = await personWithEverything()
  const { status, body, text } = await ada.get('/v1/users/me/export')
  assert.equal(status, 200, text)
  assert.deepEqual(body.user, (await ada.get('/v1/users/me')).body)
  assert.deepEqual(
    body.sessions.map(({ id }: { id: string }) => id),
    [ada.sessionId],
  )
  assert.deepEqual(
    [body.identities[0].issuer, body.identities[0].subject],
    ['https://idp.example.com', `sub-${ada.id}`],
  )
  assert.deepEqual(
    body.verifiedPhoneNumbers.map((phone: { number: string }) => phone.number).sort(),
    [number, formerNumber].sort(),
  )
  assert.deepEqual(body.customerOf, [business.id])
  assert.deepEqual([body.formerGuests[0].id, body.formerGuests[0].name], [guest.id, `${name} as guest`])

  const row = await control()
    .selectFrom('accounts.sessions')
    .selectAll()
    .where('id', '=', ada.sessionId)
    .executeTakeFirstOrThrow()
  for (const secret of [
    `hash-of-${ada.id}`,
    key,
    row.refreshId ?? '?',
    ada.token,
    'passwordHash',
    'keyHash',
    'codeHash',
  ])
    assert.ok(!text.includes(secret), secret)
})

test('an export tells nothing about anybody else', async () => {
  const { ada } = await personWithEverything()
  const { text } = await (await used.make.user()).get('/v1/users/me/export')
  assert.ok(!text.includes(ada.id) && !text.includes(ada.email ?? '?'))
})

test('erasing an account leaves nothing of the person in the control database, and stops its tokens at once', async (t) => {
  const second = await startApi({ databases: used.api.databases })
  t.after(() => second.close())
  const { ada, guest, business, name, number, formerNumber, key } = await personWithEverything()
  const bystander = await used.make.member(business.id, 'PRODUCTS_WRITE')
  const credentials = [{ authorization: `Bearer ${ada.token}` }, { 'x-api-key': key }] as Record<string, string>[]
  for (const credential of credentials) {
    for (const { url } of [used.api, second]) {
      assert.equal((await createClient(url, credential).get('/v1/users/me')).status, 200) // now both nodes remember it
    }
  }
  const before = await dump('access.audit_log')
  const personal = [ada.email ?? '?', name, number, formerNumber, `sub-${ada.id}`]
  for (const trace of personal) assert.ok(before.toLowerCase().includes(trace.toLowerCase()), trace)

  assert.equal((await ada.delete('/v1/users/me')).status, 200)
  for (const credential of credentials) {
    assert.equal((await createClient(used.api.url, credential).get('/v1/users/me')).status, 401)
    while ((await createClient(second.url, credential).get('/v1/users/me')).status !== 401);
  }
  const after = (await dump('access.audit_log', 'graphile_worker')).toLowerCase()
  for (const trace of personal) assert.ok(!after.includes(trace.toLowerCase()), trace)
  const stillNamed = after.split('\n').filter((line) => line.includes(ada.id) || line.includes(guest.id))
  assert.deepEqual(
    stillNamed.map((line) => line.split(':')[0]),
    ['access.customers', 'access.event_outbox'], // the id alone; the latter on its way to the feed: they have left
  )
  const audit = (await dump('accounts', 'graphile_worker', 'cell'))
    .split('\n')
    .filter((line) => line.startsWith('access.audit_log'))
  for (const trace of personal) assert.ok(!audit.some((line) => line.includes(trace)), `the audit log holds ${trace}`)
  assert.ok(audit.some((line) => line.includes('account.erased') && line.includes(ada.id)))

  assert.equal((await bystander.get('/v1/users/me')).status, 200)
  assert.equal((await business.admin.get(`${business.path}/roles`)).status, 200)
  assert.ok(!(await business.admin.get(`/v1/users/search?businessId=${business.id}`)).text.includes(ada.id))
})

test('the last ADMIN of a business hands it over before the account can go', async () => {
  const business = await used.make.business()
  const { admin } = business
  const refused = await admin.delete('/v1/users/me')
  assert.deepEqual([refused.status, refused.body.error, refused.body.details[0].error], [409, 'CONFLICT', 'LAST_ADMIN'])
  assert.equal((await admin.get(`${business.path}/roles`)).status, 200, 'nothing of it happened')

  await used.make.member(business.id, 'ADMIN')
  assert.equal((await admin.delete('/v1/users/me')).status, 200)
  assert.equal((await admin.get('/v1/users/me')).status, 401)
})

test('of the last two ADMINs who leave at the same moment one stays', async () => {
  for (let round = 0; round < 3; round++) {
    const business = await used.make.business()
    const second = await used.make.member(business.id, 'ADMIN')
    const answers = await Promise.all([business.admin.delete('/v1/users/me'), second.delete('/v1/users/me')])
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, 409],
    )
  }
})

test('whoever is erased while we work for them is not known any more', async () => {
  const user = await used.make.user()
  assert.equal((await user.get('/v1/users/me')).status, 200)
  await control().deleteFrom('accounts.sessions').where('userId', '=', user.id).execute()
  await control().deleteFrom('accounts.users').where('id', '=', user.id).execute()
  for (const answer of [await user.get('/v1/users/me'), await user.put('/v1/users/update', { name: 'Ada' })]) {
    assert.equal(answer.status, 401, answer.text)
  }
})
