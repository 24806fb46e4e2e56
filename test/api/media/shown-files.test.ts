import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { copyIntoCategories, copyIntoProducts } from '#modules/catalog/index.ts'
import { copyIntoEntries } from '#modules/content/index.ts'
import { copyAgain } from '#modules/media/copy-again.ts'
import { useFaults } from '#platform/faults.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { photo } from '../../support/hostile-files.ts'
import { eventsOf } from '../../support/imports.ts'
import { mediaOf, uploadPicture } from '../../support/media.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['media'] })

/** A shop that sells and writes, with a picture to show. */
async function openStudio() {
  const shop = await used.make.shop()
  const { admin, path } = shop
  const bytes = await photo(400, 300)
  const picture = { bytes, mimeType: 'image/jpeg' }
  const { ready } = await uploadPicture(used, shop, picture, { alt: { en: 'A mug' }, focalPoint: { x: 0.5, y: 0.5 } })
  const schema = [
    { id: 'cover', type: 'MEDIA', settings: { accept: ['image/*'] } },
    { id: 'title', type: 'TEXT' },
  ]
  const collection = await admin.post(`${path}/collections`, { name: 'Journal', type: 'STANDARD', blocks: schema })
  const usages = async (id = ready.id) => (await admin.get(`${path}/media/${id}/usages`)).body.items
  /** What the job does after a file was described anew. */
  const copy = (payload: object = {}, signal = new AbortController().signal) =>
    copyAgain({ PRODUCT: copyIntoProducts, CATEGORY: copyIntoCategories, ENTRY: copyIntoEntries }).run(
      { businessId: shop.id, mediaId: ready.id, ...payload },
      {
        db: shop.db,
        services: { storage: createStorage(used.api.config) },
        fence: async () => {},
        signal,
      } as never,
    )
  const entry = (value: unknown) =>
    admin.post(`${path}/entries`, { collectionId: collection.body.id, blocks: [{ id: 'cover', type: 'MEDIA', value }] })
  return { ...shop, media: mediaOf(shop), ready, collection, usages, copy, entry, mediaId: ready.id as string }
}
type Studio = Awaited<ReturnType<typeof openStudio>>

const itemOf = ({ ready }: Studio, id?: string) => ({
  id: id ?? ready.id,
  url: ready.url,
  mimeType: 'image/jpeg',
  mediaId: ready.id,
  width: 400,
  height: 300,
  alt: ready.alt,
  placeholder: ready.placeholder,
  focalPoint: ready.focalPoint,
  renditions: ready.renditions,
})

test('products, variants, categories and entries show a file by its id, with all that is known of it', async () => {
  const studio = await openStudio()
  const { admin, path, mediaId } = studio
  const item = itemOf(studio)
  const product = await used.make.product(studio, {
    gallery: [{ mediaId }, { url: 'https://example.com/a.png', mimeType: 'image/png' }],
    variants: [{ id: 'one', gallery: [{ id: 'front', mediaId }] }],
    blocks: [{ id: 'picture', type: 'MEDIA', value: { mediaId } }],
  })
  const read = (await admin.get(product.path)).body
  assert.deepEqual(read.gallery[0], item)
  assert.deepEqual(Object.keys(read.gallery[1]), ['id', 'url', 'mimeType'])
  assert.deepEqual(read.variants[0].gallery, [itemOf(studio, 'front')])
  assert.deepEqual(read.blocks[0].value, item)

  const category = await admin.post(`${path}/categories`, { name: 'Mugs', image: { mediaId } })
  assert.equal(category.status, 201, category.text)
  assert.deepEqual((await admin.get(`${path}/categories/${category.body.id}`)).body.image, item)

  const one = await studio.entry({ mediaId })
  const several = await studio.entry([{ mediaId }, { mediaId }])
  assert.deepEqual((await admin.get(`${path}/entries/${one.body.id}`)).body.blocks[0].value, item)
  assert.deepEqual(several.body.blocks[0].value, [item, item])

  assert.deepEqual(await studio.usages(), [
    { kind: 'CATEGORY', id: category.body.id },
    { kind: 'ENTRY', id: one.body.id },
    { kind: 'ENTRY', id: several.body.id },
    { kind: 'PRODUCT', id: product.id },
  ])
  assert.deepEqual(await studio.media.ids('unused=true'), [])
  assert.deepEqual(await studio.media.ids('unused=false'), [mediaId])
})

