import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rememberCustomer } from '#modules/access/index.ts'
import { createClient } from '../../support/client.ts'
import { refusal } from '../../support/refusal.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const PATH = '/v1/users/set-role'

async function makeBusiness() {
  const business = await used.make.business()
  const { id, admin, path } = business
  const role = (await admin.post(`${path}/roles`, { name: 'Settlers', permissions: ['SETTINGS_WRITE'] })).body
  const setRole = (userId: string, roleId: string | null, caller = admin) =>
    caller.put(PATH, { userId, roleId, businessId: id })
  const admins = async () => {
    const { control } = used.api.services.databases
    const rows = await control
      .selectFrom('access.memberships')
      .innerJoin('access.roles', 'access.roles.id', 'access.memberships.roleId')
      .select(['userId', 'permissions'])
      .where('access.memberships.businessId', '=', id)
      .execute()
    return rows.filter(({ permissions }) => permissions.includes('ADMIN')).map(({ userId }) => userId)
  }
  return { ...business, role: role as { id: string }, roles: `${path}/roles`, setRole, admins }
}

const membershipsOf = (userId: string) =>
  used.api.services.databases.control
    .selectFrom('access.memberships')
    .select(['businessId', 'roleId'])
    .where('userId', '=', userId)
    .execute()

test('a role given is felt by the next request, and so is one taken', async () => {
  const { id, roles, role, setRole } = await makeBusiness()
  const bo = await used.make.customer(id)

  for (let round = 0; round < 5; round++) {
    assert.equal((await bo.get(roles)).status, 403)
    const given = await setRole(bo.id, role.id)
    assert.deepEqual([given.status, given.body], [200, { success: true }])
    assert.equal((await bo.get(roles)).status, 200)
    assert.deepEqual((await setRole(bo.id, null)).body, { success: true })
  }
  assert.equal((await bo.get(roles)).status, 403)
})

test('a role given or taken on one node counts on the other within a second', async (t) => {
  const second = await startApi({ databases: used.api.databases })
  t.after(() => second.close())
  const { id, roles, role, setRole } = await makeBusiness()
  const bo = await used.make.customer(id)
  const elsewhere = createClient(second.url, { authorization: `Bearer ${bo.token}` })

  const answers = async (status: number) => (await elsewhere.get(roles)).status === status

  assert.ok(await answers(403))
  await setRole(bo.id, role.id)
  await until('it is let in', () => answers(200), { withinMs: 1_000 })
  await setRole(bo.id, null)
  await until('it is refused', () => answers(403), { withinMs: 1_000 })
})

test('roles add up, repeating one changes nothing, and null takes all of them, here only', async () => {
  const { id, path, admin, roles, role, setRole } = await makeBusiness()
  const other = await makeBusiness()
  const bo = await used.make.customer(id)
  await rememberCustomer(used.api.services.databases.control, other.id, bo.id)
  const reader = (await admin.post(roles, { name: 'Readers', permissions: ['ORDERS_READ'] })).body
  await other.setRole(bo.id, other.role.id)
  const elsewhere = { businessId: other.id, roleId: other.role.id }

  for (const roleId of [role.id, reader.id, role.id, role.id]) assert.equal((await setRole(bo.id, roleId)).status, 200)
  assert.deepEqual(
    new Set(await membershipsOf(bo.id)),
    new Set([{ businessId: id, roleId: role.id }, { businessId: id, roleId: reader.id }, elsewhere]),
  )
  assert.ok('contactEmail' in (await bo.get(path)).body)

  await setRole(bo.id, null)
  assert.deepEqual(await membershipsOf(bo.id), [elsewhere])
  assert.equal((await setRole(bo.id, null)).status, 200)
  assert.ok(!('contactEmail' in (await bo.get(path)).body))
  assert.equal((await bo.get(other.roles)).status, 200)
})

test('an unknown user and a guest are not found', async () => {
  const { role, setRole } = await makeBusiness()
  const guest = await used.make.guest()
  for (const userId of ['usr_nowhere', guest.id]) {
    assert.equal(refusal(await setRole(userId, role.id)), '404 NOT_FOUND')
    assert.equal(refusal(await setRole(userId, null)), '404 NOT_FOUND')
  }
  assert.deepEqual(await membershipsOf(guest.id), [])
})

test('a role that this business lacks is refused by its name', async () => {
  const { setRole } = await makeBusiness()
  const other = await makeBusiness()
  const bo = await used.make.user()
  for (const roleId of ['role_nowhere', other.role.id]) {
    assert.equal(refusal(await setRole(bo.id, roleId)), '422 VALIDATION_FAILED roleId NOT_FOUND')
  }
  assert.deepEqual(await membershipsOf(bo.id), [])
})

