import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { test } from 'node:test'
import { sql } from 'kysely'
import { contentJobs } from '#modules/content/index.ts'
import type { Db } from '#platform/database/database.ts'
import type { Block } from '#vocabulary/blocks.ts'
import { compileBlocks } from '#vocabulary/compile-blocks.ts'
import {
  ARCHIVED,
  BODY,
  contentOf,
  DRAFT,
  PUBLISHED,
  readAll,
  type SentBlock,
  TITLE,
  text,
  titled,
} from '../../support/content.ts'
import { refusal } from '../../support/refusal.ts'
import { startTestWorker } from '../../support/start-worker.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const lines: string[] = []
const used = useWorld({ own: true, lines })
const open = async (cell?: string) => contentOf(await used.make.business(cell === undefined ? {} : { cell }))

async function makeCollection(body: object = {}, cell?: string) {
  const content = await open(cell)
  const place = await content.collection(body)
  const { admin } = content
  const change = async (blocks: SentBlock[]) => {
    const answer = await admin.put(place.path, { blocks })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.schemaVersion as number
  }
  const count = async () => (await admin.get(place.path)).body.staleEntries as number
  const stale = async () => {
    const { status, body, text } = await admin.get(`${place.path}/stale-entries`)
    assert.equal(status, 200, text)
    return body.items as { entryId: string; schemaVersion: number; details: { field: string; error: string }[] }[]
  }
  return { ...content, place, change, count, stale }
}

const told = ({ details }: { details: { field: string; error: string }[] }) =>
  details.map(({ field, error }) => `${field} ${error}`)

test('who sees drafts gets 304 for a collection that is what it was, until it or its number of stale entries changes', async () => {
  const { admin, id, place, entry, change } = await makeCollection()
  const one = await entry(place, { blocks: [text('title', 'x'), text('body', 'y')] })
  for (const reader of [admin, await used.make.member(id, 'CONTENT_READ_DRAFTS')]) {
    const tag = async () => (await reader.get(place.path)).headers.get('etag') ?? ''
    const status = async (tag: string) => (await reader.get(place.path, { 'if-none-match': tag })).status
    const first = await tag()
    assert.equal(await status(first), 304)
    await change([TITLE])
    assert.equal(await status(first), 200)

    const [second, body] = [await tag(), (await reader.get(place.path)).body]
    assert.deepEqual([await status(second), body.staleEntries], [304, 1])
    await admin.put(one.path, { blocks: titled('x') })
    assert.deepEqual([await status(second), (await reader.get(place.path)).body], [200, { ...body, staleEntries: 0 }])
    assert.equal(
      (await admin.put(place.path, {}, { 'if-match': second })).status,
      200,
      'the collection itself is the same',
    )
    assert.equal((await admin.put(place.path, {}, { 'if-match': second })).status, 412)
    await change([TITLE, BODY])
    await admin.put(one.path, { blocks: [text('title', 'x'), text('body', 'y')] })
  }
})

test('what no longer fits a changed schema is counted and explained, and stays what it is', async () => {
  const { admin, place, entry, change, count, stale } = await makeCollection()
  const [fits, lacks] = [await entry(place), await entry(place, { blocks: [text('title', 'x'), text('body', 'y')] })]
  assert.deepEqual([await count(), await stale()], [0, []])
  assert.equal(await change([TITLE]), 2)
  assert.equal(await count(), 1)
  const [one, ...more] = await stale()
  assert.ok(one)
  assert.deepEqual([one.entryId, one.schemaVersion, told(one), more], [lacks.id, 1, ['blocks.1.id NOT_FOUND'], []])
  assert.deepEqual((await admin.get(lacks.path)).body, lacks.body)
  assert.deepEqual((await admin.get(fits.path)).body, fits.body)

  assert.equal(
    refusal(await admin.put(lacks.path, { blocks: lacks.body.blocks })),
    '422 VALIDATION_FAILED blocks.1.id NOT_FOUND',
  )
  assert.equal(await count(), 1)
  const mended = await admin.put(lacks.path, { blocks: titled('x') })
  assert.deepEqual([mended.body.schemaVersion, await count()], [2, 0])
})

