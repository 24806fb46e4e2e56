import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PERMISSIONS, type Permission } from '#vocabulary/permissions.ts'
import { type Answer, createClient } from '../../support/client.ts'
import { refusal } from '../../support/refusal.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

async function makeBusiness() {
  const business = await used.make.business()
  const roles = `${business.path}/roles`
  const create = async (name: string, ...permissions: Permission[]) =>
    (await business.admin.post(roles, { name, permissions })).body as { id: string; name: string }
  const list = async () => (await business.admin.get(`${roles}?limit=100`)).body.items as { id: string; name: string }[]
  const adminRole = (await list())[0] as { id: string }
  return { ...business, roles, create, list, adminRole }
}

test('a role is created, read, listed, changed and deleted', async () => {
  const { admin, roles, list } = await makeBusiness()
  const made = await admin.post(roles, { name: 'Editors', permissions: ['PRODUCTS_WRITE', 'CONTENT_WRITE'] })
  const path = `${roles}/${made.body.id}`

  assert.equal(made.status, 201, made.text)
  assert.deepEqual(Object.keys(made.body).sort(), ['createdAt', 'id', 'name', 'permissions', 'updatedAt'])
  assert.match(made.body.id, /^role_[0-9a-z]{26}$/)
  assert.deepEqual((await admin.get(path)).body, made.body)
  assert.deepEqual((await list())[0], made.body)

  const renamed = await admin.put(path, { name: 'Writers' })
  assert.deepEqual([renamed.status, renamed.body.name], [200, 'Writers'])
  assert.deepEqual(renamed.body.permissions, ['PRODUCTS_WRITE', 'CONTENT_WRITE'])
  const reduced = await admin.put(path, { permissions: [] })
  assert.deepEqual([reduced.body.name, reduced.body.permissions], ['Writers', []])

  assert.deepEqual((await admin.delete(path)).body, { success: true })
  assert.equal(refusal(await admin.get(path)), '404 NOT_FOUND')
  assert.equal(refusal(await admin.put(path, { name: 'Ghosts' })), '404 NOT_FOUND')
  assert.equal(refusal(await admin.delete(path)), '404 NOT_FOUND')
})

test('a role needs a name and permissions that exist, each once', async () => {
  const { admin, roles, list } = await makeBusiness()
  const before = await list()
  const refused = async (body: object) => refusal(await admin.post(roles, body))

  assert.equal(await refused({}), '422 VALIDATION_FAILED name REQUIRED permissions REQUIRED')
  assert.equal(await refused({ name: ' ', permissions: [] }), '422 VALIDATION_FAILED name INVALID')
  assert.equal(await refused({ name: 'x'.repeat(201), permissions: [] }), '422 VALIDATION_FAILED name TOO_LONG')
  assert.equal(
    await refused({ name: 'Gods', permissions: ['EVERYTHING'] }),
    '422 VALIDATION_FAILED permissions.0 INVALID',
  )
  assert.equal(
    await refused({ name: 'Twice', permissions: ['ADMIN', 'ADMIN'] }),
    '422 VALIDATION_FAILED permissions DUPLICATE',
  )
  assert.deepEqual(await list(), before)
})

test('a name belongs to one role of a business; other businesses may use it too', async () => {
  const { admin, roles, create } = await makeBusiness()
  const other = await makeBusiness()
  await create('Editors')
  const second = await create('Writers')

  assert.equal(refusal(await admin.post(roles, { name: 'Editors', permissions: [] })), '409 CONFLICT name NAME_EXISTS')
  assert.equal(refusal(await admin.put(`${roles}/${second.id}`, { name: 'Editors' })), '409 CONFLICT name NAME_EXISTS')
  assert.equal((await admin.put(`${roles}/${second.id}`, { name: 'Writers' })).status, 200)
  assert.equal((await other.create('Editors')).name, 'Editors')
})

