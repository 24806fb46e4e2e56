import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import pino from 'pino'
import { createPictureTurns } from '#modules/catalog/transfer/fetch-pictures.ts'
import { placePictures } from '#modules/catalog/transfer/place-pictures.ts'
import { rulesFor } from '#platform/outgoing/check-address.ts'
import { createDownload } from '#platform/outgoing/download.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { holdClock } from '../../support/clock.ts'
import { photo } from '../../support/hostile-files.ts'
import { CSV, dryRun, finishImport, NDJSON, steerImport, toLines, uploadFile } from '../../support/imports.ts'
import { mediaOf, workOffMedia } from '../../support/media.ts'
import { keysIn } from '../../support/media-stores.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'kontor-import-pictures-'))
const used = useWorld({ worker: 'catalog', own: true, env: { MEDIA_STORAGE: `folder:${folder}` } })

/** A server with pictures. What it answers to a path can be set; it counts what it is asked for. */
const pictures = { url: '', asked: [] as string[], answers: new Map<string, Buffer | number | 'slow'>() }
const server = createServer((request, response) => {
  const at = request.url ?? ''
  pictures.asked.push(at)
  const answer = pictures.answers.get(at) ?? 404
  if (answer === 'slow') return
  if (typeof answer === 'number') response.writeHead(answer).end('no')
  // It says that everything is a page: nobody believes it.
  else response.writeHead(200, { 'content-type': 'text/html' }).end(answer)
})

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  pictures.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(() => {
  pictures.asked = []
  pictures.answers.clear()
})

const clocks: ReturnType<typeof holdClock>[] = []
afterEach(() => {
  for (const clock of clocks.splice(0)) clock.release()
})

const NEVER = new AbortController().signal

async function openShop({ quota = 1_000_000_000 } = {}) {
  const shop = await used.make.shop()
  const storage = createStorage(used.api.config)
  assert.ok(storage)
  const download = createDownload(rulesFor({ allowLoopback: true }))
  const fetchOne = createPictureTurns(shop.db, {
    storage,
    quotaOf: async () => quota,
    download,
    log: pino({ level: 'silent' }),
  })
  const { admin, products } = shop
  return {
    ...shop,
    fetchOne,
    /** What the worker does, until there is nothing left that is due. */
    async work() {
      while (await fetchOne(NEVER));
      await workOffMedia(used, shop.db)
      await placePictures(shop.db, storage.publicUrl, NEVER)
    },
    async import(rows: readonly object[], query = '?pictures=fetch') {
      const made = await uploadFile(shop, toLines(rows), NDJSON, query)
      assert.equal(made.status, 201, made.text)
      return finishImport(shop, made.body.id)
    },
    report: async (id: string) => (await admin.get(`${products}/imports/${id}`)).body,
    find: async (slug: string) => (await admin.get(`${products}?slug=${slug}`)).body.items[0],
  }
}

const at = (name: string) => ({ url: `${pictures.url}${name}`, mimeType: 'image/jpeg' })
const row = (slug: string, ...names: string[]) => ({ slug, name: slug, gallery: names.map(at) })

test('pictures that lines name by address come into the library, and products show the files', async () => {
  const shop = await openShop()
  pictures.answers.set('/a%20mug.jpg', await photo(500, 400)).set('/red.jpg', await photo(300, 300))
  const done = await shop.import([
    {
      ...row('mug', '/a%20mug.jpg'),
      description: 'As it was',
      variants: [{ id: 'red', name: 'Red', gallery: [at('/red.jpg'), { ...at('/a%20mug.jpg'), id: 'again' }] }],
    },
  ])
  assert.deepEqual((await shop.report(done.id)).pictures, {
    total: 2,
    waiting: 2,
    fetched: 0,
    failed: 0,
    failures: [],
  })
  const before = await shop.find('mug')
  assert.equal(before.gallery[0].url, `${pictures.url}/a%20mug.jpg`, 'until then the address is shown')

  await shop.work()
  const after = await shop.find('mug')
  const [shown] = after.gallery
  assert.deepEqual(
    [shown.width, shown.height, shown.mimeType, shown.id],
    [500, 400, 'image/jpeg', before.gallery[0].id],
  )
  assert.ok(shown.mediaId && shown.renditions.length > 2)
  const [red, again] = after.variants[0].gallery
  assert.deepEqual([red.width, again.id, again.mediaId], [300, 'again', shown.mediaId])
  const rest = (product: Record<string, unknown>) => ({ ...product, gallery: 0, variants: 0, updatedAt: 0 })
  assert.deepEqual(rest(after), rest(before), 'nothing else has changed')
  const file = await mediaOf(shop).get(shown.mediaId)
  assert.deepEqual([file.status, file.fileName], ['READY', 'a mug.jpg'])
  const { pictures: counted } = await shop.report(done.id)
  assert.deepEqual([counted.fetched, counted.waiting, counted.failed], [2, 0, 0])
  const usages = await shop.admin.get(`${shop.path}/media/${shown.mediaId}/usages`)
  assert.deepEqual(usages.body.items, [{ kind: 'PRODUCT', id: after.id }])
})

