import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { dashboardRoutes } from '../../../src/apps/dashboard.ts'
import { openRaw } from '../../support/raw-http.ts'
import { startApi } from '../../support/start-api.ts'
import { useWorld } from '../../support/world.ts'

const INDEX =
  '<!doctype html><title>Kontor</title><script type="module" src="/admin/assets/index-B7xK2qPz.js"></script>'
const SCRIPT = `console.log('${'dashboard '.repeat(200)}')`

const root = mkdtempSync(path.join(tmpdir(), 'kontor-dashboard-'))
const folder = path.join(root, 'dist')
mkdirSync(path.join(folder, 'assets'), { recursive: true })
const write = (name: string, content: string | Buffer) => writeFileSync(path.join(folder, name), content)
write('../secret.txt', 'secret')
write('index.html', INDEX)
write('favicon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
write('assets/index-B7xK2qPz.js', SCRIPT)
write('assets/index-B7xK2qPz.js.br', brotliCompressSync(SCRIPT))
write('assets/index-B7xK2qPz.js.gz', gzipSync(SCRIPT))
write('assets/plain.css', 'body{margin:0}')
after(() => rmSync(root, { recursive: true }))

// Its own build would be at /admin already.
const used = useWorld({
  env: { DASHBOARD: 'off', RATE_LIMITS: 'on', LIMIT_ADDRESS_PER_MINUTE: '20', LOAD_SHEDDING: 'on' },
  routes: async (app) => {
    await app.register(dashboardRoutes, { folder, isDevelopment: true })
  },
})
const get = (address: string, headers: Record<string, string> = {}) =>
  fetch(used.api.url + address, { headers: { 'accept-encoding': 'identity', ...headers } })

test('hashed files are kept for good, others are asked for again, pages always', async () => {
  const kept: Record<string, string> = {
    '/admin/assets/index-B7xK2qPz.js': 'public, max-age=31536000, immutable',
    '/admin/assets/plain.css': 'public, no-cache',
    '/admin/favicon.svg': 'public, no-cache',
    '/admin': 'no-cache',
    '/admin/': 'no-cache',
    '/admin/index.html': 'no-cache',
    '/admin/orders/ord_1?tab=timeline': 'no-cache',
  }
  for (const [address, cacheControl] of Object.entries(kept)) {
    const answer = await get(address)
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, cacheControl], address)
    const again = await get(address, { 'if-none-match': answer.headers.get('etag') ?? '' })
    assert.deepEqual([again.status, await again.text()], [304, ''], address)
  }
  const page = await get('/admin/orders')
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(await page.text(), INDEX)
  const script = await get('/admin/assets/index-B7xK2qPz.js')
  assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8')
  assert.equal(await script.text(), SCRIPT)
  assert.equal((await fetch(`${used.api.url}/admin/orders`, { method: 'HEAD' })).status, 200)
})

test('where nothing is built, mails still lead to pages that work', async (t) => {
  const empty = await startApi({
    env: { DASHBOARD: 'off' },
    databases: used.api.databases,
    routes: async (app) => {
      await app.register(dashboardRoutes, { folder: path.join(root, 'nothing'), isDevelopment: false })
    },
  })
  t.after(() => empty.close())
  const answer = await fetch(`${empty.url}/admin/confirm?token=abc`, { redirect: 'manual' })
  assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/confirm?token=abc'])
  assert.equal((await fetch(`${empty.url}/admin/orders?x=/confirm`, { redirect: 'manual' })).status, 404)
})

test('a part of an older build is not there any more', async () => {
  const { status, headers } = await get('/admin/assets/orders-A1b2C3d4.js')
  assert.deepEqual([status, headers.get('content-type')], [404, 'application/json; charset=utf-8'])
})