test('of many who create a role of one name at once, one does', async () => {
  const { admin, roles, list } = await makeBusiness()
  const attempts = Array.from({ length: 8 }, () => admin.post(roles, { name: 'Race', permissions: [] }))
  const answers = (await Promise.all(attempts)).map(refusal).sort()

  assert.deepEqual(answers, ['201', ...Array(7).fill('409 CONFLICT name NAME_EXISTS')])
  assert.equal((await list()).filter(({ name }) => name === 'Race').length, 1)
})

test('the list is paged, newest first, and its cursor is good for this list only', async () => {
  const { admin, roles, create, list } = await makeBusiness()
  const other = await makeBusiness()
  for (const name of ['One', 'Two', 'Three', 'Four']) await create(name)
  const pages: string[][] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body }: Answer = await admin.get(`${roles}?limit=2&cursor=${cursor}`)
    pages.push(body.items.map(({ name }: { name: string }) => name))
    cursor = body.cursor
  }
  assert.deepEqual(pages, [['Four', 'Three'], ['Two', 'One'], ['Admin']])
  assert.deepEqual(
    (await list()).map(({ name }) => name),
    pages.flat(),
  )

  const { cursor } = (await admin.get(`${roles}?limit=2`)).body
  const invalid = '422 VALIDATION_FAILED cursor INVALID'
  assert.equal(refusal(await other.admin.get(`${other.roles}?cursor=${cursor}`)), invalid)
  assert.equal(refusal(await admin.get(`${roles}?cursor=nonsense`)), invalid)
  assert.equal(refusal(await admin.get(`${roles}?limit=0`)), '422 VALIDATION_FAILED limit TOO_SMALL')
  assert.equal(refusal(await admin.get(`${roles}?limit=101`)), '422 VALIDATION_FAILED limit TOO_LARGE')
})

for (const lacked of PERMISSIONS.filter((permission) => permission !== 'SETTINGS_WRITE')) {
  test(`who may change settings but lacks ${lacked} cannot give, change or take it`, async () => {
    const { id, roles, create, list } = await makeBusiness()
    const held = PERMISSIONS.filter((permission) => permission !== 'ADMIN' && permission !== lacked)
    const settler = await used.make.member(id, ...held)
    const above = await create('Above', lacked, 'SETTINGS_WRITE')
    const below = await create('Below', 'SETTINGS_WRITE')
    const before = await list()
    const refused = '403 FORBIDDEN'

    assert.equal(refusal(await settler.post(roles, { name: 'New', permissions: [lacked] })), refused)
    assert.equal(refusal(await settler.post(roles, { name: 'New', permissions: ['SETTINGS_WRITE', lacked] })), refused)
    assert.equal(refusal(await settler.put(`${roles}/${above.id}`, { name: 'Mine' })), refused)
    assert.equal(refusal(await settler.put(`${roles}/${above.id}`, { permissions: [] })), refused)
    assert.equal(refusal(await settler.put(`${roles}/${above.id}`, {})), refused)
    assert.equal(refusal(await settler.delete(`${roles}/${above.id}`)), refused)
    assert.equal(refusal(await settler.put(`${roles}/${below.id}`, { permissions: [lacked] })), refused)
    const raise = await settler.put(`${roles}/${settler.roleId}`, { permissions: ['SETTINGS_WRITE', lacked] })
    assert.equal(refusal(raise), refused)
    assert.deepEqual(await list(), before)
  })
}

test('who holds a permission may give and take it', async () => {
  const { id, roles } = await makeBusiness()
  const settler = await used.make.member(id, 'SETTINGS_WRITE', 'ORDERS_READ')
  const made = await settler.post(roles, { name: 'Readers', permissions: ['ORDERS_READ'] })

  assert.equal(made.status, 201, made.text)
  const path = `${roles}/${made.body.id}`
  assert.equal((await settler.put(path, { permissions: ['SETTINGS_WRITE'] })).status, 200)
  assert.equal((await settler.delete(path)).status, 200)
})

