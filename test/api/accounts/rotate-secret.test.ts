import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { runCli } from '../../support/cli.ts'
import { createClient } from '../../support/client.ts'
import { addTotp, codeOf } from '../../support/factors.ts'
import { createMake } from '../../support/make.ts'
import { createPeople } from '../../support/people.ts'
import { createTestDatabases, startApi, type TestApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'

const secret = (name: string) => Buffer.from(name.padEnd(32, '.')).toString('base64')
const [OLD, NEW] = [secret('old'), secret('new')]

async function setUp(t: TestContext) {
  const databases = await createTestDatabases()
  const nodes: TestApi[] = []
  t.after(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await databases.drop()
  })
  const start = async (SECRET_KEY: string) => {
    const node = await startApi({ databases, env: { SECRET_KEY } })
    nodes.push(node)
    return node
  }
  const old = await start(OLD)
  const user = await createMake(old).user()
  const { body } = await user.put('/v1/users/update', { apiTokens: [{ id: 'used' }, { id: 'unused' }] })
  const [used, unused] = body.apiTokens as [{ value: string }, { value: string }]
  const prints = async () => {
    const rows = await old.services.databases.control.selectFrom('accounts.apiKeys').selectAll().execute()
    return Object.fromEntries(rows.map(({ id, secretPrint }) => [id, secretPrint]))
  }
  const doctor = async (SECRET_KEY: string) => {
    const { json } = await runCli(['doctor', '--json'], { ...databases.env, SECRET_KEY })
    const checks = json.checks as { check: string; status: string; says: string; fix?: string }[]
    return checks.find(({ check }) => check === 'main: API keys')
  }
  return { old, start, used: used.value, unused: unused.value, prints, doctor }
}

const statusOf = async ({ url }: { url: string }, value: string) =>
  (await createClient(url, { 'x-api-key': value }).get('/v1/users/me')).status

describe('rotating SECRET_KEY', { concurrency: 2 }, () => {
  test('an API key that is used while both are given needs the old one no more', async (t) => {
    const { start, used, unused, prints } = await setUp(t)
    const before = await prints()
    const both = await start(`${NEW},${OLD}`)
    assert.equal(await statusOf(both, used), 200)
    await until('the key is hashed anew', async () => (await prints()).used !== before.used)
    assert.equal((await prints()).unused, before.unused)
    assert.equal(await statusOf(both, unused), 200)
    assert.equal(await statusOf(both, used), 200)

    const after = await start(NEW)
    assert.equal(await statusOf(after, used), 200)
    await until('the other one, too', async () => (await prints()).unused !== before.unused)
    assert.equal(await statusOf(after, unused), 200)
    assert.equal(await statusOf(await start(OLD), used), 401, 'the old one alone knows it no more')
  })

  test('a key that was made before its SECRET_KEY was noted down is noted when it is used', async (t) => {
    const { old, start, used, prints } = await setUp(t)
    await old.services.databases.control.updateTable('accounts.apiKeys').set({ secretPrint: null }).execute()
    const again = await start(OLD)
    assert.equal(await statusOf(again, used), 200)
    await until('it is noted', async () => (await prints()).used !== null)
    assert.equal(await statusOf(again, used), 200)
    assert.equal((await prints()).unused, null)
  })

  test('second factors are sealed anew by keys rotate, and work with the new one alone', async (t) => {
    const { old, start } = await setUp(t)
    const there = createPeople(old)
    const { email } = await there.person()
    const { secret } = await addTotp(await there.session(email))
    const rotated = await runCli(['keys', 'rotate', '--json'], {
      ...old.databases.env,
      SECRET_KEY: `${NEW},${OLD}`,
    })
    assert.equal(rotated.code, 0, rotated.err)
    const after = await start(NEW)
    const { body } = await createPeople(after).login(email)
    const finished = await createClient(after.url).post('/v1/users/login/second-factor', {
      challenge: body.challenge,
      code: codeOf(secret),
    })
    assert.equal(finished.status, 200, finished.text)
  })

  test('doctor says how many API keys still need the old one, and how many are lost without it', async (t) => {
    const { start, used, unused, prints, doctor } = await setUp(t)
    assert.deepEqual(await doctor(OLD), {
      check: 'main: API keys',
      status: 'ok',
      says: 'all 2 were made with this SECRET_KEY',
    })
    const rotating = await doctor(`${NEW},${OLD}`)
    assert.equal(rotating?.status, 'warning')
    assert.match(rotating?.says ?? '', /^2 of 2 still need the old SECRET_KEY/)
    const lost = await doctor(NEW)
    assert.equal(lost?.status, 'failed')
    assert.match(lost?.says ?? '', /^2 of 2 were made with another SECRET_KEY/)
    assert.match(lost?.fix ?? '', /SECRET_KEY=new,old/)

    const both = await start(`${NEW},${OLD}`)
    await statusOf(both, used)
    await until('one of them is hashed anew', async () => new Set(Object.values(await prints())).size === 2)
    assert.match((await doctor(`${NEW},${OLD}`))?.says ?? '', /^1 of 2 still need/)
    await statusOf(both, unused)
    await until('both are', async () => new Set(Object.values(await prints())).size === 1)
    assert.equal((await doctor(NEW))?.status, 'ok')
  })
})