test('what the build compressed is sent to whoever takes it', async () => {
  const address = '/admin/assets/index-B7xK2qPz.js'
  for (const [accept, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
  ] as const) {
    const answer = await get(address, { 'accept-encoding': accept })
    assert.equal(answer.headers.get('content-encoding'), encoding, accept)
    assert.equal(answer.headers.get('vary'), 'Accept-Encoding')
    assert.equal(await answer.text(), SCRIPT)
  }
  const style = await get('/admin/assets/plain.css', { 'accept-encoding': 'br' })
  assert.deepEqual([style.headers.get('content-encoding'), await style.text()], [null, 'body{margin:0}'])
})

test('pages may load from here only, and nobody may frame them', async () => {
  for (const address of ['/admin', '/admin/assets/plain.css', '/admin/orders']) {
    const { headers } = await get(address)
    const policy = headers.get('content-security-policy') ?? ''
    assert.doesNotMatch(policy, /unsafe-/)
    for (const rule of ["script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
      assert.ok(policy.split('; ').includes(rule), rule)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('x-frame-options'), 'DENY')
    assert.equal(headers.get('access-control-allow-origin'), null)
  }
})

test('no spelling of a path leads out of the folder', async (t) => {
  const spellings = [
    '/admin/../secret.txt',
    '/admin/%2e%2e/secret.txt',
    '/admin/%2e%2e%2fsecret.txt',
    '/admin/..%2fsecret.txt',
    '/admin/..%5csecret.txt',
    '/admin/assets/../../secret.txt',
    '/admin/assets/%2e%2e/%2e%2e/secret.txt',
    '/admin/%252e%252e/secret.txt',
    '/admin//secret.txt',
    `/admin/${root}/secret.txt`,
    `/admin/${encodeURIComponent(`${root}/secret.txt`)}`,
    '/admin/..;/secret.txt',
    '/admin/.%00./secret.txt',
  ]
  const raw = await openRaw(used.api.url)
  t.after(() => raw.destroy())
  for (const spelling of spellings) {
    raw.write(`GET ${spelling} HTTP/1.1\r\nhost: x\r\n\r\n`)
    const { status, text } = await raw.read()
    assert.ok([200, 400, 404].includes(status), spelling)
    if (status === 200) assert.equal(text, INDEX, spelling)
    else assert.doesNotMatch(text, /^secret$/m, spelling)
  }
})

test('files neither count for the limit of requests nor need a place', async () => {
  for (let count = 0; count < 30; count++) {
    const { status, headers } = await get('/admin/favicon.svg')
    assert.deepEqual([status, headers.get('x-ratelimit-limit')], [200, null])
  }
})

test('in development a newer build is shown', async () => {
  const text = INDEX.replace('Kontor', 'Newer')
  write('index.html', text)
  utimesSync(path.join(folder, 'index.html'), new Date(), new Date(Date.now() + 5_000))
  assert.equal(await (await get('/admin/orders')).text(), text)
})

test('before it is built, the page says how; with DASHBOARD=off nothing is there; neither is in the reference', async (t) => {
  const missing = path.join(root, 'missing')
  const [unbuilt, off] = await Promise.all([
    startApi({
      databases: used.api.databases,
      env: { DASHBOARD: 'off' },
      routes: async (app) => {
        await app.register(dashboardRoutes, { folder: missing, isDevelopment: true })
      },
    }),
    startApi({ databases: used.api.databases, env: { DASHBOARD: 'off' } }),
  ])
  t.after(() => Promise.all([unbuilt.close(), off.close()]))
  for (const address of ['/admin', '/admin/orders', '/admin/assets/index-B7xK2qPz.js']) {
    const answer = await fetch(unbuilt.url + address)
    assert.equal(answer.status, 404)
    assert.match(await answer.text(), /npm run build -w @kontor\/dashboard/)
    const gone = await fetch(off.url + address)
    assert.deepEqual([gone.status, gone.headers.get('content-type')], [404, 'application/json; charset=utf-8'])
  }
  mkdirSync(missing)
  writeFileSync(path.join(missing, 'index.html'), INDEX)
  assert.equal(await (await fetch(`${unbuilt.url}/admin`)).text(), INDEX)
  const paths = Object.keys(unbuilt.app.openApiDocument().paths as object)
  assert.deepEqual(
    paths.filter((each) => each.startsWith('/admin')),
    [],
  )
})
