import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdClock } from '../../support/clock.ts'
import { photo } from '../../support/hostile-files.ts'
import { type FileClaim, keyOf, mediaOf, onEachStore, workOffMedia } from '../../support/media.ts'
import type { World } from '../../support/world.ts'

type Upload = { url: string; headers: Record<string, string> }
/** Addresses of a folder lead to this API; those of another store lead there. */
const here = ({ api }: World<'media'>, url: string) => url.replace(api.config.publicUrl, api.url)

async function start(used: World<'media'>, claim?: FileClaim) {
  const business = await used.make.business()
  const bytes = await photo(300, 200)
  const media = mediaOf(business)
  const started = await media.start(claim ?? { bytes, mimeType: 'image/jpeg' })
  return { business, media, bytes, started, upload: started.upload as Upload }
}

onEachStore((used) => {
  const send = async ({ url, headers }: Upload, body: Buffer) =>
    (await fetch(here(used, url), { method: 'PUT', headers, body: new Uint8Array(body) })).status
  const uploaded = async ({ businessId, id }: { businessId: string; id: string }) =>
    (await used.store.keys(businessId)).includes(`incoming/${businessId}/${id}`)

  test('a file goes from its address to READY, and AVIF takes the place of what stood in for it', async () => {
    const { business, media, bytes, started, upload } = await start(used)
    assert.equal(await send(upload, bytes), 200)
    assert.deepEqual(await used.store.read(`incoming/${business.id}/${started.id}`), bytes)
    assert.equal((await media.complete(started.id)).status, 200)
    await workOffMedia(used, business.db)
    const ready = await media.get(started.id)
    const about = await used.store.about(keyOf(ready))
    assert.deepEqual(about, { mimeType: 'image/jpeg', isAttachment: false, isImmutable: true })
    const [avif] = ready.renditions
    const before = await used.store.about(keyOf(avif))
    assert.deepEqual([before.mimeType, before.isImmutable], ['image/webp', false])
    await workOffMedia(used, business.db, 'avif')
    const after = await used.store.about(keyOf(avif))
    assert.deepEqual([after.mimeType, after.isImmutable], ['image/avif', true])
  })

  test('an address takes what it was made for, and nothing else', async () => {
    const { bytes, started, upload } = await start(used)
    assert.notEqual(await send(upload, Buffer.concat([bytes, bytes])), 200)
    assert.notEqual(await send({ ...upload, headers: { ...upload.headers, 'content-type': 'text/html' } }, bytes), 200)
    assert.equal(await uploaded(started), false)
  })

  test('other bytes of the same length are refused: by the store, or when they are read', async () => {
    const { business, media, bytes, started, upload } = await start(used)
    await send(upload, Buffer.alloc(bytes.length))
    await media.complete(started.id)
    await workOffMedia(used, business.db)
    const { status, problem } = await media.get(started.id)
    assert.equal(status, 'REJECTED')
    assert.equal(problem, used.kind === 'folder' ? 'NOT_UPLOADED' : 'HASH_DIFFERS')
  })

  test('an address leads to no other file, and to no other business', async () => {
    const [mine, theirs] = [await start(used), await start(used)]
    const url = mine.upload.url
      .replace(mine.business.id, theirs.business.id)
      .replace(mine.started.id, theirs.started.id)
    assert.equal(await send({ ...mine.upload, url }, mine.bytes), 403)
    assert.equal(await uploaded(theirs.started), false)
  })

  test('an address is good for ten minutes', async () => {
    const business = await used.make.business()
    const key = await used.make.apiKey(business.admin.id) // a token would not be good yet
    const media = mediaOf({ admin: key, path: business.path })
    const bytes = await photo(300, 200)
    const startBefore = async (seconds: number) => {
      const clock = holdClock()
      try {
        clock.advance(-seconds)
        return await media.start({ bytes, mimeType: 'image/jpeg' })
      } finally {
        clock.release()
      }
    }
    const [late, inTime] = [await startBefore(602), await startBefore(570)]
    assert.equal(await send(late.upload, bytes), 403)
    assert.equal(await send(inTime.upload, bytes), 200)
    assert.deepEqual([await uploaded(late), await uploaded(inTime)], [false, true])
  })

  test('100 MB that are said to be one are not taken', async () => {
    const { upload } = await start(used, { bytes: Buffer.alloc(1_000_000), mimeType: 'image/jpeg' })
    const status = await send(upload, Buffer.alloc(100_000_000)).catch(() => 'cut off')
    assert.notEqual(status, 200)
  })

  // Another store serves its files itself.
  if (used.kind === 'folder') {
    test('everybody can read what is READY, and nothing else', async () => {
      const { business, media, bytes, started, upload } = await start(used)
      await send(upload, bytes)
      await media.complete(started.id)
      await workOffMedia(used, business.db)
      const ready = await media.get(started.id)
      const shown = await fetch(here(used, ready.url))
      assert.equal(shown.headers.get('content-type'), 'image/jpeg')
      assert.equal(shown.headers.get('x-content-type-options'), 'nosniff')
      assert.match(shown.headers.get('cache-control') ?? '', /immutable/)
      const standIn = await fetch(here(used, ready.renditions[0].url))
      assert.equal(standIn.headers.get('content-type'), 'image/webp')
      assert.doesNotMatch(standIn.headers.get('cache-control') ?? '', /immutable/)
      for (const area of ['private', 'incoming']) {
        assert.equal((await fetch(`${used.api.url}/media/../${area}/${business.id}/${started.id}`)).status, 404)
      }
    })
  }
})
