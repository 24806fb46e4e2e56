import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { type Hostile, hostileFiles } from '../../support/hostile-files.ts'
import { aboutKey, keysIn, mediaOf, placeUpload, useMediaApi, workOffMedia } from '../../support/media.ts'

const used = useMediaApi()
let files: Hostile[] = []
before(async () => {
  files = await hostileFiles()
})

test('each hostile file is refused with its reason, and leaves neither objects nor used room', async (t) => {
  for (const file of files) {
    await t.test(file.name, async () => {
      const business = await used.make.business()
      const media = mediaOf(business)
      const started = await media.start(file)
      placeUpload(used.folder, started, file.bytes)
      assert.equal((await media.complete(started.id)).status, 200)
      assert.equal(await workOffMedia(used, business.db), 1)
      const { status, problem } = await media.get(started.id)
      assert.equal(problem ?? status, file.becomes)
      const { rows } = await sql`select bytes from media.used where business_id = ${business.id}`.execute(business.db)
      assert.deepEqual(rows, [{ bytes: status === 'REJECTED' ? 0 : (file.size ?? file.bytes.length) }])
      const isPublic = (key: string) => key.startsWith(`public/${business.id}/`)
      if (status === 'REJECTED') assert.deepEqual(keysIn(used.folder).filter(isPublic), [])
      else assert.ok(keysIn(used.folder).some(isPublic))
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
    placeUpload(used.folder, started, bytes)
    await media.complete(started.id)
    await workOffMedia(used, business.db)
    const [key = ''] = keysIn(used.folder).filter((one) => one.startsWith(`public/${business.id}/`))
    assert.equal(aboutKey(used.folder, key).isAttachment, true, name)
    const ready = await media.get(started.id)
    assert.deepEqual([ready.width, ready.renditions, ready.placeholder], [null, [], null])
  }
})
