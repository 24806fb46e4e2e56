import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '../../support/client.ts'
import { startApi } from '../../support/start-api.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

type Token = { id: string; name: string; value: string; provider: string; businessId?: string }

const newValue = () => `key-${randomBytes(27).toString('base64url')}`
const maskOf = (value: string) => `••••${value.slice(-4)}`
const setKeys = (user: Client, apiTokens: object[]) => user.put('/v1/users/update', { apiTokens })
const withKey = (value: string, url = used.api.url) => createClient(url, { 'x-api-key': value })
const statusOf = async (value: string, url = used.api.url) => (await withKey(value, url).get('/v1/users/me')).status
const auditOf = async (userId: string) => {
  const rows = await used.api.services.databases.control
    .selectFrom('access.auditLog')
    .select(['action', 'actorId', 'data'])
    .where('subject', '=', userId)
    .where('action', 'like', 'api-key.%')
    .orderBy('id')
    .execute()
  return rows.map(({ action, actorId, data }) => `${action} ${(data as { id: string }).id} by ${actorId}`)
}

test('a value that the caller brings becomes a key, in either header, and is only ever read masked', async () => {
  const ada = await used.make.user()
  const value = newValue()
  const made = await setKeys(ada, [{ id: 'import', name: 'Import', value, provider: 'API' }])
  assert.equal(made.status, 200, made.text)
  const shown = [{ id: 'import', name: 'Import', value: maskOf(value), provider: 'API' }]
  assert.deepEqual(made.body.apiTokens, shown)
  assert.deepEqual((await ada.get('/v1/users/me')).body.apiTokens, shown)

  assert.equal((await withKey(value).get('/v1/users/me')).body.id, ada.id)
  const bearer = createClient(used.api.url, { authorization: `Bearer ${value}` })
  assert.equal((await bearer.get('/v1/users/me')).body.id, ada.id)
  assert.equal(await statusOf(`${value}x`), 401)
})

test('a key without a value is made by the service and shown in that one answer', async () => {
  const ada = await used.make.user()
  const { body } = await setKeys(ada, [{ id: 'made', name: 'Made' }, { name: 'No id' }])
  const [made, nameless] = body.apiTokens as [Token, Token]
  assert.match(made.value, /^[\x21-\x7e]{32,128}$/)
  assert.ok(nameless.id)
  assert.notEqual(made.value, nameless.value)
  for (const { value } of [made, nameless]) assert.equal(await statusOf(value), 200)

  const { body: later } = await ada.get('/v1/users/me')
  assert.deepEqual(
    later.apiTokens.map((token: Token) => token.value),
    [maskOf(made.value), maskOf(nameless.value)],
  )
  const { body: again } = await ada.put('/v1/users/update', { name: 'Ada' })
  assert.deepEqual(again.apiTokens, later.apiTokens)
})

test('values that are short, long, repeated, not ASCII or shaped like a token are 422, and nothing changes', async () => {
  const ada = await used.make.user()
  const kept = newValue()
  await setKeys(ada, [{ id: 'kept', value: kept }])
  const before = (await ada.get('/v1/users/me')).body
  for (const value of [
    '',
    newValue().slice(0, 31),
    newValue().repeat(5).slice(0, 129),
    'a'.repeat(40),
    'abcd1234efgh5678'.repeat(2),
    'q8Vn2mX4cK7tR'.repeat(4),
    'ab'.repeat(30),
    `${newValue()} with spaces`,
    `${newValue()}é`,
    `${newValue()}\u0000`,
    `${newValue()}\n`,
    `${newValue()}\u{1f511}`,
    `eyJ${randomBytes(20).toString('hex')}.${randomBytes(8).toString('hex')}.${randomBytes(8).toString('hex')}`,
    `eyJ~${randomBytes(20).toString('hex')}.~.${randomBytes(8).toString('hex')}`,
    maskOf(kept),
  ]) {
    const { status, body } = await setKeys(ada, [{ id: 'new', name: 'New', value }])
    assert.deepEqual(
      [status, body.error, body.details[0].field],
      [422, 'VALIDATION_FAILED', 'apiTokens.0.value'],
      JSON.stringify(value),
    )
  }
  assert.deepEqual((await ada.get('/v1/users/me')).body, before)
  assert.equal(await statusOf(kept), 200)
})

