import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintInvitationToken } from '#modules/access/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { PERMISSIONS, type Permission } from '#vocabulary/permissions.ts'
import { createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { onServer } from '../../support/database.ts'
import { refusal } from '../../support/refusal.ts'
import { startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

const ACCEPT = '/v1/users/invitations/accept'
const TOKEN_INVALID = '422 VALIDATION_FAILED token TOKEN_INVALID'
const DAY = 24 * 3600

/** A business with a role to invite into. */
async function makeBusiness(...permissions: Permission[]) {
  const business = await used.make.business()
  const { admin, path } = business
  const role = (await admin.post(`${path}/roles`, { name: 'Helpers', permissions })).body as { id: string }
  const invitations = `${path}/invitations`
  const invite = async (email: string | undefined) => {
    const made = await admin.post(invitations, { email, roleId: role.id })
    assert.equal(made.status, 201, made.text)
    return made.body as { id: string }
  }
  return { ...business, role, invitations, invite }
}

/** What the worker does before it mails the link. */
const mint = (businessId: string, id: string) =>
  transaction(used.api.services.databases.control, (tx) => mintInvitationToken(tx, businessId, id))

/** Another session of the same user, for when the clock has moved past the first one's token. */
async function newTokenOf({ id, email, sessionId }: { id: string; email: string | undefined; sessionId: string }) {
  const claims = { sub: id, sid: sessionId, provider: 'EMAIL', ...(email ? { email } : {}) }
  const { token } = await used.api.services.tokens.issue('access', claims)
  return createClient(used.api.url, { authorization: `Bearer ${token}` })
}

test('an invitation is created, listed and taken back', async () => {
  const { admin, role, invitations } = await makeBusiness()
  const made = await admin.post(invitations, { email: 'Bo@Example.com', roleId: role.id })

  assert.equal(made.status, 201, made.text)
  const { id, createdAt, expiresAt, ...rest } = made.body
  assert.match(id, /^inv_[0-9a-z]{26}$/)
  assert.equal(expiresAt - createdAt, 7 * DAY)
  assert.deepEqual(rest, { email: 'Bo@Example.com', roleId: role.id, invitedBy: admin.id, acceptedAt: null })
  assert.deepEqual((await admin.get(invitations)).body, { items: [made.body], cursor: null })

  assert.deepEqual((await admin.delete(`${invitations}/${id}`)).body, { success: true })
  assert.equal(refusal(await admin.delete(`${invitations}/${id}`)), '404 NOT_FOUND')
  assert.deepEqual((await admin.get(invitations)).body.items, [])
})

test('an invitation needs an email address and a role of this business', async () => {
  const { admin, invitations } = await makeBusiness()
  const { role } = await makeBusiness()
  const refused = async (body: object) => refusal(await admin.post(invitations, body))

  assert.equal(await refused({}), '422 VALIDATION_FAILED email REQUIRED roleId REQUIRED')
  assert.equal(await refused({ email: 'not an address', roleId: role.id }), '422 VALIDATION_FAILED email INVALID')
  const notFound = '422 VALIDATION_FAILED roleId NOT_FOUND'
  assert.equal(await refused({ email: 'bo@example.com', roleId: role.id }), notFound)
  assert.equal(await refused({ email: 'bo@example.com', roleId: 'role_nowhere' }), notFound)
  assert.deepEqual((await admin.get(invitations)).body.items, [])
})

test('the list is paged, newest first, and shows this business’s invitations only', async () => {
  const { admin, invitations, invite } = await makeBusiness()
  const other = await makeBusiness()
  await other.invite('other@example.com')
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) ids.unshift((await invite(`${name}@example.com`)).id)
  const first = (await admin.get(`${invitations}?limit=2`)).body
  const second = (await admin.get(`${invitations}?limit=2&cursor=${first.cursor}`)).body

  assert.deepEqual(
    [...first.items, ...second.items].map(({ id }) => id),
    ids,
  )
  assert.equal(second.cursor, null)
  assert.equal(refusal(await other.admin.get(`${other.invitations}?cursor=${first.cursor}`)).slice(0, 3), '422')
})

test('nobody invites into a role that has a permission they lack', async () => {
  for (const lacked of PERMISSIONS) {
    if (lacked === 'SETTINGS_WRITE') continue
    const { admin, id, role, invitations } = await makeBusiness('SETTINGS_WRITE', lacked)
    const held = PERMISSIONS.filter((permission) => permission !== 'ADMIN' && permission !== lacked)
    const settler = await used.make.member(id, ...held)
    const refused = await settler.post(invitations, { email: settler.email, roleId: role.id })
    assert.equal(refusal(refused), '403 FORBIDDEN', lacked)
    assert.match(refused.body.message, new RegExp(lacked))
    assert.deepEqual((await admin.get(invitations)).body.items, [])
  }
})

test('who holds what a role gives may invite into it', async () => {
  const { id, role, invitations } = await makeBusiness('ORDERS_READ')
  const settler = await used.make.member(id, 'SETTINGS_WRITE', 'ORDERS_READ')
  const made = await settler.post(invitations, { email: 'bo@example.com', roleId: role.id })

  assert.equal(made.status, 201, made.text)
  assert.equal(made.body.invitedBy, settler.id)
  assert.equal((await settler.delete(`${invitations}/${made.body.id}`)).status, 200)
})

test('accepting makes the membership, at once', async () => {
  const { id, path, admin, invitations, invite } = await makeBusiness('SETTINGS_WRITE')
  const bo = await used.make.user()
  const invitation = await invite(bo.email)
  const token = await mint(id, invitation.id)
  assert.equal((await bo.get(`${path}/roles`)).status, 403)

  assert.deepEqual((await bo.post(ACCEPT, { token })).body, { success: true })
  assert.equal((await bo.get(`${path}/roles`)).status, 200)
  assert.deepEqual(
    (await bo.get('/v1/businesses')).body.items.map((mine: { id: string }) => mine.id),
    [id],
  )
  const [shown] = (await admin.get(invitations)).body.items
  assert.ok(shown.acceptedAt >= shown.createdAt)
})

test('what was accepted on one node holds on the other within a second', async (t) => {
  const second = await startApi({ databases: used.api.databases })
  t.after(() => second.close())
  const { id, path, invite } = await makeBusiness('SETTINGS_WRITE')
  const bo = await used.make.user()
  const elsewhere = createClient(second.url, { authorization: `Bearer ${bo.token}` })
  assert.equal((await elsewhere.get(`${path}/roles`)).status, 403) // now it is cached there

  await bo.post(ACCEPT, { token: await mint(id, (await invite(bo.email)).id) })
  await until('it is let in', async () => (await elsewhere.get(`${path}/roles`)).status === 200, { withinMs: 1_000 })
})

test('only an account of the invited address can accept, in whatever case it was typed', async () => {
  const { id, path, invite } = await makeBusiness('SETTINGS_WRITE')
  const [bo, eve, guest] = [await used.make.user(), await used.make.user(), await used.make.guest()]
  const token = await mint(id, (await invite(bo.email?.toUpperCase())).id)

  assert.equal(refusal(await eve.post(ACCEPT, { token })), TOKEN_INVALID)
  assert.equal(refusal(await guest.post(ACCEPT, { token })), '403 FORBIDDEN')
  assert.equal(refusal(await used.make.anonymous().post(ACCEPT, { token })), '401 UNAUTHENTICATED')
  assert.equal((await eve.get(`${path}/roles`)).status, 403)
  assert.equal((await bo.post(ACCEPT, { token })).status, 200)
})

test('an invitation is accepted once, however often it is tried at the same moment', async () => {
  const { id, admin, role, invite } = await makeBusiness()
  const bo = await used.make.user()
  const token = await mint(id, (await invite(bo.email)).id)
  const answers = await Promise.all(Array.from({ length: 6 }, () => bo.post(ACCEPT, { token })))
  assert.deepEqual(answers.map(refusal).sort(), ['200', ...Array(5).fill(TOKEN_INVALID)])

  await admin.put('/v1/users/set-role', { userId: bo.id, roleId: null, businessId: id })
  assert.equal(refusal(await bo.post(ACCEPT, { token })), TOKEN_INVALID)
  const { control } = used.api.services.databases
  const held = await control.selectFrom('access.memberships').selectAll().where('userId', '=', bo.id).execute()
  assert.deepEqual(held, [], `still has ${role.id}`)
})

test('who has the role already accepts without getting it twice', async () => {
  const { id, admin, role, invite } = await makeBusiness()
  const bo = await used.make.customer(id)
  await admin.put('/v1/users/set-role', { userId: bo.id, roleId: role.id, businessId: id })
  assert.equal((await bo.post(ACCEPT, { token: await mint(id, (await invite(bo.email)).id) })).status, 200)
})

test('an accepted invitation cannot be taken back, and its token not made anew', async () => {
  const { id, admin, invitations, invite } = await makeBusiness()
  const bo = await used.make.user()
  const invitation = await invite(bo.email)
  await bo.post(ACCEPT, { token: await mint(id, invitation.id) })

  assert.equal(refusal(await admin.delete(`${invitations}/${invitation.id}`)), '404 NOT_FOUND')
  assert.equal(await mint(id, invitation.id), undefined)
})

test('a token stops working when the invitation is taken back or a newer token was mailed', async () => {
  const { id, admin, invitations, invite } = await makeBusiness()
  const bo = await used.make.user()
  const invitation = await invite(bo.email)
  const [older, newer] = [await mint(id, invitation.id), await mint(id, invitation.id)]

  assert.equal(refusal(await bo.post(ACCEPT, { token: older })), TOKEN_INVALID)
  await admin.delete(`${invitations}/${invitation.id}`)
  assert.equal(refusal(await bo.post(ACCEPT, { token: newer })), TOKEN_INVALID)
  assert.equal(await mint(id, invitation.id), undefined)
})

test('an invitation expires after seven days', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const { id, invite } = await makeBusiness()
  const [early, late] = [await used.make.user(), await used.make.user()]
  const lateInvitation = await invite(late.email)
  const tokens = [await mint(id, (await invite(early.email)).id), await mint(id, lateInvitation.id)]

  clock.advance(7 * DAY - 1)
  assert.equal(refusal(await (await newTokenOf(early)).post(ACCEPT, { token: tokens[0] })), '200')
  clock.advance(1)
  const expired = await (await newTokenOf(late)).post(ACCEPT, { token: tokens[1] })
  assert.equal(refusal(expired), '422 VALIDATION_FAILED token TOKEN_EXPIRED')
  assert.equal(await mint(id, lateInvitation.id), undefined)
})

