import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, createClient } from '../../support/client.ts'
import { holdClock } from '../../support/clock.ts'
import { linkIn } from '../../support/mail-server.ts'
import { useWorld } from '../../support/world.ts'

const world = useWorld({ providers: ['mail', 'sms'], worker: 'accounts', own: true })

async function invite(email: string, permissions = ['PRODUCTS_WRITE']) {
  const business = await world.make.business({ name: 'Harbour <Goods> & Sons' })
  const { body: role } = await business.admin.post(`${business.path}/roles`, { name: 'Editors', permissions })
  const { status, body, text } = await business.admin.post(`${business.path}/invitations`, { email, roleId: role.id })
  assert.equal(status, 201, text)
  const mail = await world.mailServer.mailTo(email)
  const token = linkIn(mail, '/invitation').searchParams.get('token') ?? ''
  return { business, role, invitation: body, mail, token }
}
const accept = (caller: Client, token: string) => caller.post('/v1/users/invitations/accept', { token })
const rolesOf = async (caller: Client) => (await caller.get('/v1/users/me')).body.roleIds

test('the invited address gets a mail, and its account becomes a member with what the mail holds', async () => {
  const ada = await world.make.user()
  const { business, role, invitation, mail, token } = await invite((ada.email ?? '').toUpperCase())
  assert.match(mail.subject ?? '', /You are invited to Harbour <Goods> & Sons/)
  assert.match(mail.text ?? '', /Editors/)
  assert.ok(mail.html?.includes('Harbour &lt;Goods&gt; &amp; Sons'), 'what people wrote is escaped')
  const link = linkIn(mail, '/invitation')
  assert.equal(link.origin + link.pathname, `${world.api.config.publicUrl}/admin/invitation`)
  assert.ok(!JSON.stringify(invitation).includes(token), 'the token is in the mail only')
  const page = await fetch(`${world.api.url}/invitation?token=${encodeURIComponent(token)}`)
  assert.ok((await page.text()).includes(token))

  assert.deepEqual(await rolesOf(ada), [])
  const accepted = await accept(ada, token)
  assert.deepEqual([accepted.status, accepted.body], [200, { success: true }], accepted.text)
  assert.deepEqual(await rolesOf(ada), [role.id])
  assert.equal((await ada.get('/v1/businesses')).body.items[0].id, business.id)
  const twice = await accept(ada, token)
  assert.deepEqual([twice.status, twice.body.details[0].error], [422, 'TOKEN_INVALID'])
  const [listed] = (await business.admin.get(`${business.path}/invitations`)).body.items
  assert.ok(listed.acceptedAt > 0)
})

test('to anybody else the token is worth nothing, and it still works for the one who was meant', async () => {
  const [ada, mallory] = [await world.make.user(), await world.make.user()]
  const { business, token, role } = await invite(ada.email ?? '')
  for (const other of [mallory, business.admin]) {
    const refused = await accept(other, token)
    assert.deepEqual([refused.status, refused.body.details[0].error], [422, 'TOKEN_INVALID'])
  }
  assert.equal((await accept(await world.make.guest(), token)).status, 403)
  assert.equal((await accept(world.make.anonymous(), token)).status, 401)
  assert.deepEqual(await rolesOf(mallory), [])
  assert.equal((await accept(ada, token)).status, 200)
  assert.deepEqual(await rolesOf(ada), [role.id])
})

test('an invitation that was taken back, or is older than seven days, is refused', async (t) => {
  const [ada, grace] = [await world.make.user(), await world.make.user()]
  const revoked = await invite(ada.email ?? '')
  const path = `${revoked.business.path}/invitations/${revoked.invitation.id}`
  assert.equal((await revoked.business.admin.delete(path)).status, 200)
  assert.deepEqual((await accept(ada, revoked.token)).body.details[0].error, 'TOKEN_INVALID')

  const late = await invite(grace.email ?? '')
  const clock = holdClock()
  t.after(() => clock.release())
  clock.advance(7 * 86_400 + 1)
  const again = await signedIn(grace)
  const expired = await accept(again, late.token)
  assert.deepEqual([expired.status, expired.body.details[0].error], [422, 'TOKEN_EXPIRED'])
  assert.deepEqual(await rolesOf(again), [])
})

/** A token that is valid by the clock as it stands now. */
async function signedIn({ id, email, sessionId }: { id: string; email: string | undefined; sessionId: string }) {
  const claims = { sub: id, sid: sessionId, provider: 'EMAIL', ...(email ? { email } : {}) }
  const { token } = await world.api.services.tokens.issue('access', claims)
  return createClient(world.api.url, { authorization: `Bearer ${token}` })
}

test('nobody invites somebody to more than they may do themselves, and no mail goes out', async () => {
  const business = await world.make.business()
  const manager = await world.make.member(business.id, 'SETTINGS_WRITE')
  const { body: role } = await business.admin.post(`${business.path}/roles`, { name: 'Boss', permissions: ['ADMIN'] })
  const email = `boss.${process.pid}@example.com`
  assert.equal((await manager.post(`${business.path}/invitations`, { email, roleId: role.id })).status, 403)
  const outsider = await world.make.user()
  assert.equal((await outsider.post(`${business.path}/invitations`, { email, roleId: role.id })).status, 403)
  const unknown = await business.admin.post(`${business.path}/invitations`, { email, roleId: 'role_unknown' })
  assert.deepEqual([unknown.status, unknown.body.details[0].error], [422, 'NOT_FOUND'])

  const next = await world.make.user()
  await invite(next.email ?? '') // a later mail has come, so an earlier one would have
  assert.ok(!world.mailServer.mails.some((mail) => mail.to?.[0]?.address === email))
})

test('a stranger who is given a role gets a mail, and has the role once they accept it', async () => {
  const ada = await world.make.user()
  const { admin, id, path } = await world.make.business({ name: 'Harbour Goods' })
  const { body: role } = await admin.post(`${path}/roles`, { name: 'Editors', permissions: ['PRODUCTS_WRITE'] })
  const given = await admin.put('/v1/users/set-role', { userId: ada.id, roleId: role.id, businessId: id })
  assert.equal(given.status, 200, given.text)
  const mail = await world.mailServer.mailTo(ada.email ?? '')
  assert.match(mail.text ?? '', /Harbour Goods.*Editors/s)
  assert.deepEqual(await rolesOf(ada), [])
  const token = linkIn(mail, '/invitation').searchParams.get('token') ?? ''
  assert.equal((await accept(admin, token)).status, 422)
  assert.equal((await accept(ada, token)).status, 200)
  assert.deepEqual(await rolesOf(ada), [role.id])
})
