import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

type Answer = { status: number; headers: Record<string, string | undefined>; body: Buffer }

/** Without a client that decompresses on its own. */
function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(used.api.url + path, { headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers as Answer['headers'],
          body: Buffer.concat(chunks),
        }),
      )
    })
      .on('error', reject)
      .end()
  })
}

test('script and document of the reference are compressed for who takes it, and the same for who does not', async () => {
  for (const path of ['/docs/js/scalar.js', '/openapi.json']) {
    const [plain, br, gzip] = await Promise.all([
      get(path),
      get(path, { 'accept-encoding': 'gzip, br' }),
      get(path, { 'accept-encoding': 'gzip' }),
    ])
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.equal(br.headers['content-encoding'], 'br')
    assert.equal(gzip.headers['content-encoding'], 'gzip')
    assert.ok(brotliDecompressSync(br.body).equals(plain.body), path)
    assert.ok(gunzipSync(gzip.body).equals(plain.body), path)
    assert.ok(br.body.length < plain.body.length / 3, `${path} ${br.body.length} of ${plain.body.length}`)
    for (const { headers } of [plain, br, gzip]) assert.equal(headers.vary, 'Accept-Encoding')
  }
})

test('a browser that has them is told so, and keeps the script for a while', async () => {
  for (const path of ['/docs/js/scalar.js', '/openapi.json', '/favicon.svg']) {
    const { headers } = await get(path, { 'accept-encoding': 'br' })
    const again = await get(path, { 'accept-encoding': 'br', 'if-none-match': headers.etag ?? '' })
    assert.deepEqual([again.status, again.body.length], [304, 0], path)
    assert.equal((await get(path, { 'if-none-match': '"other"' })).status, 200)
  }
  assert.match((await get('/docs/js/scalar.js')).headers['cache-control'] ?? '', /^public, max-age=\d+$/)
  assert.equal((await get('/openapi.json')).headers['cache-control'], 'public, no-cache')
})

test('the page has the introduction and an icon before its script runs', async () => {
  const { body, headers } = await get('/docs/')
  const html = body.toString()
  assert.match(html, /<h1[^>]*>Kontor API<\/h1>/)
  assert.match(
    html,
    /<h2>Get a token<\/h2>[^]*<li><b>A shop front<\/b> begins as a guest: <code>POST \/v1\/users\/login<\/code>/,
  )
  assert.match(html, /<html lang="en">/)
  assert.match(html, /<link rel="icon"[^>]* href="\/favicon\.svg"/)
  assert.match(headers['content-security-policy'] ?? '', /script-src 'self'/)
  for (const path of ['/favicon.svg', '/favicon.ico']) {
    const icon = await get(path)
    assert.deepEqual([icon.status, icon.headers['content-type']], [200, 'image/svg+xml'])
  }
})

test('the introduction says how to get a token, and names guides and SDK', () => {
  const { description } = used.api.app.openApiDocument().info as { description: string }
  for (const words of [
    'POST /v1/users/login',
    '"GUEST"',
    'keys create',
    'X-API-Key',
    'docs/guides/first-sale.md',
    'packages/sdk',
  ])
    assert.ok(description.includes(words), words)
})

type Sale = { lines: { quantity: number; unitPrice: number; totalPrice: number }[] } & Record<string, number>

/** Every order and quote among the examples of the document. */
function* salesIn(value: unknown): Generator<Sale> {
  if (typeof value !== 'object' || value === null) return
  if ('lines' in value && 'subtotal' in value && 'total' in value) yield value as unknown as Sale
  for (const inner of Object.values(value)) yield* salesIn(inner)
}

function* examplesIn(value: unknown): Generator {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'example') yield inner
    else yield* examplesIn(inner)
  }
}

test('the figures of every order and quote in the examples add up', () => {
  const sales = [...examplesIn(used.api.app.openApiDocument())].flatMap((example) => [...salesIn(example)])
  assert.ok(sales.length >= 8, `${sales.length} examples`)
  for (const { lines, subtotal = 0, tax = 0, shipping = 0, discount = 0, total } of sales) {
    for (const { quantity, unitPrice, totalPrice } of lines) assert.equal(totalPrice, quantity * unitPrice)
    assert.equal(
      subtotal,
      lines.reduce((sum, { totalPrice }) => sum + totalPrice, 0),
    )
    assert.equal(total, subtotal + tax + shipping - discount)
  }
})
