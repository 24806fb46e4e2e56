import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { defineJob } from '#platform/jobs/define.ts'
import { startStripeTwin } from '../../../twins/stripe/server.ts'
import { runCli } from '../../support/cli.ts'
import { onServer, withScratchDatabase } from '../../support/database.ts'
import { startMailServer } from '../../support/mail-server.ts'
import { createTestDatabases } from '../../support/start-api.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'

// A worker needs something that it could do.
const idle = defineJob({ name: 'test.idle', on: 'cell', payload: Type.Object({}), run: async () => {} })

type Check = { check: string; status: string; says: string; fix?: string }

async function doctor(env: Record<string, string>) {
  const run = await runCli(['doctor', '--json'], env)
  const checks = run.json.checks as Check[]
  const find = (name: string) => checks.find(({ check }) => check === name)
  return { ...run, checks, find, statusOf: (name: string) => find(name)?.status }
}

describe('doctor and init', { concurrency: 2 }, () => {
  test('where all is well it says so, and what is not configured is off', async (t) => {
    const databases = await createTestDatabases()
    t.after(() => databases.drop())
    const [mailServer, twin] = await Promise.all([
      startMailServer(),
      startStripeTwin({ secretKey: 'sk_test_twin', webhookSecret: 'whsec_twin' }),
    ])
    t.after(() => Promise.all([mailServer.close(), twin.close()]))
    const worker = startTestWorker(databases.env, [idle])
    t.after(() => worker.stop())
    const stripe = { STRIPE_SECRET_KEY: 'sk_test_twin', STRIPE_WEBHOOK_SECRET: 'whsec_twin', STRIPE_API_URL: twin.url }
    await until('its workers have announced themselves', async () => {
      const counts = await Promise.all(
        [databases.main, databases.second].map(({ url }) =>
          onServer((client) => client.query('select from cell.workers'), url),
        ),
      )
      return counts.every(({ rowCount }) => rowCount === 1)
    })
    const found = await doctor({ ...databases.env, ...mailServer.env, ...stripe })
    assert.deepEqual([found.code, found.json.ok], [0, true], found.out)
    for (const part of ['database', 'privileges', 'migrations', 'clock', 'workers', 'jobs']) {
      assert.equal(found.statusOf(`main: ${part}`), 'ok', `${part} ${found.out}`)
      assert.equal(found.statusOf(`cell second: ${part}`), 'ok', `${part} ${found.out}`)
    }
    for (const part of ['mail', 'payments', 'main: signing keys']) assert.equal(found.statusOf(part), 'ok', found.out)
    for (const part of ['identity', 'sms', 'ai', 'redis']) assert.equal(found.statusOf(part), 'off')
    assert.equal(mailServer.mails.length, 0)
  })

  test('what is wrong is told with what to do, each within its five seconds', async (t) => {
    const databases = await createTestDatabases()
    t.after(() => databases.drop())
    await onServer(async (client) => {
      await client.query("delete from control.migrations where name like '0005%'")
      await client.query("insert into cell.migrations (name, checksum) values ('99990101T0000_later.sql', '')")
      await client.query("insert into accounts.signing_keys values ('key_1', '{}', 'nonsense', now(), now())")
      await client.query("select graphile_worker.add_job('test.dead', max_attempts => 1)")
      await client.query('update graphile_worker._private_jobs set attempts = 1')
    }, databases.main.url)
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    t.after(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const twin = await startStripeTwin({ secretKey: 'sk_test_twin', webhookSecret: 'whsec_twin' })
    t.after(() => twin.close())
    const started = Date.now()
    const found = await doctor({
      DATABASE_URL: databases.main.url,
      CELLS: JSON.stringify({ gone: { url: 'postgres://nobody:hunter2@127.0.0.1:1/gone' } }),
      STRIPE_SECRET_KEY: 'sk_test_wrong',
      STRIPE_WEBHOOK_SECRET: 'whsec_twin',
      STRIPE_API_URL: twin.url,
      SMTP_URL: 'smtp://127.0.0.1:1',
      MAIL_FROM: 'a@example.com',
      OIDC_ISSUER: `http://127.0.0.1:${port}`,
      OIDC_CLIENT_ID: 'kontor',
      OIDC_CLIENT_SECRET: 'secret',
      REDIS_URL: `redis://127.0.0.1:${port}`,
    })
    assert.ok(Date.now() - started < 12_000)
    assert.deepEqual([found.code, found.json.ok], [1, false])
    const failed = [
      'main: migrations',
      'main: signing keys',
      'cell gone: database',
      'payments',
      'mail',
      'identity',
      'redis',
    ]
    for (const name of failed) assert.equal(found.statusOf(name), 'failed', `${name} ${found.out}`)
    for (const name of ['main: workers', 'main: jobs']) assert.equal(found.statusOf(name), 'warning', name)
    for (const { status, fix } of found.checks)
      assert.equal(fix !== undefined, status === 'failed' || status === 'warning')
    assert.match(found.find('main: migrations')?.says ?? '', /lacks control\/0005_/)
    assert.match(found.find('redis')?.says ?? '', /no answer within 5 seconds/)
    assert.doesNotMatch(found.out, /hunter2|sk_test_wrong/)
  })

  test('every problem of the settings is listed, and the database is looked at all the same', async () => {
    await withScratchDatabase(async (url) => {
      const env = { NODE_ENV: 'production', DATABASE_URL: url, PORT: 'x', SMTP_URL: 'smtp://127.0.0.1' }
      const run = await runCli(['doctor'], env)
      assert.equal(run.code, 1)
      assert.match(run.out, /^failed {3}configuration {2,}PORT must be a port number/m)
      assert.match(run.out, /^failed {3}configuration {2,}MAIL_FROM is required when SMTP_URL is set/m)
      assert.match(run.out, /^failed {3}configuration {2,}SECRET_KEY is required/m)
      assert.match(run.out, /^ok {7}main: database {2,}PostgreSQL \d+/m)
      assert.match(run.out, /^failed {3}main: migrations .*\n +→ Run: npm run db:migrate$/m)
      const list = await runCli(['business', 'list'], { DATABASE_URL: url })
      assert.deepEqual([list.code, list.out], [1, ''])
      assert.match(list.err, /^The database is not what this version needs \(.*\)\. Run: npm run db:migrate\n$/)
    })
  })

  test('init writes a file that works, once', async (t) => {
    const cwd = mkdtempSync(path.join(tmpdir(), 'kontor-init-'))
    t.after(() => rmSync(cwd, { recursive: true }))
    const url = "postgres://u:p$&'x@127.0.0.1:1/kontor?a=1&b=2"
    const init = (...args: string[]) => runCli(['init', ...args], {}, { cwd })
    const nothing = await init()
    assert.deepEqual([nothing.code, /--database-url/.test(nothing.err)], [2, true])
    const wrong = await init('--database-url', 'mysql://x')
    assert.deepEqual([wrong.code, /not a PostgreSQL URL/.test(wrong.err)], [1, true])

    const done = await init('--database-url', url, '--public-url', 'https://api.example.com')
    assert.equal(done.code, 0, done.err)
    assert.match(done.out, /set -a; \. \.\/\.env; set \+a\n {2}npm run cli -- doctor\n {2}npm run db:migrate/)
    const file = path.join(cwd, '.env')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const before = readFileSync(file, 'utf8')
    assert.doesNotMatch(done.out, new RegExp(/SECRET_KEY=(\S+)/.exec(before)?.[1]?.replaceAll('+', '\\+') ?? 'none'))
    const read = execFileSync('sh', ['-c', 'set -a; . ./.env; set +a; printf "%s\n" "$DATABASE_URL" "$PUBLIC_URL"'], {
      cwd,
    })
    assert.equal(read.toString(), `${url}\nhttps://api.example.com\n`)

    const again = await init('--database-url', url)
    assert.deepEqual([again.code, again.out], [1, ''])
    assert.match(again.err, /^\.env is there already and was left as it is/)
    assert.equal(readFileSync(file, 'utf8'), before)
  })

  test('what is called in a wrong way ends with 2 and a hint; what cannot be reached with 1 and a line', async () => {
    const gone = { DATABASE_URL: 'postgres://nobody:hunter2@127.0.0.1:1/gone' }
    const [typo, option, missing, nothing, help, away] = await Promise.all([
      runCli(['busines', 'list'], {}),
      runCli(['jobs', 'list', '--ded'], {}),
      runCli(['user', 'grant', 'ada@example.com'], {}),
      runCli([], {}),
      runCli(['jobs', 'retry', '--help'], {}),
      runCli(['business', 'list', '--json'], gone),
    ])
    assert.deepEqual(
      [typo, option, missing, nothing, help, away].map(({ code }) => code),
      [2, 2, 2, 2, 0, 1],
    )
    assert.match(typo.err, /unknown command 'busines'\n\(Did you mean business\?\)/)
    assert.match(option.err, /Did you mean --dead\?/)
    assert.match(missing.err, /missing required argument 'businessId'/)
    assert.match(help.out, /Examples:\n {2}npm run cli -- jobs retry main\/42/)
    assert.match(away.err, /^A database cannot be reached: .*ECONNREFUSED.*\n$/)
    assert.doesNotMatch(away.err, /hunter2/)
    for (const { out } of [typo, option, missing, nothing, away]) assert.equal(out, '')
  })
})