test('a file that is not READY, not there, or of another business cannot be shown', async () => {
  const studio = await openStudio()
  const other = await openStudio()
  const { admin, path, products } = studio
  const waiting = await studio.media.start({ bytes: Buffer.from('x'), mimeType: 'image/png' })
  const pdf = await uploadPicture(used, studio, { bytes: Buffer.from('%PDF-1.7\n%%EOF'), mimeType: 'application/pdf' })
  for (const [mediaId, error] of [
    [waiting.id, 'NOT_READY'],
    ['med_nowhere', 'NOT_FOUND'],
    [other.mediaId, 'NOT_FOUND'],
  ] as const) {
    const answers = [
      [await admin.post(products, { name: 'A', gallery: [{ mediaId }] }), 'gallery.0.mediaId'],
      [
        await admin.post(products, { name: 'A', variants: [{ name: 'a', gallery: [{ mediaId }] }] }),
        'variants.0.gallery.0.mediaId',
      ],
      [await admin.post(`${path}/categories`, { name: 'A', image: { mediaId } }), 'image.mediaId'],
      [await studio.entry([{ mediaId }]), 'blocks.0.value.0.mediaId'],
    ] as const
    for (const [answer, field] of answers) {
      assert.equal(answer.status, 422, answer.text)
      assert.deepEqual([answer.body.details[0].field, answer.body.details[0].error], [field, error])
    }
  }
  const refused = await studio.entry({ mediaId: pdf.ready.id })
  assert.equal(refused.body.details[0].field, 'blocks.0.value.mimeType')
  assert.equal((await admin.post(products, { name: 'A', gallery: [{ mediaId: pdf.ready.id }] })).status, 201)
  assert.equal((await admin.post(products, { name: 'A', gallery: [{ mimeType: 'image/png' }] })).status, 422)
})

test('where a file is shown is known as soon as it is, and forgotten with the record', async () => {
  const studio = await openStudio()
  const { admin, path, mediaId } = studio
  const gallery = [{ mediaId }]
  const [product, second] = [await used.make.product(studio, { gallery }), await used.make.product(studio, { gallery })]
  const category = await admin.post(`${path}/categories`, { name: 'Mugs', image: { mediaId } })
  const entry = await studio.entry({ mediaId })
  assert.equal((await studio.usages()).length, 4)

  const refused = await admin.delete(`${path}/media/${mediaId}`)
  assert.equal(refused.status, 409)
  assert.equal(refused.body.details.length, 4)
  assert.equal(refused.body.details[0].error, 'IN_USE')
  assert.match(refused.text, new RegExp(product.id))

  await admin.put(product.path, { gallery: [] })
  await admin.delete(second.path)
  await admin.put(`${path}/categories/${category.body.id}`, { image: null })
  assert.equal((await studio.usages()).length, 1)
  await admin.delete(`${path}/entries/${entry.body.id}`)
  assert.deepEqual(await studio.usages(), [])
  assert.equal((await admin.delete(`${path}/media/${mediaId}`)).status, 200)
})

test('what a record shows may be sent back as it was read, also by clients that know only the address', async () => {
  const studio = await openStudio()
  const { admin, mediaId } = studio
  const product = await used.make.product(studio, { gallery: [{ mediaId }] })
  const { gallery } = (await admin.get(product.path)).body
  const whole = await admin.put(product.path, { gallery })
  assert.deepEqual(whole.body.gallery, gallery)
  const [{ id, url, mimeType }] = gallery
  const plain = await admin.put(product.path, { gallery: [{ id, url, mimeType }] })
  assert.deepEqual(plain.body.gallery, gallery)
  assert.equal((await studio.usages()).length, 1)

  const forged = await admin.put(product.path, { gallery: [{ mediaId, url: 'https://evil.example/', renditions: [] }] })
  assert.deepEqual(forged.body.gallery, gallery)

  assert.equal((await admin.delete(`${studio.path}/media/${mediaId}?force=true`)).status, 200)
  const after = await admin.put(product.path, { name: 'Another', gallery })
  assert.equal(after.status, 200, after.text)
  assert.deepEqual(after.body.gallery, gallery)
})

