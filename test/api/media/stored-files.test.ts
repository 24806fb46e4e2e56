import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { useFaults } from '#platform/faults.ts'
import { holdClock } from '../../support/clock.ts'
import { photo } from '../../support/hostile-files.ts'
import { eventsOf } from '../../support/imports.ts'
import { mediaOf, onEachStore, sweepFiles, uploadPicture, workOffMedia } from '../../support/media.ts'

onEachStore((used) => {
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
    const { started } = await uploadPicture(used, business, {
      bytes: Buffer.from('no picture'),
      mimeType: 'image/jpeg',
    })
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
    const ofArea = async (area: string) => (await used.store.keys(business.id)).filter((key) => key.startsWith(area))
    const { ready } = await uploadPicture(used, business, { bytes: await photo(400, 300), mimeType: 'image/jpeg' })
    await uploadPicture(used, business, { bytes: Buffer.from('no picture'), mimeType: 'image/jpeg' })
    await sweepFiles(used, business.db)
    assert.deepEqual(await ofArea('incoming/'), [])
    assert.equal((await ofArea('private/')).length, 1)
    assert.equal((await ofArea('public/')).length, 5)

    await business.admin.delete(`${business.path}/media/${ready.id}`)
    await sweepFiles(used, business.db)
    assert.deepEqual(await used.store.keys(business.id), [])
    const clock = holdClock()
    try {
      clock.advance(2 * 3_600)
      await sweepFiles(used, business.db)
    } finally {
      clock.release()
    }
    const { rows } = await sql`select from media.leftovers where business_id = ${business.id}`.execute(business.db)
    assert.equal(rows.length, 0)
  })

  test('a sweep that has much to do ends in time, and the next one goes on', async () => {
    const business = await used.make.business()
    const media = mediaOf(business)
    for (let index = 0; index < 4; index++) {
      const { id } = await media.start({ bytes: Buffer.from(`${index}`), mimeType: 'image/jpeg' })
      await business.admin.delete(`${media.list}/${id}`)
    }
    const due = async () => {
      const { rows } = await sql`
        select from media.leftovers where business_id = ${business.id} and due_at < now() + interval '1 minute'`.execute(
        business.db,
      )
      return rows.length
    }
    assert.equal(await due(), 12)
    const clock = holdClock()
    useFaults((name) => {
      if (name === 'media.leftover-deleted') clock.advance(30)
    })
    try {
      await sweepFiles(used, business.db)
    } finally {
      clock.release()
      useFaults(undefined)
    }
    assert.ok((await due()) > 0)
    await sweepFiles(used, business.db)
    assert.equal(await due(), 0)
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
    await used.store.place(started, bytes)
    await media.complete(started.id)
    useFaults(async (name) => {
      if (name === 'media.stored') await business.admin.delete(`${business.path}/media/${started.id}`)
    })
    try {
      await workOffMedia(used, business.db)
    } finally {
      useFaults(undefined)
    }
    assert.equal((await business.admin.get(`${media.list}/${started.id}`)).status, 404)
    await sweepFiles(used, business.db)
    assert.deepEqual(await used.store.keys(business.id), [])
    assert.deepEqual(
      (await eventsOf(business.db, business.id, 'media.ready', 'media.deleted')).map(({ type }) => type),
      ['media.deleted'],
    )
  })
})
