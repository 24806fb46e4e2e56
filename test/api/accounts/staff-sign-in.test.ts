import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { suspendBusiness } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { json, openHostileProvider } from '../../scenarios/hostile-provider.ts'
import { createClient } from '../../support/client.ts'
import { addTotp, codeOf } from '../../support/factors.ts'
import { openIdentityProvider } from '../../support/identity-provider.ts'
import { refusal } from '../../support/refusal.ts'
import { CALLBACK, openStaffDesk, PUBLIC, SHOP, type StaffDesk } from '../../support/staff-desk.ts'

let desk: StaffDesk
before(async () => {
  desk = await openStaffDesk()
})
after(() => desk.close())

const newSub = () => `sub-${randomBytes(6).toString('hex')}`
const rolesOf = async (businessId: string, userId: string) => {
  const rows = await desk.control
    .selectFrom('access.memberships')
    .select(['roleId', 'fromProvider'])
    .where((row) => row.and({ businessId, userId }))
    .orderBy('roleId')
    .execute()
  return rows.map(({ roleId, fromProvider }) => `${roleId}${fromProvider ? ' from the provider' : ''}`)
}
/** All that a sign-in could leave behind. */
const traces = async () => {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from accounts.users) as users, (select count(*) from accounts.sessions) as sessions,
           (select count(*) from accounts.identities) as identities, (select count(*) from access.memberships) as members,
           (select count(*) from accounts.oauth_flows where code_hash is not null) as codes`.execute(desk.control)
  return rows[0]
}
const giveFactor = (userId: string) =>
  desk.control
    .insertInto('accounts.secondFactors')
    .values({ userId, sealedSecret: Buffer.from('x'), createdAt: now(), confirmedAt: now() })
    .execute()

test('a person signs in with a real provider of their business, has the role that it says, and is out when it says so', async (t) => {
  const business = await desk.make.business()
  const logoutUrl = `${desk.api.url}/v1/users/login/logout/${business.id}`
  const idp = await openIdentityProvider(`${PUBLIC}${CALLBACK}/${business.id}`, undefined, logoutUrl)
  t.after(() => idp.close())
  const { body: role } = await business.admin.post(`${business.path}/roles`, {
    name: 'Editors',
    permissions: ['CONTENT_WRITE'],
  })
  const domain = 'real.example'
  const provider = `${business.path}/sign-in-provider`
  const saved = await business.admin.put(provider, {
    issuer: idp.issuer,
    clientId: idp.env.OIDC_CLIENT_ID,
    clientSecret: idp.env.OIDC_CLIENT_SECRET,
    domains: [domain],
    roleClaim: 'name',
    roles: [{ value: 'Editor of the shop', roleId: role.id }],
  })
  assert.equal(saved.status, 200, saved.text)
  await desk.prove({ admin: business.admin, domain, provider, saved })
  const email = `ada@${domain}`
  idp.people.set('ada', { sub: 'ada', email, email_verified: true, name: 'Editor of the shop' })

  const { url } = await desk.start(business.id)
  const arrived = await idp.logIn(url.href, 'ada')
  assert.equal(arrived.pathname, `${CALLBACK}/${business.id}`)
  const { error, code } = await desk.arrive(arrived.pathname, Object.fromEntries(arrived.searchParams))
  assert.equal(error, null)
  const { body, status, text } = await desk.redeem(code)
  assert.equal(status, 200, text)
  assert.deepEqual(await rolesOf(business.id, body.userId), [`${role.id} from the provider`])
  const session = await desk.control
    .selectFrom('accounts.sessions')
    .select(['staffOf', 'endsAt'])
    .where('userId', '=', body.userId)
    .executeTakeFirstOrThrow()
  assert.equal(session.staffOf, business.id)
  const hours = ((session.endsAt?.getTime() ?? 0) - Date.now()) / 3_600_000
  assert.ok(hours > 23 && hours <= 24, 'it ends after a day')

  const ada = createClient(desk.api.url, { authorization: `Bearer ${body.accessToken}` })
  assert.equal((await ada.get('/v1/users/me')).status, 200)
  await idp.tellLogout('ada')
  assert.equal((await ada.get('/v1/users/me')).status, 401, 'the provider has told that she is gone')
  assert.deepEqual(await rolesOf(business.id, body.userId), [])
})

test('roles follow what the provider says at each login; those that people gave stay', async () => {
  const business = await desk.openBusiness()
  const { id, admin, path, roleId, domain, provider } = business
  const { body: packers } = await admin.post(`${path}/roles`, { name: 'Packers', permissions: ['ORDERS_WRITE'] })
  const { body: byHand } = await admin.post(`${path}/roles`, { name: 'By hand', permissions: ['PROMOS_WRITE'] })
  const roles = [
    { value: 'editors', roleId },
    { value: 'packers', roleId: packers.id },
  ]
  await admin.put(provider, { roles })
  const claims = { sub: newSub(), email: `bo@${domain}` }
  const { userId } = await desk.enter(id, { ...claims, groups: ['editors', 'strangers'] })
  assert.deepEqual(await rolesOf(id, userId), [`${roleId} from the provider`])
  const given = await admin.put('/v1/users/set-role', { userId, roleId: byHand.id, businessId: id })
  assert.equal(given.status, 200, given.text)

  await desk.enter(id, { ...claims, groups: 'packers' })
  assert.deepEqual(await rolesOf(id, userId), [`${packers.id} from the provider`, `${byHand.id}`].sort())
  await desk.enter(id, { ...claims, groups: [] })
  assert.deepEqual(await rolesOf(id, userId), [byHand.id], 'still a member, by hand')
})

test('whoever the provider gives no role any more is no member any more, and does not come in', async () => {
  const { id, domain, path } = await desk.openBusiness()
  const claims = { sub: newSub(), email: `cy@${domain}` }
  const cy = await desk.enter(id, claims)
  assert.ok('contactEmail' in (await cy.get(path)).body)
  const { error, code } = await desk.signIn(id, desk.claiming({ ...claims, groups: ['strangers'] }))
  assert.deepEqual([error, code], ['access_denied', null])
  assert.deepEqual(await rolesOf(id, cy.userId), [])
  assert.ok(!('contactEmail' in (await cy.get(path)).body), 'at once, also in sessions that are open')
})

test('the last ADMIN stays, whatever the provider says', async () => {
  const { id, admin, domain, provider } = await desk.openBusiness()
  const adminRole = await desk.control
    .selectFrom('access.memberships')
    .select('roleId')
    .where('userId', '=', admin.id)
    .where('businessId', '=', id)
    .executeTakeFirstOrThrow()
  await admin.put(provider, { roles: [{ value: 'owners', roleId: adminRole.roleId }] })
  const claims = { sub: newSub(), email: `dee@${domain}` }
  const { userId } = await desk.enter(id, { ...claims, groups: ['owners'] })
  await desk.control
    .deleteFrom('access.memberships')
    .where((row) => row.and({ businessId: id, userId: admin.id }))
    .execute()
  await desk.signIn(id, desk.claiming({ ...claims, groups: [] }))
  assert.deepEqual(await rolesOf(id, userId), [`${adminRole.roleId} from the provider`])
})

test('nobody with an address of another domain gets in, and nothing is left behind', async () => {
  const { id, domain } = await desk.openBusiness()
  const pending = await desk.openBusiness({ isProven: false })
  const victim = await desk.make.user()
  const foreign = await desk.openBusiness()
  const tries: [string, Record<string, unknown>][] = [
    [id, { email: victim.email }],
    [id, { email: 'new@elsewhere.example' }],
    [id, { email: `ed@${foreign.domain}` }],
    [id, { email: `ed@sub.${domain}` }],
    [id, { email: `ed@evil-${domain}` }],
    [id, { email: `ed@${domain}`, email_verified: false }],
    [id, { email: `ed@${domain}`, email_verified: undefined }],
    [id, { email: `ed@${domain}`, email_verified: 'true' }],
    [id, { email: undefined }],
    [id, { email: `ed@${domain}`, groups: ['strangers'] }],
    [id, { email: `ed@${domain}`, groups: { editors: true } }],
    [pending.id, { email: `ed@${pending.domain}` }],
  ]
  for (const [businessId, claims] of tries) {
    desk.idp.setUserInfo({ sub: 'nobody' })
    const before = await traces()
    const { error, code } = await desk.signIn(businessId, desk.claiming({ sub: newSub(), ...claims }))
    assert.ok(error === 'access_denied' || error === 'login_failed', JSON.stringify(claims))
    assert.equal(code, null)
    assert.deepEqual(await traces(), before, JSON.stringify(claims))
  }
})

test('an invalid email address › signs nobody in, and the error says why', async () => {
  const { id, domain } = await desk.openBusiness()
  for (const email of [
    `"ed@${domain}"@elsewhere.example`,
    `"bob@example.com"@${domain}`,
    `"q q"@${domain}`,
    `ed..x@${domain}`,
    'a@localhost',
    'a@[127.0.0.1]',
  ]) {
    const before = await traces()
    const { error, code } = await desk.signIn(id, desk.claiming({ sub: newSub(), email }))
    assert.deepEqual([error, code], ['email_invalid', null], email)
    assert.deepEqual(await traces(), before, email)
  }
  const sub = newSub()
  await desk.enter(id, { sub, email: `ed@${domain}` })
  const known = await desk.signIn(id, desk.claiming({ sub, email: `"ed"@${domain}` }))
  assert.equal(known.error, null, 'an account that has joined counts by its own address')
})

test('an address counts as verified only by the document that names it: id token or userinfo', async () => {
  const { id, domain } = await desk.openBusiness()
  for (const [token, userInfo, isIn] of [
    [{ email: 'boss' }, { email: 'me', email_verified: true }, false],
    [{ email_verified: true }, { email: 'boss' }, false],
    [{ email_verified: true }, { email: 'boss', email_verified: false }, false],
    [{ email: 'boss', email_verified: false }, { email: 'boss', email_verified: true }, false],
    [{ email: 'me' }, { email: 'me', email_verified: true }, true],
    [{}, { email: 'me', email_verified: true }, true],
  ] as const) {
    const sub = newSub()
    const at = ({ email, ...more }: { email?: string; email_verified?: boolean }) => ({
      ...more,
      ...(email && { email: `${email}@${domain}` }),
    })
    desk.idp.setUserInfo({ sub, groups: ['editors'], ...at(userInfo) })
    const said = { sub, groups: undefined, email_verified: undefined, ...at(token) }
    const { error } = await desk.signIn(id, desk.claiming(said))
    assert.equal(error, isIn ? null : 'access_denied', JSON.stringify([token, userInfo]))
  }
})

test('an identity that has joined an account of another domain opens it for no business', async () => {
  const { id, domain } = await desk.openBusiness()
  const victim = await desk.make.user()
  const subject = newSub()
  await desk.control
    .insertInto('accounts.identities')
    .values({ issuer: desk.idp.issuer, subject, userId: victim.id, createdAt: now() })
    .execute()
  const before = await traces()
  const { error } = await desk.signIn(id, desk.claiming({ sub: subject, email: `ed@${domain}` }))
  assert.equal(error, 'access_denied')
  assert.deepEqual(await traces(), before)
})

test('an account of a proven domain is joined, not doubled', async () => {
  const { id, domain } = await desk.openBusiness()
  const member = await desk.make.user()
  const email = `fay@${domain}`
  await desk.control.updateTable('accounts.users').set({ email, emailKey: email }).where('id', '=', member.id).execute()
  const { userId } = await desk.enter(id, { sub: newSub(), email: `Fay@${domain.toUpperCase()}` })
  assert.equal(userId, member.id)
})

const nowSeconds = () => Math.floor(Date.now() / 1000)

test('a token that is not right in every part logs nobody in', async () => {
  const { id, domain } = await desk.openBusiness()
  const stranger = await openHostileProvider()
  const lies: Record<string, Parameters<typeof desk.claiming>> = {
    'another issuer': [{ iss: 'https://evil.example' }],
    'another audience': [{ aud: 'another-client' }],
    'two audiences, issued to the other': [{ aud: ['kontor', 'another'], azp: 'another' }],
    'another nonce': [{ nonce: 'another' }],
    'no nonce': [{ nonce: undefined }],
    'an expired token': [{ iat: nowSeconds() - 7_200, exp: nowSeconds() - 3_600 }],
    'a token from the future': [{ iat: nowSeconds() + 3_600, exp: nowSeconds() + 7_200 }],
    'another key': [{}, { key: desk.idp.foreignKey }],
  }
  for (const [lie, [claims, options]] of Object.entries(lies)) {
    const before = await traces()
    const answer = desk.claiming({ sub: newSub(), email: `gil@${domain}`, ...claims }, options)
    const { error, code } = await desk.signIn(id, answer)
    assert.deepEqual([error, code], ['login_failed', null], lie)
    assert.deepEqual(await traces(), before, lie)
  }
  const before = await traces()
  const { error } = await desk.signIn(id, async (response, { nonce }) =>
    json(response, {
      access_token: 'x',
      token_type: 'Bearer',
      id_token: await stranger.idToken({ sub: newSub(), email: `gil@${domain}`, email_verified: true, nonce }),
    }),
  )
  assert.equal(error, 'login_failed', 'another provider’s token')
  assert.deepEqual(await traces(), before)
  await stranger.close()
})

test('an answer is good for the sign-in that began with this business, once', async () => {
  const [here, there] = [await desk.openBusiness(), await desk.openBusiness()]
  for (const path of [`${CALLBACK}/${there.id}`, CALLBACK]) {
    const { state, nonce } = await desk.start(here.id)
    const code = newSub()
    desk.idp.plan(code, nonce, desk.claiming({ sub: newSub(), email: `hal@${here.domain}` }))
    assert.equal((await desk.arrive(path, { code, state })).status, 422, 'at another’s address')
    assert.equal((await desk.arrive(`${CALLBACK}/${here.id}`, { code, state })).status, 422, 'the state is used up')
  }
  const { state, nonce } = await desk.start(here.id)
  const code = newSub()
  desk.idp.plan(code, nonce, desk.claiming({ sub: newSub(), email: `hal@${here.domain}` }))
  const statuses = await Promise.all(
    Array.from({ length: 5 }, async () => (await desk.arrive(`${CALLBACK}/${here.id}`, { code, state })).status),
  )
  assert.deepEqual(
    statuses.sort((a, b) => a - b),
    [302, 422, 422, 422, 422],
  )
  const { url } = await desk.start(here.id)
  assert.equal(url.searchParams.get('redirect_uri'), `${PUBLIC}${CALLBACK}/${here.id}`)
})

test('a provider that is away: the login says so, and what to do instead', async () => {
  const idp = await openHostileProvider()
  const { id } = await desk.openBusiness({ issuer: idp.issuer })
  const { state } = await desk.start(id)
  await idp.close()
  const { error } = await desk.arrive(`${CALLBACK}/${id}`, { code: 'x', state })
  assert.ok(error === 'login_failed' || error === 'temporarily_unavailable', String(error))
  const silent = await desk.openBusiness()
  await desk.control
    .updateTable('accounts.signInProviders')
    .set({ issuer: idp.issuer })
    .where('businessId', '=', silent.id)
    .execute()
  const answer = await desk.loginUrl(silent.id)
  assert.equal(refusal(answer), '502 PROVIDER_FAILED')
  assert.match(answer.body.message, /Try again shortly, log in another way/)
})

test('a business without a provider, a suspended one and none at all have no such login', async () => {
  const plain = await desk.make.business()
  const closed = await desk.openBusiness()
  const { state } = await desk.start(closed.id)
  await transaction(desk.control, (tx) => suspendBusiness(tx, closed.id, true))
  for (const id of [plain.id, 'biz_000000000000'])
    assert.equal(refusal(await desk.loginUrl(id)), '422 VALIDATION_FAILED businessId NOT_FOUND')
  assert.equal(refusal(await desk.loginUrl(closed.id)), '403 FORBIDDEN')
  const { error } = await desk.arrive(`${CALLBACK}/${closed.id}`, { code: 'x', state })
  assert.equal(error, 'access_denied')
})

/** Somebody of the business's domain who has an account from before. */
async function memberOf({ domain }: { domain: string }) {
  const member = await desk.make.user()
  const email = `${newSub()}@${domain}`
  await desk.control.updateTable('accounts.users').set({ email, emailKey: email }).where('id', '=', member.id).execute()
  return { ...member, email, subject: newSub() }
}
const isJoined = async (subject: string) =>
  (await desk.control.selectFrom('accounts.identities').select('userId').where('subject', '=', subject).execute())
    .length > 0
/** Of each session by a provider, whether a second factor was passed. */
const passedIn = async (userId: string) => {
  const sessions = await desk.control
    .selectFrom('accounts.sessions')
    .select('secondFactorAt')
    .where('userId', '=', userId)
    .where('staffOf', 'is not', null)
    .execute()
  return sessions.map(({ secondFactorAt }) => secondFactorAt !== null)
}

test('a second factor is asked for, unless it was passed at a provider that the business trusts in this', async () => {
  const wary = await desk.openBusiness()
  const trusting = await desk.openBusiness({ trustsSecondFactor: true })
  for (const [business, claims, isIn] of [
    [wary, {}, false],
    [wary, { amr: ['pwd', 'mfa'] }, false],
    [trusting, {}, false],
    [trusting, { amr: ['pwd'] }, false],
    [trusting, { amr: 'mfa' }, false],
    [trusting, { acr: '0' }, false],
    [trusting, { amr: ['pwd', 'mfa'] }, true],
    [trusting, { acr: 'phr' }, true],
  ] as const) {
    const { id: userId, email, subject } = await memberOf(business)
    await giveFactor(userId)
    await desk.control
      .insertInto('accounts.identities')
      .values({ issuer: desk.idp.issuer, subject, userId, createdAt: now() })
      .execute()
    const { code } = await desk.signIn(business.id, desk.claiming({ sub: subject, email, ...claims }))
    const answer = await desk.redeem(code)
    const shown = JSON.stringify(claims)
    assert.equal(refusal(answer), isIn ? '200' : '403 FORBIDDEN  SECOND_FACTOR_REQUIRED', shown)
    if (!isIn) assert.ok(answer.body.challenge, shown)
    assert.deepEqual(await passedIn(userId), isIn ? [true] : [], shown)
  }
})

test('an identity joins an account that has a second factor only after that factor, whatever its provider says', async () => {
  const business = await desk.openBusiness({ trustsSecondFactor: true })
  const { email, subject, ...member } = await memberOf(business)
  const { secret } = await addTotp(member)
  const claims = { sub: subject, email, amr: ['pwd', 'mfa'] }
  const first = await desk.signIn(business.id, desk.claiming(claims))
  const refused = await desk.redeem(first.code)
  assert.equal(refusal(refused), '403 FORBIDDEN  SECOND_FACTOR_REQUIRED')
  assert.deepEqual([await isJoined(subject), await passedIn(member.id)], [false, []])

  const { challenge } = refused.body
  const shown = { challenge, code: codeOf(secret) }
  assert.equal((await desk.anonymous().post('/v1/users/login/second-factor', shown)).status, 200)
  assert.ok(await isJoined(subject))
  await desk.enter(business.id, claims)
  assert.deepEqual(await passedIn(member.id), [true, true], 'from now on the provider is believed')
})

test('what a provider says of a second factor does not stand for the passkey of an account', async () => {
  const business = await desk.openBusiness({ trustsSecondFactor: true })
  const { id: userId, email, subject } = await memberOf(business)
  const passkey = { credentialId: randomBytes(16), publicKey: Buffer.from('x'), transports: [], name: 'Phone' }
  await desk.control
    .insertInto('accounts.passkeys')
    .values({ userId, id: `pky_${subject}`, counter: 0, createdAt: now(), ...passkey })
    .execute()
  const claims = { sub: subject, email, amr: ['mfa'] }
  await desk.enter(business.id, claims)
  const again = await desk.enter(business.id, claims)
  assert.deepEqual(await passedIn(userId), [false, false])
  assert.equal(refusal(await again.delete(`/v1/users/passkeys/pky_${subject}`)), '403 FORBIDDEN  OWN_SIGN_IN_REQUIRED')

  const newcomer = await desk.enter(business.id, {
    sub: newSub(),
    email: `${newSub()}@${business.domain}`,
    amr: ['mfa'],
  })
  assert.deepEqual(await passedIn(newcomer.userId), [true], 'who has no factor of their own has the provider’s')
})

test('the address that a login goes back to is the operator’s, as for every login', async () => {
  const { id } = await desk.openBusiness()
  const query = new URLSearchParams({
    provider: 'OAUTH_IDP',
    originUrl: SHOP,
    redirectUrl: 'https://evil.example',
    businessId: id,
  })
  const answer = await desk.anonymous().get(`/v1/users/login/url?${query.toString()}`)
  assert.equal(refusal(answer), '422 VALIDATION_FAILED redirectUrl INVALID_REDIRECT_URI')
})
