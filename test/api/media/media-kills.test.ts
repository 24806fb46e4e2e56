import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { sweepMedia } from '#modules/media/sweep.ts'
import type { Cell } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { type FaultAction, startChild } from '../../support/child.ts'
import { createClient } from '../../support/client.ts'
import { photo } from '../../support/hostile-files.ts'
import { claimOf, keyOf, mediaOf, sweepFiles, toldOf, workOffMedia } from '../../support/media.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['media'], own: true })

type Business = Awaited<ReturnType<typeof used.make.business>>
type Rendition = { url: string }

const envOf = () => ({ ...used.api.databases.env, ...used.store.env })

/** Starts it and waits until it has died at that place. */
async function dieAt(point: string, action: FaultAction = 'kill'): Promise<void> {
  const child = await startChild('worker', envOf(), { faults: { [point]: action } })
  assert.equal((await child.exited).signal, 'SIGKILL')
}

/** The worker is dead: nobody renews its lease. */
const endLeases = (db: Cell) =>
  sql`update media.files set leased_until = now() - interval '1 second' where lease is not null`.execute(db)

async function upload(business: Business, bytes: Buffer) {
  const media = mediaOf(business)
  const started = await media.start({ bytes, mimeType: 'image/jpeg' })
  await used.store.place(started, bytes)
  await media.complete(started.id)
  return { media, started }
}

/** After the sweep the store has what rows say, and nothing else; each READY file has all that it names. */
async function assertTidy(business: Business): Promise<void> {
  await endLeases(business.db)
  await workOffMedia(used, business.db)
  await sweepFiles(used, business.db)
  const { items } = (await business.admin.get(`${business.path}/media`)).body
  const expected: string[] = []
  let bytes = 0
  for (const file of items) {
    if (file.status !== 'REJECTED') bytes += file.size
    if (file.status !== 'READY') continue
    expected.push(`private/${business.id}/${file.sha256}/${file.id}`, ...file.renditions.map(keyOf))
  }
  assert.deepEqual(await used.store.keys(business.id), expected.toSorted())
  const { rows } = await sql`select bytes from media.used where business_id = ${business.id}`.execute(business.db)
  assert.deepEqual(rows, [{ bytes }])
}

test('a worker that is killed anywhere leads to a repeat, which ends the same', async (t) => {
  const bytes = await photo(700, 400)
  for (const [point, action] of [
    ['media.read', 'kill'],
    ['media.rendered', 'kill'],
    ['media.original-stored', 'kill'],
    ['media.rendition-stored', 'kill'],
    ['media.rendition-stored', 'kill-second'],
    ['media.stand-in-stored', 'kill'],
    ['media.stored', 'kill'],
    ['media.before-ready', 'kill'],
    ['media.ready', 'kill'],
  ] as const) {
    await t.test(`${point}, ${action}`, async () => {
      const business = await used.make.business()
      const { media, started } = await upload(business, bytes)
      await dieAt(point, action)

      const between = await media.get(started.id)
      assert.equal(between.status, point === 'media.ready' ? 'READY' : 'PROCESSING')
      assert.equal(between.url === null, between.status !== 'READY')
      await assertTidy(business)
      const ready = await media.get(started.id)
      assert.equal(ready.status, 'READY')
      const shown = (await used.store.keys(business.id)).filter((key) => key.startsWith('public/'))
      assert.deepEqual(shown, (ready.renditions as Rendition[]).map(keyOf).toSorted())
      assert.equal((await toldOf(business.db, business.id, 'media.ready')).length, 1)
    })
  }
})

test('a worker that is killed while it refuses a file leads to the same refusal, once', async () => {
  const business = await used.make.business()
  const { media, started } = await upload(business, Buffer.from('no picture'))
  await dieAt('media.before-rejected')
  assert.equal((await media.get(started.id)).status, 'PROCESSING')
  await assertTidy(business)
  assert.equal((await media.get(started.id)).problem, 'TYPE_DIFFERS')
  assert.equal((await toldOf(business.db, business.id, 'media.rejected')).length, 1)
})

test('a worker that is killed while it makes AVIF leaves what stood in for them, until they are made', async (t) => {
  const bytes = await photo(700, 400)
  for (const action of ['kill', 'kill-second'] as const) {
    await t.test(action, async () => {
      const business = await used.make.business()
      // The worker is to die of this picture, not of one before it.
      for (const cell of used.api.services.databases.cells.values())
        await sql`update media.files set avif = 'DONE' where avif = 'WAITING'`.execute(cell)
      const { media, started } = await upload(business, bytes)
      await dieAt('media.avif-stored', action)
      assert.equal((await media.get(started.id)).status, 'READY')
      await endLeases(business.db)
      assert.ok((await workOffMedia(used, business.db, 'avif')) >= 1)
      const { rows } = await sql`select avif from media.files where id = ${started.id}`.execute(business.db)
      assert.deepEqual(rows, [{ avif: 'DONE' }])
      await assertTidy(business)
    })
  }
})

