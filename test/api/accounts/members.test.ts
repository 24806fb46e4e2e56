import assert from 'node:assert/strict'
import { test } from 'node:test'
import { now } from '#platform/clock.ts'
import { newId } from '#vocabulary/ids.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const control = () => used.api.services.databases.control

const rename = (id: string, name: string) =>
  control().updateTable('accounts.users').set({ name }).where('id', '=', id).execute()

async function open() {
  const business = await used.make.business()
  const { admin, path } = business
  await rename(admin.id, 'Ada Byron')
  const role = async (name: string, ...permissions: string[]) =>
    (await admin.post(`${path}/roles`, { name, permissions })).body as { id: string }
  const set = (id: string, ...roleIds: string[]) => admin.put(`${path}/members/${id}`, { roleIds })
  const list = async (query = '') => (await admin.get(`${path}/members${query}`)).body.items as Member[]
  const adminRole = (await admin.get(`${path}/roles`)).body.items.at(-1).id as string
  return { ...business, role, set, list, adminRole }
}
type Member = { id: string; name: string; roles: { id: string; name: string }[]; pendingRoles: { id: string }[] }

test('members are listed by name, with their roles, address and when they joined, for whoever sets up the business', async () => {
  const { id, admin, path } = await open()
  const clerk = await used.make.member(id, 'SETTINGS_WRITE')
  await used.make.customer(id)
  const { status, body, text } = await clerk.get(`${path}/members`)
  assert.equal(status, 200, text)
  assert.equal(body.items.length, 2)
  const [ada, nameless] = body.items
  assert.deepEqual([ada.id, ada.name, ada.email], [admin.id, 'Ada Byron', admin.email])
  assert.deepEqual(ada.roles[0].permissions, ['ADMIN'])
  assert.deepEqual(ada.pendingRoles, [])
  assert.ok(Math.abs(ada.joinedAt - Date.now() / 1_000) < 60)
  assert.equal(nameless.id, clerk.id)
  assert.equal(refusal(await (await used.make.member(id, 'ORDERS_READ')).get(`${path}/members`)), '403 FORBIDDEN')
  assert.equal(refusal(await (await open()).admin.get(`${path}/members`)), '403 FORBIDDEN')
})

test('a thousand members are paged without gap or repetition, found by words, and by their role', async () => {
  const { id: businessId, admin, path, role, list } = await open()
  const packers = await role('Packers', 'ORDERS_READ')
  const people = Array.from({ length: 1_000 }, (_, index) => ({
    id: newId('usr'),
    name: `${['Bo', 'Cleo', 'Dan'][index % 3]} ${String(index % 40).padStart(2, '0')}`,
    email: `person${index}-${process.pid}@members.example`,
  }))
  await control()
    .insertInto('accounts.users')
    .values(
      people.map((one) => ({ ...one, emailKey: one.email, confirmedAt: now(), createdAt: now(), updatedAt: now() })),
    )
    .execute()
  await control()
    .insertInto('access.memberships')
    .values(people.map(({ id: userId }) => ({ businessId, userId, roleId: packers.id, createdAt: now() })))
    .execute()
  const seen: string[] = []
  const names: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { items: Member[]; cursor: string | null } = (
      await admin.get(`${path}/members?limit=90&cursor=${cursor}`)
    ).body
    seen.push(...page.items.map(({ id }) => id))
    names.push(...page.items.map(({ name }) => name.toLowerCase()))
    cursor = page.cursor
  }
  assert.deepEqual(seen.toSorted(), [admin.id, ...people.map(({ id }) => id)].toSorted())
  assert.deepEqual(names, names.toSorted())
  const found = await list('?query=person77-%20dan')
  assert.deepEqual(
    found.map(({ id }) => id),
    [people[77]?.id],
  )
  assert.equal((await list(`?roleId=${packers.id}&query=ada`)).length, 0)
  const { body } = await admin.get(`${path}/roles/counts`)
  assert.deepEqual(body.items.find(({ value }: { value: string }) => value === packers.id).count, 1_000)
})

