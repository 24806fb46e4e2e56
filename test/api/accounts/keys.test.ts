import assert from 'node:assert/strict'
import { test } from 'node:test'
import { now } from '#platform/clock.ts'
import { PERMISSIONS, type Permission } from '#vocabulary/permissions.ts'
import { type Client, createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { recordStatements } from '../../support/explain.ts'
import { refusal } from '../../support/refusal.ts'
import { createTestDatabases, startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const KEYS = '/v1/users/keys'
const used = useWorld({ providers: ['mail', 'sms'], worker: 'accounts', own: true })

const control = () => used.api.services.databases.control
const withKey = (value: string, url = used.api.url) => createClient(url, { 'x-api-key': value })
const statusOf = async (value: string, url = used.api.url) => (await withKey(value, url).get('/v1/users/me')).status
const seconds = () => Math.floor(now().getTime() / 1000)

async function makeKey(user: Client, body: object = {}) {
  const made = await user.post(KEYS, { name: 'Till', ...body })
  assert.equal(made.status, 201, made.text)
  return { ...made.body, key: withKey(made.body.value) } as { id: string; value: string; key: Client }
}

const auditOf = async (userId: string) => {
  const rows = await control()
    .selectFrom('access.auditLog')
    .select(['action', 'actorId'])
    .where('subject', '=', userId)
    .where('action', 'like', 'api-key.%')
    .orderBy('id')
    .execute()
  return rows.map(({ action, actorId }) => `${action} by ${actorId}`)
}

test('a key is made, shown whole once, listed masked, and refused as soon as it is deleted', async () => {
  const ada = await used.make.user()
  const business = await used.make.business({ owner: ada })
  const expiresAt = seconds() + 86_400
  const bounds = { businessId: business.id, permissions: ['ORDERS_READ', 'PRODUCTS_WRITE'], expiresAt }
  const made = await ada.post(KEYS, { name: 'Till', ...bounds })
  assert.equal(made.status, 201, made.text)
  const { id, value, createdAt } = made.body
  assert.match(id, /^key_/)
  assert.match(value, /^kontor_[0-9A-Za-z]{46}$/)
  const shown = { id, name: 'Till', ...bounds, lastUsedAt: null, createdAt, passedSecondFactor: false }
  assert.deepEqual(made.body, { ...shown, value })
  assert.deepEqual((await ada.get(KEYS)).body, { items: [{ ...shown, value: `••••${value.slice(-4)}` }] })
  assert.equal(await statusOf(value), 200)

  assert.equal(refusal(await ada.delete(`${KEYS}/${id}`)), '200')
  assert.equal(await statusOf(value), 401)
  assert.deepEqual((await ada.get(KEYS)).body, { items: [] })
  assert.equal(refusal(await ada.delete(`${KEYS}/${id}`)), '404 NOT_FOUND')
  assert.deepEqual(await auditOf(ada.id), [`api-key.created by ${ada.id}`, `api-key.deleted by ${ada.id}`])
})

test('a key without bounds has all that its user has, and stands in the array of the contract as well', async () => {
  const business = await used.make.business()
  const { key, id, value } = await makeKey(business.admin)
  assert.equal((await key.get(`${business.path}/audit`)).status, 200)
  const { body } = await business.admin.get('/v1/users/me')
  assert.deepEqual(body.apiTokens, [{ id, name: 'Till', value: `••••${value.slice(-4)}`, provider: 'API' }])
})

test('nobody else’s key can be listed or deleted', async () => {
  const [ada, mallory] = [await used.make.user(), await used.make.user()]
  const { id, value } = await makeKey(ada)
  assert.equal(refusal(await mallory.delete(`${KEYS}/${id}`)), '404 NOT_FOUND')
  assert.deepEqual((await mallory.get(KEYS)).body.items, [])
  assert.equal(await statusOf(value), 200)
})

test('guests and keys can neither see, make nor delete keys', async () => {
  const ada = await used.make.user()
  const { id, key } = await makeKey(ada)
  for (const caller of [key, await used.make.guest()]) {
    assert.equal(refusal(await caller.get(KEYS)), '403 FORBIDDEN')
    assert.equal(refusal(await caller.post(KEYS, { name: 'Another' })), '403 FORBIDDEN')
    assert.equal(refusal(await caller.delete(`${KEYS}/${id}`)), '403 FORBIDDEN')
  }
  assert.equal((await ada.get(KEYS)).body.items.length, 1)
})

test('a key for no business, for no permission, without a name or with an end in the past is refused', async () => {
  const ada = await used.make.user()
  for (const [body, expected] of [
    [{}, '422 VALIDATION_FAILED name REQUIRED'],
    [{ name: ' ' }, '422 VALIDATION_FAILED name INVALID'],
    [{ name: 'Till', businessId: 'biz_000000000000' }, '422 VALIDATION_FAILED businessId NOT_FOUND'],
    [{ name: 'Till', expiresAt: seconds() - 1 }, '422 VALIDATION_FAILED expiresAt INVALID'],
  ] as const)
    assert.equal(refusal(await ada.post(KEYS, body)), expected)
  for (const permissions of [[], ['EVERYTHING'], ['ORDERS_READ', 'ORDERS_READ']])
    assert.equal((await ada.post(KEYS, { name: 'Till', permissions })).status, 422, String(permissions))
  assert.deepEqual((await ada.get(KEYS)).body.items, [])
})

test('an account has fifty keys at most, also when two are made at once', async () => {
  const ada = await used.make.user()
  const apiTokens = Array.from({ length: 49 }, (_, index) => ({ id: `key-${index}` }))
  assert.equal((await ada.put('/v1/users/update', { apiTokens })).status, 200)
  const answers = await Promise.all(Array.from({ length: 4 }, () => ada.post(KEYS, { name: 'Till' })))
  assert.deepEqual(answers.map(refusal).sort(), ['201', ...Array(3).fill('409 CONFLICT id TOO_MANY')])
  assert.equal((await ada.get(KEYS)).body.items.length, 50)
})

test('a key does what its user may at that moment, cut down to its own permissions', async () => {
  const { admin, path, id: businessId } = await used.make.business()
  const member = await used.make.member(businessId, 'SETTINGS_WRITE', 'ORDERS_READ')
  const orders = await makeKey(member, { permissions: ['ORDERS_READ', 'PRODUCTS_WRITE'] })
  assert.equal((await orders.key.get(`${path}/customers`)).status, 200)
  assert.equal(refusal(await orders.key.get(`${path}/roles`)), '403 FORBIDDEN', 'its user may, but not the key')
  assert.equal(refusal(await orders.key.get(`${path}/products/imports`)), '403 FORBIDDEN', 'the key may, not its user')

  const whole = await makeKey(member, { permissions: ['ADMIN'] })
  assert.equal((await whole.key.get(`${path}/roles`)).status, 200)
  assert.equal(refusal(await whole.key.get(`${path}/audit`)), '403 FORBIDDEN', 'ADMIN of a key is all of its user')

  const gone = await admin.put('/v1/users/set-role', { userId: member.id, roleId: null, businessId })
  assert.equal(gone.status, 200, gone.text)
  for (const { key } of [orders, whole]) {
    assert.equal(refusal(await key.get(`${path}/customers`)), '403 FORBIDDEN')
    assert.ok(!('contactEmail' in (await key.get(path)).body), 'it sees what any guest sees')
  }
})

test('a key cannot grant more than it has itself, whatever its user has', async () => {
  const business = await used.make.business()
  const { admin, path } = business
  const own: Permission[] = ['SETTINGS_WRITE', 'ORDERS_READ']
  const { key } = await makeKey(admin, { permissions: own })
  for (const permission of PERMISSIONS) {
    const made = await key.post(`${path}/roles`, { name: `Role ${permission}`, permissions: [permission] })
    assert.equal(refusal(made), own.includes(permission) ? '201' : '403 FORBIDDEN', permission)
  }
  const { body: strong } = await admin.post(`${path}/roles`, { name: 'Strong', permissions: ['PRODUCTS_WRITE'] })
  const { body: weak } = await admin.post(`${path}/roles`, { name: 'Weak', permissions: ['ORDERS_READ'] })
  const email = 'somebody@example.com'
  for (const refused of [
    await key.put(`${path}/roles/${strong.id}`, { name: 'Mine' }),
    await key.put(`${path}/roles/${weak.id}`, { permissions: ['PRODUCTS_WRITE'] }),
    await key.delete(`${path}/roles/${strong.id}`),
    await key.post(`${path}/invitations`, { email, roleId: strong.id }),
  ])
    assert.equal(refusal(refused), '403 FORBIDDEN')
  assert.equal(refusal(await key.post(`${path}/invitations`, { email, roleId: weak.id })), '201')
})

test('a key with some permissions does nothing for its user’s account, and sees little of it', async () => {
  const business = await used.make.business()
  const { admin } = business
  const elsewhere = await used.make.business()
  await used.make.apiKey(admin.id)
  const { key, id } = await makeKey(admin, { permissions: ['ORDERS_READ'] })
  for (const refused of [
    await key.put('/v1/users/update', { name: 'Somebody' }),
    await key.get('/v1/users/me/export'),
    await key.get('/v1/users/sessions'),
    await key.post('/v1/businesses', { name: 'Another' }),
    await key.get('/v1/users/invitations'),
    await key.delete('/v1/users/me'),
  ])
    assert.equal(refusal(refused), '403 FORBIDDEN')
  const { body } = await key.get('/v1/users/me')
  assert.deepEqual(
    body.roles.map(({ permissions }: { permissions: string[] }) => permissions),
    [['ORDERS_READ']],
  )
  assert.deepEqual(
    body.apiTokens.map((shown: { id: string }) => shown.id),
    [id],
  )
  assert.ok(!('contactEmail' in (await key.get(elsewhere.path)).body))
})

test('the list of businesses has those in which the key may do something', async () => {
  const ada = await used.make.user()
  const mine = await used.make.business({ owner: ada })
  const theirs = await used.make.business()
  const roleId = (await theirs.admin.post(`${theirs.path}/roles`, { name: 'Writers', permissions: ['CONTENT_WRITE'] }))
    .body.id
  await control()
    .insertInto('access.memberships')
    .values({ businessId: theirs.id, userId: ada.id, roleId, createdAt: now() })
    .execute()
  const listed = async (permissions: Permission[]) => {
    const { key } = await makeKey(ada, { permissions })
    return (await key.get('/v1/businesses')).body.items.map(({ id }: { id: string }) => id).sort()
  }
  assert.deepEqual(await listed(['CONTENT_WRITE']), [mine.id, theirs.id].sort())
  assert.deepEqual(await listed(['ORDERS_READ']), [mine.id])
  assert.deepEqual(await listed(['ADMIN']), [mine.id, theirs.id].sort())
})

test('search, the feed of events and exports show a key what it may see, not what its user may', async () => {
  const shop = await used.make.shop()
  const { admin, path } = shop
  await used.make.product(shop, { name: 'Secret lantern', statuses: [{ status: 'DRAFT' }] })
  const [whole, orders, products] = [
    await makeKey(admin),
    await makeKey(admin, { permissions: ['ORDERS_READ'] }),
    await makeKey(admin, { permissions: ['PRODUCTS_WRITE'] }),
  ]
  const found = async ({ key }: { key: Client }) => {
    const { status, text } = await key.get(`${path}/search?query=lantern`)
    assert.equal(status, 200, text)
    return text.includes('Secret lantern')
  }
  assert.deepEqual([await found(whole), await found(products), await found(orders)], [true, true, false])
  assert.equal((await products.key.get(`${path}/products/export`)).status, 200)
  assert.equal((await orders.key.get(`${path}/products/export`)).status, 403)
  assert.equal(refusal(await orders.key.get(`${path}/events?type=product.created`)), '403 FORBIDDEN')
  assert.equal((await products.key.get(`${path}/events?type=product.created`)).status, 200)
  assert.equal(refusal(await products.key.get(`${path}/events?type=order.created`)), '403 FORBIDDEN')
})

test('a key ends at its second, although every process remembers it', async (t) => {
  const clock = holdClock()
  t.after(() => clock.release())
  const second = await startApi({ databases: used.api.databases })
  t.after(() => second.close())
  const ada = await used.make.user()
  const { value, id } = await makeKey(ada, { expiresAt: seconds() + 30 })
  const statuses = async () => [await statusOf(value), await statusOf(value, second.url)]
  assert.deepEqual(await statuses(), [200, 200])
  clock.advance(29)
  assert.deepEqual(await statuses(), [200, 200])
  clock.advance(1)
  assert.deepEqual(await statuses(), [401, 401])
  clock.advance(300)
  assert.deepEqual(await statuses(), [401, 401])
  const { items } = (await ada.get(KEYS)).body
  assert.deepEqual(
    items.map((key: { id: string }) => key.id),
    [id],
    'it stays in the list, to be seen',
  )
})

test('in the array of the contract a key keeps what the array does not say, also with a new value', async () => {
  const ada = await used.make.user()
  const business = await used.make.business({ owner: ada })
  const bounds = { businessId: business.id, permissions: ['ORDERS_READ'], expiresAt: seconds() + 3_600 }
  const { id, value } = await makeKey(ada, bounds)
  const boundsNow = async () => {
    const [{ businessId, permissions, expiresAt }] = (await ada.get(KEYS)).body.items
    return { businessId, permissions, expiresAt }
  }
  const { body } = await ada.get('/v1/users/me')
  await ada.put('/v1/users/update', { apiTokens: body.apiTokens })
  assert.deepEqual(await boundsNow(), bounds)
  await ada.put('/v1/users/update', { apiTokens: [{ id, name: 'Renamed' }] })
  assert.deepEqual(await boundsNow(), bounds)
  assert.equal(await statusOf(value), 200)

  const fresh = `another-${crypto.randomUUID()}`
  const changed = await ada.put('/v1/users/update', { apiTokens: [{ id, value: fresh }] })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(await boundsNow(), bounds)
  assert.deepEqual([await statusOf(value), await statusOf(fresh)], [401, 200])
  assert.equal((await withKey(fresh).get(`${business.path}/customers`)).status, 200)
  assert.equal(refusal(await withKey(fresh).get(`${business.path}/roles`)), '403 FORBIDDEN')
})

test('a value is one key only, whether it has bounds or not', async () => {
  const [ada, mallory] = [await used.make.user(), await used.make.user()]
  const { value } = await makeKey(ada, { permissions: ['ORDERS_READ'] })
  const taken = await mallory.put('/v1/users/update', { apiTokens: [{ id: 'mine', value }] })
  assert.equal(refusal(taken), '422 VALIDATION_FAILED apiTokens.0.value INVALID')
  assert.equal((await withKey(value).get('/v1/users/me')).body.id, ada.id)
})

test('a version that knows of no bounds does not find a key that has some', async () => {
  const ada = await used.make.user()
  const keys = [
    await makeKey(ada),
    await makeKey(ada, { permissions: ['ORDERS_READ'] }),
    await makeKey(ada, { expiresAt: seconds() + 3_600 }),
  ]
  const found = await Promise.all(
    keys.map(({ value }) =>
      control()
        .selectFrom('accounts.apiKeys')
        .select('id')
        .where('keyHash', 'in', used.make.box.hashes('api-key', value)) // as it looks for them
        .execute(),
    ),
  )
  assert.deepEqual(
    found.map((rows) => rows.length),
    [1, 0, 0],
  )
})

test('a key with bounds outlives the SECRET_KEY that it was hashed under', async (t) => {
  const databases = await createTestDatabases()
  const secret = (name: string) => Buffer.from(name.padEnd(32, '.')).toString('base64')
  const [old, fresh] = [secret('old'), secret('new')]
  const nodes: Awaited<ReturnType<typeof startApi>>[] = []
  t.after(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await databases.drop()
  })
  const start = async (SECRET_KEY: string) => {
    const node = await startApi({ databases, env: { SECRET_KEY } })
    nodes.push(node)
    return node
  }
  const { createMake } = await import('../../support/make.ts')
  const first = await start(old)
  const ada = await createMake(first).user()
  const { body } = await ada.post(KEYS, { name: 'Till', permissions: ['ORDERS_READ'] })
  const both = await start(`${fresh},${old}`)
  assert.equal(await statusOf(body.value, both.url), 200)
  await until('it is hashed anew', async () => {
    const [row] = await first.services.databases.control.selectFrom('accounts.apiKeys').selectAll().execute()
    return row?.secretPrint === both.services.box.fingerprints[0]
  })
  const after = await start(fresh)
  assert.equal(await statusOf(body.value, after.url), 200)
  assert.equal(refusal(await withKey(body.value, after.url).get('/v1/users/sessions')), '403 FORBIDDEN')
})

test('the last use is written once an hour, a moment later, and costs no request a statement', async (t) => {
  const clock = holdClock()
  t.after(() => clock.release())
  const ada = await used.make.user()
  const { key, id } = await makeKey(ada)
  const first = seconds()
  await key.get('/v1/users/me')
  await until('it is written', async () => (await ada.get(KEYS)).body.items[0].lastUsedAt === first)
  const lastUsedAt = async () => {
    const { lastUsedAt: at } = await control()
      .selectFrom('accounts.apiKeys')
      .select('lastUsedAt')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return at && Math.floor(at.getTime() / 1000)
  }

  const path = '/v1/collections/entry-types/NEWSLETTER/variables' // reads nothing by itself
  await key.get(path)
  assert.deepEqual(
    await recordStatements(async () => {
      for (let request = 0; request < 10; request++) await key.get(path)
    }),
    [],
  )
  clock.advance(3_599)
  await key.get(path)
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  assert.equal(await lastUsedAt(), first, 'the hour is not over')
  clock.advance(1)
  const made = await recordStatements(async () => {
    await Promise.all(Array.from({ length: 20 }, () => key.get(path)))
    await until('it is written again', async () => (await lastUsedAt()) === first + 3_600)
  })
  assert.equal(made.filter(({ text }) => text.includes('set last_used_at')).length, 1)
})

test('whoever has found a key can revoke it, its owner gets a mail, and a text that is no key is answered alike', async () => {
  const ada = await used.make.user()
  const { value } = await makeKey(ada, { name: 'Import <b>script</b>', permissions: ['ORDERS_READ'] })
  const kept = await makeKey(ada)
  assert.equal(await statusOf(value), 200)
  const stranger = used.make.anonymous()
  const [known, again, unknown] = [
    await stranger.post(`${KEYS}/revoke`, { key: value }),
    await stranger.post(`${KEYS}/revoke`, { key: value }),
    await stranger.post(`${KEYS}/revoke`, { key: value.replace(/.$/, '!') }),
  ]
  for (const answer of [known, again, unknown]) assert.deepEqual([answer.status, answer.body], [200, { success: true }])
  assert.equal(await statusOf(value), 401)
  assert.equal(await statusOf(kept.value), 200)
  const mail = await used.mailServer.mailTo(ada.email ?? '')
  assert.equal(mail.subject, 'An API key of yours was revoked')
  assert.ok(mail.text?.includes(value.slice(-4)))
  assert.ok(!JSON.stringify(mail).includes(value))
  assert.ok(!mail.html?.includes('<b>'))
  assert.deepEqual((await auditOf(ada.id)).at(-1), 'api-key.revoked by null')
})

test('so many keys a minute can be revoked from an address, and no more', async (t) => {
  const limited = await startApi({ databases: used.api.databases, env: { RATE_LIMITS: 'on' } })
  t.after(() => limited.close())
  const stranger = createClient(limited.url)
  const answers = await Promise.all(
    Array.from({ length: 62 }, (_, index) => stranger.post(`${KEYS}/revoke`, { key: `guess-${index}` })),
  )
  const refused = answers.filter(({ status }) => status !== 200)
  assert.deepEqual(refused.map(refusal), Array(2).fill('429 RATE_LIMITED'))
  assert.ok(refused.every(({ headers }) => Number(headers.get('retry-after')) > 0))
  await used.forgetAttempts()
})

test('for whoever has a second factor, keys need a proof of the last ten minutes, and carry it', async (t) => {
  const clock = holdClock()
  t.after(() => clock.release())
  const ada = await used.make.user()
  const before = await makeKey(ada)
  await control()
    .insertInto('accounts.secondFactors')
    .values({ userId: ada.id, sealedSecret: Buffer.from('sealed'), createdAt: now(), confirmedAt: now() })
    .execute()
  const attempts = async () => {
    const made = await ada.post(KEYS, { name: 'Till' })
    const listed = (await ada.get('/v1/users/me')).body.apiTokens
    const sent = await ada.put('/v1/users/update', { apiTokens: listed })
    const gone = await ada.delete(`${KEYS}/${made.body.id ?? before.id}`)
    return [made, sent, gone].map(refusal)
  }
  const REFUSED = '403 FORBIDDEN  REAUTHENTICATION_REQUIRED'
  assert.deepEqual(await attempts(), [REFUSED, REFUSED, REFUSED])
  assert.equal((await ada.put('/v1/users/update', { name: 'Ada' })).status, 200, 'the rest of the record needs none')
  assert.equal(await statusOf(before.value), 200)

  await control()
    .updateTable('accounts.sessions')
    .set({ secondFactorAt: now(), provenAt: now(), provenWith: 'TOTP' })
    .where('id', '=', ada.sessionId)
    .execute()
  clock.advance(61) // the session is remembered for a minute
  assert.deepEqual(await attempts(), ['201', '200', '200'])
  const { body } = await ada.post(KEYS, { name: 'Till' })
  assert.equal(body.passedSecondFactor, true)
  const shown = (await ada.get(KEYS)).body.items as { id: string; passedSecondFactor: boolean }[]
  assert.deepEqual(
    shown.map(({ id, passedSecondFactor }) => [id === before.id, passedSecondFactor]),
    [
      [true, false],
      [false, true],
    ],
  )
  clock.advance(540)
  assert.deepEqual(await attempts(), [REFUSED, REFUSED, REFUSED])
})
