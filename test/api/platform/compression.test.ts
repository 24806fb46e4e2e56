import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { useWorld } from '../../support/world.ts'

const open = { config: { access: 'public', business: 'none' } } as const
const LONG = JSON.stringify({ text: 'harbour '.repeat(200) })
const VERY_LONG = JSON.stringify({ text: 'lantern '.repeat(20_000) })
let ended = 0

const used = useWorld({
  env: { COMPRESSION: 'on' },
  routes: (app) => {
    const json = (path: string, text: string) =>
      app.get(path, open, (_request, reply) => reply.type('application/json').send(text))
    json('/test/long', LONG)
    json('/test/very-long', VERY_LONG)
    json('/test/short', '{"text":"short"}')
    app.get('/test/secret', open, (_request, reply) =>
      reply.type('text/html').header('cache-control', 'no-store').send(LONG),
    )
    app.get('/test/picture', open, (_request, reply) => reply.type('image/png').send(Buffer.alloc(5_000)))
    app.get('/test/packed', open, (_request, reply) =>
      reply.type('application/json').header('content-encoding', 'br').send(Buffer.alloc(5_000)),
    )
    app.get('/test/stream', open, (_request, reply) =>
      reply
        .type('application/x-ndjson')
        .send(Readable.from(Array.from({ length: 500 }, (_one, line) => `{"line":${line}}\n`))),
    )
    app.get('/test/events', open, (_request, reply) =>
      reply.type('text/event-stream').send(Readable.from(['data: 1\n\n'.repeat(500)])),
    )
    app.get('/test/endless', open, (_request, reply) => reply.type('text/csv').send(Readable.from(endless())))
    app.get('/test/broken-early', open, (_request, reply) => reply.type('text/csv').send(Readable.from(broken(false))))
    app.get('/test/broken-late', open, (_request, reply) => reply.type('text/csv').send(Readable.from(broken(true))))
  },
})

async function* endless() {
  try {
    for (;;) {
      yield `${Math.random()}\n`.repeat(1_000)
      await sleep(1)
    }
  } finally {
    ended++
  }
}

async function* broken(isUnderWay: boolean) {
  if (isUnderWay) yield randomBytes(300_000).toString('hex')
  await sleep(100)
  throw new Error('the cursor is gone')
}

type Answer = { status: number; headers: Record<string, string | undefined>; body: Buffer; isWhole: boolean }

/** Without a client that decompresses on its own. */
function ask(path: string, { method = 'GET', ...headers }: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(
      used.api.url + path,
      { method, headers: { 'accept-encoding': 'gzip, deflate, br', ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', () => {})
        response.on('close', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Answer['headers'],
            body: Buffer.concat(chunks),
            isWhole: response.complete,
          }),
        )
      },
    )
      .on('error', reject)
      .end()
  })
}

describe('compressed answers', { concurrency: 4 }, () => {
  test('text over a kibibyte is sent as gzip to who takes it, and as it is to everybody else', async () => {
    for (const [path, text] of [
      ['/test/long', LONG],
      ['/test/very-long', VERY_LONG],
    ] as const) {
      const zipped = await ask(path)
      assert.deepEqual([zipped.headers['content-encoding'], zipped.headers.vary], ['gzip', 'Accept-Encoding'])
      assert.equal(gunzipSync(zipped.body).toString(), text)
      assert.equal(zipped.headers['content-length'], String(zipped.body.length))
      for (const header of ['identity', 'gzip;q=0', 'br']) {
        const plain = await ask(path, { 'accept-encoding': header })
        assert.deepEqual(
          [plain.headers['content-encoding'], plain.headers.vary],
          [undefined, 'Accept-Encoding'],
          header,
        )
        assert.equal(plain.body.toString(), text)
      }
    }
  })

  test('what is short, no text, compressed already or not to be kept stays as it is', async () => {
    for (const path of ['/test/short', '/test/secret', '/test/picture', '/test/events']) {
      const { headers } = await ask(path)
      assert.equal(headers['content-encoding'], undefined, path)
    }
    assert.equal((await ask('/test/packed')).headers['content-encoding'], 'br')
    assert.equal((await ask('/test/long', { method: 'HEAD' })).headers['content-encoding'], undefined)
  })

  test('streams are compressed on their way', async () => {
    const { headers, body } = await ask('/test/stream')
    assert.equal(headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(body).toString().trimEnd().split('\n').length, 500)
  })

  test('a stream whose reader leaves ends, and one that breaks is not taken for whole', async () => {
    const before = ended
    await new Promise<void>((resolve, reject) => {
      const going = request(`${used.api.url}/test/endless`, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
        response.on('error', () => {})
        response.once('data', () => {
          going.destroy()
          resolve()
        })
      })
      going.on('error', reject).end()
    })
    for (let tries = 0; ended === before && tries < 500; tries++) await sleep(10)
    assert.equal(ended, before + 1)
    assert.equal((await ask('/test/broken-late')).isWhole, false)
    const early = await ask('/test/broken-early')
    assert.deepEqual([early.status, early.headers['content-encoding']], [500, undefined])
    assert.equal(JSON.parse(early.body.toString()).error, 'INTERNAL')
  })

  test('a record keeps its version: conditions hold with the tag of either form', async () => {
    const { admin, path } = await used.make.business()
    const product = { name: 'Storm lantern', description: 'Bright. '.repeat(200), variants: [{ id: 'one' }] }
    const made = await admin.post(`${path}/products`, product)
    assert.equal(made.status, 201, made.text)
    const own = `${path}/products/${made.body.id}`
    const headers = { authorization: `Bearer ${admin.token}` }
    const zipped = await ask(own, headers)
    const plain = await ask(own, { ...headers, 'accept-encoding': 'identity' })
    assert.equal(zipped.headers['content-encoding'], 'gzip')
    assert.equal(zipped.headers.etag, `W/${plain.headers.etag}`)
    assert.equal(zipped.headers.vary, 'Authorization, X-API-Key, Accept-Encoding')
    for (const etag of [zipped.headers.etag, plain.headers.etag])
      assert.equal((await ask(own, { ...headers, 'if-none-match': etag ?? '' })).status, 304)
    const changed = await admin.put(own, { name: 'Lantern' }, { 'if-match': zipped.headers.etag ?? '' })
    assert.equal(changed.status, 200, changed.text)
    const late = await admin.put(own, { name: 'Late' }, { 'if-match': zipped.headers.etag ?? '' })
    assert.equal(late.status, 412)
  })
})
