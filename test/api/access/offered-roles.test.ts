import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '#vocabulary/permissions.ts'
import { holdClock } from '../../support/clock.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

const WAITING = '/v1/users/invitations'
const ACCEPT = `${WAITING}/accept`
type User = Awaited<ReturnType<typeof used.make.user>>

async function makeBusiness(...permissions: Permission[]) {
  const business = await used.make.business()
  const { id, admin, path } = business
  const roles = `${path}/roles`
  const { body: role } = await admin.post(roles, { name: 'Helpers', permissions })
  const adminRole = (await admin.get(roles)).body.items.find(({ name }: { name: string }) => name === 'Admin')
  const setRole = (userId: string, roleId: string | null, caller: Pick<User, 'put'> = admin) =>
    caller.put('/v1/users/set-role', { userId, roleId, businessId: id })
  const find = async (userId: string, query = '') => {
    const { body } = await admin.get(`/v1/users/search?businessId=${id}${query}`)
    return body.items.find((user: { id: string }) => user.id === userId)
  }
  return { ...business, roles, role: role as { id: string }, adminRole: adminRole as { id: string }, setRole, find }
}

const rolesOf = async (user: User): Promise<string[]> => (await user.get('/v1/users/me')).body.roleIds
const waitingFor = async (user: User) => (await user.get(WAITING)).body.items

test('a role given to a stranger counts once they accept it', async () => {
  const { id, name, roles, role, setRole, find } = await makeBusiness('SETTINGS_WRITE')
  const bo = await used.make.user()
  await bo.put('/v1/users/update', { name: 'Bo Private' })
  const given = await setRole(bo.id, role.id)
  assert.deepEqual([given.status, given.body], [200, { success: true }])

  assert.equal((await bo.get(roles)).status, 403)
  assert.deepEqual(await rolesOf(bo), [])
  assert.deepEqual((await bo.get('/v1/businesses')).body.items, [])
  const offered = await find(bo.id)
  assert.deepEqual([offered.name, offered.email, offered.isConfirmed], ['', undefined, false])
  assert.deepEqual([offered.roleIds, offered.pendingRoleIds], [[role.id], [role.id]])

  const [waiting, ...others] = await waitingFor(bo)
  assert.deepEqual(others, [])
  assert.deepEqual(waiting.business, { id, name })
  assert.deepEqual(waiting.role, { id: role.id, name: 'Helpers', permissions: ['SETTINGS_WRITE'] })
  assert.deepEqual((await bo.post(ACCEPT, { id: waiting.id })).body, { success: true })
  assert.equal((await bo.get(roles)).status, 200)
  assert.deepEqual(await rolesOf(bo), [role.id])
  assert.deepEqual(await waitingFor(bo), [])
  const joined = await find(bo.id)
  assert.deepEqual([joined.name, joined.email, joined.roleIds], ['Bo Private', bo.email, [role.id]])
  assert.equal('pendingRoleIds' in joined, false)
})

test('nobody is made the last ADMIN against their will, nor kept from deleting their account', async () => {
  const { id, admin, adminRole, setRole } = await makeBusiness()
  const strangers = [await used.make.user(), await used.make.customer(id), await used.make.member(id, 'ORDERS_READ')]
  for (const victim of strangers) {
    assert.equal((await setRole(victim.id, adminRole.id)).status, 200)
    assert.equal(refusal(await setRole(admin.id, null)), '409 CONFLICT roleId LAST_ADMIN')
    assert.equal(refusal(await admin.delete('/v1/users/me')), '409 CONFLICT roleId LAST_ADMIN')
    assert.equal((await rolesOf(victim)).includes(adminRole.id), false)
    assert.equal((await victim.delete('/v1/users/me')).status, 200)
  }
})

test('whoever accepts to be ADMIN is one, and the first may go', async () => {
  const { admin, adminRole, setRole, path } = await makeBusiness()
  const heir = await used.make.user()
  await setRole(heir.id, adminRole.id)
  const [{ id }] = await waitingFor(heir)
  assert.equal((await heir.post(ACCEPT, { id })).status, 200)
  assert.equal((await setRole(admin.id, null)).status, 200)
  assert.equal((await heir.get(`${path}/audit`)).status, 200)
})

test('a role that others have does not become ADMIN under them', async () => {
  const { id, admin, roles } = await makeBusiness()
  const member = await used.make.member(id, 'ORDERS_READ')
  const change = (permissions: Permission[]) => admin.put(`${roles}/${member.roleId}`, { permissions })
  assert.equal(refusal(await change(['ADMIN'])), '409 CONFLICT permissions IN_USE')
  assert.equal((await change(['ORDERS_READ', 'ORDERS_WRITE'])).status, 200)
})

