import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startChild } from '../../support/child.ts'
import { photo } from '../../support/hostile-files.ts'
import { eventsOf } from '../../support/imports.ts'
import { keysIn, mediaOf, placeUpload, useMediaApi, workOffMedia } from '../../support/media.ts'

const used = useMediaApi()

const POINTS = [
  'media.read',
  'media.rendered',
  'media.original-stored',
  'media.rendition-stored',
  'media.stored',
  'media.before-ready',
  'media.ready',
]

const envOf = () => ({ ...used.api.databases.env, ...used.env })
/** The worker is dead: nobody renews its lease. */
const endLeases = (db: Parameters<typeof workOffMedia>[1]) =>
  sql`update media.files set leased_until = now() - interval '1 second' where lease is not null`.execute(db)

test('a worker that is killed anywhere leads to a repeat, which ends the same', async (t) => {
  const bytes = await photo(700, 400)
  for (const point of POINTS) {
    await t.test(point, async () => {
      const business = await used.make.business()
      const media = mediaOf(business)
      const started = await media.start({ bytes, mimeType: 'image/jpeg' })
      placeUpload(used.folder, started, bytes)
      await media.complete(started.id)
      const child = await startChild('worker', envOf(), { faults: { [point]: 'kill' } })
      assert.equal((await child.exited).signal, 'SIGKILL')

      const between = await media.get(started.id)
      assert.equal(between.status, point === 'media.ready' ? 'READY' : 'PROCESSING')
      assert.equal(between.url === null, between.status !== 'READY')
      await endLeases(business.db)
      await workOffMedia(used, business.db)
      const ready = await media.get(started.id)
      assert.equal(ready.status, 'READY')
      const named = ready.renditions.map(({ url }: { url: string }) => `public/${url.slice(url.indexOf('biz_'))}`)
      const stored = keysIn(used.folder).filter((key) => key.startsWith(`public/${business.id}/`))
      assert.deepEqual(stored, named.toSorted())
      assert.equal((await eventsOf(business.db, business.id, 'media.ready')).length, 1)
      const { rows } = await sql`select bytes from media.used where business_id = ${business.id}`.execute(business.db)
      assert.deepEqual(rows, [{ bytes: bytes.length }])
    })
  }
})

test('a worker that is killed while it makes AVIF leaves what stood in for them, until they are made', async () => {
  const business = await used.make.business()
  const media = mediaOf(business)
  const bytes = await photo(700, 400)
  const started = await media.start({ bytes, mimeType: 'image/jpeg' })
  placeUpload(used.folder, started, bytes)
  await media.complete(started.id)
  const child = await startChild('worker', envOf(), { faults: { 'media.avif-stored': 'kill' } })
  assert.equal((await child.exited).signal, 'SIGKILL')
  assert.equal((await media.get(started.id)).status, 'READY')
  await endLeases(business.db)
  assert.ok((await workOffMedia(used, business.db, 'avif')) >= 1)
  const { rows } = await sql`select avif from media.files where id = ${started.id}`.execute(business.db)
  assert.deepEqual(rows, [{ avif: 'DONE' }])
})
