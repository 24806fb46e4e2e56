import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenStorage } from './storages.ts'

type Listed = { key: string; size: number; changedAt: Date }

const PNG = 'image/png'
const sha256 = (body: Buffer) => createHash('sha256').update(body).digest('hex')
const inTenMinutes = () => new Date(Date.now() + 600_000)

/** What every store has to do. Each test has keys of its own, so that the store may be one that others use. */
export function testStorage(name: string, openStorage: () => Promise<OpenStorage>): void {
  let used: OpenStorage
  before(async () => {
    used = await openStorage()
  })
  after(() => used.close())

  const run = `test-${randomUUID()}`
  const key = (area: string, file: string = randomUUID()) => `${area}/${run}/${file}`
  async function read(from: string): Promise<Buffer | undefined> {
    const found = await used.storage.get(from)
    if (!found) return undefined
    const body = await buffer(found.body)
    assert.equal(body.length, found.size)
    return body
  }
  const listed = (prefix: string) => Readable.from(used.storage.list(prefix)).toArray() as Promise<Listed[]>
  async function list(prefix: string): Promise<string[]> {
    return (await listed(prefix)).map((found) => found.key).sort()
  }
  async function announce(body: Buffer, to = key('incoming')) {
    const upload = await used.storage.presignPut(
      to,
      { mimeType: PNG, size: body.length, sha256: sha256(body) },
      inTenMinutes(),
    )
    return { to, upload }
  }

  test(`${name}: what was put is read again, from a buffer and from a stream, until it is replaced`, async () => {
    const [first, second] = [randomBytes(70_000), randomBytes(200_000)]
    const one = key('public', 'some/640.webp')
    await used.storage.put(one, first, { mimeType: 'image/webp', size: first.length, isImmutable: true })
    assert.deepEqual(await read(one), first)
    const pieces = [second.subarray(0, 1_000), second.subarray(1_000)]
    await used.storage.put(one, Readable.from(pieces), { mimeType: 'image/webp', size: second.length })
    assert.deepEqual(await read(one), second)
    assert.equal(await read(key('public')), undefined)
    await used.storage.delete([one])
  })

  test(`${name}: an empty file is a file`, async () => {
    const empty = key('private')
    await used.storage.put(empty, Buffer.alloc(0), { mimeType: 'text/plain', size: 0 })
    assert.equal((await read(empty))?.length, 0)
    await used.storage.delete([empty])
  })

  test(`${name}: a body of another size than was said is not stored`, async () => {
    for (const size of [9, 11]) {
      const [whole, streamed] = [key('private'), key('private')]
      const about = { mimeType: PNG, size }
      await assert.rejects(used.storage.put(whole, randomBytes(10), about))
      await assert.rejects(used.storage.put(streamed, Readable.from([randomBytes(4), randomBytes(6)]), about))
      assert.deepEqual([await read(whole), await read(streamed)], [undefined, undefined])
    }
  })

  test(`${name}: a file of a size that nobody knows is put piece by piece; if it breaks off, nothing is`, async () => {
    const [large, broken, empty] = [key('private'), key('private'), key('private')]
    const pieces = Array.from({ length: 9 }, () => randomBytes(4 * 1024 * 1024 + 7)) // more than two parts of S3
    const size = await used.storage.putLarge(large, Readable.from(pieces), { mimeType: 'application/x-tar' })
    assert.equal(size, 9 * (4 * 1024 * 1024 + 7))
    assert.equal(sha256((await read(large)) ?? Buffer.alloc(0)), sha256(Buffer.concat(pieces)))
    async function* breaking() {
      yield randomBytes(20 * 1024 * 1024)
      throw new Error('broken off')
    }
    await assert.rejects(used.storage.putLarge(broken, breaking(), { mimeType: 'application/x-tar' }), /broken off/)
    assert.equal(await read(broken), undefined)
    assert.equal(await used.storage.putLarge(empty, Readable.from([]), { mimeType: 'text/plain' }), 0)
    assert.equal((await read(empty))?.length, 0)
    await used.storage.delete([large, empty])
  })

  test(`${name}: a private file is fetched by its address, under its name, until that ends, and no other file is`, async () => {
    const [one, other] = [key('private', 'a.tar'), key('private', 'b.tar')]
    for (const each of [one, other])
      await used.storage.put(each, Buffer.from(each), { mimeType: PNG, size: each.length })
    const url = await used.storage.presignGet(one, { fileName: 'harbour.tar' }, inTenMinutes())
    const answer = await used.fetch(url)
    assert.equal(answer.status, 200)
    assert.equal(await answer.text(), one)
    assert.match(answer.headers.get('content-disposition') ?? '', /attachment; filename="harbour\.tar"/)
    for (const changed of [
      url.replace('a.tar', 'b.tar'),
      url.replace(/(signature=).{6}/i, '$1abcdef'),
      url.replace(/(expires(?:At)?=)(\d+)/i, '$19$2'),
    ])
      assert.equal((await used.fetch(changed)).status, 403, changed)
    const short = await used.storage.presignGet(one, { fileName: 'harbour.tar' }, new Date(Date.now() + 1_000))
    await sleep(2_100)
    assert.equal((await used.fetch(short)).status, 403)
    for (const area of ['public', 'incoming'])
      await assert.rejects(used.storage.presignGet(key(area), { fileName: 'x' }, inTenMinutes()), /private/)
    await used.storage.delete([one, other])
  })

  test(`${name}: what is deleted is gone, what is not there can be deleted, and the rest stays`, async () => {
    const keys = ['a', 'b', 'c'].map((file) => key('private', `deleted/${file}`))
    for (const each of keys) await used.storage.put(each, Buffer.from('x'), { mimeType: PNG, size: 1 })
    await used.storage.delete([...keys.slice(0, 2), key('private', 'deleted/never')])
    assert.deepEqual(await list(key('private', 'deleted/')), keys.slice(2))
    await used.storage.delete(keys)
    await used.storage.delete([])
    assert.deepEqual(await list(key('private', 'deleted/')), [])
  })

  test(`${name}: a list has everything below a prefix, with size and time, and nothing else`, async () => {
    const since = Date.now()
    const keys = ['list/a', 'list/b/c', 'list/b/d', 'listed'].map((file) => key('public', file))
    for (const [index, each] of keys.entries())
      await used.storage.put(each, Buffer.alloc(index + 1), { mimeType: PNG, size: index + 1 })
    assert.deepEqual(await list(key('public', 'list/')), keys.slice(0, 3))
    assert.deepEqual(await list(key('public', 'list/b')), keys.slice(1, 3))
    assert.deepEqual(await list(key('public', 'nothing/')), [])
    const [found] = await listed(keys[2] ?? '')
    assert.equal(found?.size, 3)
    assert.ok(Math.abs((found?.changedAt.getTime() ?? 0) - since) < 60_000)
    await used.storage.delete(keys)
  })

  test(`${name}: an upload address takes the file that was announced`, async () => {
    const body = randomBytes(150_000)
    const { to, upload } = await announce(body)
    assert.equal(upload.method, 'PUT')
    assert.doesNotMatch(upload.url, /checksum-crc32/i) // that of an empty body, which stores would compare
    assert.equal(await used.send(upload, body), 200)
    assert.deepEqual(await read(to), body)
    await used.storage.delete([to])
  })

  test(`${name}: an upload address takes nothing else: no other length, type, hash, key, and no later time`, async () => {
    const body = randomBytes(5_000)
    const { to, upload } = await announce(body)
    const other = to.slice(0, -1) + (to.endsWith('0') ? '1' : '0')
    const { upload: forOther } = await announce(randomBytes(5_000), to)
    const changed = (from: RegExp | string, into: string) => ({ ...upload, url: upload.url.replace(from, into) })
    const refused = [
      await used.send(upload, body.subarray(1)),
      await used.send(upload, Buffer.concat([body, Buffer.from('x')])),
      await used.send(upload, Buffer.alloc(0)),
      await used.send({ ...upload, headers: { ...upload.headers, 'content-type': 'text/html' } }, body),
      await used.send({ ...upload, headers: {} }, body),
      await used.send(changed(to.slice(-36), other.slice(-36)), body),
      await used.send(changed(/(signature=).{6}/i, '$1abcdef'), body),
      await used.send(changed(/(expires(?:At)?=)(\d+)/i, '$19$2'), body),
      // The hash of another file, in the header (S3) or in the address (folder).
      await used.send({ ...upload, headers: forOther.headers, url: swapHash(upload.url, forOther.url) }, body),
      await used.send({ ...forOther, headers: upload.headers, url: swapHash(forOther.url, upload.url) }, body),
    ]
    if (used.checksHashes) refused.push(await used.send(upload, randomBytes(5_000)))
    for (const [index, status] of refused.entries()) assert.ok(status >= 400 && status < 500, `${index}: ${status}`)
    assert.deepEqual([await read(to), await read(other)], [undefined, undefined])
  })

  test(`${name}: an upload address ends`, async () => {
    const body = randomBytes(100)
    const to = key('incoming')
    const about = { mimeType: PNG, size: body.length, sha256: sha256(body) }
    const upload = await used.storage.presignPut(to, about, new Date(Date.now() + 1_000))
    await sleep(2_100)
    assert.equal(await used.send(upload, body), 403)
    assert.equal(await read(to), undefined)
  })

  test(`${name}: an upload cannot be read by its address`, async () => {
    const body = randomBytes(100)
    const { to, upload } = await announce(body)
    assert.equal(await used.send(upload, body), 200)
    for (const method of ['GET', 'HEAD', 'DELETE']) assert.ok((await used.send(upload, body, method)) >= 400, method)
    assert.deepEqual(await read(to), body)
    await used.storage.delete([to])
  })

  test(`${name}: no key leaves its area, and uploads and public addresses keep to theirs`, async () => {
    const about = { mimeType: PNG, size: 1, sha256: 'ab'.repeat(32) }
    const odd = ['', 'a', '/etc/passwd', 'public', 'public/', 'public/../private/x', 'public/a/../../x', 'public//x']
    odd.push('public/./x', 'public/.x', 'public/a\0', 'public/a\\..\\b', 'public/%2e%2e/x', 'public/a/', 'other/a')
    for (const each of odd) {
      await assert.rejects(used.storage.put(each, Buffer.from('x'), about), /key/, each)
      await assert.rejects(used.storage.get(each), /key/, each)
      await assert.rejects(used.storage.delete([each]), /key/, each)
      await assert.rejects(used.storage.presignPut(each, about, inTenMinutes()), /key/, each)
      assert.throws(() => used.storage.publicUrl(each), /key/, each)
    }
    await assert.rejects(used.storage.presignPut(key('public'), about, inTenMinutes()), /incoming/)
    assert.throws(() => used.storage.publicUrl(key('private')), /public/)
    await assert.rejects(list('public/../'), /keys/)
    assert.match(used.storage.publicUrl('public/b/c/d.webp'), /^http.*\/b\/c\/d\.webp$/)
  })
}

const swapHash = (url: string, from: string) => {
  const hash = /sha256=([0-9a-f]{64})/.exec(from)?.[1]
  return hash ? url.replace(/sha256=[0-9a-f]{64}/, `sha256=${hash}`) : url
}
