import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markCustomers } from '#modules/customers/index.ts'
import { listRecipients } from '#modules/newsletter/sending/list-recipients.ts'
import { planRecipients } from '#modules/newsletter/sending/plan-recipients.ts'
import {
  abandonOrphans,
  abandonOwnClaims,
  claimRecipients,
  finishSends,
  type Result,
  recordHeartbeat,
  saveResults,
} from '#modules/newsletter/sending/recipients.ts'
import { PLANNER } from '#platform/database/connection.ts'
import { fillSubscribers } from '../../scenarios/send-storm.ts'
import { onServer } from '../../support/database.ts'
import { findSequentialScans, recordStatements, type Statement } from '../../support/explain.ts'
import { createSendWorker, openNewsletter } from '../../support/newsletter-api.ts'
import { useWorld } from '../../support/world.ts'

const env = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'letters@kontor.example' } // nobody is there
const used = useWorld({ own: true, env })

const LIMITS = { perSecond: 1_000, perSecondOfBusiness: 1_000 }

/** All that a send of twenty thousand says to its database, but for what it says again and again. */
async function statementsOfSend(): Promise<{ statements: Statement[]; rowsPerStatement: number[] }> {
  const newsletter = await openNewsletter(used.make, { cell: 'main' })
  const { db, id: businessId } = newsletter
  await fillSubscribers(db, newsletter, 20_000)
  const send = await newsletter.send(await newsletter.entry())
  const sendWorker = createSendWorker(used.api, { smtpUrl: env.SMTP_URL, perSecond: 1 })
  const key = { businessId, id: send.id }
  await sendWorker.start(db)
  await planRecipients(db, key, markCustomers) // reads all of them, as it must
  const statements = await recordStatements(async () => {
    await recordHeartbeat(db, 'snr_dead')
    const claimed = await claimRecipients(db, key, 'snr_dead', 50, LIMITS)
    const results = claimed
      .slice(0, 25)
      .map(({ subscriptionId }): Result => ({ subscriptionId, state: 'SENT', response: '250', dueAt: null }))
    await saveResults(db, key, 'snr_dead', results)
    assert.equal(await abandonOwnClaims(db, 'snr_dead'), 25)
    await abandonOrphans(db)
    await finishSends(db)
    await sendWorker.deliver(db)
  })
  assert.equal(await send.state(), 'RUNNING sent 25 uncertain 25 planned 19950')
  sendWorker.close()
  return { statements, rowsPerStatement: await rowsRead(statements) }
}

type Plan = { 'Relation Name'?: string; 'Actual Rows': number; 'Actual Loops': number; Plans?: Plan[] }
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
const REMOVED = ['Rows Removed by Filter', 'Rows Removed by Join Filter', 'Rows Removed by Index Recheck'] as const

/** How many recipients each statement that claims, notes or gives up would look at, if it ran again. */
async function rowsRead(statements: readonly Statement[]): Promise<number[]> {
  const ofRecipients = statements.filter(({ text }) => /(update|from) newsletter\.recipients/.test(text))
  return onServer(async (client) => {
    const counts: number[] = []
    for (const { text, values } of ofRecipients) {
      await client.query('begin')
      const { rows } = await client.query(`explain (analyze, format json) ${text}`, values)
      await client.query('rollback')
      const scans = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'recipients')
      counts.push(Math.max(...scans.map(looks)))
    }
    return counts
  }, used.api.databases.main.url)
}
const looks = (node: Plan) =>
  REMOVED.reduce(
    (sum, name) =>
      sum +
      ((node as Record<string, unknown>)[name] === undefined ? 0 : Number((node as Record<string, unknown>)[name])),
    node['Actual Rows'],
  ) * node['Actual Loops']