test('a schema that goes back fits again', async () => {
  const { place, entry, change, count, stale } = await makeCollection()
  await entry(place, { blocks: [text('title', 'x'), text('body', 'y')] })
  await change([TITLE])
  assert.equal(await count(), 1)
  assert.equal(await change([TITLE, BODY]), 3)
  assert.deepEqual([await count(), await stale()], [0, []])
  await change([{ ...TITLE, type: 'NUMBER' }, BODY])
  assert.deepEqual((await stale()).map(told), [['blocks.0.type INVALID']])
  await change([{ ...TITLE, settings: { maxLength: 1 } }, BODY])
  assert.equal(await count(), 0)
})

test('a new required block leaves drafts alone', async () => {
  const { place, entry, change, stale, admin } = await makeCollection()
  const draft = await entry(place, { statuses: DRAFT })
  const archived = await entry(place, { statuses: ARCHIVED })
  const published = await entry(place)
  const planned = await entry(place, { statuses: DRAFT, publishAt: Math.floor(Date.now() / 1000) + 3_600 })
  await change([TITLE, { ...BODY, required: true }])
  const found = await stale()
  assert.deepEqual(
    found.map(({ entryId }) => entryId),
    [planned.id, published.id],
  )
  assert.deepEqual(found.map(told), [['blocks.body REQUIRED'], ['blocks.body REQUIRED']])
  for (const { path } of [draft, archived]) assert.equal((await admin.put(path, { blocks: titled('y') })).status, 200)
})

test('who only archives an entry or takes its time back is not held up, and is counted by what it is then', async () => {
  const { admin, place, entry, change, count, stale } = await makeCollection()
  const published = await entry(place)
  const planned = await entry(place, { statuses: DRAFT, publishAt: Math.floor(Date.now() / 1000) + 3_600 })
  await change([TITLE, { ...BODY, required: true }])
  assert.equal(await count(), 2)
  assert.equal((await admin.put(published.path, { statuses: ARCHIVED })).status, 200)
  assert.deepEqual(
    (await stale()).map(({ entryId }) => entryId),
    [planned.id],
  )
  assert.equal((await admin.put(planned.path, { publishAt: null })).status, 200)
  assert.deepEqual([await count(), await stale()], [0, []])
  assert.equal(
    refusal(await admin.put(published.path, { statuses: PUBLISHED })),
    '422 VALIDATION_FAILED blocks.body REQUIRED',
  )
  await change([BODY])
  assert.equal((await admin.put(published.path, { locale: 'fr' })).status, 200)
  assert.equal(await count(), 2, 'still two that do not fit')
})

test('what no longer fits is listed page by page, newest first', async () => {
  const { admin, place, entry, change } = await makeCollection()
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.unshift((await entry(place)).id)
  await change([BODY])
  const path = `${place.path}/stale-entries`
  const seen: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await admin.get(`${path}?limit=2&cursor=${cursor}`)
    seen.push(...body.items.map(({ entryId }: { entryId: string }) => entryId))
    cursor = body.cursor
  }
  assert.deepEqual(seen, ids)
  assert.equal(refusal(await admin.get(`${path}?cursor=x`)), '422 VALIDATION_FAILED cursor INVALID')
})

test('an entry that somebody was about to delete, but did not, is checked all the same', async () => {
  const { db, id: businessId, place, entry, change, count } = await makeCollection()
  const { id } = await entry(place)
  let changing: Promise<number> | undefined
  await db.transaction().execute(async (tx) => {
    const entries = tx.selectFrom('content.entries').select('id')
    await entries
      .where((row) => row.and({ businessId, id }))
      .forUpdate()
      .execute()
    changing = change([BODY])
    await Promise.race([changing, until('it waits', () => isWaiting(db))])
  })
  await changing
  assert.equal(await count(), 1)
})

