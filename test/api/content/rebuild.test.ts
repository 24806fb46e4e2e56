import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { rebuildContent } from '#modules/content/index.ts'
import { FILLED, fillContent } from '../../scenarios/fill-content.ts'
import { runKontor } from '../../support/child.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
type Filled = Awaited<ReturnType<typeof makeContent>>

const SCHEMA = [
  { id: 'title', type: 'TEXT', required: true },
  { id: 'kind', type: 'SELECT', settings: { options: ['Story', 'Guide'] } },
  { id: 'stars', type: 'NUMBER' },
  { id: 'body', type: 'TEXT', settings: { variant: 'HTML' } },
  { id: 'more', type: 'RELATIONSHIP', settings: { targetType: 'COLLECTION' } },
]

/** A business with a collection, some entries in it, written by the API, and one that belongs to a reservation. */
async function makeContent(count: number, cell = 'main') {
  const business = await used.make.business({ cell })
  const { admin, path } = business
  const made = await admin.post(`${path}/collections`, {
    name: 'Journal',
    blocks: SCHEMA,
    statuses: [{ status: 'PUBLISHED' }],
  })
  assert.equal(made.status, 201, made.text)
  const blocks = (number: number) => [
    { id: 'title', type: 'TEXT', value: { en: `Lantern ${number}`, de: `Laterne "${number}" \\ 🏮` } },
    { id: 'kind', type: 'SELECT', value: number % 2 ? 'Story' : 'Guide' },
    { id: 'stars', type: 'NUMBER', value: number % 5 },
    { id: 'body', type: 'TEXT', value: `<p>Warm &amp; bright</p>${'<b>soft</b> '.repeat(40)}` },
    { id: 'more', type: 'RELATIONSHIP', value: made.body.id },
  ]
  const status = (number: number) => (['PUBLISHED', 'DRAFT', 'ARCHIVED'] as const)[number % 3]
  for (let number = 0; number < count; number++) {
    const entry = await admin.post(`${path}/entries`, {
      collectionId: made.body.id,
      locale: number % 2 ? 'de' : 'en',
      blocks: blocks(number),
      statuses: [{ status: status(number) }],
    })
    assert.equal(entry.status, 201, entry.text)
    if (number % 4 === 0) await admin.put(`${path}/entries/${entry.body.id}`, { blocks: blocks(number + 1) })
  }
  const owned = await admin.post(`${path}/entries`, { owner: 'reservation:r1', blocks: blocks(1) })
  assert.equal(owned.status, 201, owned.text)
  return business
}

const rowsOf = async ({ db, id }: Filled, table: string) =>
  (
    await sql`select * from ${sql.table(table)} as kept where business_id = ${id} order by kept::text collate "C"`.execute(
      db,
    )
  ).rows

const TABLES = ['collections', 'collection_schemas', 'entries', 'entry_values', 'entry_versions', 'search', 'spellings']

/** All that there is of a business's content, as rows and as the API shows it. */
async function readAll(content: Filled) {
  const { admin, path } = content
  const shown: Record<string, string> = {}
  for (const query of [
    '',
    '&query=lantrn',
    '&query=warm',
    '&locale=de',
    '&block.kind=Story&block.stars=3',
    '&status=DRAFT',
  ]) {
    const { status, text } = await admin.get(`${path}/entries?limit=100${query}`)
    assert.equal(status, 200, text)
    shown[query] = text
  }
  const rows: Record<string, unknown[]> = {}
  for (const table of TABLES) rows[table] = await rowsOf(content, `content.${table}`)
  return { shown, rows }
}

async function corrupt({ db, id }: Filled) {
  for (const statement of [
    sql`update content.entries set document = '{"id":"broken"}', targets = '{}' where business_id = ${id}`,
    sql`update content.collections set document = '{"id":"broken"}' where business_id = ${id}`,
    sql`delete from content.entry_values where business_id = ${id} and random() < 0.5`,
    // As an older version may have written them: a value that no longer counts, with the row that names it.
    sql`insert into content.entry_values
        select business_id, collection_id, 'old', 't:gone', status, entry_id from content.search where business_id = ${id}`,
    sql`update content.search set terms = '', held = held || '{old t:gone}' where business_id = ${id}`,
    sql`delete from content.spellings where business_id = ${id}`,
  ]) {
    await statement.execute(db)
  }
}

