import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { type Hostile, hostileFiles } from '../../support/hostile-files.ts'
import { mediaOf, onEachStore, workOffMedia } from '../../support/media.ts'

let files: Hostile[] = []
before(async () => {
  files = await hostileFiles()
})

onEachStore((used) => {
  test('each hostile file is refused with its reason, and leaves neither objects nor used room', async (t) => {
    for (const file of files) {
      await t.test(file.name, async () => {
        const business = await used.make.business()
        const media = mediaOf(business)
        const started = await media.start(file)
        await used.store.place(started, file.bytes)
        assert.equal((await media.complete(started.id)).status, 200)
        assert.equal(await workOffMedia(used, business.db), 1)
        const { status, problem } = await media.get(started.id)
        assert.equal(problem ?? status, file.becomes)
        const { rows } = await sql`select bytes from media.used where business_id = ${business.id}`.execute(business.db)
        assert.deepEqual(rows, [{ bytes: status === 'REJECTED' ? 0 : (file.size ?? file.bytes.length) }])
        const shown = (await used.store.keys(business.id)).filter((key) => key.startsWith('public/'))
        if (status === 'REJECTED') assert.deepEqual(shown, [])
        else assert.ok(shown.length > 0)
      })
    }
    assert.ok(files.length >= 30)
  })

  test('what is no picture is only ever downloaded', async () => {
    for (const { name, bytes, mimeType } of files.filter((file) =>
      ['a PDF', 'an SVG with a script'].includes(file.name),
    )) {
      const business = await used.make.business()
      const media = mediaOf(business)
      const started = await media.start({ bytes, mimeType })
      await used.store.place(started, bytes)
      await media.complete(started.id)
      await workOffMedia(used, business.db)
      const [key = ''] = (await used.store.keys(business.id)).filter((one) => one.startsWith('public/'))
      assert.equal((await used.store.about(key)).isAttachment, true, name)
      const ready = await media.get(started.id)
      assert.deepEqual([ready.width, ready.renditions, ready.placeholder], [null, [], null])
    }
  })
})
