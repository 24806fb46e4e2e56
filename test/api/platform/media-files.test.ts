import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { openFolder } from '#platform/storage/storage.ts'
import { assertError } from '../../support/assert-error.ts'
import { holdClock } from '../../support/clock.ts'
import { openRaw } from '../../support/raw-http.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const root = mkdtempSync(path.join(tmpdir(), 'kontor-media-'))
const used = useWorld({ own: true, env: { MEDIA_STORAGE: `folder:${root}`, LOAD_SHEDDING: 'on' } })
after(() => rmSync(root, { recursive: true, force: true }))

function open() {
  const folder = openFolder(used.api.config)
  assert.ok(folder)
  return folder
}
const here = (url: string) => url.replace(used.api.config.publicUrl, used.api.url)
const hash = 'ab'.repeat(32)

async function get(at: string, options: RequestInit = {}) {
  const response = await fetch(used.api.url + at, options)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

async function announce(body: Buffer, key: string, mimeType = 'image/png') {
  const sha256 = createHash('sha256').update(body).digest('hex')
  const upload = await open().presignPut(key, { mimeType, size: body.length, sha256 }, new Date(Date.now() + 600_000))
  return { url: here(upload.url), headers: upload.headers }
}
const unfinished = () => readdirSync(path.join(root, 'unfinished'))

test('a picture is shown, may be kept for ever, and can do nothing', async () => {
  const body = randomBytes(3_000)
  const key = `public/biz_1/${hash}/640.webp`
  await open().put(key, body, { mimeType: 'image/webp', size: body.length, isImmutable: true })
  const response = await fetch(here(open().publicUrl(key)))
  assert.equal(response.status, 200)
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), body)
  const { headers } = response
  assert.equal(headers.get('content-type'), 'image/webp')
  assert.equal(headers.get('content-length'), '3000')
  assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox")
  assert.equal(headers.get('content-disposition'), null)
  assert.equal(headers.get('access-control-allow-origin'), '*')

  const known = await get(new URL(response.url).pathname, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
  assert.deepEqual([known.status, known.text], [304, ''])
  const head = await get(new URL(response.url).pathname, { method: 'HEAD' })
  assert.deepEqual([head.status, head.text, head.headers.get('content-length')], [200, '', '3000'])
})

test('what is no raster image is only saved, whatever was said about it', async () => {
  for (const [name, mimeType] of [
    ['a.svg', 'image/svg+xml'],
    ['b.html', 'text/html'],
    ['c.pdf', 'application/pdf'],
  ] as const) {
    await open().put(`public/biz_1/${hash}/${name}`, Buffer.from('<svg/>'), { mimeType, size: 6, isAttachment: false })
    const { status, headers } = await get(`/media/biz_1/${hash}/${name}`)
    assert.deepEqual([status, headers.get('content-disposition')], [200, 'attachment'])
    assert.equal(headers.get('cache-control'), 'public, no-cache')
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox")
  }
  writeFileSync(path.join(root, 'public', 'biz_1', hash, 'stray.html'), '<script>')
  const stray = await get(`/media/biz_1/${hash}/stray.html`)
  assert.deepEqual(
    [stray.headers.get('content-type'), stray.headers.get('content-disposition')],
    ['application/octet-stream', 'attachment'],
  )
})

test('nothing but public files is served', async () => {
  const about = { mimeType: 'image/png', size: 1 }
  await open().put(`public/biz_1/${hash}/there.png`, Buffer.from('x'), about)
  await open().put(`private/biz_1/${hash}/original`, Buffer.from('x'), about)
  await open().put('incoming/biz_1/med_1', Buffer.from('x'), about)
  for (const address of [
    `/media/biz_1/${hash}/original`,
    `/media/biz_1/${hash}/there.png~`,
    `/media/private/biz_1/${hash}`,
    '/media/incoming/biz_1/med_1',
    `/media/..%2Fprivate/biz_1/${hash}%2Foriginal`,
    `/media/%2e%2e/private/biz_1%2F${hash}%2Foriginal`,
    `/media/..%5Cprivate/biz_1/original`,
    `/media/biz_1/${hash}/%2e%2e`,
    `/media/biz_1/${hash}/..%2F..%2F..%2F..%2F..%2Fetc%2Fpasswd`,
    `/media/biz_1/${hash}/`,
    `/media/biz_1/${hash}`,
    '/media/x/y/z',
  ]) {
    assertError(await get(address), 404, 'NOT_FOUND')
  }
  assertError(await get(`/media/biz_1/${hash}/there.png%00`), 400, 'BAD_REQUEST')
})

