import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { now } from '#platform/clock.ts'
import { json, openHostileProvider } from '../../scenarios/hostile-provider.ts'
import { runCli } from '../../support/cli.ts'
import { createClient } from '../../support/client.ts'
import { createMake } from '../../support/make.ts'
import { refusal } from '../../support/refusal.ts'
import { CALLBACK, openStaffDesk, SECRET, SHOP, type StaffDesk } from '../../support/staff-desk.ts'
import { startApi } from '../../support/start-api.ts'

let desk: StaffDesk
before(async () => {
  desk = await openStaffDesk()
})
after(() => desk.close())

test('the provider of a business is set, read without its secret, changed and removed', async () => {
  const { admin, provider, domain, roleId, saved, id } = await desk.openBusiness({ isProven: false })
  const shown = saved.body
  assert.equal(shown.clientSecret, `••••${SECRET.slice(-4)}`)
  assert.deepEqual(shown.roles, [{ value: 'editors', roleId }])
  assert.deepEqual([shown.roleClaim, shown.trustsSecondFactor], ['groups', false])
  assert.equal(shown.callbackUrl, `http://localhost:3000/v1/users/login/callback/${id}`)
  assert.equal(shown.backchannelLogoutUrl, `http://localhost:3000/v1/users/login/logout/${id}`)
  assert.equal(shown.domains[0].status, 'PENDING')
  assert.equal(shown.domains[0].record.name, `_kontor.${domain}`)
  assert.deepEqual((await admin.get(provider)).body, shown)
  assert.ok(!saved.text.includes(SECRET))

  const changed = await admin.put(provider, { roleClaim: 'teams', trustsSecondFactor: true })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual(
    { ...changed.body, updatedAt: 0 },
    { ...shown, roleClaim: 'teams', trustsSecondFactor: true, updatedAt: 0 },
  )
  assert.equal(refusal(await admin.delete(provider)), '200')
  assert.equal(refusal(await admin.get(provider)), '404 NOT_FOUND')
  assert.equal(refusal(await admin.delete(provider)), '404 NOT_FOUND')
})

test('what is wrong with it is said field by field, and a secret goes to no other issuer or client', async () => {
  const { admin, path } = await desk.make.business()
  const provider = `${path}/sign-in-provider`
  const whole = { issuer: desk.idp.issuer, clientId: 'kontor', clientSecret: SECRET, domains: ['nobody.example'] }
  assert.equal(
    refusal(await admin.put(provider, {})),
    '422 VALIDATION_FAILED clientId REQUIRED clientSecret REQUIRED domains REQUIRED issuer REQUIRED',
  )
  for (const issuer of ['no address', 'ftp://login.example', 'https://a:b@login.example', 'https://login.example?x=1'])
    assert.equal(
      refusal(await admin.put(provider, { ...whole, issuer })),
      '422 VALIDATION_FAILED issuer INVALID',
      issuer,
    )
  const silent = await admin.put(provider, { ...whole, issuer: 'http://127.0.0.1:9' })
  assert.equal(refusal(silent), '422 VALIDATION_FAILED issuer INVALID')
  const roles = [{ value: 'editors', roleId: 'role_of_nobody' }]
  assert.equal(
    refusal(await admin.put(provider, { ...whole, roles })),
    '422 VALIDATION_FAILED roles.0.roleId NOT_FOUND',
  )
  for (const domain of ['Harbour.Example', 'localhost', '127.0.0.1', 'a..example', '@x.example', 'x.example.'])
    assert.equal((await admin.put(provider, { ...whole, domains: [domain] })).status, 422, domain)
  assert.equal(refusal(await admin.get(provider)), '404 NOT_FOUND', 'nothing of it was kept')

  assert.equal((await admin.put(provider, whole)).status, 200)
  for (const change of [{ issuer: 'https://evil.example' }, { clientId: 'another' }])
    assert.equal(refusal(await admin.put(provider, change)), '422 VALIDATION_FAILED clientSecret REQUIRED')
})

test('only an ADMIN in a session sets it, and with a second factor only after a proof', async () => {
  const { id, path, admin, provider } = await desk.openBusiness({ isProven: false })
  const others = [
    await desk.make.member(id, 'SETTINGS_WRITE'),
    await desk.make.apiKey(admin.id),
    (await desk.make.business()).admin,
  ]
  for (const caller of others)
    for (const answer of [
      await caller.get(provider),
      await caller.put(provider, { roleClaim: 'x' }),
      await caller.delete(provider),
      await caller.post(`${provider}/check-domain`, { domain: 'x.example' }),
    ])
      assert.equal(refusal(answer), '403 FORBIDDEN', path)
  await desk.control
    .insertInto('accounts.secondFactors')
    .values({
      userId: admin.id,
      sealedSecret: desk.make.box.seal(Buffer.from('x')),
      createdAt: now(),
      confirmedAt: now(),
    })
    .execute()
  const REFUSED = '403 FORBIDDEN  REAUTHENTICATION_REQUIRED'
  assert.equal(refusal(await admin.put(provider, { roleClaim: 'x' })), REFUSED)
  assert.equal(refusal(await admin.delete(provider)), REFUSED)
})

