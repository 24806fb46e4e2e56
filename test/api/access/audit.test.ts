import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBusiness, mintInvitationToken, rememberCustomer } from '#modules/access/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

type Entry = { action: string; subject: string; actorId: string | null; actorKind: string; data: object }

async function makeBusiness() {
  const business = await used.make.business()
  const entries = async (): Promise<Entry[]> =>
    (await business.admin.get(`${business.path}/audit?limit=100`)).body.items.map(
      ({ action, subject, actorId, actorKind, data }: Entry) => ({ action, subject, actorId, actorKind, data }),
    )
  return { ...business, entries, latest: async () => (await entries())[0] }
}

test('every change to a business, its roles and its members is written down with who did it', async () => {
  const { admin, id, path, latest } = await makeBusiness()
  const settler = await used.make.member(id, 'SETTINGS_WRITE', 'ORDERS_READ')
  const bo = await used.make.user()
  const by = (actor: { id: string }, entry: object) => ({ actorId: actor.id, actorKind: 'user', ...entry })

  await settler.put(path, { name: 'Renamed', locales: ['en', 'de'] })
  assert.deepEqual(
    await latest(),
    by(settler, { action: 'business.updated', subject: id, data: { fields: ['name', 'locales'] } }),
  )

  const role = (await settler.post(`${path}/roles`, { name: 'Settlers', permissions: ['SETTINGS_WRITE'] })).body
  assert.deepEqual(
    await latest(),
    by(settler, {
      action: 'role.created',
      subject: role.id,
      data: { name: 'Settlers', permissions: ['SETTINGS_WRITE'] },
    }),
  )
  await admin.put(`${path}/roles/${role.id}`, { permissions: ['ORDERS_READ'] })
  assert.deepEqual(
    await latest(),
    by(admin, { action: 'role.updated', subject: role.id, data: { permissions: ['ORDERS_READ'] } }),
  )

  const setRole = (roleId: string | null) => admin.put('/v1/users/set-role', { userId: bo.id, roleId, businessId: id })
  await setRole(role.id)
  assert.deepEqual(
    await latest(),
    by(admin, { action: 'member.role-offered', subject: bo.id, data: { roleId: role.id } }),
  )
  await rememberCustomer(used.api.services.databases.control, id, bo.id) // they have bought something: no stranger any more
  await setRole(role.id)
  assert.deepEqual(await latest(), by(admin, { action: 'member.role-set', subject: bo.id, data: { roleId: role.id } }))
  await setRole(null)
  assert.deepEqual(await latest(), by(admin, { action: 'member.role-set', subject: bo.id, data: { roleId: null } }))

  const invite = async () => (await admin.post(`${path}/invitations`, { email: bo.email, roleId: role.id })).body.id
  const revoked = await invite()
  assert.deepEqual(
    await latest(),
    by(admin, { action: 'invitation.created', subject: revoked, data: { roleId: role.id } }),
  )
  await settler.delete(`${path}/invitations/${revoked}`)
  assert.deepEqual(await latest(), by(settler, { action: 'invitation.revoked', subject: revoked, data: {} }))

  const accepted = await invite()
  const { control } = used.api.services.databases
  const token = await transaction(control, (tx) => mintInvitationToken(tx, id, accepted))
  await bo.post('/v1/users/invitations/accept', { token })
  assert.deepEqual(
    await latest(),
    by(bo, { action: 'invitation.accepted', subject: accepted, data: { roleId: role.id } }),
  )

  await setRole(null)
  await admin.delete(`${path}/roles/${role.id}`)
  assert.deepEqual(await latest(), by(admin, { action: 'role.deleted', subject: role.id, data: { name: 'Settlers' } }))
})

test('the first entry of a business is its creation, by the caller', async () => {
  const ada = await used.make.user()
  const { id } = (await ada.post('/v1/businesses', { name: 'Harbour Goods' })).body
  const { items } = (await ada.get(`/v1/businesses/${id}/audit`)).body

  assert.equal(items.length, 1)
  const { id: entryId, timestamp, ...entry } = items[0]
  assert.match(entryId, /^aud_[0-9a-z]{26}$/)
  assert.ok(Math.abs(timestamp - Date.now() / 1000) < 60)
  assert.deepEqual(entry, {
    action: 'business.created',
    subject: id,
    actorId: ada.id,
    actorKind: 'user',
    data: { ownerId: ada.id },
  })
})

