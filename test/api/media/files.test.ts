import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { sweepMedia } from '#modules/media/sweep.ts'
import { assertError } from '../../support/assert-error.ts'
import { holdClock } from '../../support/clock.ts'
import { claimOf, mediaOf } from '../../support/media.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['media'], own: true, env: { MEDIA_QUOTA_BYTES: '1000' } })
const without = useWorld({ own: true })

const png = (text: string) => ({ bytes: Buffer.from(text), mimeType: 'image/png' })

test('an upload begins with its terms, and gets an address for ten minutes', async () => {
  const business = await used.make.business()
  const started = await mediaOf(business).start(png('a'), { alt: { en: 'A mug' }, focalPoint: { x: 0.5, y: 0.25 } })

  assert.equal(started.status, 'PENDING')
  assert.equal(started.upload.method, 'PUT')
  assert.equal(started.upload.headers['content-type'], 'image/png')
  assert.ok(Math.abs(started.upload.expiresAt - Date.now() / 1_000 - 600) < 10)
  assert.deepEqual(started.alt, { en: 'A mug' })
  const read = await mediaOf(business).get(started.id)
  assert.equal(read.upload, undefined)
  assert.deepEqual(read.focalPoint, { x: 0.5, y: 0.25 })
  assert.equal(read.url, null)
})

test('what cannot be stored is refused before it is sent', async () => {
  const { admin, path } = await used.make.business()
  const post = (changes: object) => admin.post(`${path}/media`, { ...claimOf(png('a')), ...changes })

  const tooLarge = await post({ size: 50_000_001 })
  assert.equal(tooLarge.status, 413)
  assert.equal(tooLarge.body.details[0].error, 'TOO_LARGE')
  for (const mimeType of ['text/html', 'image/heic', 'application/x-msdownload', 'application/octet-stream']) {
    const refused = await post({ mimeType })
    assert.equal(refused.status, 422)
    assert.equal(refused.body.details[0].error, 'TYPE_NOT_ALLOWED')
  }
  for (const wrong of [
    { sha256: 'A'.repeat(64) },
    { size: 0 },
    { fileName: '../a' },
    { fileName: ' ' },
    { focalPoint: { x: 2, y: 0 } },
    { alt: { 'not a locale': 'x' } },
  ]) {
    assert.equal((await post(wrong)).status, 422, JSON.stringify(wrong))
  }
})

test('an operator gives one business more room, or less', async () => {
  const operator = await used.make.operator()
  const business = await used.make.business()
  const limit = (mediaBytes: number | null) =>
    operator.put(`/v1/operator/businesses/${business.id}/limits`, { mediaBytes })
  const post = (text: string) => business.admin.post(`${business.path}/media`, claimOf(png(text)))
  await limit(10)
  const refused = await post('x'.repeat(11))
  assert.equal(refused.body.details[0].error, 'QUOTA_EXCEEDED')
  assert.match(refused.body.message, /of 10\..*operator of this service can raise the limit/)
  await limit(2_000)
  assert.equal((await post('x'.repeat(1_500))).status, 201)
  await limit(null)
  assert.equal((await post('more')).body.details[0].error, 'QUOTA_EXCEEDED', 'as everybody else')
})

test('without a store there is nothing to upload to', async () => {
  const { admin, path } = await without.make.business()
  const refused = await admin.post(`${path}/media`, claimOf(png('a')))
  assertError(refused, 503, 'PROVIDER_NOT_CONFIGURED')
  assert.deepEqual((await admin.get(`${path}/media`)).body.items, [])
})

test('those who write content or products may upload, nobody else', async () => {
  const { id, path } = await used.make.business()
  for (const [permission, status] of [
    ['CONTENT_WRITE', 201],
    ['PRODUCTS_WRITE', 201],
    ['ORDERS_WRITE', 403],
  ] as const) {
    const member = await used.make.member(id, permission)
    assert.equal((await member.post(`${path}/media`, claimOf(png(permission)))).status, status)
    assert.equal((await member.get(`${path}/media`)).status, status === 201 ? 200 : 403)
  }
})

test('a key repeats the answer, with the same address', async () => {
  const { admin, path } = await used.make.business()
  const headers = { 'idempotency-key': 'one' }
  const first = await admin.post(`${path}/media`, claimOf(png('a')), headers)
  const second = await admin.post(`${path}/media`, claimOf(png('a')), headers)
  assert.equal(first.status, 201)
  assert.equal(second.text, first.text)
})

test('sizes count from the beginning, and of many at once only as many pass as there is room for', async () => {
  const { admin, path, db, id } = await used.make.business()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => admin.post(`${path}/media`, claimOf({ ...png(`${index}`), size: 150 }))),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 6)
  const refused = answers.filter(({ status }) => status === 409)
  assert.equal(refused.length, 14)
  assert.equal(refused[0]?.body.details[0].error, 'QUOTA_EXCEEDED')
  const { rows } = await sql<{ bytes: number }>`select bytes from media.used where business_id = ${id}`.execute(db)
  assert.equal(rows[0]?.bytes, 900)

  const [one] = await mediaOf({ admin, path }).ids()
  await admin.delete(`${path}/media/${one}`)
  assert.equal((await admin.post(`${path}/media`, claimOf({ ...png('again'), size: 250 }))).status, 201)
  assert.equal((await admin.post(`${path}/media`, claimOf({ ...png('more'), size: 1 }))).status, 409)
})