test('random values of 32 and of 128 characters are accepted, whatever they begin with', async () => {
  const ada = await used.make.user()
  const body = randomBytes(200).toString('base64url')
  for (const value of [
    `aa${body.slice(0, 30)}`,
    `abab${body.slice(30, 158 - 4)}`,
    `~!{}"'\\$%&/()=?${body.slice(0, 30)}`,
  ]) {
    const { status, text } = await setKeys(ada, [{ id: 'key', value }])
    assert.equal(status, 200, text)
    assert.equal(await statusOf(value), 200)
  }
})

test('a key that is sent back masked, or without a value, stays; its name can change', async () => {
  const ada = await used.make.user()
  const [first, second] = [newValue(), newValue()]
  const { body } = await setKeys(ada, [
    { id: 'first', name: 'First', value: first },
    { id: 'second', name: 'Second', value: second },
  ])
  const [one, two] = body.apiTokens as [Token, Token]
  const kept = await setKeys(ada, [one, { id: two.id, name: 'Renamed' }])
  assert.deepEqual(kept.body.apiTokens, [one, { ...two, name: 'Renamed' }])
  for (const value of [first, second]) assert.equal(await statusOf(value), 200)
  assert.equal((await auditOf(ada.id)).length, 2, 'keeping is no event')
})

test('a key that is left out stops at once, on every node within a second', async (t) => {
  const second = await startApi({ databases: used.api.databases })
  t.after(() => second.close())
  const ada = await used.make.user()
  const [kept, dropped] = [newValue(), newValue()]
  const { body } = await setKeys(ada, [
    { id: 'kept', value: kept },
    { id: 'dropped', value: dropped },
  ])
  for (const value of [kept, dropped]) {
    for (const url of [used.api.url, second.url]) assert.equal(await statusOf(value, url), 200) // now both remember it
  }
  const { status } = await setKeys(ada, [body.apiTokens[0]])
  const since = performance.now()
  assert.equal(status, 200)
  assert.equal(await statusOf(dropped), 401)
  while ((await statusOf(dropped, second.url)) !== 401) {
    assert.ok(performance.now() - since < 1_000, 'the second node still takes the key after a second')
    await sleep(5)
  }
  for (const url of [used.api.url, second.url]) assert.equal(await statusOf(kept, url), 200)

  await setKeys(ada, [])
  assert.equal(await statusOf(kept), 401)
})

test('a new value for a known id replaces the old one, and a value may move to another id', async () => {
  const ada = await used.make.user()
  const [old, fresh] = [newValue(), newValue()]
  await setKeys(ada, [{ id: 'key', name: 'Key', value: old }])
  assert.equal(await statusOf(old), 200)
  const { body } = await setKeys(ada, [{ id: 'key', value: fresh }])
  assert.deepEqual(body.apiTokens, [{ id: 'key', name: 'Key', value: maskOf(fresh), provider: 'API' }])
  assert.deepEqual([await statusOf(old), await statusOf(fresh)], [401, 200])

  const moved = await setKeys(ada, [{ id: 'other', value: fresh }])
  assert.deepEqual([moved.status, moved.body.apiTokens.length, await statusOf(fresh)], [200, 1, 200])
})

test('two keys with one id, two with one value, and another provider are 422', async () => {
  const ada = await used.make.user()
  const value = newValue()
  for (const [apiTokens, field] of [
    [[{ id: 'a' }, { id: 'a' }], 'apiTokens.1.id'],
    [
      [
        { id: 'a', value },
        { id: 'b', value },
      ],
      'apiTokens.1.value',
    ],
    [[{ id: 'a', value, provider: 'EMAIL' }], 'apiTokens.0.provider'],
    [[{ id: 'a', value, businessId: 'biz_000000000000' }], 'apiTokens.0.businessId'],
  ] as const) {
    const { status, body } = await setKeys(ada, [...apiTokens])
    assert.deepEqual([status, body.details[0].field], [422, field])
  }
  assert.deepEqual((await ada.get('/v1/users/me')).body.apiTokens, [])
  assert.equal(await statusOf(value), 401)
})