test('a new text is copied into what shows the file, once', async () => {
  const studio = await openStudio()
  const { admin, path, mediaId, db, id } = studio
  const product = await used.make.product(studio, { gallery: [{ mediaId }] })
  const category = await admin.post(`${path}/categories`, { name: 'Mugs', image: { mediaId } })
  const entry = await studio.entry({ mediaId })
  const etag = (await admin.get(product.path)).headers.get('etag')
  const changes = { alt: { en: 'A blue mug', de: 'Ein blauer Becher' }, focalPoint: { x: 0, y: 0 } }
  await admin.put(`${path}/media/${mediaId}`, changes)
  const { rows } = await sql`
    select from graphile_worker.jobs where task_identifier = 'media.copy-again' and key like ${`%${mediaId}`}`.execute(
    db,
  )
  assert.equal(rows.length, 1)
  await studio.copy()
  await studio.copy()
  const read = await admin.get(product.path)
  assert.partialDeepStrictEqual(read.body.gallery[0], changes)
  assert.notEqual(read.headers.get('etag'), etag)
  assert.partialDeepStrictEqual((await admin.get(`${path}/categories/${category.body.id}`)).body.image, changes)
  assert.partialDeepStrictEqual((await admin.get(`${path}/entries/${entry.body.id}`)).body.blocks[0].value, changes)
  const told = await eventsOf(db, id, 'product.updated', 'category.updated', 'entry.updated')
  assert.deepEqual(told.map(({ type }) => type).sort(), ['category.updated', 'entry.updated', 'product.updated'])
})

test('many records are written in turns with other work, and go on where a worker has stopped', async () => {
  const studio = await openStudio()
  const { admin, path, mediaId, db } = studio
  const gallery = [{ mediaId }]
  const made = Array.from({ length: 130 }, (_, index) => admin.post(studio.products, { name: `Mug ${index}`, gallery }))
  assert.ok((await Promise.all(made)).every(({ status }) => status === 201))
  const waiting = async () => {
    const { rows } = await sql<{ payload: { from?: object } }>`
      delete from graphile_worker._private_jobs as job
       using graphile_worker._private_tasks as task
       where task.id = job.task_id and task.identifier = 'media.copy-again' and job.payload ->> 'mediaId' = ${mediaId}
      returning job.payload`.execute(db)
    return rows.map(({ payload }) => payload)
  }
  const copied = async (alt: string) => {
    const { rows } = await sql`
      select from catalog.products where business_id = ${studio.id} and document::text like ${`%${alt}%`}`.execute(db)
    return rows.length
  }
  /** As a worker does that has to stop, or has no more time, after the first records. */
  const copySome = async (payload: object, meanwhile?: () => Promise<unknown>) => {
    const stopping = new AbortController()
    useFaults(async (name) => {
      if (name !== 'media.copied') return
      stopping.abort()
      await meanwhile?.()
    })
    await studio.copy(payload, stopping.signal)
    useFaults(undefined)
  }

  await admin.put(`${path}/media/${mediaId}`, { alt: { en: 'Blue' } })
  const [first = {}] = await waiting()
  await copySome(first)
  assert.equal(await copied('Blue'), 100)
  const [rest = {}, ...others] = await waiting()
  assert.deepEqual(others, [])
  await studio.copy(rest)
  assert.equal(await copied('Blue'), 130)

  // Described once more meanwhile: the job of that begins at the first record, and this one ends.
  await admin.put(`${path}/media/${mediaId}`, { alt: { en: 'Green' } })
  const [green = {}] = await waiting()
  await copySome(green, () => admin.put(`${path}/media/${mediaId}`, { alt: { en: 'Red' } }))
  const left = await waiting()
  assert.deepEqual(
    left.map(({ from }) => from),
    [undefined],
  )
  await studio.copy(left[0])
  assert.equal(await copied('Red'), 130)
})

test('a file that is deleted while a record is written with it is refused to one of them', async () => {
  for (let round = 0; round < 5; round++) {
    const studio = await openStudio()
    const { admin, path, products, mediaId } = studio
    const [made, gone] = await Promise.all([
      admin.post(products, { name: 'Racing', gallery: [{ mediaId }] }),
      admin.delete(`${path}/media/${mediaId}`),
    ])
    assert.deepEqual(
      [made.status, gone.status].toSorted((a, b) => a - b),
      made.status === 201 ? [201, 409] : [200, 422],
    )
  }
})

test('a public shop shows renditions, too', async () => {
  const studio = await openStudio()
  const { admin, path, mediaId } = studio
  await admin.put(path, { storefront: { isPublic: true, showQuantity: false } })
  const product = await used.make.product(studio, { gallery: [{ mediaId }] })
  const shown = await used.make.anonymous().get(`/v1/storefront/${studio.id}/products/${product.id}`)
  assert.equal(shown.status, 200, shown.text)
  assert.deepEqual(shown.body.gallery, [itemOf(studio)])
})
