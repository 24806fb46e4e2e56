import assert from 'node:assert/strict'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { copyIntoLogo } from '#modules/access/index.ts'
import { confirmationMail } from '#modules/checkout/index.ts'
import { copyAgain } from '#modules/media/copy-again.ts'
import { createLogos, settleLogo } from '#modules/media/logo.ts'
import { shipmentMail } from '#modules/orders/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { photo } from '../../support/hostile-files.ts'
import { mediaOf, uploadPicture } from '../../support/media.ts'
import { keysIn } from '../../support/media-stores.ts'
import { pagesOf } from '../../support/pdf.ts'
import { refusal } from '../../support/refusal.ts'
import { openShippable } from '../../support/shippable.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['media'], store: 'folder' }) // one test breaks its files

async function openBranded() {
  const shop = await openShippable(used.make, { name: 'Harbour & Sons' })
  const upload = async (bytes: Buffer, mimeType = 'image/jpeg', more = {}) =>
    (await uploadPicture(used, shop, { bytes, mimeType }, more)).ready
  const ready = await upload(await photo(400, 100), 'image/jpeg', { alt: { en: 'An anchor' } })
  const usages = async (id = ready.id) => (await shop.admin.get(`${shop.path}/media/${id}/usages`)).body.items
  const context = () => ({
    db: shop.db,
    control: used.api.services.databases.control,
    services: { storage: createStorage(used.api.config) },
    signal: new AbortController().signal,
  })
  const set = (logo: unknown, headers = {}) => shop.admin.put(shop.path, { logo }, headers)
  return { ...shop, media: mediaOf(shop), upload, ready, usages, set, context, mediaId: ready.id as string }
}
type Branded = Awaited<ReturnType<typeof openBranded>>

const read = async ({ admin, path: business }: Branded) => (await admin.get(business)).body.logo
const showing = ({ id }: Branded) => [{ kind: 'BUSINESS', id }]

test('a business has no logo until one is set: an address, or a file with all that is known of it', async () => {
  const shop = await openBranded()
  assert.equal(await read(shop), null)

  const byAddress = await shop.set({ url: 'https://example.com/logo.png', mimeType: 'image/png' })
  assert.equal(byAddress.status, 200, byAddress.text)
  assert.deepEqual(Object.keys(byAddress.body.logo), ['id', 'url', 'mimeType'])

  const byFile = await shop.set({ mediaId: shop.mediaId })
  const { id, ...logo } = byFile.body.logo
  const { url, width, height, alt, placeholder, focalPoint, renditions } = shop.ready
  const known = { url, mimeType: 'image/jpeg', width, height, alt, placeholder, focalPoint, renditions }
  assert.deepEqual(logo, { ...known, mediaId: shop.mediaId })
  assert.match(id, /^med_/)
  assert.deepEqual(await read(shop), byFile.body.logo)
  assert.deepEqual(await shop.usages(), showing(shop))

  const guest = await used.make.guest()
  assert.deepEqual((await guest.get(shop.path)).body.logo, byFile.body.logo, 'strangers see it, too')
  await shop.admin.put(shop.path, { storefront: { isPublic: true } })
  assert.deepEqual((await guest.get(`/v1/storefront/${shop.id}`)).body.logo, byFile.body.logo)

  assert.equal((await shop.set(null)).body.logo, null)
  assert.deepEqual(await shop.usages(), [])
})

test('what was read may be sent back, by clients that know nothing of files as well', async () => {
  const shop = await openBranded()
  const { logo } = (await shop.set({ mediaId: shop.mediaId })).body
  assert.deepEqual((await shop.set(logo)).body.logo, logo)
  assert.deepEqual((await shop.set({ url: logo.url, mimeType: logo.mimeType })).body.logo, logo)
  assert.deepEqual((await shop.admin.put(shop.path, { timeZone: 'Europe/Berlin' })).body.logo, logo)
  assert.deepEqual(await shop.usages(), showing(shop))

  await shop.admin.delete(`${shop.path}/media/${shop.mediaId}?force=true`)
  assert.deepEqual((await shop.set(logo)).body.logo, logo, 'whatever became of its file')
})

