import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { jobs } from '../../../src/apps/jobs.ts'
import { onServer } from '../../support/database.ts'
import { addTotp, codeOf } from '../../support/factors.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'
import { openStaffDesk, PUBLIC, type StaffDesk } from '../../support/staff-desk.ts'
import { startTestWorker, type TestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'

let desk: StaffDesk
let mail: MailServer
let worker: TestWorker
before(async () => {
  desk = await openStaffDesk()
  mail = await startMailServer()
  const env = { ...desk.api.databases.env, ...mail.env, PUBLIC_URL: PUBLIC }
  worker = startTestWorker(
    env,
    jobs.filter(({ name }) => name.startsWith('accounts.')),
  )
})
after(async () => {
  await worker.stop()
  await mail.close()
  await desk.close()
})

const newSub = () => `sub-${randomBytes(6).toString('hex')}`
const mailsTo = (address: string) => mail.mails.filter(({ to }) => to?.[0]?.address === address)
async function settle() {
  const waiting = () =>
    onServer(
      (client) => client.query(`select from graphile_worker.jobs where task_identifier like 'accounts.%'`),
      desk.api.databases.main.url,
    )
  await until('the jobs have run', async () => (await waiting()).rowCount === 0)
}
/** What the logs say of an account: of control (null), and of its businesses. */
const joinedOf = (userId: string) =>
  desk.control
    .selectFrom('access.auditLog')
    .select(['businessId', 'action', 'data'])
    .where('subject', '=', userId)
    .where('action', 'in', ['identity.linked', 'member.identity-joined'])
    .orderBy('id')
    .execute()

describe('identity that joins an account', () => {
  test('is announced to its person and in the logs of their businesses, which do not learn whose it is', async () => {
    const agency = await desk.openBusiness()
    const { boss, email, ...client } = await desk.openClient(agency.domain)
    const claims = { sub: newSub(), email }
    await desk.enter(agency.id, claims)
    const sent = await mail.mailTo(email)
    assert.match(sent.subject ?? '', /^You can now sign in through Business/)
    assert.match(sent.text ?? '', /gives access to Business \d+ only/)
    assert.deepEqual(await joinedOf(boss.id), [
      { businessId: null, action: 'identity.linked', data: { issuer: desk.idp.issuer } },
      { businessId: client.id, action: 'member.identity-joined', data: {} },
    ])

    await desk.enter(agency.id, claims)
    await settle()
    assert.equal(mailsTo(email).length, 1, 'once')
  })

  test('is named to a business of which the account is a member by its own provider', async () => {
    const agency = await desk.openBusiness()
    const email = `cleo@${agency.domain}`
    await desk.enter(agency.id, { sub: newSub(), email })
    const { userId } = await desk.enter(agency.id, { sub: newSub(), email })
    const named = (await joinedOf(userId)).filter(({ businessId }) => businessId === agency.id)
    assert.deepEqual(named, [
      { businessId: agency.id, action: 'member.identity-joined', data: { issuer: desk.idp.issuer } },
    ])
  })

  test('is announced once the second factor was shown, if the account has one', async () => {
    const agency = await desk.openBusiness()
    const { boss, email } = await desk.openClient(agency.domain)
    const { secret } = await addTotp(boss)
    const { code } = await desk.signIn(agency.id, desk.claiming({ sub: newSub(), email }))
    const { challenge } = (await desk.redeem(code)).body
    await settle()
    const before = mailsTo(email).length
    assert.deepEqual(await joinedOf(boss.id), [])
    await desk.anonymous().post('/v1/users/login/second-factor', { challenge, code: codeOf(secret) })
    await mail.mailTo(email, before + 1)
    assert.equal((await joinedOf(boss.id)).length, 3)
  })

  test('is not announced if it opens a new account', async () => {
    const agency = await desk.openBusiness()
    const email = `${newSub()}@${agency.domain}`
    await desk.enter(agency.id, { sub: newSub(), email })
    await settle()
    assert.equal(mailsTo(email).length, 0)
  })
})

describe('sizes of what a provider sends', () => {
  const long = (length: number) => 'x'.repeat(length)
  const cases: [string, Record<string, unknown>, boolean][] = [
    ['a subject of 255 characters', { sub: long(249) + newSub().slice(-6) }, true],
    ['a longer subject', { sub: long(256) }, false],
    ['a session ID of 500 characters', { sid: long(500) }, true],
    ['a longer session ID', { sid: long(501) }, false],
    ['1,000 groups', { groups: ['editors', ...Array.from({ length: 999 }, (_, index) => `group ${index}`)] }, true],
    ['more groups', { groups: ['editors', ...Array.from({ length: 1_000 }, (_, index) => `group ${index}`)] }, false],
    ['a group of 1,000 characters', { groups: ['editors', long(1_000)] }, true],
    ['a longer group', { groups: ['editors', long(1_001)] }, false],
    ['a longer group alone', { groups: long(1_001) }, false],
  ]
  for (const [what, claims, isIn] of cases)
    test(`${isIn ? 'allow' : 'do not allow'} ${what}`, async () => {
      const { id, domain } = await desk.openBusiness()
      const said = { sub: newSub(), email: `${newSub()}@${domain}`, ...claims }
      const { error } = await desk.signIn(id, desk.claiming(said))
      assert.equal(error, isIn ? null : 'identity_too_large')
    })
})