test('whether an invitation has expired is told to the invited only', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const { id, invite } = await makeBusiness()
  const [bo, eve] = [await used.make.user(), await used.make.user()]
  const token = await mint(id, (await invite(bo.email)).id)
  clock.advance(8 * DAY)
  assert.equal(refusal(await (await newTokenOf(eve)).post(ACCEPT, { token })), TOKEN_INVALID)
})

test('a token of another kind is no invitation', async () => {
  const bo = await used.make.user()
  const { tokens } = used.api.services
  const claims = { sub: bo.id, sid: bo.sessionId, provider: 'EMAIL', email: bo.email ?? '' }
  const others = [bo.token, 'nonsense', (await used.make.apiKey(bo.id)).value]
  for (const kind of ['access', 'refresh', 'confirm'] as const) others.push((await tokens.issue(kind, claims)).token)

  for (const token of others) assert.equal(refusal(await bo.post(ACCEPT, { token })), TOKEN_INVALID, token)
  assert.equal(refusal(await bo.post(ACCEPT, {})), '422 VALIDATION_FAILED token REQUIRED')
})

test('an invitation’s token opens nothing else', async () => {
  const { id, path, invite } = await makeBusiness()
  const bo = await used.make.user()
  const token = await mint(id, (await invite(bo.email)).id)
  for (const [header, value] of Object.entries({ authorization: `Bearer ${token}`, 'x-api-key': `${token}` })) {
    assert.equal(refusal(await createClient(used.api.url, { [header]: value }).get(path)), '401 UNAUTHENTICATED')
  }
})