test('an upload that is not what was announced is refused in our words, and leaves nothing', async () => {
  const clock = holdClock()
  try {
    const body = randomBytes(100)
    const { url, headers } = await announce(body, 'incoming/biz_1/med_2')
    const put = async (to: string, sent: Buffer, more: Record<string, string> = {}) => {
      const response = await fetch(to, { method: 'PUT', headers: { ...headers, ...more }, body: new Uint8Array(sent) })
      return { status: response.status, headers: response.headers, text: await response.text() }
    }
    const fieldOf = async (answer: ReturnType<typeof put>) =>
      assertError(await answer, 422, 'VALIDATION_FAILED').details[0]?.field
    assert.equal(await fieldOf(put(url, body.subarray(1))), 'Content-Length')
    assert.equal(await fieldOf(put(url, body, { 'content-type': 'text/html' })), 'Content-Type')
    assert.equal(await fieldOf(put(url, randomBytes(100))), 'sha256')
    assert.equal(await fieldOf(put(url.replace(/&signature.*/, ''), body)), 'signature')
    for (const [from, to] of [
      ['med_2', 'med_3'],
      ['incoming', 'public'],
      ['size=100', 'size=101'],
      ['image%2Fpng', 'text%2Fhtml'],
      [/expiresAt=\d/, 'expiresAt=2'],
      [/signature=..../, 'signature=AAAA'],
    ] as const) {
      assertError(await put(url.replace(from, to), body), 403, 'FORBIDDEN')
    }
    clock.advance(601)
    assert.match(assertError(await put(url, body), 403, 'FORBIDDEN').message, /too old/)
    assert.equal(await open().get('incoming/biz_1/med_2'), undefined)
    assert.deepEqual(unfinished(), [])
  } finally {
    clock.release()
  }
})

test('JSON and text are files like any other', async () => {
  const body = Buffer.from('{"a": 1}')
  const { url, headers } = await announce(body, 'incoming/biz_1/med_json', 'application/json')
  const response = await fetch(url, { method: 'PUT', headers, body: new Uint8Array(body) })
  assert.deepEqual([response.status, await response.json()], [200, { uploaded: true }])
  const found = await open().get('incoming/biz_1/med_json')
  assert.equal(found?.size, body.length)
  found?.body.destroy()
})

test('an upload without a length, or one that breaks off, leaves nothing', async () => {
  const body = randomBytes(50_000)
  const { url } = await announce(body, 'incoming/biz_1/med_4')
  const target = url.slice(used.api.url.length)
  const chunked = await openRaw(used.api.url)
  chunked.write(
    `PUT ${target} HTTP/1.1\r\nhost: x\r\ncontent-type: image/png\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  )
  const { status, text } = await chunked.read()
  assert.equal(status, 422)
  assert.match(text, /exactly 50000 bytes/)
  chunked.destroy()

  const broken = await openRaw(used.api.url)
  broken.write(`PUT ${target} HTTP/1.1\r\nhost: x\r\ncontent-type: image/png\r\ncontent-length: 50000\r\n\r\n`)
  broken.write(body.subarray(0, 20_000))
  await until('the file is begun', () => unfinished().length === 1)
  broken.destroy()
  await until('it is removed', () => unfinished().length === 0)
  assert.equal(await open().get('incoming/biz_1/med_4'), undefined)
})

test('uploads of one business that are slow, or refused, leave places to all others', async () => {
  const begin = async (url: string) => {
    const raw = await openRaw(used.api.url)
    const target = url.slice(used.api.url.length)
    raw.write(`PUT ${target} HTTP/1.1\r\nhost: x\r\ncontent-type: image/png\r\ncontent-length: 100\r\n\r\nabc`)
    return raw
  }
  const body = randomBytes(100)
  const put = async ({ url, headers }: Awaited<ReturnType<typeof announce>>) =>
    (await fetch(url, { method: 'PUT', headers, body: new Uint8Array(body) })).status
  const [mine, other] = [await announce(body, 'incoming/biz_7/med_1'), await announce(body, 'incoming/biz_8/med_1')]
  const slow = await Promise.all(Array.from({ length: 16 }, () => begin(mine.url)))
  await until('they are under way', () => unfinished().length === 16)
  // Refused, and still sending: more of them than there are places for uploads.
  const refused = await Promise.all(
    Array.from({ length: 100 }, () => begin(mine.url.replace(/signature=..../, 'signature=AAAA'))),
  )
  assert.equal(await put(mine), 429)
  assert.equal(await put(other), 200)
  for (const { destroy } of [...slow, ...refused]) destroy()
  await until('they are gone', () => unfinished().length === 0)
  assert.equal(await put(mine), 200)
})
