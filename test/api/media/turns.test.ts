import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { createTurns } from '#modules/media/work-off.ts'
import { useFaults } from '#platform/faults.ts'
import { createStorage } from '#platform/storage/storage.ts'
import { holdClock } from '../../support/clock.ts'
import { photo } from '../../support/hostile-files.ts'
import { mediaOf, workOffMedia } from '../../support/media.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ providers: ['media'], own: true })

const clocks: ReturnType<typeof holdClock>[] = []
afterEach(() => {
  useFaults(undefined)
  for (const clock of clocks.splice(0)) clock.release()
})

type Business = Awaited<ReturnType<typeof used.make.business>>

/** Uploaded, and waiting for a worker. */
async function upload(business: Business, side: number): Promise<string> {
  const media = mediaOf(business)
  const bytes = await photo(side, 40)
  const started = await media.start({ bytes, mimeType: 'image/jpeg' })
  await used.store.place(started, bytes)
  await media.complete(started.id)
  return started.id
}
const statusOf = async (business: Business, id: string) => (await mediaOf(business).get(id)).status

test('a business whose pictures take long has one place, and leaves the other to everybody else', async () => {
  const slow = await used.make.business({ cell: 'main' })
  const other = await used.make.business({ cell: 'main' })
  const storage = createStorage(used.api.config)
  assert.ok(storage)
  const workOffOne = createTurns(slow.db, { storage, log: pino({ level: 'silent' }) })
  const work = () => workOffOne('upload', new AbortController().signal)

  await upload(slow, 41)
  const [second, third] = [await upload(slow, 42), await upload(slow, 43)]
  const clock = holdClock()
  clocks.push(clock)
  useFaults((name) => {
    if (name === 'media.read') clock.advance(30)
  })
  assert.equal(await work(), true)

  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  useFaults((name) => {
    if (name !== 'media.read') return
    useFaults(undefined)
    begin()
    return held
  })
  const working = work()
  await begun
  assert.equal(await work(), false, 'its third has to wait for its second')
  const quick = await upload(other, 44)
  assert.equal(await work(), true)
  assert.equal(await statusOf(other, quick), 'READY')
  letGo()
  await working
  assert.equal(await work(), true)
  assert.deepEqual([await statusOf(slow, second), await statusOf(slow, third)], ['READY', 'READY'])

  clock.advance(11 * 60)
  assert.equal(await work(), false)
  await storage.close()
})

test('a file with which its workers end, time and again, is given up', async () => {
  const business = await used.make.business()
  const id = await upload(business, 45)
  await sql`
    update media.files set attempts = 12, lease = 'of the dead', leased_until = now() - interval '1 minute'
     where business_id = ${business.id}`.execute(business.db)
  await workOffMedia(used, business.db)
  const { status, problem } = await mediaOf(business).get(id)
  assert.deepEqual([status, problem], ['REJECTED', 'FAILED'])
})

test('a worker that has no room on its own disk lets go of the file, and tries again later', async () => {
  const business = await used.make.business()
  const id = await upload(business, 46)
  const before = process.env.TMPDIR
  process.env.TMPDIR = '/nowhere'
  try {
    assert.equal(await workOffMedia(used, business.db), 1)
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
  const { rows } = await sql`
    select status, lease, attempts from media.files where business_id = ${business.id}`.execute(business.db)
  assert.deepEqual(rows, [{ status: 'PROCESSING', lease: null, attempts: 1 }])
  const clock = holdClock()
  clocks.push(clock)
  clock.advance(10)
  assert.equal(await workOffMedia(used, business.db), 1)
  clock.release()
  assert.equal(await statusOf(business, id), 'READY')
})