test('without being asked an import loads nothing, and a dry run neither', async () => {
  const shop = await openShop()
  pictures.answers.set('/a.jpg', await photo(50, 50))
  const plain = await shop.import([row('mug', '/a.jpg')], '')
  assert.equal((await shop.report(plain.id)).pictures, null)
  const ready = await dryRun(shop, toLines([row('cup', '/a.jpg')]), NDJSON, '&pictures=fetch')
  await shop.work()
  assert.deepEqual(pictures.asked, [])
  await steerImport(shop, ready.id, 'apply')
  await shop.work()
  assert.deepEqual(pictures.asked, ['/a.jpg'])
  assert.ok((await shop.find('cup')).gallery[0].mediaId)
  assert.equal((await shop.find('mug')).gallery[0].mediaId, undefined)
})

test('the same address is loaded once, and the same bytes are one file', async () => {
  const shop = await openShop()
  const bytes = await photo(60, 60)
  pictures.answers.set('/a.jpg', bytes).set('/b.jpg', bytes)
  const rows = [row('one', '/a.jpg'), row('two', '/a.jpg', '/b.jpg'), row('three', '/b.jpg')]
  await shop.import(rows)
  await shop.work()
  assert.deepEqual(pictures.asked.toSorted(), ['/a.jpg', '/b.jpg'])
  assert.equal((await mediaOf(shop).ids()).length, 1)
  const stored = keysIn(folder).filter((key) => key.startsWith(`public/${shop.id}/`))
  assert.equal(new Set(stored.map((key) => key.split('-')[0])).size, 1)

  // Once more: nothing is loaded, and nothing changes.
  const version = (await shop.admin.get(`${shop.products}/${(await shop.find('two')).id}`)).headers.get('etag')
  const again = await shop.import(rows)
  await shop.work()
  assert.deepEqual([again.unchanged, pictures.asked.length], [3, 2])
  const after = await shop.admin.get(`${shop.products}/${(await shop.find('two')).id}`)
  assert.equal(after.headers.get('etag'), version)
  // A new product gets the file at once.
  await shop.import([row('four', '/a.jpg')])
  assert.ok((await shop.find('four')).gallery[0].mediaId)
  assert.equal(pictures.asked.length, 2)
})

test('a product that was changed meanwhile keeps what somebody made of it', async () => {
  const shop = await openShop()
  pictures.answers
    .set('/a.jpg', await photo(70, 70))
    .set('/b.jpg', await photo(71, 70))
    .set('/c.jpg', await photo(72, 70))
  const done = await shop.import([row('moved', '/a.jpg', '/b.jpg'), row('gone', '/c.jpg'), row('renamed', '/a.jpg')])
  const [moved, gone, renamed] = await Promise.all(['moved', 'gone', 'renamed'].map(shop.find))
  const other = { url: 'https://example.com/new.jpg', mimeType: 'image/jpeg' }
  await shop.admin.put(`${shop.products}/${moved.id}`, { gallery: [other, at('/b.jpg')] })
  await shop.admin.delete(`${shop.products}/${gone.id}`)
  await shop.admin.put(`${shop.products}/${renamed.id}`, { name: 'Renamed', slug: 'new-slug' })
  await shop.work()
  const after = await shop.find('moved')
  assert.equal(after.gallery[0].url, other.url)
  assert.ok(after.gallery[1].mediaId)
  const kept = await shop.find('new-slug')
  assert.equal(kept.name, 'Renamed')
  const { pictures: counted } = await shop.report(done.id)
  assert.deepEqual(
    [counted.fetched, counted.waiting, counted.failed],
    [4, 0, 0],
    'what came is in the library, at least',
  )
  assert.ok(kept.gallery[0].mediaId)
})

