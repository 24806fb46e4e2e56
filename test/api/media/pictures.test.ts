import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { sweepMedia } from '#modules/media/sweep.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { holdClock } from '../../support/clock.ts'
import { gifOf, noise, photo, photoWithPlace } from '../../support/hostile-files.ts'
import { eventsOf } from '../../support/imports.ts'
import { aboutKey, keysIn, mediaOf, readKey, uploadPicture, useMediaApi, workOffMedia } from '../../support/media.ts'

const used = useMediaApi()

type Rendition = { width: number; height: number; mimeType: string; url: string }
const keyOf = ({ url }: { url: string }) => `public/${url.slice(url.indexOf('biz_'))}`
const sweep = (db: unknown) =>
  sweepMedia.run({}, {
    db,
    services: { storage: createStorage(used.api.config) },
    signal: new AbortController().signal,
  } as never)

test('a photo becomes READY, with a rendition for each step and nothing wider than itself', async () => {
  const business = await used.make.business()
  const { ready } = await uploadPicture(used, business, { bytes: await photo(1_500, 1_000), mimeType: 'image/jpeg' })

  assert.deepEqual([ready.status, ready.width, ready.height], ['READY', 1_500, 1_000])
  const sizes = (type: string) =>
    (ready.renditions as Rendition[]).filter(({ mimeType }) => mimeType === type).map(({ width }) => width)
  assert.deepEqual(sizes('image/webp'), [320, 640, 960, 1_280, 1_500])
  assert.deepEqual(sizes('image/avif'), [320, 640, 960, 1_280, 1_500])
  assert.deepEqual(sizes('image/jpeg'), [1_280])
  assert.equal(ready.url, (ready.renditions as Rendition[]).at(-1)?.url)
  for (const rendition of ready.renditions as Rendition[]) {
    const { width, height, format } = await sharp(readKey(used.folder, keyOf(rendition))).metadata()
    assert.deepEqual([width, height], [rendition.width, rendition.height])
    const about = aboutKey(used.folder, keyOf(rendition))
    // Until the AVIF is made a WebP stands in for it, and nobody is to keep it.
    assert.equal(format, rendition.mimeType === 'image/jpeg' ? 'jpeg' : 'webp')
    assert.equal(about.isImmutable ?? false, rendition.mimeType !== 'image/avif')
  }
  assert.ok(ready.placeholder.length < 500, ready.placeholder)
  const tiny = Buffer.from(ready.placeholder.split(',')[1], 'base64')
  assert.equal((await sharp(tiny).metadata()).width, 16)
})

test('AVIF come later, at the addresses that are known already, and the record stays the same', async () => {
  const business = await used.make.business()
  const { ready } = await uploadPicture(used, business, { bytes: await photo(700, 500), mimeType: 'image/jpeg' })
  assert.equal(await workOffMedia(used, business.db, 'avif'), 1)
  assert.equal(await workOffMedia(used, business.db, 'avif'), 0)
  for (const rendition of (ready.renditions as Rendition[]).filter(({ mimeType }) => mimeType === 'image/avif')) {
    const { width, height, format, compression } = await sharp(readKey(used.folder, keyOf(rendition))).metadata()
    assert.deepEqual([format, compression, width, height], ['heif', 'av1', rendition.width, rendition.height])
    assert.deepEqual(aboutKey(used.folder, keyOf(rendition)), { mimeType: 'image/avif', isImmutable: true })
  }
  assert.deepEqual(await mediaOf(business).get(ready.id), ready)
})

test('place and owner are gone from what is shown, and the picture stands upright', async () => {
  const business = await used.make.business()
  const { ready } = await uploadPicture(used, business, { bytes: await photoWithPlace(), mimeType: 'image/jpeg' })
  await workOffMedia(used, business.db, 'avif')
  assert.deepEqual([ready.width, ready.height], [600, 800])
  for (const rendition of ready.renditions as Rendition[]) {
    const bytes = readKey(used.folder, keyOf(rendition))
    const { exif, xmp, iptc, orientation, width, height } = await sharp(bytes).metadata()
    assert.deepEqual([exif, xmp, iptc, orientation ?? 1], [undefined, undefined, undefined, 1])
    assert.ok(height > width)
    assert.ok(!bytes.includes('Somebody Private'))
  }
})

test('a picture that shows something through stays so, also where one address must do', async () => {
  const business = await used.make.business()
  const glass = await noise(500, 400, 4)
    .composite([
      { input: Buffer.from([0, 0, 0, 128]), raw: { width: 1, height: 1, channels: 4 }, tile: true, blend: 'dest-in' },
    ])
    .png()
    .toBuffer()
  const { ready } = await uploadPicture(used, business, { bytes: glass, mimeType: 'image/png' })
  assert.equal((ready.renditions as Rendition[]).at(-1)?.mimeType, 'image/png')
  assert.equal((await sharp(readKey(used.folder, keyOf(ready))).stats()).isOpaque, false)
  const solid = await noise(500, 400).ensureAlpha().png().toBuffer()
  const { ready: opaque } = await uploadPicture(used, business, { bytes: solid, mimeType: 'image/png' })
  assert.equal((opaque.renditions as Rendition[]).at(-1)?.mimeType, 'image/jpeg')
})