test('a domain is proven by its text record, not by another, and stays proven', async () => {
  const business = await desk.openBusiness({ isProven: false })
  const { admin, provider, domain, saved } = business
  const check = async (name = domain) => admin.post(`${provider}/check-domain`, { domain: name })
  const { record } = saved.body.domains[0]
  assert.equal((await check()).body.status, 'PENDING', 'no record')
  desk.names.texts.set(record.name, ['v=spf1 -all', `${record.value}x`])
  assert.equal((await check()).body.status, 'PENDING', 'another record')
  desk.names.texts.set(domain, [record.value])
  assert.equal((await check()).body.status, 'PENDING', 'at another name')
  desk.names.texts.set(record.name, ['v=spf1 -all', record.value])
  assert.equal((await check()).body.status, 'PROVEN')
  desk.names.texts.delete(record.name)
  assert.equal((await check()).body.status, 'PROVEN')
  assert.equal(refusal(await check('other.example')), '422 VALIDATION_FAILED domain NOT_FOUND')

  const more = await admin.put(provider, { domains: [domain, `more.${domain}`] })
  assert.deepEqual(
    more.body.domains.map((each: { status: string }) => each.status),
    ['PENDING', 'PROVEN'],
    'one that stays keeps its proof',
  )
  const other = await desk.openBusiness({ isProven: false })
  const theirs = await other.admin.put(other.provider, { domains: [domain] })
  assert.equal(theirs.body.domains[0].status, 'PENDING', 'a proof is for one business')
  assert.notEqual(theirs.body.domains[0].record.value, record.value)
})

test('a proof is for one issuer: with another, who has the name servers is asked again', async (t) => {
  const { admin, provider, domain, saved, id } = await desk.openBusiness()
  const own = await openHostileProvider()
  t.after(() => own.close())
  assert.equal((await admin.put(provider, { clientSecret: SECRET })).body.domains[0].status, 'PROVEN', 'the same one')
  const swapped = await admin.put(provider, { issuer: own.issuer, clientSecret: SECRET })
  const [{ status, record, provenAt }] = swapped.body.domains
  assert.deepEqual([status, provenAt], ['PENDING', null])
  assert.notEqual(record.value, saved.body.domains[0].record.value)
  assert.equal((await admin.post(`${provider}/check-domain`, { domain })).body.status, 'PENDING', 'by the old record')

  const { state, nonce } = await desk.start(id)
  own.plan('a-code', nonce, async (response, context) =>
    json(response, {
      access_token: 'x',
      token_type: 'Bearer',
      id_token: await own.idToken({
        sub: 'boss',
        email: `boss@${domain}`,
        email_verified: true,
        groups: ['editors'],
        nonce: context.nonce,
      }),
    }),
  )
  const { error, code } = await desk.arrive(`${CALLBACK}/${id}`, { code: 'a-code', state })
  assert.deepEqual([error, code], ['access_denied', null])
  desk.names.texts.set(record.name, [record.value])
  assert.equal((await admin.post(`${provider}/check-domain`, { domain })).body.status, 'PROVEN')
})

test('the operator can say that a domain is theirs', async () => {
  const { id, domain, admin, provider } = await desk.openBusiness({ isProven: false })
  const env = { ...desk.api.databases.env, ...desk.env }
  const [proven, unknown] = [
    await runCli(['business', 'domain', 'prove', id, domain, '--json'], env),
    await runCli(['business', 'domain', 'prove', id, 'other.example'], env),
  ]
  assert.equal(proven.code, 0, proven.err)
  assert.equal(proven.json.domain, domain)
  assert.equal((await admin.get(provider)).body.domains[0].status, 'PROVEN')
  assert.equal(unknown.code, 1)
  assert.match(unknown.err, /has no domain other\.example/)
})

test('an issuer on a private network is never spoken to', async (t) => {
  let connections = 0
  const sink = createServer((socket) => {
    connections++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(sink, 'listening')
  t.after(() => void sink.close())
  const { port } = sink.address() as AddressInfo
  const strict = await startApi({ databases: desk.api.databases, env: desk.names.env })
  t.after(() => strict.close())
  const { admin, path } = await createMake(strict).business()
  for (const issuer of [
    `https://127.0.0.1:${port}`,
    `https://localhost:${port}`,
    'https://LOCALHOST.',
    'https://login.localhost',
    'https://login.local',
    `https://[::1]:${port}`,
    `http://127.0.0.1:${port}`,
    'https://169.254.169.254',
    'https://10.0.0.1',
  ]) {
    const sent = { issuer, clientId: 'kontor', clientSecret: SECRET, domains: ['x.example'] }
    assert.equal(
      refusal(await admin.put(`${path}/sign-in-provider`, sent)),
      '422 VALIDATION_FAILED issuer INVALID',
      issuer,
    )
  }
  assert.equal(connections, 0)
})

test('a secret outlives the SECRET_KEY that it was sealed under, once keys were rotated', async (t) => {
  const { id } = await desk.openBusiness()
  const [old, fresh] = [
    desk.api.config.secretKeys[0]?.toString('base64') ?? '',
    Buffer.alloc(32, 'new').toString('base64'),
  ]
  const env = { ...desk.api.databases.env, ...desk.env }
  const rotated = await runCli(['keys', 'rotate', '--json'], { ...env, SECRET_KEY: `${fresh},${old}` })
  assert.equal(rotated.code, 0, rotated.err)
  const after = await startApi({ databases: desk.api.databases, env: { ...desk.env, SECRET_KEY: fresh } })
  t.after(() => after.close())
  const query = new URLSearchParams({ provider: 'OAUTH_IDP', originUrl: SHOP, redirectUrl: SHOP, businessId: id })
  const answer = await createClient(after.url).get(`/v1/users/login/url?${query.toString()}`)
  assert.equal(answer.status, 200, answer.text)
})