test('a business sees its own files only', async () => {
  const [mine, other] = [await used.make.business(), await used.make.business()]
  const { id } = await mediaOf(mine).start(png('a'))
  for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
    assert.equal((await other.admin.send(method, `${other.path}/media/${id}`, { body })).status, 404)
  }
  assert.equal((await other.admin.post(`${other.path}/media/${id}/complete`, undefined)).status, 404)
  assert.equal((await other.admin.get(`${other.path}/media/${id}/usages`)).status, 404)
  assert.deepEqual(await mediaOf(other).ids(), [])
  assert.equal((await other.admin.get(`${mine.path}/media/${id}`)).status, 403)
})

test('files are found by words of name, texts and tags, and listed by name, size and age', async () => {
  const business = await used.make.business()
  const { admin } = business
  const media = mediaOf(business)
  const mug = await media.start({ ...png('mug'), fileName: 'Blue Mug.png', size: 3 })
  const cup = await media.start({ ...png('cup'), fileName: 'cup_2024.png', size: 30 }, { alt: { de: 'Blaue Tasse' } })
  const song = await media.start({ bytes: Buffer.from('song'), mimeType: 'audio/mpeg', fileName: 'a song.mp3' })
  await admin.put(`${media.list}/${song.id}`, { tags: ['Bluegrass'] })

  const [m, c, s] = [mug.id, cup.id, song.id]
  assert.deepEqual(await media.ids('query=mug'), [m])
  assert.deepEqual(await media.ids('query=blu'), [s, m])
  assert.deepEqual(await media.ids('query=tasse'), [c])
  assert.deepEqual(await media.ids('query=2024%20cup'), [c])
  assert.deepEqual(await media.ids('query=%3F'), [])
  assert.deepEqual(await media.ids('type=image/*'), [c, m])
  assert.deepEqual(await media.ids('type=audio/mpeg&type=image/webp'), [s])
  assert.deepEqual(await media.ids('sort=createdAt'), [m, c, s])
  assert.deepEqual(await media.ids('sort=fileName'), [s, m, c])
  assert.deepEqual(await media.ids('sort=-size'), [c, s, m])
  assert.deepEqual(await media.ids('status=READY'), [])
  assert.deepEqual(await media.ids('status=PENDING&unused=true'), [s, c, m])
  assert.deepEqual(await media.ids('unused=false'), [])
  await admin.put(`${media.list}/${s}`, { tags: [] })
  assert.deepEqual(await media.ids('query=blu'), [m])

  for (const sort of ['-createdAt', 'createdAt', 'fileName', '-size']) {
    const all = await media.ids(`sort=${sort}`)
    const first = await admin.get(`${media.list}?sort=${sort}&limit=2`)
    const rest = await admin.get(`${media.list}?sort=${sort}&limit=2&cursor=${first.body.cursor}`)
    assert.deepEqual(
      [...first.body.items, ...rest.body.items].map(({ id }: { id: string }) => id),
      all,
    )
    assert.equal(rest.body.cursor, null)
  }
})

test('a file is described anew by whoever has its newest version', async () => {
  const business = await used.make.business()
  const media = mediaOf(business)
  const { id } = await media.start(png('a'))
  const read = await business.admin.get(`${media.list}/${id}`)
  const etag = read.headers.get('etag') ?? ''
  const changes = { alt: { en: 'A mug' }, tags: ['autumn'], fileName: 'mug.png', focalPoint: { x: 0, y: 1 } }
  const changed = await business.admin.put(`${media.list}/${id}`, changes, { 'if-match': etag })
  assert.equal(changed.status, 200)
  assert.partialDeepStrictEqual(changed.body, changes)
  assert.equal((await business.admin.put(`${media.list}/${id}`, {}, { 'if-match': etag })).status, 412)
  assert.equal((await business.admin.delete(`${media.list}/${id}`, { 'if-match': etag })).status, 412)
})

test('an upload that nobody completes ends after a day, and its room is free again', async () => {
  const business = await used.make.business()
  const media = mediaOf(business)
  await media.start({ ...png('a'), size: 1_000 })
  const sweep = () =>
    sweepMedia.run({}, { db: business.db, services: {}, signal: new AbortController().signal } as never)
  const count = () =>
    sql<{ files: number }>`select count(*) as files from media.files where business_id = ${business.id}`.execute(
      business.db,
    )
  const clock = holdClock()
  try {
    clock.advance(23 * 3_600)
    await sweep()
    assert.equal((await count()).rows[0]?.files, 1)
    clock.advance(2 * 3_600)
    await sweep()
    await sweep()
  } finally {
    clock.release()
  }
  const { rows } = await sql`
    select (select count(*) from media.files where business_id = ${business.id}) as files,
           (select count(*) from media.words where business_id = ${business.id}) as words,
           (select bytes from media.used where business_id = ${business.id}) as bytes`.execute(business.db)
  assert.deepEqual(rows, [{ files: 0, words: 0, bytes: 0 }])
})