test('documents, targets, values, words and spellings are made anew, and nothing else changes', async () => {
  const [content, other] = [await makeContent(30), await makeContent(5)]
  const before = await readAll(content)
  await corrupt(content)
  await corrupt(other)
  const broken = await readAll(other)
  assert.notDeepEqual((await readAll(content)).shown, before.shown)

  const progress: number[] = []
  const done = await rebuildContent(content.db, { businessId: content.id, progress: (count) => progress.push(count) })
  assert.deepEqual([done, progress], [{ collections: 1, entries: 31 }, [31]])
  assert.deepEqual(await readAll(content), before)
  assert.deepEqual(await readAll(other), broken, 'only those of that business')

  await rebuildContent(content.db, { businessId: content.id })
  assert.deepEqual(await readAll(content), before, 'again is harmless')
})

test('what is as it should be is not written again', async () => {
  const { db, id } = await makeContent(5)
  const places = async () => {
    const { rows } = await sql`
      select id, ctid from content.entries where business_id = ${id}
       union all
      select entry_id, ctid from content.search where business_id = ${id}
       order by 1, 2`.execute(db)
    return rows
  }
  const before = await places()
  await rebuildContent(db, { businessId: id })
  assert.deepEqual(await places(), before)
})

test('the command rebuilds the content of every cell, or of one business', async () => {
  const contents = [await makeContent(5, 'main'), await makeContent(6, 'second')] as [Filled, Filled]
  const before = await Promise.all(contents.map(readAll))
  await Promise.all(contents.map(corrupt))
  const run = await runKontor(['cli', 'content', 'rebuild'], used.api.databases.env)
  assert.equal(run.code, 0, run.output)
  assert.match(run.output, /^main: \d+ collections, \d+ entries rebuilt$/m)
  assert.match(run.output, /^second: 1 collections, 7 entries rebuilt$/m)
  assert.deepEqual(await Promise.all(contents.map(readAll)), before)

  await Promise.all(contents.map(corrupt))
  const one = await runKontor(['cli', 'content', 'rebuild', '--business', contents[1].id], used.api.databases.env)
  assert.match(one.output, /^main: 0 collections, 0 entries rebuilt$/m)
  assert.match(one.output, /^second: 1 collections, 7 entries rebuilt$/m)
  assert.deepEqual(await readAll(contents[1]), before[1])
})

test('what is edited while it runs is not lost', async () => {
  const content = await makeContent(20)
  const { admin, path, db, id } = content
  const { body } = await admin.get(`${path}/entries?limit=100`)
  const ids = body.items.map((item: { id: string }) => item.id) as string[]
  let isRunning = true
  const rebuilding = (async () => {
    while (isRunning) await rebuildContent(db, { businessId: id })
  })()
  const title = (text: string) => ({ blocks: [{ id: 'title', type: 'TEXT', value: text }] })
  const answers = await Promise.all(
    ids.map((entry, index) => admin.put(`${path}/entries/${entry}`, title(`Edited ${index}`))),
  )
  isRunning = false
  await rebuilding
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  for (const [index, entry] of ids.entries()) {
    assert.equal((await admin.get(`${path}/entries/${entry}`)).body.blocks[0].value, `Edited ${index}`)
  }
  const before = await readAll(content)
  await rebuildContent(db, { businessId: id })
  assert.deepEqual(await readAll(content), before, 'what was written meanwhile is what a rebuild would write')
})

test('what tests and proofs fill straight into the tables is what the service would have written', async () => {
  const business = await used.make.business({ cell: 'main' })
  await fillContent(business.db, { businessId: business.id, entries: 450, businesses: 2, entriesEach: 10 })
  const before = await readAll(business)
  assert.ok(before.rows.entry_values?.length && before.rows.entries?.length === 450)
  const progress: number[] = []
  const done = await rebuildContent(business.db, { businessId: business.id, progress: (count) => progress.push(count) })
  assert.deepEqual([done, progress], [{ collections: 3, entries: 450 }, [200, 400, 450]])
  assert.deepEqual(await readAll(business), before)

  const { body } = await business.admin.get(`${business.path}/collections/${FILLED.letters}`)
  assert.deepEqual([body.type, body.plans.length, body.staleEntries], ['NEWSLETTER', 1, 0])
})