test('a send finds its recipients by index, also when PostgreSQL knows nothing about it yet, and when it does', async () => {
  const fresh = await statementsOfSend()
  assert.deepEqual(await findSequentialScans(fresh.statements), [])
  assert.ok(Math.max(...fresh.rowsPerStatement) <= 200, `looked at ${fresh.rowsPerStatement.join()} recipients`)

  await onServer((client) => client.query('analyze'), used.api.databases.main.url)
  assert.deepEqual(await findSequentialScans(fresh.statements), [])
  const second = await statementsOfSend() // the statistics know of the first one only
  assert.deepEqual(await findSequentialScans(second.statements), [])
  assert.ok(Math.max(...second.rowsPerStatement) <= 200, `looked at ${second.rowsPerStatement.join()} recipients`)
})

test('planning looks at nobody twice, also when PostgreSQL knows nothing about them yet', async () => {
  const newsletter = await openNewsletter(used.make, { cell: 'main' })
  const { db, id: businessId } = newsletter
  await onServer(
    (client) => client.query('alter table newsletter.subscriptions set (autovacuum_enabled = false)'),
    used.api.databases.main.url,
  )
  await fillSubscribers(db, newsletter, 60_000)
  const send = await newsletter.send(await newsletter.entry())
  const sendWorker = createSendWorker(used.api, { smtpUrl: env.SMTP_URL, perSecond: 1 })
  await sendWorker.start(db)
  sendWorker.close()
  const statements = await recordStatements(() => planRecipients(db, { businessId, id: send.id }, markCustomers))
  const looked = await onServer(async (client) => {
    for (const [name, value] of Object.entries(PLANNER)) await client.query(`set ${name} = ${value}`)
    await client.query('begin')
    await client.query('delete from newsletter.recipients where business_id = $1', [businessId])
    for (const { text } of statements) if (text.startsWith('set local')) await client.query(text)
    const { text = '', values } = statements.find(({ text }) => /^\s*select subscription\.id/.test(text)) ?? {}
    const { rows } = await client.query(`explain (analyze, format json) ${text}`, values)
    await client.query('rollback')
    const scans = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === 'subscriptions')
    return Math.max(...scans.map(looks))
  }, used.api.databases.main.url)
  assert.equal(looked, 20_000)
})

test('a page of what became of readers looks at no more of them than it shows', async () => {
  const newsletter = await openNewsletter(used.make, { cell: 'main' })
  const { db, id: businessId } = newsletter
  await fillSubscribers(db, newsletter, 20_000)
  const entry = await newsletter.entry()
  const send = await newsletter.send(entry)
  const sendWorker = createSendWorker(used.api, { smtpUrl: env.SMTP_URL, perSecond: 1 })
  await sendWorker.start(db)
  sendWorker.close()
  const key = { businessId, id: send.id }
  await planRecipients(db, key, markCustomers)
  for (let claims = 0; claims < 10; claims++) {
    const claimed = await claimRecipients(db, key, 'snr_one', 1_000, {
      perSecond: undefined,
      perSecondOfBusiness: undefined,
    })
    const results = claimed.map(
      ({ subscriptionId }, index): Result => ({
        subscriptionId,
        state: index % 100 ? 'SENT' : 'FAILED',
        response: '',
        dueAt: null,
      }),
    )
    await saveResults(db, key, 'snr_one', results)
  }
  assert.equal(await send.state(), 'RUNNING sent 9900 failed 100 planned 10000')
  for (const status of [undefined, 'FAILED', 'UNCERTAIN', 'PLANNED'] as const) {
    const statements = await recordStatements(() =>
      listRecipients(db, businessId, { entryId: entry.id, id: send.id }, { limit: 20, status }),
    )
    const listed = statements.filter(({ text }) => /from newsletter\.recipients/.test(text))
    assert.deepEqual(await findSequentialScans(listed), [])
    assert.ok((await rowsRead(listed))[0]! <= 21, `${status ?? 'all'}: ${(await rowsRead(listed)).join()}`)
  }
  await send.move('cancel')
})