test('somebody else’s value is refused exactly like a weak one', async () => {
  const [ada, mallory] = [await used.make.user(), await used.make.user()]
  const value = newValue()
  await setKeys(ada, [{ id: 'key', value }])
  const taken = await setKeys(mallory, [{ id: 'key', value }])
  const weak = await setKeys(mallory, [{ id: 'key', value: 'weak' }])
  assert.equal(taken.status, 422)
  assert.deepEqual({ ...taken.body, requestId: '' }, { ...weak.body, requestId: '' })
  assert.equal((await withKey(value).get('/v1/users/me')).body.id, ada.id)
  assert.deepEqual((await mallory.get('/v1/users/me')).body.apiTokens, [])
})

test('two different credentials in one request are 400, the same one twice is fine', async () => {
  const ada = await used.make.user()
  const [first, second] = [newValue(), newValue()]
  await setKeys(ada, [{ value: first }, { value: second }])
  const send = (apiKey: string, bearer: string) =>
    createClient(used.api.url, { 'x-api-key': apiKey, authorization: `Bearer ${bearer}` }).get('/v1/users/me')
  assert.equal((await send(first, second)).status, 400)
  assert.equal((await send(first, ada.token)).status, 400)
  assert.equal((await send(first, 'nonsense')).status, 400)
  assert.equal((await send(first, first)).status, 200)
  assert.equal(await statusOf(ada.token), 401, 'an access token is no key')
})

test('a key acts in every business of its user, or only in the one it is bound to', async () => {
  const ada = await used.make.user()
  const [here, there] = [await used.make.business({ owner: ada }), await used.make.business({ owner: ada })]
  const [free, bound] = [newValue(), newValue()]
  const { body } = await setKeys(ada, [
    { id: 'free', value: free },
    { id: 'bound', value: bound, businessId: here.id },
  ])
  assert.equal(body.apiTokens.find(({ id }: Token) => id === 'bound').businessId, here.id)
  const visits = async (value: string) => {
    const answers = await Promise.all([here, there].map(({ path }) => withKey(value).get(`${path}/roles`)))
    return answers.map(({ status }) => status)
  }
  const listed = async (value: string) =>
    (await withKey(value).get('/v1/businesses')).body.items.map(({ id }: { id: string }) => id).sort()
  assert.deepEqual(await visits(free), [200, 200])
  assert.deepEqual(await visits(bound), [200, 403])
  assert.deepEqual(await listed(free), [here.id, there.id].sort())
  assert.deepEqual(await listed(bound), [here.id])
  assert.ok(!('contactEmail' in (await withKey(bound).get(there.path)).body), 'elsewhere it is a stranger')

  const rotated = newValue()
  await setKeys(ada, [{ id: 'bound', value: rotated }])
  assert.deepEqual(await visits(rotated), [200, 403], 'a new value does not loosen it')
})

test('a key has no more rights than its user has at that moment', async () => {
  const { admin, ...business } = await used.make.business()
  const member = await used.make.member(business.id, 'SETTINGS_WRITE')
  const key = await used.make.apiKey(member.id)
  assert.equal((await key.get(`${business.path}/roles`)).status, 200)
  const taken = await admin.put('/v1/users/set-role', { userId: member.id, roleId: null, businessId: business.id })
  assert.equal(taken.status, 200, taken.text)
  assert.equal((await key.get(`${business.path}/roles`)).status, 403)
})

