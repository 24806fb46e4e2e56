import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPrivatePostgres } from '../../scenarios/private-postgres.ts'
import { runCli } from '../../support/cli.ts'
import { createTestDatabases } from '../../support/start-api.ts'

test('the replica of a cell is set by a command, which refuses another database; commands read there', async (t) => {
  const postgres = await openPrivatePostgres()
  t.after(() => postgres.close())
  const databases = await createTestDatabases()
  t.after(() => databases.drop())
  await postgres.createDatabases()
  const standby = await postgres.startStandby()
  t.after(() => standby.close())
  const env = { ...databases.env, CELLS: JSON.stringify({ second: { url: postgres.urlOf('second') } }) }
  const set = (url: string) => runCli(['cells', 'set', 'second', '--replica-url', url, '--json'], env)
  const other = await set(standby.urlOf('main'))
  assert.match(other.err, /replica of another database/)
  const itself = await set(postgres.urlOf('second'))
  assert.match(itself.err, /no replica/)
  const done = await set(standby.urlOf('second'))
  assert.equal(done.code, 0, done.err)
  const listed = await runCli(['cells', 'list', '--json'], env)
  const { replica } = listed.lines.find((line) => line.cell === 'second')
  assert.equal(replica, new URL(standby.urlOf('second')).host + new URL(standby.urlOf('second')).pathname)

  const exported = await runCli(['verify', '--cell', 'second'], env)
  assert.equal(exported.code, 0, exported.err)
  const doctor = await runCli(['doctor', '--json'], env)
  assert.match(doctor.out, /"cell second: replica","status":"ok"/)
  const gone = await set('none')
  assert.equal(gone.code, 0, gone.err)
})

test('a failover: doctor tells a replica whose primary is away from one that was promoted, and a standby is no address', async (t) => {
  const postgres = await openPrivatePostgres()
  t.after(() => postgres.close())
  const databases = await createTestDatabases()
  t.after(() => databases.drop())
  await postgres.createDatabases()
  const standby = await postgres.startStandby()
  t.after(() => standby.close())
  const cell = { url: postgres.urlOf('second'), replicaUrl: standby.urlOf('second') }
  const env = { ...databases.env, CELLS: JSON.stringify({ second: cell }) }
  const cells = (...args: string[]) => runCli(['cells', 'set', 'second', ...args], env)
  assert.equal((await runCli(['migrate', '--cell', 'second'], env)).code, 0, 'the database is told which cell it is')
  const replica = async () => {
    const { json } = await runCli(['doctor', '--json'], env)
    return json.checks.find(({ check }: { check: string }) => check === 'cell second: replica')
  }

  const tooEarly = await cells('--url', standby.urlOf('second'))
  assert.equal(tooEarly.code, 1, tooEarly.out)
  assert.match(tooEarly.err, /this is a standby: promote it first/)

  await postgres.kill()
  const alone = await replica()
  assert.deepEqual([alone.status, alone.says], ['warning', 'it is up; its lag is unknown while the primary is away'])

  await standby.promote()
  assert.match((await replica()).fix, /cli cells set second --url/)
  assert.equal((await cells('--url', standby.urlOf('second'))).code, 0)
  const promoted = await replica()
  assert.match(promoted.says, /a primary itself/)
  assert.match(promoted.fix, /cli cells set second --replica-url none/)
})
