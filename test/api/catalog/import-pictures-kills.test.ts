import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { startChild } from '../../support/child.ts'
import { photo } from '../../support/hostile-files.ts'
import { eventsOf, NDJSON, toLines, uploadFile } from '../../support/imports.ts'
import { mediaOf } from '../../support/media.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['media'], own: true })
const POINTS = ['media.downloaded', 'media.taken-in', 'import.picture-taken', 'import.picture-placed']

let picture = Buffer.alloc(0)
const server = createServer((_request, response) => response.end(picture))
before(async () => {
  picture = Buffer.from(await photo(400, 300))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
after(() => server.close())

test('a worker that is killed anywhere while it loads a picture leads to a repeat, which ends the same', async (t) => {
  const env = { ...used.api.databases.env, ...used.store.env, OUTGOING_LOOPBACK: 'on' }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mug.jpg`
  for (const point of POINTS) {
    await t.test(point, async () => {
      const shop = await used.make.shop()
      const line = { slug: 'mug', name: 'Mug', gallery: [{ url, mimeType: 'image/jpeg' }] }
      const { body } = await uploadFile(shop, toLines([line]), NDJSON, '?pictures=fetch')
      const killed = await startChild('worker', env, { faults: { [point]: 'kill' } })
      assert.equal((await killed.exited).signal, 'SIGKILL')

      // Nobody works on it any more: whoever comes next may take it.
      await sql`update catalog.import_pictures set due_at = now() - interval '1 second'
                 where business_id = ${shop.id}`.execute(shop.db)
      await sql`update media.files set leased_until = null where business_id = ${shop.id}`.execute(shop.db)
      const worker = await startChild('worker', env)
      const { pictures } = await until('the picture has come', async () => {
        const found = (await shop.admin.get(`${shop.products}/imports/${body.id}`)).body
        return found.pictures.fetched + found.pictures.failed > 0 ? found : undefined
      })
      worker.process.kill('SIGTERM')
      await worker.exited
      assert.deepEqual([pictures.total, pictures.fetched], [1, 1])
      const [product] = (await shop.admin.get(`${shop.products}?slug=mug`)).body.items
      assert.deepEqual(await mediaOf(shop).ids(), [product.gallery[0].mediaId])
      assert.equal((await eventsOf(shop.db, shop.id, 'product.updated')).length, 1)
      const { rows } = await sql`select bytes from media.used where business_id = ${shop.id}`.execute(shop.db)
      assert.deepEqual(rows, [{ bytes: picture.length }])
    })
  }
})