test('members, and customers who came by themselves, have a role at once, unless it is ADMIN', async () => {
  const { id, role, roles, setRole } = await makeBusiness('SETTINGS_WRITE')
  for (const known of [await used.make.customer(id), await used.make.member(id, 'ORDERS_READ')]) {
    await setRole(known.id, role.id)
    assert.equal((await known.get(roles)).status, 200)
    assert.deepEqual(await waitingFor(known), [])
  }
})

test('the same role given again waits once; two roles wait apart, and a search by role finds who has it or was offered it', async () => {
  const { admin, id, role, roles, setRole, find } = await makeBusiness('SETTINGS_WRITE')
  const bo = await used.make.user()
  const { body: second } = await admin.post(roles, { name: 'Readers', permissions: ['ORDERS_READ'] })
  for (const roleId of [role.id, second.id, role.id]) assert.equal((await setRole(bo.id, roleId)).status, 200)
  assert.equal((await waitingFor(bo)).length, 2)
  assert.deepEqual(new Set((await find(bo.id)).pendingRoleIds), new Set([role.id, second.id]))
  assert.ok(await find(bo.id, `&roleIds=${second.id}`))

  const list = (await admin.get(`/v1/businesses/${id}/invitations`)).body.items
  assert.deepEqual(
    list.map(({ email, userId }: { email: string | null; userId: string }) => [email, userId]),
    [
      [null, bo.id],
      [null, bo.id],
    ],
  )
})

test('what waits is nobody else’s to accept, and goes when it is taken back, its role is deleted, or its giver left', async () => {
  const { id, path, admin, role, roles, setRole } = await makeBusiness('SETTINGS_WRITE')
  const [bo, eve] = [await used.make.user(), await used.make.user()]
  const offer = async (caller?: Pick<User, 'put'>) => {
    assert.equal((await setRole(bo.id, role.id, caller)).status, 200)
    return (await waitingFor(bo))[0].id as string
  }
  const invalid = '422 VALIDATION_FAILED id TOKEN_INVALID'
  const first = await offer()
  assert.equal(refusal(await eve.post(ACCEPT, { id: first })), invalid)
  await setRole(bo.id, null)
  assert.equal(refusal(await bo.post(ACCEPT, { id: first })), invalid)
  const second = await offer()
  assert.equal((await admin.delete(`${path}/invitations/${second}`)).status, 200)
  assert.equal(refusal(await bo.post(ACCEPT, { id: second })), invalid)

  const giver = await used.make.member(id, 'ADMIN')
  const third = await offer(giver)
  await setRole(giver.id, null)
  assert.equal(refusal(await bo.post(ACCEPT, { id: third })), invalid)
  assert.equal((await admin.delete(`${roles}/${role.id}`)).status, 200, 'nobody has it')
  assert.deepEqual(await waitingFor(bo), [])
  assert.equal((await bo.get(roles)).status, 403)
})

test('a role that was offered waits for seven days', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const { role, setRole, find } = await makeBusiness('SETTINGS_WRITE')
  const bo = await used.make.user()
  await setRole(bo.id, role.id)
  clock.advance(1)
  const [{ id }] = await waitingFor(bo)
  const { control } = used.api.services.databases
  await control
    .updateTable('access.invitations')
    .set({ expiresAt: new Date(0) })
    .where('id', '=', id)
    .execute()
  assert.equal(refusal(await bo.post(ACCEPT, { id })), '422 VALIDATION_FAILED id TOKEN_EXPIRED')
  assert.deepEqual(await waitingFor(bo), [])
  assert.equal(await find(bo.id), undefined, 'and nobody remembers them')
  await setRole(bo.id, role.id)
  assert.equal((await waitingFor(bo)).length, 1, 'until it is offered again')
})

test('an invitation to one’s address waits in the same list, and can be accepted or declined there', async () => {
  const { path, admin, role, roles } = await makeBusiness('SETTINGS_WRITE')
  const bo = await used.make.user()
  const invite = () => admin.post(`${path}/invitations`, { email: bo.email?.toUpperCase(), roleId: role.id })
  await invite()
  const [waiting] = await waitingFor(bo)
  assert.equal((await bo.delete(`${WAITING}/${waiting.id}`)).status, 200)
  assert.deepEqual((await admin.get(`${path}/invitations`)).body.items, [])
  assert.equal(refusal(await bo.delete(`${WAITING}/${waiting.id}`)), '404 NOT_FOUND')
  await invite()
  const [{ id }] = await waitingFor(bo)
  assert.equal(refusal(await admin.delete(`${WAITING}/${id}`)), '404 NOT_FOUND', 'not theirs')
  assert.equal((await bo.post(ACCEPT, { id })).status, 200)
  assert.equal((await bo.get(roles)).status, 200)
  assert.equal(refusal(await bo.post(ACCEPT, {})), '422 VALIDATION_FAILED token REQUIRED')
})