test('an ADMIN gives every permission, ADMIN included', async () => {
  const { admin, roles } = await makeBusiness()
  const made = await admin.post(roles, { name: 'All', permissions: PERMISSIONS })
  assert.deepEqual([made.status, made.body.permissions], [201, PERMISSIONS])
})

test('a role that somebody has cannot be deleted', async () => {
  const { admin, id, roles } = await makeBusiness()
  const member = await used.make.member(id, 'ORDERS_READ')
  const path = `${roles}/${member.roleId}`

  assert.equal(refusal(await admin.delete(path)), '409 CONFLICT id IN_USE')
  assert.equal((await admin.get(path)).status, 200)
  const taken = await admin.put('/v1/users/set-role', { userId: member.id, roleId: null, businessId: id })
  assert.equal(taken.status, 200, taken.text)
  assert.equal((await admin.delete(path)).status, 200)
})

test('deleting a role takes the invitations into it along', async () => {
  const { admin, path, roles, create } = await makeBusiness()
  const role = await create('Helpers')
  await admin.post(`${path}/invitations`, { email: 'bo@example.com', roleId: role.id })

  assert.equal((await admin.delete(`${roles}/${role.id}`)).status, 200)
  assert.deepEqual((await admin.get(`${path}/invitations`)).body.items, [])
})

test('the last ADMIN’s role keeps ADMIN', async () => {
  const { admin, id, roles, adminRole } = await makeBusiness()
  const path = `${roles}/${adminRole.id}`
  const before = (await admin.get(path)).body

  const refused = '409 CONFLICT roleId LAST_ADMIN'
  assert.equal(refusal(await admin.put(path, { permissions: [] })), refused)
  assert.equal(refusal(await admin.put(path, { permissions: ['SETTINGS_WRITE', 'ORDERS_WRITE'] })), refused)
  assert.deepEqual((await admin.get(path)).body, before)
  assert.equal(refusal(await admin.delete(path)), '409 CONFLICT id IN_USE')
  assert.equal((await admin.put(path, { name: 'Owners', permissions: ['ADMIN'] })).status, 200)

  await used.make.member(id, 'ADMIN')
  assert.equal((await admin.put(path, { permissions: ['SETTINGS_WRITE'] })).status, 200)
})

test('a role with ADMIN that nobody has does not count as an ADMIN', async () => {
  const { admin, roles, create, adminRole } = await makeBusiness()
  await create('Deputies', 'ADMIN')
  const { status } = await admin.put(`${roles}/${adminRole.id}`, { permissions: [] })
  assert.equal(status, 409)
})

test('two ADMINs who take ADMIN from each other’s role at the same moment: one stays', async () => {
  for (let round = 0; round < 20; round++) {
    const { admin, id, roles, adminRole } = await makeBusiness()
    const rival = await used.make.member(id, 'ADMIN')
    const answers = await Promise.all([
      admin.put(`${roles}/${rival.roleId}`, { permissions: [] }),
      rival.put(`${roles}/${adminRole.id}`, { permissions: [] }),
    ])
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, answers.map(refusal).join(' | '))
    const standing = await Promise.all([admin.get(`${roles}/${adminRole.id}`), rival.get(`${roles}/${rival.roleId}`)])
    assert.deepEqual(standing.map(refusal).sort(), ['200', '403 FORBIDDEN'])
  }
})

test('a permission taken or given is felt by the next request', async () => {
  const { admin, id, roles } = await makeBusiness()
  const member = await used.make.member(id, 'SETTINGS_WRITE')
  const path = `${roles}/${member.roleId}`

  for (let round = 0; round < 10; round++) {
    assert.equal((await member.get(roles)).status, 200)
    await admin.put(path, { permissions: ['ORDERS_READ'] })
    assert.equal((await member.get(roles)).status, 403)
    await admin.put(path, { permissions: ['SETTINGS_WRITE'] })
  }
})

