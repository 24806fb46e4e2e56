import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { gifOf, noise, photo, photoWithPlace } from '../../support/hostile-files.ts'
import { keyOf, mediaOf, uploadPicture, workOffMedia } from '../../support/media.ts'
import { useWorld } from '../../support/world.ts'

type Rendition = { width: number; height: number; mimeType: string; url: string }

const used = useWorld({ providers: ['media'] })

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
    const { width, height, format } = await sharp(await used.store.read(keyOf(rendition))).metadata()
    assert.deepEqual([width, height], [rendition.width, rendition.height])
    const about = await used.store.about(keyOf(rendition))
    // Until the AVIF is made a WebP stands in for it, and nobody is to keep it.
    assert.equal(format, rendition.mimeType === 'image/jpeg' ? 'jpeg' : 'webp')
    assert.equal(about.isImmutable, rendition.mimeType !== 'image/avif')
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
    const { width, height, format, compression } = await sharp(await used.store.read(keyOf(rendition))).metadata()
    assert.deepEqual([format, compression, width, height], ['heif', 'av1', rendition.width, rendition.height])
    assert.deepEqual(await used.store.about(keyOf(rendition)), {
      mimeType: 'image/avif',
      isAttachment: false,
      isImmutable: true,
    })
  }
  assert.deepEqual(await mediaOf(business).get(ready.id), ready)
})

test('place and owner are gone from what is shown, and the picture stands upright', async () => {
  const business = await used.make.business()
  const { ready } = await uploadPicture(used, business, { bytes: await photoWithPlace(), mimeType: 'image/jpeg' })
  await workOffMedia(used, business.db, 'avif')
  assert.deepEqual([ready.width, ready.height], [600, 800])
  for (const rendition of ready.renditions as Rendition[]) {
    const bytes = await used.store.read(keyOf(rendition))
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
  assert.equal((await sharp(await used.store.read(keyOf(ready))).stats()).isOpaque, false)
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
  const { pages, pageHeight, width } = await sharp(await used.store.read(keyOf(small)), { animated: true }).metadata()
  assert.deepEqual([pages, width, pageHeight], [3, 320, 80])
  assert.equal(await workOffMedia(used, business.db, 'avif'), 0)
})
