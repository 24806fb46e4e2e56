import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { publishDue } from '#modules/content/index.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { useFaults } from '#platform/faults.ts'
import { startChild } from '../../support/child.ts'
import { holdClock } from '../../support/clock.ts'
import { ARCHIVED, BODY, contentOf, DRAFT, PUBLISHED, readPage, TITLE, text, titled } from '../../support/content.ts'
import { eventsOf } from '../../support/imports.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
let clock: ReturnType<typeof holdClock>
beforeEach(() => {
  clock = holdClock()
})
afterEach(() => {
  clock.release()
  useFaults(undefined)
})

const seconds = () => Math.floor(now().getTime() / 1000)
const lines: string[] = []
const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
const sweep = (db: Db) => publishDue(db, log)

async function makePlanned(body: object = {}, cell?: string) {
  const content = contentOf(await used.make.business(cell === undefined ? {} : { cell }))
  const place = await content.collection()
  const publishAt = seconds() + 60
  const entry = await content.entry(place, { blocks: titled('Soon'), statuses: DRAFT, publishAt, ...body })
  const { admin, db, id: businessId } = content
  const read = async () => (await admin.get(entry.path)).body
  const status = async () => (await read()).statuses.map((one: { status: string }) => one.status).join(' ')
  const told = async () =>
    (await eventsOf(db, businessId, 'entry.published', 'entry.publish_failed')).filter(
      ({ subject }) => subject === entry.id,
    )
  return { ...content, make: content.entry, place, entry, publishAt, read, status, told }
}

for (const cell of ['main', 'second']) {
  test(`in cell ${cell} an entry is published when its time comes, not before, and once`, async () => {
    const { admin, db, entries, entry, publishAt, read, status, told } = await makePlanned({}, cell)
    const guest = await used.make.guest()
    assert.equal(entry.body.publishAt, publishAt)
    clock.advance(59)
    await sweep(db)
    assert.equal(await status(), 'DRAFT')
    assert.equal((await guest.get(entry.path)).status, 404)
    clock.advance(1)
    await sweep(db)
    const { publishAt: left, statuses, updatedAt } = await read()
    assert.deepEqual([left, await status(), updatedAt], [undefined, 'DRAFT PUBLISHED', publishAt])
    const { id: _, ...last } = statuses[1]
    assert.deepEqual(last, { status: 'PUBLISHED', changedBy: 'SYSTEM', timestamp: publishAt })
    for (const query of [{}, { query: 'soon' }, { 'block.title': 'Soon' }] as Record<string, string>[]) {
      assert.equal((await readPage(guest, entries, query)).items.length, 1)
    }
    const { items } = (await admin.get(`${entry.path}/versions`)).body
    assert.deepEqual([items[0].number, items[0].status, items[0].userId], [2, 'PUBLISHED', null])

    clock.advance(3_000)
    await sweep(db)
    assert.equal(await status(), 'DRAFT PUBLISHED')
    const events = await told()
    assert.deepEqual(
      events.map(({ type, actorKind }) => [type, actorKind]),
      [['entry.published', 'system']],
    )
  })
}

test('publishAt lies ahead, and is for what is complete and not published yet', async () => {
  const { admin, entries, place, entry, read } = await makePlanned()
  const post = (body: object) => admin.post(entries, { collectionId: place.id, blocks: titled('x'), ...body })
  const refused = '422 VALIDATION_FAILED publishAt INVALID'
  const ahead = seconds() + 10
  assert.equal(refusal(await post({ publishAt: seconds() })), refused)
  assert.equal(refusal(await post({ publishAt: seconds() - 10 })), refused)
  assert.equal(refusal(await post({ publishAt: ahead, statuses: PUBLISHED })), refused)
  assert.equal(refusal(await post({ publishAt: 1.5 })), refused)
  assert.equal(refusal(await post({ publishAt: 'soon' })), refused)
  assert.equal(refusal(await post({ publishAt: ahead, blocks: [] })), '422 VALIDATION_FAILED blocks.title REQUIRED')
  assert.equal((await post({ publishAt: null })).status, 201)
  assert.equal(refusal(await admin.put(entry.path, { publishAt: seconds() })), refused)
  assert.equal(refusal(await admin.put(entry.path, { blocks: [] })), '422 VALIDATION_FAILED blocks.title REQUIRED')

  assert.equal((await admin.put(entry.path, { publishAt: ahead })).body.publishAt, ahead, 'moved')
  assert.equal((await admin.put(entry.path, { locale: 'fr' })).body.publishAt, ahead, 'kept')
  const published = await admin.put(entry.path, { statuses: PUBLISHED })
  assert.ok(!('publishAt' in published.body), 'published by hand')
  assert.equal(refusal(await admin.put(entry.path, { publishAt: ahead })), refused)
  assert.equal((await admin.put(entry.path, { publishAt: ahead, statuses: DRAFT })).body.publishAt, ahead)
  assert.equal((await read()).statuses.at(-1).status, 'DRAFT')
})

test('one that was taken back, deleted or archived by then is not published', async () => {
  const { admin, db, make, place, status, entry: taken, told } = await makePlanned()
  assert.ok(!('publishAt' in (await admin.put(taken.path, { publishAt: null })).body))
  const gone = await make(place, { statuses: DRAFT, publishAt: seconds() + 60 })
  await admin.delete(gone.path)
  clock.advance(120)
  await sweep(db)
  assert.deepEqual([await status(), await told()], ['DRAFT', []])
  assert.equal((await admin.get(gone.path)).status, 404)
})

