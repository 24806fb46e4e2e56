import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { FastifyContextConfig } from 'fastify'
import { type Exit, runKontor, startChild } from '../../support/child.ts'
import { onServer, withScratchDatabase } from '../../support/database.ts'
import { createMake } from '../../support/make.ts'
import { openRaw } from '../../support/raw-http.ts'
import { createTestDatabases, startApi } from '../../support/start-api.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

/** It gave up at once, and said why in words for a person: no stack. */
function assertRefused({ code, output }: Exit & { output: string }, ...says: string[]) {
  assert.equal(code, 1, output)
  for (const words of says) assert.ok(output.includes(words), `${words} is missing in:\n${output}`)
  assert.doesNotMatch(output, /^ {4}at /m)
}

test('a route that does not say who may call it keeps the service from starting', async () => {
  const started = startApi({
    databases: used.api.databases,
    routes: (app) => void app.get('/test/open', () => 'for whom?'),
  })
  await assert.rejects(
    started,
    /GET \/test\/open does not say who may call it\. Give the route config: \{ access: …, business: … \}/,
  )
  const halves: FastifyContextConfig[] = [{ access: 'public' }, { business: 'none' }]
  for (const config of halves) {
    const half = startApi({
      databases: used.api.databases,
      routes: (app) => void app.post('/test/half', { config }, () => 'half'),
    })
    await assert.rejects(half, /POST \/test\/half does not say/)
  }
})

test('a route with an unknown access or business value prevents the start, and the error lists the valid ones', async () => {
  const start = (config: object) =>
    startApi({
      databases: used.api.databases,
      routes: (app) => void app.get('/test/typo', { config }, () => 'for whom?'),
    })
  for (const access of ['ORDERS_RAED', 'Public', [], ['ORDERS_READ', 'ORDERS_WRIET'], ['public'], true]) {
    await assert.rejects(start({ access, business: 'path' }), ({ message }: Error) => {
      assert.ok(
        message.includes(
          `GET /test/typo has an unknown access, ${JSON.stringify(access)}. Use one of public, guest, signed-in, operator, or permissions: ADMIN, PRODUCTS_WRITE,`,
        ),
        message,
      )
      return true
    })
  }
  await assert.rejects(
    start({ access: 'public', business: 'paht' }),
    /GET \/test\/typo has an unknown business, "paht"\. Use one of path, body, query, provider, token, storefront, none\./,
  )
})

test('a route that asks for a permission must name a business', async () => {
  for (const business of ['none', 'provider', 'token'] as const) {
    const started = startApi({
      databases: used.api.databases,
      routes: (app) => void app.get('/test/nowhere', { config: { access: 'ORDERS_READ', business } }, () => 'where?'),
    })
    await assert.rejects(started, /GET \/test\/nowhere asks for ORDERS_READ, but names no business/)
  }
})

test('production does not start without SECRET_KEY, and production is the default', async () => {
  const { env } = used.api.databases
  const refused = await Promise.all([
    runKontor(['api'], { ...env, NODE_ENV: 'production' }),
    runKontor(['worker'], { ...env, NODE_ENV: '' }),
  ])
  for (const each of refused) assertRefused(each, 'SECRET_KEY', 'openssl rand -base64 32')
})

test('all that is wrong with the configuration is told at once', async () => {
  const refused = await runKontor(['api'], {
    NODE_ENV: 'production',
    PORT: 'http',
    PUBLIC_URL: 'shop.example.com/api',
    CELLS: '{"main": {"url": "postgres://x"}}',
    RATE_LIMITS: 'maybe',
    ALLOWED_ORIGINS: 'https://ok.example.com, nonsense',
  })
  assertRefused(refused, 'DATABASE_URL', 'PORT', 'PUBLIC_URL', 'CELLS', 'SECRET_KEY', 'RATE_LIMITS', '"nonsense"')
})

test('a database that lacks migrations is refused, with the command that helps', async (t) => {
  await withScratchDatabase(async (url) => {
    const refused = await Promise.all(['api', 'worker'].map((app) => runKontor([app], { DATABASE_URL: url })))
    for (const each of refused) {
      assertRefused(each, 'npm run db:migrate', 'control/0001_control.sql', ' more.')
      assert.deepEqual(each.output.trim().split('\n').length, 2, `nothing else complains:\n${each.output}`)
      assert.doesNotMatch(each.output, /does not exist/)
    }
    assert.equal((await runKontor(['cli', 'migrate'], { DATABASE_URL: url })).code, 0)
    const child = await startChild('api', { DATABASE_URL: url })
    t.after(() => child.kill())
    assert.equal((await fetch(`${child.url}/readyz`)).status, 200)
    await child.kill()
  })
})

