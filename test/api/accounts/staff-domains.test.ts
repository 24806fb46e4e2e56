import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { jobs } from '../../../src/apps/jobs.ts'
import { runCli } from '../../support/cli.ts'
import { useHeldClock } from '../../support/clock.ts'
import { onServer } from '../../support/database.ts'
import { type MailServer, startMailServer } from '../../support/mail-server.ts'
import { refusal } from '../../support/refusal.ts'
import { openStaffDesk, PUBLIC, type StaffDesk } from '../../support/staff-desk.ts'
import { startTestWorker, type TestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'

const HOUR = 3_600
const DAY = 24 * HOUR
const GRACE_DAYS = 7

const clock = useHeldClock()
let desk: StaffDesk
let mail: MailServer
let worker: TestWorker
before(async () => {
  desk = await openStaffDesk()
  mail = await startMailServer()
  const env = { ...desk.api.databases.env, ...desk.env, ...mail.env, PUBLIC_URL: PUBLIC }
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

type Desk = Awaited<ReturnType<StaffDesk['openBusiness']>>

/** Runs the hourly job, and what it enqueues. */
async function check() {
  const job = jobs.find(({ name }) => name === 'accounts.check-domains')
  assert.ok(job?.on === 'control')
  await transaction(desk.control, (tx) => enqueue(tx, job, {}))
  const waiting = () =>
    onServer(
      (client) => client.query(`select from graphile_worker.jobs where task_identifier like 'accounts.%'`),
      desk.api.databases.main.url,
    )
  await until('the jobs have run', async () => (await waiting()).rowCount === 0)
}
const nextDay = async () => {
  clock.advance(DAY)
  await check()
}
/** Tokens expire while the clock moves. */
const adminOf = ({ admin }: Desk) => desk.make.sessionOf(admin)
const domainOf = async (business: Desk) => {
  const { body } = await (await adminOf(business)).get(business.provider)
  return body.domains.find(({ domain }: { domain: string }) => domain === business.domain)
}
const recordOf = ({ saved }: Desk) => saved.body.domains[0].record as { name: string; value: string }
const removeRecord = (business: Desk) => void desk.names.texts.delete(recordOf(business).name)
const restoreRecord = (business: Desk) => {
  const { name, value } = recordOf(business)
  desk.names.texts.set(name, [value])
}
type Entry = { action: string; subject: string; data: Record<string, unknown> }
const auditOf = async (business: Desk) => {
  const { body } = await (await adminOf(business)).get(`${business.path}/audit?limit=100`)
  const entries = (body.items as Entry[]).filter(({ subject }) => subject === business.domain)
  return entries.map(({ action, data }) => ({ action, data })).toReversed()
}
const actionsOf = async (business: Desk) => (await auditOf(business)).map(({ action }) => action)
const subjectsTo = (address = '') =>
  mail.mails.filter(({ to }) => to?.[0]?.address === address).map(({ subject }) => subject)
const newPerson = ({ domain }: { domain: string }) => ({
  sub: randomBytes(6).toString('hex'),
  email: `${randomBytes(4).toString('hex')}@${domain}`,
})
const isIn = async (person: { get: (path: string) => Promise<{ status: number }> }) =>
  (await person.get('/v1/users/me')).status === 200

describe('proof of a domain', () => {
  test('is checked daily', async () => {
    const business = await desk.openBusiness()
    const first = await domainOf(business)
    assert.deepEqual([first.lastResult, first.lapsesAt], ['FOUND', null])
    clock.advance(HOUR)
    await check()
    assert.equal((await domainOf(business)).lastCheckedAt, first.lastCheckedAt, 'not due yet')
    await nextDay()
    const second = await domainOf(business)
    assert.equal(second.lastCheckedAt, first.lastCheckedAt + DAY + HOUR)
    assert.deepEqual([second.status, second.lastResult, second.lapsesAt], ['PROVEN', 'FOUND', null])
    assert.deepEqual(await actionsOf(business), ['sign-in-domain.proven'])
  })

  for (const result of ['MISSING', 'UNREACHABLE'] as const)
    test(`lapses after seven days of ${result} checks`, async (t) => {
      const business = await desk.openBusiness()
      const { name } = recordOf(business)
      if (result === 'MISSING') removeRecord(business)
      else desk.names.silent.add(name)
      t.after(() => desk.names.silent.delete(name))
      await nextDay()
      const failing = await domainOf(business)
      assert.deepEqual(
        [failing.status, failing.lastResult, failing.lapsesAt],
        ['PROVEN', result, failing.lastCheckedAt + GRACE_DAYS * DAY],
      )
      assert.deepEqual(subjectsTo(business.admin.email), [`Action required: couldn't verify ${business.domain}`])
      for (let day = 1; day < GRACE_DAYS; day++) await nextDay()
      assert.equal((await domainOf(business)).status, 'PROVEN', 'within the grace')
      assert.equal(subjectsTo(business.admin.email).length, 1, 'said once')
      const person = await desk.enter(business.id, newPerson(business))
      assert.ok(await isIn(person))

      clock.advance(DAY)
      const claims = newPerson(business)
      const waiting = await desk.signIn(business.id, desk.claiming(claims))
      const still = await desk.enter(business.id, newPerson(business))
      await check()
      const lapsed = await domainOf(business)
      assert.deepEqual([lapsed.status, lapsed.provenAt, lapsed.lapsesAt], ['PENDING', null, null])
      assert.equal(lapsed.lastResult, result)
      assert.equal(await isIn(still), false, 'its sessions have ended')
      assert.equal(refusal(await desk.redeem(waiting.code)), '403 FORBIDDEN', 'and none begins')
      assert.equal((await desk.signIn(business.id, desk.claiming(claims))).error, 'access_denied')
      assert.equal(subjectsTo(business.admin.email).at(-1), `Staff sign-in for ${business.domain} has stopped`)
      const [, failed, last] = await auditOf(business)
      assert.deepEqual(failed, {
        action: 'sign-in-domain.check-failed',
        data: { result, lapsesAt: failing.lapsesAt },
      })
      assert.equal(last?.action, 'sign-in-domain.lapsed')
      assert.equal(last.data.result, result)

      desk.names.silent.delete(name)
      restoreRecord(business)
      const again = await (await adminOf(business)).post(`${business.provider}/check-domain`, {
        domain: business.domain,
      })
      assert.equal(again.body.status, 'PROVEN')
    })

  test('stays when its record is back in time', async () => {
    const business = await desk.openBusiness()
    removeRecord(business)
    await nextDay()
    assert.ok((await domainOf(business)).lapsesAt)
    restoreRecord(business)
    await nextDay()
    const { status, lapsesAt } = await domainOf(business)
    assert.deepEqual([status, lapsesAt], ['PROVEN', null])
    for (let day = 0; day <= GRACE_DAYS; day++) await nextDay()
    assert.equal((await domainOf(business)).status, 'PROVEN')
    assert.deepEqual(await actionsOf(business), [
      'sign-in-domain.proven',
      'sign-in-domain.check-failed',
      'sign-in-domain.recovered',
    ])
  })

  test('by the operator is not checked', async () => {
    const business = await desk.openBusiness({ isProven: false })
    const proved = await runCli(['business', 'domain', 'prove', business.id, business.domain], desk.api.databases.env)
    assert.equal(proved.code, 0)
    for (let day = 0; day <= GRACE_DAYS + 1; day++) await nextDay()
    const { status, lastCheckedAt } = await domainOf(business)
    assert.deepEqual([status, lastCheckedAt], ['PROVEN', null])
  })

  test('by another business is announced to the first, without naming it', async () => {
    const first = await desk.openBusiness()
    const second = await desk.openBusiness()
    const both = await second.admin.put(second.provider, { domains: [second.domain, first.domain] })
    const { record } = both.body.domains.find(({ domain }: { domain: string }) => domain === first.domain)
    desk.names.texts.set(record.name, [recordOf(first).value, record.value])
    await second.admin.post(`${second.provider}/check-domain`, { domain: first.domain })
    assert.deepEqual((await auditOf(first)).at(-1), { action: 'sign-in-domain.proven-elsewhere', data: {} })
    const sent = await mail.mailTo(first.admin.email ?? '')
    assert.equal(sent.subject, `Another business has verified ${first.domain}`)
    assert.ok(!sent.text?.includes(second.id))
  })

  test('is announced in German to a business whose default locale is German', async () => {
    const business = await desk.openBusiness()
    const changed = await business.admin.put(business.path, { defaultLocale: 'de-DE', locales: ['de-DE'] })
    assert.equal(changed.status, 200, changed.text)
    removeRecord(business)
    await nextDay()
    const sent = await mail.mailTo(business.admin.email ?? '')
    assert.equal(sent.subject, `Bitte handeln: Kein Nachweis mehr für ${business.domain}`)
    assert.ok(sent.html?.includes('<html lang="de">'))
    assert.ok(sent.text?.includes(recordOf(business).value))
  })
})

describe('sessions by the provider of a business', () => {
  test('end when the provider is removed', async () => {
    const business = await desk.openBusiness()
    const person = await desk.enter(business.id, newPerson(business))
    const other = await desk.openBusiness()
    const stays = await desk.enter(other.id, newPerson(other))
    const waiting = await desk.signIn(business.id, desk.claiming(newPerson(business)))
    assert.equal((await (await adminOf(business)).delete(business.provider)).status, 200)
    assert.deepEqual([await isIn(person), await isIn(stays)], [false, true])
    assert.equal(refusal(await desk.redeem(waiting.code)), '403 FORBIDDEN')
  })

  test('end when their domain is removed, and not those of another', async () => {
    const business = await desk.openBusiness()
    const kept = `kept.${business.domain}`
    const saved = await (await adminOf(business)).put(business.provider, { domains: [business.domain, kept] })
    const { record } = saved.body.domains.find(({ domain }: { domain: string }) => domain === kept)
    desk.names.texts.set(record.name, [record.value])
    await (await adminOf(business)).post(`${business.provider}/check-domain`, { domain: kept })
    const [gone, stays] = [
      await desk.enter(business.id, newPerson(business)),
      await desk.enter(business.id, newPerson({ domain: kept })),
    ]
    await (await adminOf(business)).put(business.provider, { domains: [kept] })
    assert.deepEqual([await isIn(gone), await isIn(stays)], [false, true])
  })
})