test('a permission taken on one node is gone on the other within a second', async (t) => {
  const second = await startApi({ databases: used.api.databases })
  t.after(() => second.close())
  const { admin, id, roles } = await makeBusiness()
  const member = await used.make.member(id, 'SETTINGS_WRITE')
  const elsewhere = createClient(second.url, { authorization: `Bearer ${member.token}` })

  for (const [permissions, status] of [
    [['ORDERS_READ'], 403],
    [['SETTINGS_WRITE'], 200],
    [[], 403],
  ] as const) {
    assert.equal((await elsewhere.get(roles)).status, status === 200 ? 403 : 200)
    await admin.put(`${roles}/${member.roleId}`, { permissions })
    await until(`it answers ${status}`, async () => (await elsewhere.get(roles)).status === status, { withinMs: 1_000 })
  }
})

test('another business’s roles do not exist here, and are closed there', async () => {
  const mine = await makeBusiness()
  const theirs = await makeBusiness()
  const role = await theirs.create('Theirs')
  const before = await theirs.list()

  for (const [path, answer] of [
    [`${mine.roles}/${role.id}`, '404 NOT_FOUND'],
    [`${theirs.roles}/${role.id}`, '403 FORBIDDEN'],
    [`/v1/businesses/biz_nowhere/roles/${role.id}`, '403 FORBIDDEN'],
  ] as const) {
    assert.equal(refusal(await mine.admin.get(path)), answer)
    assert.equal(refusal(await mine.admin.put(path, { name: 'Mine now' })), answer)
    assert.equal(refusal(await mine.admin.delete(path)), answer)
  }
  assert.equal(refusal(await mine.admin.get(theirs.roles)), '403 FORBIDDEN')
  assert.equal(refusal(await mine.admin.post(theirs.roles, { name: 'Spy', permissions: [] })), '403 FORBIDDEN')
  assert.equal(
    refusal(await mine.admin.post(mine.roles, { name: 'Spy', permissions: [], businessId: theirs.id })),
    '422 VALIDATION_FAILED businessId INVALID',
  )
  assert.deepEqual(await theirs.list(), before)
})

test('a role has an ETag: 304 while it fits, 412 when a change was made meanwhile', async () => {
  const { admin, roles, create } = await makeBusiness()
  const path = `${roles}/${(await create('Editors')).id}`
  const first = (await admin.get(path)).headers.get('etag') ?? ''

  assert.match(first, /^".+"$/)
  assert.equal((await admin.get(path, { 'if-none-match': first })).status, 304)
  const changed = await admin.put(path, { name: 'Writers' }, { 'if-match': first })
  assert.equal(changed.status, 200, changed.text)
  const second = changed.headers.get('etag') ?? ''
  assert.notEqual(second, first)
  assert.equal((await admin.get(path)).headers.get('etag'), second)
  assert.equal((await admin.get(path, { 'if-none-match': first })).status, 200)

  const stale = '412 PRECONDITION_FAILED'
  assert.equal(refusal(await admin.put(path, { name: 'Lost' }, { 'if-match': first })), stale)
  assert.equal(refusal(await admin.delete(path, { 'if-match': first })), stale)
  assert.equal((await admin.get(path)).body.name, 'Writers')
  assert.equal((await admin.put(path, { name: 'Any' }, { 'if-match': '*' })).status, 200)
  const third = (await admin.get(path)).headers.get('etag') ?? ''
  assert.equal((await admin.delete(path, { 'if-match': third })).status, 200)
})

test('of many changes to one version, one is made', async () => {
  const { admin, roles, create } = await makeBusiness()
  const path = `${roles}/${(await create('Editors')).id}`
  const etag = (await admin.get(path)).headers.get('etag') ?? ''
  const changes = Array.from({ length: 8 }, (_, index) => admin.put(path, { name: `N${index}` }, { 'if-match': etag }))
  const answers = (await Promise.all(changes)).map(refusal).sort()
  assert.deepEqual(answers, ['200', ...Array(7).fill('412 PRECONDITION_FAILED')])
})