test('a moving picture goes on moving, as WebP', async () => {
  const business = await used.make.business()
  const { ready } = await uploadPicture(used, business, { bytes: gifOf(400, 100, 3), mimeType: 'image/gif' })
  assert.deepEqual([ready.width, ready.height], [400, 100])
  const renditions = ready.renditions as Rendition[]
  assert.deepEqual(
    renditions.map(({ mimeType }) => mimeType).filter((type) => type === 'image/avif'),
    [],
  )
  const [small] = renditions as [Rendition]
  const { pages, pageHeight, width } = await sharp(readKey(used.folder, keyOf(small)), { animated: true }).metadata()
  assert.deepEqual([pages, width, pageHeight], [3, 320, 80])
  assert.equal(await workOffMedia(used, business.db, 'avif'), 0)
})

test('the same bytes once more are the same file, in their business only', async () => {
  const [business, other] = [await used.make.business(), await used.make.business()]
  const file = { bytes: await photo(50, 50), mimeType: 'image/jpeg' }
  const { ready } = await uploadPicture(used, business, file)
  const again = await business.admin.post(`${business.path}/media`, {
    fileName: 'other.jpg',
    mimeType: 'image/jpeg',
    size: ready.size,
    sha256: ready.sha256,
  })
  assert.equal(again.status, 200)
  assert.deepEqual(again.body, ready)
  assert.equal((await mediaOf(other).start(file)).status, 'PENDING')
})

test('events say what became of an upload, once', async () => {
  const business = await used.make.business()
  const { ready } = await uploadPicture(used, business, { bytes: await photo(60, 50), mimeType: 'image/jpeg' })
  const { started } = await uploadPicture(used, business, { bytes: Buffer.from('no picture'), mimeType: 'image/jpeg' })
  await business.admin.put(`${business.path}/media/${ready.id}`, { tags: ['x'] })
  await business.admin.delete(`${business.path}/media/${ready.id}`)
  const events = await eventsOf(
    business.db,
    business.id,
    'media.ready',
    'media.rejected',
    'media.updated',
    'media.deleted',
  )
  assert.deepEqual(
    events.map(({ type, subject, data }) => ({ type, subject, data })),
    [
      { type: 'media.ready', subject: ready.id, data: { mimeType: 'image/jpeg', width: 60, height: 50 } },
      { type: 'media.rejected', subject: started.id, data: { problem: 'TYPE_DIFFERS' } },
      { type: 'media.updated', subject: ready.id, data: { fields: ['tags'] } },
      { type: 'media.deleted', subject: ready.id, data: {} },
    ],
  )
})

test('uploads are deleted once they were read, and everything of a file that is deleted', async () => {
  const business = await used.make.business()
  const ofBusiness = () => keysIn(used.folder).filter((key) => key.split('/')[1] === business.id)
  const { ready } = await uploadPicture(used, business, { bytes: await photo(400, 300), mimeType: 'image/jpeg' })
  await uploadPicture(used, business, { bytes: Buffer.from('no picture'), mimeType: 'image/jpeg' })
  await sweep(business.db)
  assert.deepEqual(
    ofBusiness().filter((key) => key.startsWith('incoming/')),
    [],
  )
  assert.equal(ofBusiness().filter((key) => key.startsWith('private/')).length, 1)
  assert.equal(ofBusiness().filter((key) => key.startsWith('public/')).length, 5)

  await business.admin.delete(`${business.path}/media/${ready.id}`)
  await sweep(business.db)
  assert.deepEqual(ofBusiness(), [])
  const clock = holdClock()
  try {
    clock.advance(2 * 3_600)
    await sweep(business.db)
  } finally {
    clock.release()
  }
  const { rows } = await sql`select from media.leftovers where business_id = ${business.id}`.execute(business.db)
  assert.equal(rows.length, 0)
})

test('a file that is completed without an upload is rejected, and may be completed twice', async () => {
  const business = await used.make.business()
  const media = mediaOf(business)
  const { id } = await media.start({ bytes: Buffer.from('x'), mimeType: 'image/jpeg' })
  assert.equal((await media.complete(id)).body.status, 'PROCESSING')
  assert.equal((await media.complete(id)).body.status, 'PROCESSING')
  await workOffMedia(used, business.db)
  assert.equal((await media.get(id)).problem, 'NOT_UPLOADED')
  assert.equal((await media.complete(id)).body.status, 'REJECTED')
})

test('a file that is deleted while it is worked on leaves nothing behind', async () => {
  const business = await used.make.business()
  const media = mediaOf(business)
  const bytes = await photo(200, 100)
  const started = await media.start({ bytes, mimeType: 'image/jpeg' })
  const { placeUpload } = await import('../../support/media.ts')
  placeUpload(used.folder, started, bytes)
  await media.complete(started.id)
  const { useFaults } = await import('#platform/faults.ts')
  useFaults(async (name) => {
    if (name === 'media.stored') await business.admin.delete(`${business.path}/media/${started.id}`)
  })
  try {
    await workOffMedia(used, business.db)
  } finally {
    useFaults(undefined)
  }
  assert.equal((await business.admin.get(`${media.list}/${started.id}`)).status, 404)
  await sweep(business.db)
  assert.deepEqual(
    keysIn(used.folder).filter((key) => key.split('/')[1] === business.id),
    [],
  )
  assert.deepEqual(
    (await eventsOf(business.db, business.id, 'media.ready', 'media.deleted')).map(({ type }) => type),
    ['media.deleted'],
  )
})