test('a second cell that lacks migrations is named, and does not keep the others waiting', async (t) => {
  const databases = await createTestDatabases()
  t.after(() => databases.drop())
  await onServer((client) => client.query('delete from cell.migrations'), databases.second.url)
  const child = await startChild('api', databases.env)
  t.after(() => child.kill())
  const line = child.lines().find(({ msg }) => msg?.startsWith('this cell lacks migrations'))
  assert.match(JSON.stringify(line), /second.*cell\/0001_cell\.sql.*npm run db:migrate/)
  const { cells } = (await (await fetch(`${child.url}/readyz`)).json()) as { cells: Record<string, string> }
  assert.deepEqual(cells, { main: 'up', second: 'behind' })
})

test('a database that cannot be reached is named, without its password', async () => {
  const refused = await Promise.all(
    ['127.0.0.1', 'localhost'].map((host) =>
      runKontor(['api'], { DATABASE_URL: `postgres://nobody:hunter2@${host}:1/nothing` }),
    ),
  )
  for (const each of refused) {
    assertRefused(each, 'The database of DATABASE_URL cannot be reached', 'ECONNREFUSED')
    assert.doesNotMatch(each.output, /hunter2/)
  }
})

test('a port that is taken is told in one line', async (t) => {
  const taken = net.createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await new Promise((resolve) => taken.once('listening', resolve))
  const { port } = taken.address() as AddressInfo
  assertRefused(await runKontor(['api'], { ...used.api.databases.env, PORT: String(port) }), 'EADDRINUSE', String(port))
})

test('without the name of an app it shows what there is', async () => {
  for (const args of [[], ['shop'], ['toString']]) {
    const { code, output } = await runKontor(args, {})
    assert.equal(code, 2)
    assert.match(output, /Usage: kontor <api \| worker \| cli>/)
  }
})

const oldNode = findOldNode()

test('an older Node says which one is needed and how to get it', {
  skip: !oldNode && 'no older Node here',
}, async () => {
  const refused = await runKontor(['api'], used.api.databases.env, { node: oldNode ?? '' })
  assertRefused(refused, 'Kontor needs Node 24.11 or newer', 'npm ci', 'npm start')
})

function findOldNode(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/bin', '/usr/local/bin']
  return folders
    .map((folder) => `${folder}/node`)
    .filter((node) => existsSync(node))
    .find((node) => {
      const version = execFileSync(node, ['--version'], { encoding: 'utf8' })
      return Number(/^v(\d+)/.exec(version)?.[1]) < 24
    })
}

test('in production it starts with a SECRET_KEY and keeps sign-up closed', async (t) => {
  const child = await startChild('api', {
    ...used.api.databases.env,
    NODE_ENV: 'production',
    SECRET_KEY: randomBytes(32).toString('base64'),
  })
  t.after(() => child.kill())
  const ada = await createMake({ url: child.url, services: used.api.services }).user()
  // Tokens are signed under another SECRET_KEY here; they verify all the same, by the public key in the database.
  assert.equal((await ada.get('/v1/businesses')).status, 200)
  assert.equal((await ada.post('/v1/businesses', { name: 'Mine' })).status, 403)
  assert.doesNotMatch(child.output(), /postgres:\/\/[^"]*:[^"]*@/)
})

test('on SIGTERM it answers what runs, takes no more, and ends with 0', async (t) => {
  const child = await startChild('api', used.api.databases.env, { faults: { 'idempotency.before-commit': 'hold' } })
  t.after(() => child.kill())
  const ada = await createMake({ url: child.url, services: used.api.services }).user()
  const running = ada.post('/v1/businesses', { name: 'Late' }, { 'idempotency-key': 'late' })
  await child.untilHeld('idempotency.before-commit')
  const silent = await openRaw(child.url) // as browsers open in advance
  t.after(() => silent.destroy())

  const begin = performance.now()
  const exit = child.stop()
  await child.untilLogged('stopping')
  await until('it takes no more requests', () =>
    fetch(`${child.url}/healthz`).then(
      () => false,
      () => true,
    ),
  )
  child.release()

  const answer = await running
  assert.equal(answer.status, 201, answer.text)
  assert.deepEqual(await exit, { code: 0, signal: null })
  assert.ok(performance.now() - begin < 8_000)
  const { body } = await createMake(used.api)
    .anonymous()
    .send('GET', `/v1/businesses/${answer.body.id}`, {
      headers: { authorization: `Bearer ${ada.token}` },
    })
  assert.equal(body.name, 'Late')
})

test('the worker ends with 0 on SIGTERM, too', async (t) => {
  const child = await startChild('worker', used.api.databases.env)
  t.after(() => child.kill())
  assert.deepEqual(await child.stop(), { code: 0, signal: null })
})