test('a file that is not READY, not there, of another business, or no picture is refused, and nothing is noted', async () => {
  const shop = await openBranded()
  const other = await openBranded()
  const waiting = await shop.media.start({ bytes: Buffer.from('x'), mimeType: 'image/png' })
  const pdf = await shop.upload(Buffer.from('%PDF-1.7\n%%EOF'), 'application/pdf')
  for (const [sent, field, error] of [
    [{ mediaId: waiting.id }, 'logo.mediaId', 'NOT_READY'],
    [{ mediaId: 'med_nowhere' }, 'logo.mediaId', 'NOT_FOUND'],
    [{ mediaId: other.mediaId }, 'logo.mediaId', 'NOT_FOUND'],
    [{ mediaId: pdf.id }, 'logo.mimeType', 'INVALID'],
    [{ url: 'https://example.com/a.pdf', mimeType: 'application/pdf' }, 'logo.mimeType', 'INVALID'],
    [{}, 'logo.url', 'REQUIRED'],
  ] as const) {
    const answer = await shop.set(sent)
    assert.deepEqual(
      [answer.status, answer.body.details[0].field, answer.body.details[0].error],
      [422, field, error],
      answer.text,
    )
  }
  assert.deepEqual(await shop.usages(pdf.id), [])
  const stale = await shop.set({ mediaId: shop.mediaId }, { 'if-match': '"99"' })
  assert.equal(stale.status, 412)
  assert.deepEqual(await shop.usages(), [])
  assert.equal(await read(shop), null)
  const created = await shop.admin.post('/v1/businesses', { name: 'New', logo: { mediaId: shop.mediaId } })
  assert.equal(created.status, 422, 'a new business has no files')
})

test('the file of a logo cannot be deleted, until another one is set', async () => {
  const shop = await openBranded()
  const second = await shop.upload(await photo(300, 90))
  await shop.set({ mediaId: shop.mediaId })
  const refused = await shop.admin.delete(`${shop.path}/media/${shop.mediaId}`)
  assert.equal(refusal(refused), '409 CONFLICT id IN_USE')
  assert.match(refused.text, new RegExp(`The business ${shop.id} shows this file`))
  assert.deepEqual(await shop.media.ids('unused=true'), [second.id])

  await shop.set({ mediaId: second.id })
  assert.deepEqual(await shop.usages(second.id), showing(shop))
  assert.equal((await shop.admin.delete(`${shop.path}/media/${shop.mediaId}`)).status, 200)
})

test('of many who set and delete at once, none leaves a logo whose file is gone', async () => {
  const shop = await openBranded()
  const files = [shop.ready, await shop.upload(await photo(301, 90)), await shop.upload(await photo(302, 90))]
  const sets = files.flatMap(({ id }) => [shop.set({ mediaId: id }), shop.set({ mediaId: id })])
  const deletes = files.map(({ id }) => shop.admin.delete(`${shop.path}/media/${id}`))
  await Promise.all([...sets, ...deletes])
  const logo = await read(shop)
  if (logo !== null) {
    assert.equal((await shop.media.get(logo.mediaId)).status, 'READY')
    assert.deepEqual(await shop.usages(logo.mediaId), showing(shop))
  }
  const left = await shop.media.ids('unused=false')
  assert.deepEqual(left, logo === null ? [] : [logo.mediaId])
})

test('what was noted for a logo that was never stored is forgotten, and what is stored stays', async () => {
  const shop = await openBranded()
  const { logo } = (await shop.set({ mediaId: shop.mediaId })).body
  // A process that died between the two databases.
  const { hold } = createLogos((key) => `https://media.example.com/${key}`)
  await hold(shop.db, shop.id, 'med_never', shop.mediaId)
  assert.equal((await shop.usages()).length, 2)
  const itemIds = [logo.id, 'med_never']
  await settleLogo.run({ businessId: shop.id, itemIds }, shop.context() as never)
  assert.deepEqual(await shop.usages(), showing(shop))
})