test('an archived entry can be planned as well, and so can one of a reservation', async () => {
  const { admin, db, make, status } = await makePlanned({ statuses: ARCHIVED })
  const reserved = await make('reservation:r1', { blocks: [], statuses: DRAFT, publishAt: seconds() + 60 })
  clock.advance(60)
  await sweep(db)
  assert.equal(await status(), 'ARCHIVED PUBLISHED')
  assert.equal((await admin.get(reserved.path)).body.statuses.at(-1).status, 'PUBLISHED')
})

test('several sweeps at once publish each entry once', async () => {
  const { admin, db, id, place, make, status, told } = await makePlanned()
  const more = await Promise.all([1, 2, 3, 4].map(() => make(place, { statuses: DRAFT, publishAt: seconds() + 60 })))
  clock.advance(60)
  await Promise.all([sweep(db), sweep(db), sweep(db)])
  await sweep(db)
  assert.deepEqual([await status(), (await told()).length], ['DRAFT PUBLISHED', 1])
  for (const { path } of more) assert.equal((await admin.get(path)).body.statuses.length, 2)
  assert.equal((await eventsOf(db, id, 'entry.published')).length, 5)
  assert.deepEqual(lines, [])
})

test('who changes an entry while it is being published loses nothing', async () => {
  const { admin, db, entry, read, status } = await makePlanned()
  clock.advance(60)
  const [changed] = await Promise.all([admin.put(entry.path, { blocks: titled('Changed') }), sweep(db)])
  assert.equal(changed.status, 200, changed.text)
  await sweep(db)
  assert.equal((await read()).blocks[0].value, 'Changed')
  assert.equal(await status(), 'DRAFT PUBLISHED')
})

test('one that no longer fits its schema is not published: its time is gone, and the business is told why', async () => {
  const { admin, db, place, read, status, told } = await makePlanned({
    blocks: [text('title', 'x'), text('body', 'y')],
  })
  assert.equal((await admin.put(place.path, { blocks: [TITLE] })).status, 200)
  clock.advance(60)
  await sweep(db)
  assert.deepEqual([await status(), (await read()).publishAt], ['DRAFT', undefined])
  const [event, ...more] = await told()
  assert.deepEqual([event?.type, more], ['entry.publish_failed', []])
  assert.deepEqual(event?.data, { details: [{ field: 'blocks.1.id', error: 'NOT_FOUND' }] })
  assert.equal((await admin.put(place.path, { blocks: [TITLE, BODY] })).status, 200)
  await sweep(db)
  assert.deepEqual([await status(), (await told()).length], ['DRAFT', 1], 'nor later')
  assert.deepEqual(lines, [])
})

test('a failure in the middle leaves it due, holds up nobody, and it is published the next time', async () => {
  const { admin, db, make, place, status, told, read } = await makePlanned()
  const next = await make(place, { statuses: DRAFT, publishAt: seconds() + 60 })
  clock.advance(60)
  let faults = 0
  useFaults((name) => {
    if (name === 'publish.before-commit' && faults++ === 0) throw new Error('fault')
  })
  await sweep(db)
  const outcomes = [
    await status(),
    (await admin.get(next.path)).body.statuses.length === 2 ? 'DRAFT PUBLISHED' : 'DRAFT',
  ]
  assert.deepEqual(new Set(outcomes), new Set(['DRAFT', 'DRAFT PUBLISHED']))
  assert.equal(lines.splice(0).length, 1, 'it is logged')
  await sweep(db)
  assert.deepEqual([await status(), (await read()).publishAt, (await told()).length], ['DRAFT PUBLISHED', undefined, 1])
  assert.equal((await admin.get(next.path)).body.statuses.length, 2)
})

test('more that fail than are read at once hold up nobody', async () => {
  const { id, db, make, place, status, entry } = await makePlanned()
  clock.advance(1)
  const last = await make(place, { statuses: DRAFT, publishAt: seconds() + 60 })
  await sql`update content.entries set publish_at = null where business_id <> ${id}`.execute(db) // left by other tests
  await sql`
    insert into content.entries
    select business_id, 'ent_' || lpad(n::text, 26, '0'), owner, collection_id, locale, blocks, statuses, status, schema_version,
           stale, publish_at, targets, version, document, created_at, updated_at
      from content.entries, generate_series(1, 120) as n
     where business_id = ${id} and id = ${entry.id}`.execute(db)
  clock.advance(60)
  let faults = 0
  useFaults((name) => {
    if (name === 'publish.before-commit' && faults++ < 120) throw new Error('fault')
  })
  assert.equal(await sweep(db), 122)
  assert.equal(lines.splice(0).length, 120)
  const published = await eventsOf(db, id, 'entry.published')
  assert.deepEqual(
    published.map(({ subject }) => subject),
    [entry.id, last.id],
  )
  assert.equal(await status(), 'DRAFT PUBLISHED')
  await sweep(db)
  assert.equal((await eventsOf(db, id, 'entry.published')).length, 122, 'they are tried again')
})

test('a worker that is killed before it commits leaves it due', async (t) => {
  const {
    db,
    id: businessId,
    entry,
    publishAt,
    read,
    status,
    told,
  } = await makePlanned({ publishAt: seconds() + 1 }, 'main')
  const env = used.api.databases.env
  const worker = await startChild('worker', env, { faults: { 'publish.before-commit': 'kill' } })
  t.after(() => worker.kill())
  assert.equal((await worker.exited).signal, 'SIGKILL')
  assert.deepEqual([await status(), (await read()).publishAt], ['DRAFT', publishAt - 59])
  const { version } = await db
    .selectFrom('content.entries')
    .select('version')
    .where((row) => row.and({ businessId, id: entry.id }))
    .executeTakeFirstOrThrow()
  assert.equal(version, 1)
  clock.advance(30)
  await sweep(db)
  assert.deepEqual([await status(), (await told()).length], ['DRAFT PUBLISHED', 1])
})