test('what cannot be had keeps its address, and the report says why', async () => {
  const shop = await openShop()
  pictures.answers
    .set('/page.jpg', Buffer.from('<!doctype html><html><body>no picture</body></html>'))
    .set('/svg.jpg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
    .set('/cut.jpg', (await photo(300, 300)).subarray(0, 2_000))
    .set('/secret.jpg', 403)
    .set('/fine.jpg', await photo(80, 80))
  const metadata = { url: 'http://169.254.169.254/latest/meta-data', mimeType: 'image/jpeg' }
  const done = await shop.import([
    { ...row('mug', '/page.jpg', '/svg.jpg', '/cut.jpg', '/secret.jpg', '/fine.jpg'), taxClass: 'standard' },
    { slug: 'cup', name: 'cup', gallery: [metadata] },
  ])
  await shop.work()
  const { pictures: counted } = await shop.report(done.id)
  assert.deepEqual([counted.total, counted.fetched, counted.failed, counted.waiting], [6, 1, 5, 0])
  const name = (address: string) => address.replace(pictures.url, '')
  assert.deepEqual(
    Object.fromEntries(
      counted.failures.map(({ address, problem }: Record<string, string>) => [name(address ?? ''), problem]),
    ),
    {
      '/page.jpg': 'NOT_A_PICTURE',
      '/svg.jpg': 'NOT_A_PICTURE',
      '/cut.jpg': 'BROKEN',
      '/secret.jpg': 'REFUSED',
      'http://169.254.169.254/latest/meta-data': 'ADDRESS_NOT_ALLOWED',
    },
  )
  const mug = await shop.find('mug')
  assert.deepEqual(
    mug.gallery.map((item: { mediaId?: string }) => item.mediaId !== undefined),
    [false, false, false, false, true],
  )
  assert.equal(mug.gallery[0].url, `${pictures.url}/page.jpg`)
})

test('a server that is away is asked again, ever later, and at last given up', async () => {
  const clock = holdClock()
  clocks.push(clock)
  const shop = await openShop()
  pictures.answers.set('/a.jpg', 503).set('/b.jpg', 503)
  const done = await shop.import([row('mug', '/a.jpg'), row('cup', '/b.jpg')])
  await shop.work()
  assert.equal(pictures.asked.length, 2)
  await shop.work()
  assert.equal(pictures.asked.length, 2, 'not at once')
  clock.advance(11)
  pictures.answers.set('/a.jpg', await photo(90, 90))
  await shop.work()
  assert.ok((await shop.find('mug')).gallery[0].mediaId)
  for (const seconds of [61, 301, 1_801, 10_000, 10_000]) {
    clock.advance(seconds)
    await shop.work()
  }
  clock.release() // the token is older than it may be
  assert.equal(pictures.asked.filter((path) => path === '/b.jpg').length, 5)
  const { pictures: counted } = await shop.report(done.id)
  assert.deepEqual([counted.fetched, counted.failed], [1, 1])
  assert.deepEqual(counted.failures, [{ address: `${pictures.url}/b.jpg`, problem: 'REFUSED' }])

  // Importing the file again is trying again.
  pictures.answers.set('/b.jpg', await photo(91, 90))
  await shop.import([row('cup', '/b.jpg')])
  await shop.work()
  assert.ok((await shop.find('cup')).gallery[0].mediaId)
})

test('one who dies in the middle leaves nothing behind but what is tried again', async () => {
  const clock = holdClock()
  clocks.push(clock)
  const shop = await openShop()
  pictures.answers.set('/a.jpg', 'slow')
  await shop.import([row('mug', '/a.jpg')])
  // Whoever stops gives it back at once.
  const stopping = new AbortController()
  const under = shop.fetchOne(stopping.signal)
  while (pictures.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  stopping.abort()
  await under
  // Whoever dies lets go after a while: until then nobody else takes it.
  void shop.fetchOne(NEVER)
  while (pictures.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.equal(await shop.fetchOne(NEVER), false)
  pictures.answers.set('/a.jpg', await photo(92, 90))
  clock.advance(121)
  await shop.work()
  assert.ok((await shop.find('mug')).gallery[0].mediaId)
  server.closeAllConnections()
})

test('a business whose pictures come slowly leaves places to the others', async () => {
  const slow = await openShop()
  let quick = await openShop()
  while (quick.db.name !== slow.db.name) quick = await openShop() // of the same cell
  for (const name of ['/1.jpg', '/2.jpg', '/3.jpg', '/4.jpg']) pictures.answers.set(name, 'slow')
  pictures.answers.set('/quick.jpg', await photo(93, 90))
  await slow.import([row('mug', '/1.jpg', '/2.jpg', '/3.jpg', '/4.jpg')])
  await quick.import([row('cup', '/quick.jpg')])
  const stopping = new AbortController()
  const places = Array.from({ length: 4 }, () => slow.fetchOne(stopping.signal))
  await until('the other one has had its turn', async () => pictures.asked.includes('/quick.jpg'))
  await until('two of them are asked for', async () => pictures.asked.length === 3)
  assert.equal(await slow.fetchOne(stopping.signal), false, 'and no more')
  stopping.abort()
  await Promise.all(places)
})

test('pictures that find no room are given up, and take none', async () => {
  const bytes = await photo(94, 90)
  const shop = await openShop({ quota: bytes.length + 10 })
  pictures.answers.set('/a.jpg', bytes).set('/b.jpg', await photo(95, 90))
  const done = await shop.import([row('mug', '/a.jpg', '/b.jpg')])
  await shop.work()
  const { pictures: counted } = await shop.report(done.id)
  assert.deepEqual([counted.fetched, counted.failed, counted.failures[0].problem], [1, 1, 'QUOTA_EXCEEDED'])
  assert.equal((await mediaOf(shop).ids()).length, 1)
})

test('an import can be undone after its pictures have come, and before', async () => {
  const shop = await openShop()
  pictures.answers.set('/a.jpg', await photo(96, 90)).set('/b.jpg', await photo(97, 90))
  await shop.import([{ slug: 'mug', name: 'Before', gallery: [at('/old.jpg')] }], '')
  const done = await shop.import([{ slug: 'mug', name: 'After', gallery: [at('/a.jpg')] }])
  await shop.work()
  assert.ok((await shop.find('mug')).gallery[0].mediaId)
  const undone = await steerImport(shop, done.id, 'undo')
  assert.deepEqual([undone.undone, undone.kept], [1, 0])
  const back = await shop.find('mug')
  assert.deepEqual([back.name, back.gallery[0].url], ['Before', `${pictures.url}/old.jpg`])

  const second = await shop.import([{ slug: 'mug', name: 'Again', gallery: [at('/b.jpg')] }])
  await steerImport(shop, second.id, 'undo')
  await shop.work()
  assert.ok(!pictures.asked.includes('/b.jpg'), 'nobody needs it any more')
})

test('Shopify and WooCommerce files have their pictures loaded as well', async () => {
  const shop = await openShop()
  pictures.answers.set('/a.jpg', await photo(98, 90)).set('/b.jpg', await photo(99, 90))
  const shopify = `Handle,Title,Variant Price,Image Src,Image Position\nmug,Mug,10.00,${pictures.url}/a.jpg,1\n`
  const woo = `ID,Type,SKU,Name,Published,Regular price,Images\n1,simple,W-1,Cup,1,12,${pictures.url}/b.jpg\n`
  for (const [text, format] of [
    [shopify, 'shopify-csv'],
    [woo, 'woocommerce-csv'],
  ] as const) {
    const made = await uploadFile(shop, text, CSV, `?format=${format}&market=us&pictures=fetch`)
    assert.equal(made.status, 201, made.text)
    const { failed } = await finishImport(shop, made.body.id)
    assert.equal(failed, 0)
  }
  await shop.work()
  for (const slug of ['mug', 'cup']) assert.ok((await shop.find(slug)).gallery[0].mediaId, slug)
})

test('a choice that there is not is refused', async () => {
  const shop = await openShop()
  const refused = await uploadFile(shop, toLines([row('mug')]), NDJSON, '?pictures=all')
  assert.equal(refused.status, 422)
})
