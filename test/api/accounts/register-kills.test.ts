import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { accountJobs } from '#modules/accounts/index.ts'
import { openDatabases } from '#platform/database/database.ts'
import { useFaults } from '#platform/faults.ts'
import { startWorker } from '#platform/jobs/worker.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { openServices } from '#platform/services.ts'
import { startChild } from '../../support/accounts-child.ts'
import { createClient } from '../../support/client.ts'
import { onServer } from '../../support/database.ts'
import { linkIn, startMailServer } from '../../support/mail-server.ts'
import { startApi } from '../../support/start-api.ts'
import { type StartedWorld, startWorld } from '../../support/world.ts'

const PASSWORD = 'harbour lantern teapot'
let count = 0
const newEmail = () => `killed${++count}-${process.pid}@example.com`
const register = (url: string, email: string) =>
  createClient(url).post('/v1/users/register', { provider: 'EMAIL_REGISTER', email, password: PASSWORD })

type Job = { attempts: number; locked: boolean }
const jobsIn = (url: string) =>
  onServer(async (client) => {
    const { rows } = await client.query<Job>(`
      select jobs.attempts, jobs.locked_at is not null as locked from graphile_worker._private_jobs jobs
        join graphile_worker._private_tasks tasks on tasks.id = jobs.task_id
       where tasks.identifier = 'accounts.send-confirmation'`)
    return rows
  }, url)

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 30_000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It never came to pass: ${what}`)
    await sleep(20)
  }
}

describe('an API that is killed while somebody registers', () => {
  let world: StartedWorld<'mail' | 'sms'>
  before(async () => {
    world = await startWorld({ providers: ['mail', 'sms'], worker: 'accounts' })
  })
  after(() => world.close())

  const accountsOf = async (email: string) =>
    (
      await world.api.services.databases.control
        .selectFrom('accounts.users')
        .select('id')
        .where('emailKey', '=', email)
        .execute()
    ).length
  const mailsTo = (email: string) => world.mailServer.mails.filter((mail) => mail.to?.[0]?.address === email).length

  /** Registers with a process that dies at that place, and answers when it is dead and all jobs are done. */
  async function registerAndDie(t: TestContext, killAt: string): Promise<string> {
    const child = await startChild('api', { ...world.api.databases.env, ...world.env }, killAt)
    t.after(() => child.kill())
    const email = newEmail()
    await assert.rejects(register(child.url, email), 'no answer: the process is gone')
    assert.equal(await child.ended, 'SIGKILL')
    assert.ok(child.output.some((line) => line.includes(`"killed":"${killAt}"`)))
    // PostgreSQL has to notice that the connection is gone before it is known what became of the transaction.
    await until('no transaction is open', () =>
      onServer(async (client) => {
        const { rowCount } = await client.query(
          "select 1 from pg_stat_activity where datname = $1 and state like 'idle in transaction%'",
          [world.api.databases.main.name],
        )
        return rowCount === 0
      }),
    )
    await until('the queue is empty', async () => (await jobsIn(world.api.databases.main.url)).length === 0)
    return email
  }

  for (const killAt of ['register.before-transaction', 'register.before-commit']) {
    test(`at ${killAt} leaves neither an account nor a mail, and the address can register`, async (t) => {
      const email = await registerAndDie(t, killAt)
      assert.deepEqual([await accountsOf(email), mailsTo(email)], [0, 0])
      assert.equal((await register(world.api.url, email)).status, 200)
      await world.mailServer.mailTo(email)
      await until('the queue is empty', async () => (await jobsIn(world.api.databases.main.url)).length === 0)
      assert.deepEqual([await accountsOf(email), mailsTo(email)], [1, 1])
    })
  }

  test('at register.after-commit leaves an account, and its mail comes once', async (t) => {
    const email = await registerAndDie(t, 'register.after-commit')
    const link = linkIn(await world.mailServer.mailTo(email), '/confirm')
    assert.deepEqual([await accountsOf(email), mailsTo(email)], [1, 1])
    const again = await register(world.api.url, email)
    assert.deepEqual([again.status, again.body.details[0].error], [400, 'EMAIL_EXISTS'])
    const client = createClient(world.api.url)
    assert.equal((await client.put('/v1/users/confirm', { token: link.searchParams.get('token') })).status, 200)
    const login = await client.post('/v1/users/login', { provider: 'EMAIL', email, password: PASSWORD })
    assert.equal(login.status, 200)
  })
})

// One after the other: fault points are the process's, so the two would hear each other's.
describe('a worker that is killed while it sends the confirmation', () => {
  const watchers = new Set<(name: string) => Promise<void>>()
  before(() => {
    useFaults(async (name) => {
      for (const watch of watchers) await watch(name)
    })
  })
  after(() => useFaults(undefined))

  /** One account, one worker that dies at that place, and a second worker that takes over. Answers what came of it. */
  async function sendAndDie(t: TestContext, killAt: string) {
    const mailServer = await startMailServer()
    const api = await startApi({ env: mailServer.env })
    const { url } = api.databases.main
    t.after(async () => {
      await api.close()
      await mailServer.close()
    })
    const child = await startChild('worker', { ...api.databases.env, ...mailServer.env }, killAt)
    t.after(() => child.kill())
    const email = newEmail()
    assert.equal((await register(api.url, email)).status, 200)
    await until('the worker is dead', async () => child.isDead())
    assert.equal(await child.ended, 'SIGKILL', child.output.join('\n'))
    assert.deepEqual(await jobsIn(url), [{ attempts: 1, locked: true }], 'the job is still there')
    const mailsBefore = mailServer.mails.length

    const attempts: number[] = []
    const watch = async (name: string) => {
      const [job] = await jobsIn(url)
      if (name === 'send-confirmation.before-send' && job?.locked && job.attempts > 1) attempts.push(job.attempts)
    }
    watchers.add(watch)
    const databases = openDatabases(api.config.databases, { max: 4 })
    const services = openServices(api.config)
    const worker = startWorker({
      databases,
      jobs: accountJobs,
      services,
      log: pino({ level: 'silent' }),
      metrics: createMetrics(),
      abandon: () => {},
    })
    try {
      await until('the job is done', async () => (await jobsIn(url)).length === 0)
    } finally {
      watchers.delete(watch)
      await worker.stop()
      services.mail?.close()
      await databases.close()
    }
    return { api, email, attempts, mailsBefore, mails: mailServer.mails }
  }

  async function assertWorks(url: string, link: URL): Promise<void> {
    const token = link.searchParams.get('token')
    assert.equal((await createClient(url).put('/v1/users/confirm', { token })).status, 200)
  }

  test('before it was sent loses nothing: the next worker sends it, once', async (t) => {
    const { api, attempts, mailsBefore, mails } = await sendAndDie(t, 'send-confirmation.before-send')
    assert.deepEqual([mailsBefore, mails.length, attempts], [0, 1, [2]])
    for (const mail of mails) await assertWorks(api.url, linkIn(mail, '/confirm'))
  })

  test('after it was sent sends it twice, as the second attempt, recognisable as one mail', async (t) => {
    const { api, attempts, mailsBefore, mails } = await sendAndDie(t, 'send-confirmation.after-send')
    assert.deepEqual([mailsBefore, mails.length, attempts], [1, 2, [2]])
    assert.ok(mails[0]?.messageId)
    assert.equal(mails[1]?.messageId, mails[0]?.messageId)
    for (const mail of mails) await assertWorks(api.url, linkIn(mail, '/confirm'))
  })
})