/** Sends to an API that dies of it; the answer is lost. */
async function askDying(point: string, ask: (url: string) => Promise<unknown>): Promise<void> {
  const child = await startChild('api', envOf(), { faults: { [point]: 'kill' } })
  await assert.rejects(ask(child.url))
  assert.equal((await child.exited).signal, 'SIGKILL')
}

test('an API that is killed anywhere loses no file, and stores none twice', async (t) => {
  const bytes = await photo(700, 400)
  for (const point of [
    'idempotency.before-commit',
    'idempotency.after-commit',
    // These two are about the folder, which takes its uploads through the API.
    ...(used.kind === 'folder' ? ['folder.before-stored', 'folder.stored'] : []),
    'media.before-completed',
    'media.completed',
  ]) {
    await t.test(point, async () => {
      const business = await used.make.business()
      const { admin, path, db, id: businessId } = business
      const media = `${path}/media`
      const dying = async (
        name: string,
        ask: (client: ReturnType<typeof createClient>, url: string) => Promise<unknown>,
      ) => {
        if (name === point)
          await askDying(point, (url) => ask(createClient(url, { authorization: `Bearer ${admin.token}` }), url))
      }
      const post = (client: Pick<typeof admin, 'post'>) =>
        client.post(media, claimOf({ bytes, mimeType: 'image/jpeg' }), { 'idempotency-key': 'the-same' })
      const put = async ({ url, headers }: { url: string; headers: Record<string, string> }, to: string) => {
        const address = url.replace(used.api.config.publicUrl, to)
        return (await fetch(address, { method: 'PUT', headers, body: new Uint8Array(bytes) })).status
      }
      await dying('idempotency.before-commit', post)
      await dying('idempotency.after-commit', post)
      // PostgreSQL may need a moment to see that the dead process holds nothing any more.
      const started = await until('it is answered', async () => {
        const answer = await post(admin)
        return answer.status === 409 ? undefined : answer
      })
      assert.equal(started.status, 201, started.text)
      const { id, upload: address } = started.body
      await dying('folder.before-stored', (_client, url) => put(address, url))
      await dying('folder.stored', (_client, url) => put(address, url))
      assert.equal(await put(address, used.api.url), 200)
      await dying('media.before-completed', (client) => client.post(`${media}/${id}/complete`, undefined))
      await dying('media.completed', (client) => client.post(`${media}/${id}/complete`, undefined))
      assert.equal((await admin.post(`${media}/${id}/complete`, undefined)).status, 200)

      await assertTidy(business)
      const { items } = (await admin.get(media)).body
      assert.deepEqual(
        items.map((file: { id: string; status: string }) => [file.id, file.status]),
        [[id, 'READY']],
      )
      assert.equal((await toldOf(db, businessId, 'media.ready')).length, 1)
    })
  }
})

test('a sweep that is killed anywhere is repeated, and leaves nothing', async (t) => {
  const bytes = await photo(300, 200)
  for (const point of ['media.before-ended', 'media.ended', 'media.leftover-deleted']) {
    await t.test(point, async () => {
      const business = await used.make.business()
      const { media, started } = await upload(business, bytes)
      await workOffMedia(used, business.db)
      await business.admin.delete(`${media.list}/${started.id}`)
      const given = await media.start({ bytes: Buffer.from('never completed'), mimeType: 'image/png' })
      await used.store.place(given, Buffer.from('never completed'))
      await sql`update media.files set updated_at = now() - interval '25 hours' where id = ${given.id}`.execute(
        business.db,
      )
      const child = await startChild('worker', envOf(), { faults: { [point]: 'kill' } })
      await transaction(business.db, (tx) => enqueue(tx, sweepMedia, {}))
      assert.equal((await child.exited).signal, 'SIGKILL')

      await sweepFiles(used, business.db)
      assert.deepEqual(await used.store.keys(business.id), [])
      assert.equal((await business.admin.get(`${media.list}/${given.id}`)).status, 404)
      const { rows } = await sql`select bytes from media.used where business_id = ${business.id}`.execute(business.db)
      assert.deepEqual(rows, [{ bytes: 0 }])
      assert.equal((await toldOf(business.db, business.id, 'media.deleted')).length, 2)
    })
  }
})