test('a key cannot make keys, change the password or delete its user', async () => {
  const ada = await used.make.user()
  const value = newValue()
  await setKeys(ada, [{ id: 'key', value }])
  const key = withKey(value)
  const answers = [
    await setKeys(key, [{ id: 'key' }, { id: 'another' }]),
    await setKeys(key, []),
    await key.post('/v1/users/reset-password', { oldPassword: 'x', newPassword: 'harbour lantern teapot' }),
    await key.delete('/v1/users/me'),
  ]
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.error]),
    answers.map(() => [403, 'FORBIDDEN']),
  )
  assert.equal(await statusOf(value), 200)
  assert.equal((await ada.get('/v1/users/me')).body.apiTokens.length, 1)
})

test('guests have no keys', async () => {
  const guest = await used.make.guest()
  for (const apiTokens of [[], [{ id: 'key', value: newValue() }]]) {
    const { status, body } = await setKeys(guest, apiTokens)
    assert.deepEqual([status, body.error], [403, 'FORBIDDEN'])
  }
  assert.deepEqual((await guest.get('/v1/users/me')).body.apiTokens, [])
})

test('the audit log tells which keys were made and deleted, never their values', async () => {
  const ada = await used.make.user()
  const [first, second] = [newValue(), newValue()]
  await setKeys(ada, [{ id: 'first', value: first }])
  await setKeys(ada, [{ id: 'second', value: second }])
  assert.deepEqual((await auditOf(ada.id)).sort(), [
    `api-key.created first by ${ada.id}`,
    `api-key.created second by ${ada.id}`,
    `api-key.deleted first by ${ada.id}`,
  ])
  const { rows } = await used.api.services.databases.control
    .selectFrom('access.auditLog')
    .selectAll()
    .execute()
    .then((all) => ({ rows: JSON.stringify(all) }))
  for (const value of [first, second]) assert.ok(!rows.includes(value))
})

/** A small generator with a seed, so that a failure can be seen again. */
function randomFrom(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return {
    chance: (share: number) => next() < share,
    pick: <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)] as Item,
  }
}

test('after any sequence of updates exactly the keys that are listed work', async () => {
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 1_000_000)
  const ways = ['leave out', 'mask', 'no value', 'same value', 'new value'] as const
  const live = async (user: number) => {
    const random = randomFrom(seed + user)
    const ada = await used.make.user()
    let model = new Map<string, string>()
    const everSeen = new Set<string>()
    for (let step = 0; step < 15; step++) {
      const context = `seed ${seed}, user ${user}, step ${step}`
      const after = new Map<string, string>()
      const made: string[] = []
      const apiTokens: object[] = []
      for (const id of ['a', 'b', 'c', 'd']) {
        const known = model.get(id)
        const way = random.pick(ways)
        if (way === 'leave out') continue
        if (known === undefined || way === 'new value') {
          const value = random.chance(0.7) || known !== undefined ? newValue() : undefined
          apiTokens.push(value === undefined ? { id } : { id, value })
          if (value === undefined) made.push(id)
          after.set(id, value ?? '')
        } else {
          apiTokens.push(
            { mask: { id, value: maskOf(known) }, 'no value': { id }, 'same value': { id, value: known } }[way],
          )
          after.set(id, known)
        }
      }
      const spoiled = random.chance(0.2)
      if (spoiled) apiTokens.push({ id: 'e', value: random.pick(['short', maskOf(newValue()), 'ab'.repeat(20)]) })
      const { status, body, text } = await setKeys(ada, apiTokens)
      assert.equal(status, spoiled ? 422 : 200, `${context}: ${text}`)
      if (!spoiled) {
        const shown = new Map((body.apiTokens as Token[]).map(({ id, value }) => [id, value]))
        for (const id of made) after.set(id, shown.get(id) ?? '')
        assert.deepEqual([...shown.keys()].sort(), [...after.keys()].sort(), context)
        model = after
      }
      for (const value of model.values()) everSeen.add(value)
      const living = new Set(model.values())
      const dead = [...everSeen].filter((value) => !living.has(value))
      await Promise.all(
        [...living, ...dead.slice(-3)].map(async (value) => {
          assert.equal(await statusOf(value), living.has(value) ? 200 : 401, context)
        }),
      )
    }
  }
  await Promise.all(Array.from({ length: 20 }, (_, user) => live(user)))
})