test('another business’s invitations do not exist here, and are closed there', async () => {
  const mine = await makeBusiness()
  const theirs = await makeBusiness()
  const invitation = await theirs.invite('bo@example.com')
  const body = { email: 'eve@example.com', roleId: theirs.role.id }

  assert.equal(refusal(await mine.admin.delete(`${mine.invitations}/${invitation.id}`)), '404 NOT_FOUND')
  assert.equal(refusal(await mine.admin.delete(`${theirs.invitations}/${invitation.id}`)), '403 FORBIDDEN')
  assert.equal(refusal(await mine.admin.get(theirs.invitations)), '403 FORBIDDEN')
  assert.equal(refusal(await mine.admin.post(theirs.invitations, body)), '403 FORBIDDEN')
  assert.equal((await theirs.admin.get(theirs.invitations)).body.items.length, 1)
  assert.equal(await mint(mine.id, invitation.id), undefined)
})

test('inviting into a role that is deleted at the same moment names the role, and is no crash', async () => {
  const { admin, role, invitations } = await makeBusiness()
  await onServer(async (deleting) => {
    await deleting.query('begin')
    await deleting.query('delete from access.roles where id = $1', [role.id])
    const answer = admin.post(invitations, { email: 'bo@example.com', roleId: role.id })
    await until('it waits for the role', () =>
      onServer(async (watching) => {
        const { rows } = await watching.query(
          "select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock' and query like '%invitations%'",
          [used.api.databases.main.name],
        )
        return rows.length === 1
      }),
    )
    await deleting.query('commit')
    assert.equal(refusal(await answer), '422 VALIDATION_FAILED roleId NOT_FOUND')
  }, used.api.databases.main.url)
})