test('a new text or focal point of the file is copied into the logo, and told', async () => {
  const shop = await openBranded()
  const { logo } = (await shop.set({ mediaId: shop.mediaId })).body
  const etag = (await shop.admin.get(shop.path)).headers.get('etag')
  await shop.admin.put(`${shop.path}/media/${shop.mediaId}`, { alt: { en: 'A ship' }, focalPoint: { x: 0.1, y: 0.2 } })
  const copy = () => copyAgain().run({ businessId: shop.id, mediaId: shop.mediaId }, shop.context() as never)
  await copy()
  const after = await shop.admin.get(shop.path)
  assert.deepEqual(after.body.logo, { ...logo, alt: { en: 'A ship' }, focalPoint: { x: 0.1, y: 0.2 } })
  assert.notEqual(after.headers.get('etag'), etag)

  await copy()
  assert.equal((await shop.admin.get(shop.path)).headers.get('etag'), after.headers.get('etag'), 'once')
  const { control } = used.api.services.databases
  await transaction(control, (tx) => copyIntoLogo(tx, shop.id, 'med_replaced', new Map()))
  assert.deepEqual(await read(shop), after.body.logo)
})

async function print({ admin, orders }: Branded, ids: readonly string[]) {
  const answer = await fetch(new URL(`${orders}/packing-slips?ids=${ids.join()}`, used.api.url), {
    headers: { authorization: `Bearer ${admin.token}` },
  })
  assert.equal(answer.status, 200)
  const pdf = Buffer.from(await answer.arrayBuffer())
  return { pages: pagesOf(pdf), pictures: pdf.toString('latin1').split('/Subtype /Image').length - 1 }
}

test('packing slips print the logo from the store, once for all pages, and never an address', async () => {
  const shop = await openBranded()
  const ids = [(await shop.makeOrder([1])).id, (await shop.makeOrder([2])).id]
  assert.equal((await print(shop, ids)).pictures, 0)
  await shop.set({ url: used.api.url, mimeType: 'image/png' })
  assert.equal((await print(shop, ids)).pictures, 0)
  await shop.set({ mediaId: shop.mediaId })
  const printed = await print(shop, ids)
  assert.deepEqual([printed.pictures, printed.pages.length], [1, 2])

  const seeThrough = await sharp({
    create: { width: 300, height: 300, channels: 4, background: { r: 20, g: 80, b: 60, alpha: 0.5 } },
  })
    .png()
    .toBuffer()
  await shop.set({ mediaId: (await shop.upload(seeThrough, 'image/png')).id })
  assert.equal((await print(shop, ids)).pictures, 2, 'a PNG and its mask')
})

test('a logo that is broken, cut off or missing never stops a packing slip', async () => {
  const shop = await openBranded()
  const folder = used.store.env.MEDIA_STORAGE?.replace('folder:', '') ?? ''
  const { id } = await shop.makeOrder([1])
  const clear = { create: { width: 300, height: 90, channels: 4, background: '#1234' } } as const
  const png = await shop.upload(await sharp(clear).png().toBuffer(), 'image/png')
  for (const { id: mediaId } of [shop.ready, png]) {
    await shop.set({ mediaId })
    const key = keysIn(folder).find((name) => name.includes(mediaId) && /\.(jpg|png)$/.test(name)) ?? ''
    const file = path.join(folder, key)
    truncateSync(file, 150)
    assert.equal((await print(shop, [id])).pages.length, 1)
    writeFileSync(file, 'no picture at all')
    assert.equal((await print(shop, [id])).pages.length, 1)
    rmSync(file)
    assert.equal((await print(shop, [id])).pages.length, 1)
  }
  await shop.admin.delete(`${shop.path}/media/${png.id}?force=true`)
  assert.equal((await print(shop, [id])).pages.length, 1)
})

test('mails about orders show the logo, with its size and the name of the business', async () => {
  const shop = await openBranded()
  const { logo } = (await shop.set({ mediaId: shop.mediaId })).body
  const order = await shop.row((await shop.makeOrder([1])).id)
  const image = `<img src="${logo.url}" alt="Harbour &amp; Sons" width="240" height="60" style="display:block;max-width:100%;`
  const shipment = { lines: {}, carrier: null, trackingNumber: null, trackingUrl: null }
  for (const mail of [
    await confirmationMail(order, 'Harbour & Sons', 'en', '', logo),
    await shipmentMail({ number: 'A', lines: [] }, shipment, 'Harbour & Sons', '', logo),
  ]) {
    assert.ok(mail.html.includes(image), mail.html)
    assert.ok(!mail.text.includes(logo.url))
  }
  assert.match(logo.url, /\.jpg$/)
  const plain = await confirmationMail(order, 'Harbour & Sons', 'en')
  assert.ok(!plain.html.includes('<img'))
})
