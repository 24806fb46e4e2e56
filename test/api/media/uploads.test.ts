import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { holdClock } from '../../support/clock.ts'
import { photo } from '../../support/hostile-files.ts'
import { type FileClaim, mediaOf, useMediaApi, workOffMedia } from '../../support/media.ts'

const used = useMediaApi()

type Upload = { url: string; headers: Record<string, string> }
const here = (url: string) => url.replace(used.api.config.publicUrl, used.api.url)
const send = async ({ url, headers }: Upload, body: Buffer) =>
  (await fetch(here(url), { method: 'PUT', headers, body: new Uint8Array(body) })).status
const uploaded = ({ businessId, id }: { businessId: string; id: string }) =>
  existsSync(path.join(used.folder, 'incoming', businessId, id))

async function start(claim?: FileClaim) {
  const business = await used.make.business()
  const bytes = await photo(300, 200)
  const started = await mediaOf(business).start(claim ?? { bytes, mimeType: 'image/jpeg' })
  return { business, media: mediaOf(business), bytes, started, upload: started.upload as Upload }
}

test('a file goes from its address to everybody', async () => {
  const { business, media, bytes, started, upload } = await start()
  assert.equal(await send(upload, bytes), 200)
  assert.equal((await media.complete(started.id)).status, 200)
  await workOffMedia(used, business.db)
  const ready = await media.get(started.id)
  const shown = await fetch(here(ready.url))
  assert.equal(shown.headers.get('content-type'), 'image/jpeg')
  assert.equal(shown.headers.get('x-content-type-options'), 'nosniff')
  assert.match(shown.headers.get('cache-control') ?? '', /immutable/)
  const [avif] = ready.renditions
  const before = await fetch(here(avif.url))
  assert.equal(before.headers.get('content-type'), 'image/webp')
  assert.doesNotMatch(before.headers.get('cache-control') ?? '', /immutable/)
  await workOffMedia(used, business.db, 'avif')
  const after = await fetch(here(avif.url))
  assert.equal(after.headers.get('content-type'), 'image/avif')
  assert.match(after.headers.get('cache-control') ?? '', /immutable/)
  for (const area of ['private', 'incoming']) {
    assert.equal((await fetch(`${used.api.url}/media/../${area}/${business.id}/${started.id}`)).status, 404)
  }
})

test('an address takes what it was made for, and nothing else', async () => {
  const { bytes, started, upload } = await start()
  assert.notEqual(await send(upload, Buffer.concat([bytes, bytes])), 200)
  assert.notEqual(await send(upload, Buffer.alloc(bytes.length)), 200)
  assert.notEqual(await send({ ...upload, headers: { 'content-type': 'text/html' } }, bytes), 200)
  assert.equal(uploaded(started), false)
})

test('an address leads to no other file, and to no other business', async () => {
  const [mine, theirs] = [await start(), await start()]
  const url = new URL(mine.upload.url)
  url.searchParams.set('key', `incoming/${theirs.business.id}/${theirs.started.id}`)
  assert.equal(await send({ ...mine.upload, url: url.href }, mine.bytes), 403)
  assert.equal(uploaded(theirs.started), false)
})

test('an address is good for ten minutes', async () => {
  const { bytes, started, upload } = await start()
  const clock = holdClock()
  try {
    clock.advance(601)
    assert.equal(await send(upload, bytes), 403)
  } finally {
    clock.release()
  }
  assert.equal(uploaded(started), false)
})

test('100 MB that are said to be one are not taken', async () => {
  const { upload } = await start({ bytes: Buffer.alloc(1_000_000), mimeType: 'image/jpeg' })
  const status = await send(upload, Buffer.alloc(100_000_000)).catch(() => 'cut off')
  assert.notEqual(status, 200)
})