async function isWaiting(db: Db): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as waits`.execute(
    db,
  )
  return rows[0]?.waits ?? false
}

/** Of each entry: whether it says of itself what is true of it. */
async function assertTruth(db: Db, businessId: string, place: { id: string; path: string }) {
  const { schemaVersion, blocks: schema } = await db
    .selectFrom('content.collections')
    .select(['schemaVersion', 'blocks'])
    .where((row) => row.and({ businessId, id: place.id }))
    .executeTakeFirstOrThrow()
  const compiled = compileBlocks(schema as Block[])
  const rows = await db
    .selectFrom('content.entries')
    .select(['id', 'blocks', 'status', 'publishAt', 'stale', 'schemaVersion'])
    .where((row) => row.and({ businessId, collectionId: place.id }))
    .execute()
  for (const row of rows) {
    const complete = row.status === 'PUBLISHED' || row.publishAt !== null
    const isStale = compiled.findMistakes(row.blocks as Block[], { complete }).length > 0
    assert.equal(row.stale, isStale, JSON.stringify({ ...row, schema }))
    assert.ok(
      row.stale ? (row.schemaVersion ?? 0) <= schemaVersion : row.schemaVersion === schemaVersion,
      `${row.schemaVersion} of ${schemaVersion}`,
    )
  }
  return rows
}

test('beside twenty changes of the schema, two hundred writes leave no entry that lies about itself', async () => {
  const { admin, id, db, entries, collection, place, entry, change } = await makeCollection({}, 'second')
  const other = await collection()
  const made = await Promise.all(Array.from({ length: 20 }, () => entry(place)))
  const schemas = [
    [TITLE],
    [TITLE, BODY],
    [TITLE, { ...BODY, required: true }],
    [{ ...TITLE, settings: { maxLength: 5 } }, BODY],
  ]
  const bodies: object[] = [
    { blocks: titled('x') },
    { blocks: [text('title', 'x'), text('body', 'y')] },
    { blocks: titled('longer than five') },
    { statuses: ARCHIVED },
    { statuses: PUBLISHED },
    { locale: 'fr' },
    { collectionId: other.id },
    { collectionId: place.id },
  ]
  const statuses = new Map<number, number>()
  const note = ({ status, text }: { status: number; text: string }) => {
    assert.ok([200, 201, 412, 422].includes(status), text)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  async function write(from: number) {
    for (let index = from; index < 200; index += 8) {
      const { path } = made[index % made.length] ?? { path: '' }
      if (index % 10 === 9) note(await admin.delete(path, { 'if-match': '"0"' }))
      else if (index % 10 === 8) note(await admin.post(entries, { collectionId: place.id, ...bodies[index % 3] }))
      else note(await admin.put(path, bodies[(index * 7) % bodies.length] ?? {}))
    }
  }
  async function changeAll() {
    for (let index = 0; index < 20; index++) await change(schemas[(index * 3 + 1) % schemas.length] ?? [])
  }
  await Promise.all([changeAll(), ...Array.from({ length: 8 }, (_, index) => write(index))])
  const rows = [...(await assertTruth(db, id, place)), ...(await assertTruth(db, id, other))]
  assert.ok(rows.length > 20)
  assert.ok((statuses.get(200) ?? 0) > 50, JSON.stringify([...statuses]))
  assert.deepEqual(
    lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50),
    [],
  )
})

test('of more than two hundred entries a job looks at the rest', async (t) => {
  const worker = startTestWorker(used.api.databases.env, contentJobs)
  t.after(() => worker.stop())
  const { admin, id, db, place, entry, change, count, entries } = await makeCollection({}, 'main')
  await entry(place, { blocks: [text('title', 'x'), text('body', 'y')] })
  await sql`
    insert into content.entries
    select business_id, 'ent_' || lpad(n::text, 26, '0'), owner, collection_id, locale, blocks, statuses,
           (array['DRAFT', 'PUBLISHED', 'ARCHIVED'])[n % 3 + 1], schema_version, stale, publish_at, targets, version, document,
           created_at, updated_at
      from content.entries, generate_series(1, 499) as n
     where business_id = ${id}`.execute(db)
  await change([TITLE])
  await until('all are found', async () => (await count()) === 500)
  await change([TITLE, BODY])
  await until('none is left', async () => (await count()) === 0)
  await until('the job is done', async () => {
    const { rows } =
      await sql`select 1 from graphile_worker.jobs where task_identifier = 'content.check-entries'`.execute(db)
    return rows.length === 0
  })
  assert.equal((await assertTruth(db, id, place)).length, 500)
  assert.equal((await readAll(admin, entries, { limit: '100' })).length, 500)
})

test('where a schema changes what is pointed at, what is there points at nothing', async () => {
  const pointsAt = (targetType: string) => ({ id: 'about', type: 'RELATIONSHIP', settings: { targetType } })
  const { admin, place, entry, change, count, stale } = await makeCollection({ blocks: [TITLE, pointsAt('USER')] })
  const made = await entry(place, {
    blocks: [text('title', 'x'), { id: 'about', type: 'RELATIONSHIP', value: admin.id }],
  })
  await change([TITLE, pointsAt('PRODUCT')])
  assert.deepEqual([await count(), (await stale()).map(told)], [1, [['blocks.1.value NOT_FOUND']]])
  assert.equal((await admin.put(made.path, { locale: 'de' })).status, 200)
  assert.equal(await count(), 1)
  await change([TITLE, pointsAt('USER')])
  assert.equal(await count(), 0)
})

test('plain text that becomes HTML no longer fits where it holds markup that HTML may not', async () => {
  const note = (variant: string) => ({ id: 'note', type: 'TEXT', settings: { variant } })
  const { admin, place, entry, change, count, stale } = await makeCollection({ blocks: [note('PLAIN')] })
  await entry(place, { blocks: [text('note', '<p>Harmless</p>')] })
  const { path, id } = await entry(place, { blocks: [text('note', { en: 'x', de: 'x <img src=y onerror=alert(1)>' })] })
  await change([note('HTML')])
  const [one, ...more] = await stale()
  assert.ok(one)
  assert.deepEqual([one.entryId, told(one), more], [id, ['blocks.0.value.de NOT_CLEAN'], []])
  assert.equal((await admin.put(path, { locale: 'fr' })).status, 200)
  assert.equal(await count(), 1, 'nor after a change of something else')
  const { blocks } = (await admin.get(path)).body
  assert.equal((await admin.put(path, { blocks })).body.blocks[0].value.de, 'x <img src="y" />')
  assert.equal(await count(), 0)
})

test('of large entries few are looked at in one go, with room for others in between', async (t) => {
  const rich = (maxLength: number) => ({ id: 'body', type: 'TEXT', settings: { variant: 'HTML', maxLength } })
  const { admin, id, db, place, entry, change, count, stale } = await makeCollection(
    { blocks: [rich(1_000_000)] },
    'main',
  )
  const { path } = await entry(place, { blocks: [text('body', '<p>x</p>'.repeat(110_000))] })
  await sql`
    insert into content.entries
    select business_id, 'ent_' || lpad(n::text, 26, '0'), owner, collection_id, locale, blocks, statuses, status, schema_version,
           stale, publish_at, targets, version, document, created_at, updated_at
      from content.entries, generate_series(1, 30) as n
     where business_id = ${id}`.execute(db)
  const delays = monitorEventLoopDelay({ resolution: 5 })
  delays.enable()
  const startedAt = performance.now()
  await change([rich(500_000)])
  delays.disable()
  t.diagnostic(`${(performance.now() - startedAt).toFixed()} ms, blocked ${(delays.max / 1e6).toFixed()} ms at most`)
  assert.equal(await count(), 2, 'the rest is for the job')
  assert.equal((await stale()).length, 2)

  const worker = startTestWorker(used.api.databases.env, contentJobs)
  t.after(() => worker.stop())
  await until('all are found', async () => (await count()) === 31)
  const pages = [await admin.get(`${place.path}/stale-entries?limit=100`)]
  for (let cursor = pages[0]?.body.cursor; cursor; cursor = pages.at(-1)?.body.cursor) {
    pages.push(await admin.get(`${place.path}/stale-entries?limit=100&cursor=${cursor}`))
  }
  const found = pages.flatMap(
    ({ body }) => body.items as { entryId: string; details: { field: string; error: string }[] }[],
  )
  assert.equal(new Set(found.map(({ entryId }) => entryId)).size, 31)
  assert.deepEqual(new Set(found.flatMap(told)), new Set(['blocks.0.value TOO_LONG']))
  assert.ok(pages.length >= 15, 'a page holds few of them')
  assert.equal((await admin.get(path)).status, 200)
})