test('the body names user, role and business; null is said, never assumed', async () => {
  const { id, admin, setRole } = await makeBusiness()
  const bo = await used.make.user()
  const refused = async (body: unknown) => refusal(await admin.put(PATH, body))

  assert.equal(await refused({ businessId: id }), '422 VALIDATION_FAILED roleId REQUIRED userId REQUIRED')
  assert.equal(await refused({ businessId: id, userId: bo.id }), '422 VALIDATION_FAILED roleId REQUIRED')
  assert.equal(await refused({ userId: bo.id, roleId: null }), '422 VALIDATION_FAILED businessId REQUIRED')
  assert.equal(await refused([]), '400 BAD_REQUEST')
  assert.equal(refusal(await setRole(bo.id, 7 as never)), '422 VALIDATION_FAILED roleId INVALID')
})

test('only an ADMIN of that business sets roles, whether or not it exists', async () => {
  const { id, role, setRole } = await makeBusiness()
  const other = await makeBusiness()
  const bo = await used.make.user()
  const settler = await used.make.member(id, 'SETTINGS_WRITE')
  const refused = '403 FORBIDDEN'

  for (const caller of [settler, bo, other.admin]) {
    assert.equal(refusal(await setRole(bo.id, role.id, caller)), refused)
    assert.equal(refusal(await setRole(settler.id, null, caller)), refused)
  }
  const body = { userId: bo.id, roleId: role.id, businessId: 'biz_nowhere' }
  assert.equal(refusal(await other.admin.put(PATH, body)), refused)
  assert.deepEqual(await membershipsOf(bo.id), [])
  assert.equal((await membershipsOf(settler.id)).length, 1)
})

test('the last ADMIN stays', async () => {
  const { id, admin, path, setRole, admins } = await makeBusiness()
  const lastAdmin = '409 CONFLICT roleId LAST_ADMIN'
  assert.equal(refusal(await setRole(admin.id, null)), lastAdmin)
  assert.deepEqual(await admins(), [admin.id])

  const rival = await used.make.member(id, 'ADMIN')
  assert.equal((await setRole(admin.id, null)).status, 200)
  assert.equal((await admin.get(`${path}/audit`)).status, 403)
  assert.equal(refusal(await setRole(rival.id, null, rival)), lastAdmin)
  assert.deepEqual(await admins(), [rival.id])
})

test('two ADMINs who remove each other at the same moment: one stays', async () => {
  for (let round = 0; round < 25; round++) {
    const { id, admin, setRole, admins } = await makeBusiness()
    const rival = await used.make.member(id, 'ADMIN')
    const answers = await Promise.all([setRole(rival.id, null, admin), setRole(admin.id, null, rival)])

    assert.equal(answers.filter(({ status }) => status === 200).length, 1, answers.map(refusal).join(' | '))
    for (const answer of answers) assert.match(refusal(answer), /^(200|403 FORBIDDEN|409 CONFLICT roleId LAST_ADMIN)$/)
    assert.equal((await admins()).length, 1)
  }
})

test('of many ADMINs who leave at the same moment, one stays', async () => {
  for (let round = 0; round < 8; round++) {
    const { id, admin, setRole, admins } = await makeBusiness()
    const all = [admin]
    for (let number = 0; number < 4; number++) all.push(await used.make.member(id, 'ADMIN'))
    const answers = await Promise.all(all.map((leaving) => setRole(leaving.id, null, leaving)))

    assert.equal(answers.filter(({ status }) => status === 200).length, 4, answers.map(refusal).join(' | '))
    assert.equal((await admins()).length, 1)
  }
})

test('one ADMIN removes the other, who takes ADMIN from the first one’s role: one stays', async () => {
  for (let round = 0; round < 25; round++) {
    const { id, admin, roles, setRole, admins } = await makeBusiness()
    const rival = await used.make.member(id, 'ADMIN')
    const adminRole = (await admin.get(roles)).body.items.at(-1).id
    const answers = await Promise.all([
      setRole(rival.id, null, admin),
      rival.put(`${roles}/${adminRole}`, { permissions: [] }),
    ])

    assert.equal(answers.filter(({ status }) => status === 200).length, 1, answers.map(refusal).join(' | '))
    assert.equal((await admins()).length, 1)
  }
})

test('a key acts as its user, unless it is bound to another business', async () => {
  const { id, admin, role } = await makeBusiness()
  const bo = await used.make.user()
  const body = { userId: bo.id, roleId: role.id, businessId: id }
  const elsewhere = await used.make.business({ owner: admin })

  const bound = await used.make.apiKey(admin.id, elsewhere.id)
  assert.equal(refusal(await bound.put(PATH, body)), '403 FORBIDDEN')
  for (const key of [await used.make.apiKey(admin.id), await used.make.apiKey(admin.id, id)]) {
    assert.equal((await key.put(PATH, body)).status, 200)
  }
})