test('what the operator does is the system’s, what a key does its user’s', async () => {
  const ada = await used.make.user()
  const { control, cells } = used.api.services.databases
  const { id } = await transaction(control, (tx) =>
    createBusiness(
      tx,
      { ownerId: ada.id, ownerEmail: null, actor: undefined, cells: cells.keys() },
      { name: 'By the operator' },
    ),
  )
  const key = await used.make.apiKey(ada.id, id)
  await key.put(`/v1/businesses/${id}`, { name: 'By a key' })

  const { items } = (await key.get(`/v1/businesses/${id}/audit`)).body
  assert.deepEqual(
    items.map(({ action, actorId, actorKind }: Entry) => [action, actorId, actorKind]),
    [
      ['business.updated', ada.id, 'api'],
      ['business.created', null, 'system'],
    ],
  )
})

test('what was refused leaves no entry', async () => {
  const { admin, id, path, entries } = await makeBusiness()
  const stranger = await used.make.user()
  const settler = await used.make.member(id, 'SETTINGS_WRITE')
  const adminRole = (await admin.get(`${path}/roles`)).body.items.at(-1).id
  const before = await entries()

  const refused = [
    await admin.put(`${path}/roles/${adminRole}`, { permissions: [] }),
    await admin.delete(`${path}/roles/${adminRole}`),
    await admin.post(`${path}/roles`, { name: 'Admin', permissions: [] }),
    await admin.put(path, { name: 'Stale' }, { 'if-match': '"0"' }),
    await admin.put(path, { defaultLocale: 'fr' }),
    await settler.post(`${path}/roles`, { name: 'Gods', permissions: ['ADMIN'] }),
    await settler.post(`${path}/invitations`, { email: 'bo@example.com', roleId: adminRole }),
    await stranger.put(path, { name: 'Mine' }),
    await admin.put('/v1/users/set-role', { userId: admin.id, roleId: null, businessId: id }),
  ]
  for (const answer of refused) assert.ok(answer.status >= 400 && answer.status < 500, answer.text)
  assert.deepEqual(await entries(), before)
})

test('the log is paged, newest first, without gap or repetition', async () => {
  const { admin, path, entries } = await makeBusiness()
  for (let number = 0; number < 6; number++) await admin.put(path, { name: `Name ${number}` })
  const all = (await admin.get(`${path}/audit?limit=100`)).body.items
  const paged: object[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { items: object[]; cursor: string | null } = (await admin.get(`${path}/audit?limit=3&cursor=${cursor}`))
      .body
    paged.push(...page.items)
    cursor = page.cursor
  }
  assert.deepEqual(paged, all)
  assert.deepEqual(
    (await entries()).map(({ action }) => action),
    [...Array(6).fill('business.updated'), 'business.created'],
  )
})

test('the log shows one business only, and to its ADMINs only', async () => {
  const { admin, id, path } = await makeBusiness()
  const other = await makeBusiness()
  await admin.put(path, { name: 'Renamed' })

  assert.ok(!JSON.stringify((await admin.get(`${path}/audit`)).body).includes(other.id))
  assert.equal(refusal(await admin.get(`${other.path}/audit`)), '403 FORBIDDEN')
  const settler = await used.make.member(id, 'SETTINGS_WRITE')
  assert.equal(refusal(await settler.get(`${path}/audit`)), '403 FORBIDDEN')
  const { cursor } = (await admin.get(`${path}/audit?limit=1`)).body
  const foreign = await other.admin.get(`${other.path}/audit?cursor=${cursor}`)
  assert.equal(refusal(foreign), '422 VALIDATION_FAILED cursor INVALID')
})

test('the log is found by who did it, what it was, to whom, and when', async () => {
  const { admin, id, path } = await makeBusiness()
  const settler = await used.make.member(id, 'SETTINGS_WRITE')
  await settler.put(path, { name: 'By the settler' })
  await admin.put(path, { name: 'By the admin' })
  const role = (await admin.post(`${path}/roles`, { name: 'Helpers', permissions: [] })).body
  const found = async (query: string) => {
    const { status, body, text } = await admin.get(`${path}/audit?${query}`)
    assert.equal(status, 200, text)
    return body.items.map(({ action }: Entry) => action)
  }
  assert.deepEqual(await found(`actorId=${settler.id}`), ['business.updated'])
  assert.deepEqual(await found('action=role.created&action=business.created'), ['role.created', 'business.created'])
  assert.deepEqual(await found(`subject=${role.id}`), ['role.created'])
  const at = Math.floor(Date.now() / 1_000)
  assert.equal((await found(`from=${at - 3_600}&to=${at + 3_600}`)).length, 4)
  assert.deepEqual(await found(`to=${at - 3_600}`), [])
  const { cursor } = (await admin.get(`${path}/audit?limit=1`)).body
  const other = await admin.get(`${path}/audit?limit=1&actorId=${admin.id}&cursor=${cursor}`)
  assert.equal(refusal(other), '422 VALIDATION_FAILED cursor INVALID')
})