test('accepting while the role is deleted ends in one or the other, never in a crash', async () => {
  for (let round = 0; round < 4; round++) {
    const { id, path, admin, role, invite } = await makeBusiness('SETTINGS_WRITE')
    const bo = await used.make.user()
    const token = await mint(id, (await invite(bo.email)).id)
    const [accepted, deleted] = await Promise.all([
      bo.post(ACCEPT, { token }),
      admin.delete(`${path}/roles/${role.id}`),
    ])
    const outcome = `${refusal(accepted)} / ${refusal(deleted)}`
    assert.ok([`200 / 409 CONFLICT id IN_USE`, `${TOKEN_INVALID} / 200`].includes(outcome), outcome)
    assert.equal((await bo.get(`${path}/roles`)).status, accepted.status === 200 ? 200 : 403)
  }
})

test('who was taken out of a business does not come back with an invitation from before', async () => {
  const { id, path, admin, role, invitations, invite } = await makeBusiness('SETTINGS_WRITE')
  const bo = await used.make.user()
  const first = await invite(bo.email)
  await bo.post(ACCEPT, { token: await mint(id, first.id) })
  const second = await invite(bo.email?.toUpperCase())
  const token = await mint(id, second.id)
  await admin.put('/v1/users/set-role', { userId: bo.id, roleId: null, businessId: id })

  assert.equal(refusal(await bo.post(ACCEPT, { token })), TOKEN_INVALID)
  assert.equal((await bo.get(`${path}/roles`)).status, 403)
  const left = (await admin.get(invitations)).body.items
  assert.deepEqual(
    left.map((shown: { id: string }) => shown.id),
    [first.id],
    'what was accepted is history',
  )
  await bo.post(ACCEPT, { token: await mint(id, (await invite(bo.email)).id) })
  assert.deepEqual((await bo.get('/v1/users/me')).body.roleIds, [role.id], 'a new invitation works')
})

test('an address has one open invitation to a business: a second one replaces the first', async () => {
  const { id, admin, path, role, invitations, invite } = await makeBusiness('ORDERS_READ')
  const other = await makeBusiness()
  const bo = await used.make.user()
  await other.invite(bo.email)
  const first = await invite(bo.email)
  const token = await mint(id, first.id)
  const { body: better } = await admin.post(`${path}/roles`, { name: 'Better', permissions: ['ORDERS_WRITE'] })
  const second = await admin.post(invitations, { email: bo.email?.toUpperCase(), roleId: better.id })
  assert.equal(second.status, 201, second.text)

  assert.deepEqual((await admin.get(invitations)).body.items, [second.body])
  assert.equal(refusal(await bo.post(ACCEPT, { token })), TOKEN_INVALID)
  assert.equal((await other.admin.get(other.invitations)).body.items.length, 1, 'elsewhere nothing is replaced')
  await Promise.all(Array.from({ length: 4 }, () => admin.post(invitations, { email: bo.email, roleId: role.id })))
  assert.equal((await admin.get(invitations)).body.items.length, 1, 'however many are made at once')
})

test('nobody takes back or replaces an invitation to more than they may give', async () => {
  const { id, admin, role, invitations, invite } = await makeBusiness('ADMIN')
  const settler = await used.make.member(id, 'SETTINGS_WRITE')
  const invitation = await invite('boss@example.com')
  const lesser = (await admin.post(`/v1/businesses/${id}/roles`, { name: 'Lesser', permissions: [] })).body

  const refused = await settler.delete(`${invitations}/${invitation.id}`)
  assert.equal(refusal(refused), '403 FORBIDDEN')
  assert.match(refused.body.message, /ADMIN/)
  const replacing = await settler.post(invitations, { email: 'BOSS@example.com', roleId: lesser.id })
  assert.equal(refusal(replacing), '403 FORBIDDEN')
  assert.deepEqual(
    (await admin.get(invitations)).body.items.map((shown: { roleId: string }) => shown.roleId),
    [role.id],
  )
  assert.equal((await admin.delete(`${invitations}/${invitation.id}`)).status, 200)
})

test('invitations are listed by whether they wait, were accepted, or came too late', async () => {
  const { id, admin, invite, invitations } = await makeBusiness()
  const bo = await used.make.user()
  const [waits, taken, late] = [
    await invite('waits@example.com'),
    await invite(bo.email),
    await invite('late@example.com'),
  ]
  assert.equal((await bo.post(ACCEPT, { token: await mint(id, taken.id) })).status, 200)
  const { control } = used.api.services.databases
  const past = new Date(Date.now() - 1_000)
  await control.updateTable('access.invitations').set({ expiresAt: past }).where('id', '=', late.id).execute()
  const listed = async (status: string) =>
    (await admin.get(`${invitations}?status=${status}`)).body.items.map((one: { id: string }) => one.id)
  assert.deepEqual(await listed('PENDING'), [waits.id])
  assert.deepEqual(await listed('ACCEPTED'), [taken.id])
  assert.deepEqual(await listed('EXPIRED'), [late.id])
  assert.equal((await admin.get(invitations)).body.items.length, 3)
})