test('a member has exactly the roles that were set; each change is in the log and the feed', async () => {
  const { id, admin, path, role, set, list } = await open()
  const [packers, writers] = [await role('Packers', 'ORDERS_READ'), await role('Writers', 'CONTENT_WRITE')]
  const bo = await used.make.member(id, 'PROMOS_WRITE')
  assert.equal((await set(bo.id, packers.id, writers.id)).status, 200)
  const rolesOf = async () => (await list()).find((member) => member.id === bo.id)?.roles.map(({ name }) => name)
  assert.deepEqual((await rolesOf())?.toSorted(), ['Packers', 'Writers'])
  assert.equal((await set(bo.id, writers.id)).status, 200)
  assert.deepEqual(await rolesOf(), ['Writers'])
  assert.equal((await bo.get(`${path}/orders`)).status, 200) // their own ones, as everybody
  assert.equal(refusal(await bo.get(`${path}/orders/counts?by=status`)), '403 FORBIDDEN')
  const { items } = (await admin.get(`${path}/audit?subject=${bo.id}`)).body
  assert.deepEqual(
    items.map(({ action, data }: { action: string; data: { roleId?: string } }) => [action, data.roleId]).slice(0, 4),
    [
      ['member.role-taken', packers.id],
      ['member.role-taken', bo.roleId],
      ['member.role-set', writers.id],
      ['member.role-set', packers.id],
    ],
  )
  assert.equal((await set(bo.id)).status, 200)
  assert.equal(await rolesOf(), undefined)
  assert.equal((await admin.get(`${path}/audit?limit=1`)).body.items[0].action, 'member.removed')
})

test('ADMIN is offered, and until it is accepted nothing is taken', async () => {
  const { id, role, set, list, adminRole } = await open()
  const packers = await role('Packers', 'ORDERS_READ')
  const bo = await used.make.member(id, 'PROMOS_WRITE')
  assert.equal((await set(bo.id, packers.id)).status, 200)
  assert.equal((await set(bo.id, adminRole)).status, 200)
  const [member] = (await list()).filter((one) => one.id === bo.id)
  assert.deepEqual(
    [member?.roles.map((one) => one.id), member?.pendingRoles.map((one) => one.id)],
    [[packers.id], [adminRole]],
  )
  const [mine] = (await bo.get('/v1/users/invitations')).body.items
  assert.equal((await bo.post('/v1/users/invitations/accept', { id: mine.id })).status, 200)
  assert.equal((await set(bo.id, adminRole)).status, 200)
  const [admin] = (await list()).filter((one) => one.id === bo.id)
  assert.deepEqual([admin?.roles.map((one) => one.id), admin?.pendingRoles], [[adminRole], []])
})

test('whoever is given other roles cannot become ADMIN any more by what was offered before', async () => {
  const { id, admin, path, role, set, list, adminRole } = await open()
  const packers = await role('Packers', 'ORDERS_READ')
  const bo = await used.make.member(id, 'PROMOS_WRITE')
  assert.equal((await set(bo.id, adminRole)).status, 200)
  assert.equal((await admin.post(`${path}/invitations`, { email: bo.email, roleId: adminRole })).status, 201)
  const mine = (await bo.get('/v1/users/invitations')).body.items
  assert.equal(mine.length, 2)
  assert.equal((await set(bo.id, packers.id, adminRole)).status, 200)
  assert.equal((await bo.get('/v1/users/invitations')).body.items.length, 2, 'still among them')

  assert.equal((await set(bo.id, packers.id)).status, 200)
  for (const { id: offer } of mine)
    assert.equal((await bo.post('/v1/users/invitations/accept', { id: offer })).status, 422)
  const [member] = (await list()).filter((one) => one.id === bo.id)
  assert.deepEqual([member?.roles.map((one) => one.id), member?.pendingRoles], [[packers.id], []])
})

test('the last ADMIN stays; strangers, unknown roles and callers who are no ADMIN are refused', async () => {
  const { id, admin, path, role, set, list, adminRole } = await open()
  const packers = await role('Packers', 'ORDERS_READ')
  assert.equal(refusal(await set(admin.id, packers.id)), '409 CONFLICT roleId LAST_ADMIN')
  assert.equal(refusal(await set(admin.id)), '409 CONFLICT roleId LAST_ADMIN')
  assert.equal(refusal(await set((await used.make.customer(id)).id, packers.id)), '404 NOT_FOUND')
  assert.equal(refusal(await set(admin.id, adminRole, 'role_unknown')), '422 VALIDATION_FAILED roleIds NOT_FOUND')
  const foreign = await (await open()).role('Others')
  assert.equal(refusal(await set(admin.id, adminRole, foreign.id)), '422 VALIDATION_FAILED roleIds NOT_FOUND')
  const settler = await used.make.member(id, 'SETTINGS_WRITE')
  assert.equal(refusal(await settler.put(`${path}/members/${admin.id}`, { roleIds: [] })), '403 FORBIDDEN')
  assert.equal((await list()).length, 2)
})
