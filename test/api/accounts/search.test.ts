import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rememberCustomer } from '#modules/access/index.ts'
import type { Client } from '../../support/client.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

type Found = {
  id: string
  roleIds: string[]
  roles: { id: string }[]
  apiTokens: unknown[]
  businessUserConfigs: unknown[]
}

const search = (caller: Client, businessId: string, query: Record<string, string> | [string, string][] = {}) => {
  const parameters = new URLSearchParams(query)
  parameters.set('businessId', businessId)
  return caller.get(`/v1/users/search?${parameters.toString()}`)
}
async function found(caller: Client, businessId: string, query?: Record<string, string> | [string, string][]) {
  const { status, body, text } = await search(caller, businessId, query)
  assert.equal(status, 200, text)
  return (body.items as Found[]).map(({ id }) => id).sort()
}
const ids = (...people: { id: string }[]) => people.map(({ id }) => id).sort()

async function customerOf(businessId: string, profile: object = {}, kind: 'user' | 'guest' = 'user') {
  const person = await used.make[kind]()
  await rememberCustomer(used.api.services.databases.control, businessId, person.id)
  const { status, text } = await person.put('/v1/users/update', profile)
  assert.equal(status, 200, text)
  return person
}

test('only an ADMIN of that business may search, and it must be named', async () => {
  const business = await used.make.business()
  const other = await used.make.business()
  const callers = [
    await used.make.guest(),
    await used.make.user(),
    await used.make.member(business.id, 'SETTINGS_WRITE', 'ORDERS_READ', 'SUBSCRIBERS_READ'),
    other.admin,
    await used.make.apiKey(business.admin.id, other.id),
  ]
  for (const caller of callers) assert.equal((await search(caller, business.id)).status, 403)
  assert.equal((await search(used.make.anonymous(), business.id)).status, 401)
  assert.equal((await search(business.admin, business.id)).status, 200)
  assert.equal((await search(await used.make.apiKey(business.admin.id), business.id)).status, 200)

  const unnamed = await business.admin.get('/v1/users/search')
  assert.deepEqual([unnamed.status, unnamed.body.details[0].field], [422, 'businessId'])
  assert.equal((await search(business.admin, 'biz_000000000000')).status, 403)
})

test('members and customers are found, people of another business never', async () => {
  const [here, there] = [await used.make.business(), await used.make.business()]
  const member = await used.make.member(here.id, 'PRODUCTS_WRITE')
  const customer = await customerOf(here.id)
  const guest = await customerOf(here.id, {}, 'guest')
  const stranger = await used.make.user()
  const elsewhere = await customerOf(there.id, { name: 'Elsewhere' })
  assert.deepEqual(await found(here.admin, here.id), ids(here.admin, member, customer, guest))
  assert.deepEqual(await found(there.admin, there.id), ids(there.admin, elsewhere))
  for (const person of [stranger, elsewhere, there.admin]) {
    for (const query of [person.email ?? '', person.id])
      assert.deepEqual(await found(here.admin, here.id, { query }), [])
  }
})

test('a query matches name, email and phone number, all of its words, in any case', async () => {
  const business = await used.make.business()
  const { admin } = business
  const ada = await customerOf(business.id, { name: 'Ada King Lovelace', phoneNumbers: ['+4915112345678'] })
  const grace = await customerOf(business.id, {
    name: 'Grace Hopper',
    phoneNumbers: ['+14155550100', '+4915199999999'],
  })
  for (const [query, people] of [
    ['lovelace', [ada]],
    ['LOVELACE ada', [ada]],
    ['ada hopper', []],
    ['love', [ada]],
    [ada.email ?? '', [ada]],
    [(grace.email ?? '').toUpperCase(), [grace]],
    ['+4915112345678', [ada]],
    ['12345678', [ada]],
    ['(415)555-0100', [grace]],
    ['+49151', [ada, grace]],
    ['hopper 0100', [grace]],
    ['q4155', []],
    ['%', []],
    ['_', []],
    ["' or 1=1 --", []],
    ['\\', []],
    ['nobody at all', []],
  ] as const) {
    assert.deepEqual(await found(admin, business.id, { query }), ids(...people), query)
  }
  assert.equal((await found(admin, business.id, { query: '   ' })).length, 3)
  assert.equal((await search(admin, business.id, { query: 'x'.repeat(201) })).status, 422)
})

test('roleIds narrow it down, comma-separated or repeated', async () => {
  const business = await used.make.business()
  const { admin } = business
  const [first, second] = [await used.make.member(business.id, 'PRODUCTS_WRITE'), await used.make.member(business.id)]
  await used.make.member(business.id, 'ORDERS_READ')
  await customerOf(business.id)
  const both = ids(first, second)
  assert.deepEqual(await found(admin, business.id, { roleIds: first.roleId }), ids(first))
  assert.deepEqual(await found(admin, business.id, { roleIds: `${first.roleId},${second.roleId}` }), both)
  assert.deepEqual(
    await found(admin, business.id, [
      ['roleIds', first.roleId],
      ['roleIds', second.roleId],
    ]),
    both,
  )
  assert.deepEqual(await found(admin, business.id, { roleIds: first.roleId, query: second.email ?? '' }), [])

  const other = await used.make.business()
  const theirs = await used.make.member(other.id, 'PRODUCTS_WRITE')
  assert.deepEqual(await found(admin, business.id, { roleIds: theirs.roleId }), [])
})

test('of a person only what belongs to this business is shown', async () => {
  const [here, there] = [await used.make.business(), await used.make.business()]
  const person = await used.make.member(here.id, 'PRODUCTS_WRITE')
  await rememberCustomer(used.api.services.databases.control, there.id, person.id)
  const { body: role } = await there.admin.post(`${there.path}/roles`, { name: 'Spy', permissions: ['ORDERS_READ'] })
  const given = await there.admin.put('/v1/users/set-role', {
    userId: person.id,
    roleId: role.id,
    businessId: there.id,
  })
  assert.equal(given.status, 200, given.text)
  await person.put('/v1/users/update', { apiTokens: [{ id: 'key' }] })
  for (const { id } of [here, there]) await person.put(`/v1/users/me/businesses/${id}`, { settings: { secret: id } })

  const { body } = await search(here.admin, here.id, { query: person.email ?? '' })
  const [shown] = body.items as [Found]
  assert.deepEqual(shown.roleIds, [person.roleId])
  assert.deepEqual(
    shown.roles.map(({ id }) => id),
    [person.roleId],
  )
  assert.deepEqual([shown.apiTokens, shown.businessUserConfigs], [[], []])
  const fields = Object.keys((await person.get('/v1/users/me')).body).sort()
  assert.deepEqual(Object.keys(shown).sort(), fields, 'a User, and nothing more')
  assert.deepEqual((await person.get('/v1/users/me')).body.roleIds.sort(), [person.roleId, String(role.id)].sort())
})

test('pages follow one another without gaps or repeats, while people come and go', async () => {
  const business = await used.make.business()
  const { admin } = business
  const people = [admin]
  for (let count = 0; count < 6; count++) people.push(await customerOf(business.id, { name: 'Page Turner' }))
  const seen: string[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < 10; pages++) {
    const { body, text, status } = await search(admin, business.id, { limit: '3', ...(cursor ? { cursor } : {}) })
    assert.equal(status, 200, text)
    seen.push(...(body.items as Found[]).map(({ id }) => id))
    cursor = body.cursor
    if (cursor === null) break
    assert.equal(body.items.length, 3)
    if (pages === 0) await customerOf(business.id) // newer than the first page: not on a later one
  }
  assert.deepEqual(seen.toSorted(), ids(...people))
  assert.equal(new Set(seen).size, seen.length)
  assert.deepEqual(seen, seen.toSorted().toReversed(), 'newest first')
})

test('a cursor belongs to its search', async () => {
  const [here, there] = [await used.make.business(), await used.make.business()]
  for (let count = 0; count < 2; count++) await customerOf(here.id, { name: 'Turner' })
  const { body } = await search(here.admin, here.id, { limit: '1' })
  const { cursor } = body
  for (const answer of [
    await search(there.admin, there.id, { cursor }),
    await search(here.admin, here.id, { cursor, query: 'turner' }),
    await search(here.admin, here.id, { cursor, roleIds: 'role_x' }),
    await search(here.admin, here.id, { cursor: 'broken' }),
  ]) {
    assert.deepEqual([answer.status, answer.body.details[0].field], [422, 'cursor'])
  }
  for (const first of ['', 'null']) assert.equal((await search(here.admin, here.id, { cursor: first })).status, 200)
  for (const limit of ['0', '101', 'many']) assert.equal((await search(here.admin, here.id, { limit })).status, 422)
})
