import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { LIST, LIST_BY_VALUE, LIST_OWNED } from '#modules/content/entries/list-entries.ts'
import { publishDue } from '#modules/content/entries/publish-due.ts'
import { READ_RELATED } from '#modules/content/entries/relations.ts'
import { rebuildContent } from '#modules/content/index.ts'
import { GET_COLLECTION, GET_ENTRIES } from '#modules/content/queries.ts'
import { FILLED, fillContent, filledId } from '../../scenarios/fill-content.ts'
import { onServer } from '../../support/database.ts'
import { findSequentialScans, recordStatements, type Statement } from '../../support/explain.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })
const ENTRIES = 20_000
const PREPARED = { GET_ENTRIES, GET_COLLECTION, LIST, LIST_BY_VALUE, LIST_OWNED, READ_RELATED }

type Node = { 'Node Type': string; 'Actual Rows': number; 'Actual Loops': number; Plans?: Node[] } & Record<
  string,
  unknown
>
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

const toLiteral = (value: unknown): string => {
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString())
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!Array.isArray(value)) return pg.escapeLiteral(value as string)
  return pg.escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`)
}

/** How many rows the busiest part of the plan has handled: the plan for any values, once it is kept, or the one for these. */
async function countRows({ text, values }: Statement, mode: 'force_generic_plan' | 'force_custom_plan') {
  return onServer(async (client) => {
    await client.query(`set plan_cache_mode = ${mode}`)
    await client.query(`prepare asked as ${text}`)
    const execute = values.length > 0 ? `execute asked(${values.map(toLiteral).join(', ')})` : 'execute asked'
    const { rows } = await client.query(`explain (analyze, format json) ${execute}`)
    const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan as Node)
    const scans = nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'])
    const handled = nodes.map((node) => {
      const removed = Number(node['Rows Removed by Filter'] ?? 0) + Number(node['Rows Removed by Join Filter'] ?? 0)
      return (node['Actual Rows'] + removed) * node['Actual Loops']
    })
    return { rows: Math.max(...handled), scans }
  }, used.api.databases.main.url)
}

const make = async () => {
  const business = await used.make.business({ cell: 'main' })
  await fillContent(business.db, { businessId: business.id, entries: ENTRIES, businesses: 300, entriesEach: 10 })
  const { admin, path, db, id } = business
  const blocks = [{ id: 'note', type: 'TEXT', value: 'By the window' }]
  for (let count = 0; count < 30; count++)
    assert.equal((await admin.post(`${path}/entries`, { owner: 'reservation:r1', blocks })).status, 201)
  // Some hundred of other businesses are planned, too.
  await sql`update content.entries set publish_at = now() + interval '1 day' where status = 'DRAFT'`.execute(db)
  await sql`update content.entries set stale = true where business_id = ${id} and right(id, 2) = '77'`.execute(db)
  await onServer((client) => client.query('vacuum analyze'), used.api.databases.main.url)
  return { ...business, guest: await used.make.guest(), entries: `${path}/entries`, collections: `${path}/collections` }
}
let made: ReturnType<typeof make> | undefined
/** Filled once, by the first test that asks. */
const content = () => {
  made ??= make()
  return made
}

const LISTS: Record<string, string> = {
  all: '',
  'of one collection': `collectionId=${FILLED.guides}`,
  'by locale': 'locale=de',
  'by a locale that nothing has': 'locale=xx',
  'by a common value': 'block.kind=story',
  'by a rare value': 'block.topic=topic-77',
  'by a number': 'block.number=4242',
  'by a value that nothing has': 'block.topic=none',
  'by two common values': 'block.kind=story&block.featured=true',
  'by a common and a rare value': 'block.kind=story&block.topic=topic-77',
  'by a common value and one that nothing has': 'block.kind=story&block.topic=none',
  'by a common value and a rare one in a locale': 'block.featured=true&block.topic=topic-77&locale=de',
  'by five values': `block.kind=story&block.featured=true&block.topic=topic-77&block.number=77&block.related=${filledId(78)}`,
}

for (const [what, query] of Object.entries(LISTS)) {
  test(`a list ${what} reads little more than it shows`, async () => {
    const { admin, guest, entries } = await content()
    const statements = await recordStatements(async () => {
      for (const caller of [guest, admin]) {
        const page = await caller.get(`${entries}?limit=20&${query}`)
        assert.equal(page.status, 200, page.text)
        if (page.body.cursor) await caller.get(`${entries}?limit=20&${query}&cursor=${page.body.cursor}`)
      }
    })
    const lists = statements.filter(({ text }) => text === LIST || text === LIST_BY_VALUE)
    assert.ok(lists.length >= 2)
    const conditions = query.match(/block\.|locale=/g)?.length ?? 0
    const most = conditions > 1 ? conditions * 2_000 + 200 : 200 // the rarest of several is found by counting some of each
    for (const statement of lists) {
      for (const mode of ['force_generic_plan', 'force_custom_plan'] as const) {
        const { rows, scans } = await countRows(statement, mode)
        assert.deepEqual(scans, [], mode)
        assert.ok(rows <= most, `${rows} rows, ${mode}`)
      }
    }
  })
}

test('what is found by its id, or belongs to something, is read alone', async () => {
  const { admin, guest, entries, collections } = await content()
  const statements = await recordStatements(async () => {
    for (const path of [
      `${entries}/${filledId(4242)}`,
      `${entries}/${filledId(4242)}?include=relations`,
      `${entries}?limit=20&include=relations`,
      `${entries}?owner=reservation:r1`,
      `${entries}?owner=reservation:r1&status=DRAFT&locale=en`,
      `${collections}/${FILLED.journal}`,
      `${collections}/${FILLED.journal}/stale-entries?limit=5`,
      `${entries}/${filledId(4242)}/versions`,
      collections,
    ]) {
      assert.equal((await admin.get(path)).status, 200, path)
      await guest.get(path)
    }
  })
  for (const statement of statements.filter(({ text }) => /^\s*select/.test(text) && text.includes('content.'))) {
    for (const mode of ['force_generic_plan', 'force_custom_plan'] as const) {
      const { rows, scans } = await countRows(statement, mode)
      assert.deepEqual(scans, [], statement.text)
      assert.ok(rows <= 250, `${rows} rows, ${mode}: ${statement.text}`)
    }
  }
  const seen = new Set(statements.map(({ text }) => text))
  const unseen = Object.entries(PREPARED).filter(([name, text]) => name !== 'LIST_BY_VALUE' && !seen.has(text))
  assert.deepEqual(unseen, [])
})

test('a search reads what its words and values have in common', async () => {
  const { admin, entries } = await content()
  const searches: Record<string, number> = {
    'query=w77': 100,
    'query=lantern%20red': 1_000,
    'query=lantern': 4_000,
    'query=lanten': 4_000,
    'query=zzzyx': 0,
    'query=durable': ENTRIES,
    'query=durable&block.topic=topic-77': 10,
    'query=durable&block.number=77': 10,
    'query=durable&locale=de': 1_000,
    'query=durable&locale=xx': 0,
    'query=durable&locale=de&block.kind=story&block.featured=true': 1_000,
    [`query=durable&collectionId=${FILLED.letters}`]: 4_000,
  }
  for (const [query, most] of Object.entries(searches)) {
    const statements = await recordStatements(async () => {
      const { status, text } = await admin.get(`${entries}?${query}`)
      assert.equal(status, 200, text)
    })
    assert.deepEqual(await findSequentialScans(statements), [], query)
    const searching = statements.filter(({ text }) => text.includes('content.search'))
    assert.ok(searching.length > 0)
    for (const statement of searching) {
      const { rows } = await countRows(statement, 'force_custom_plan')
      assert.ok(rows <= most + 500, `${query}: ${rows} rows`)
    }
  }
})

test('writing, publishing, changing a schema and rebuilding read no table whole', async () => {
  const { admin, entries, collections, db, id } = await content()
  const title = (value: string) => [{ id: 'title', type: 'TEXT', value }]
  await sql`
    update content.entries set publish_at = now() - interval '1 minute'
     where business_id = ${id} and id in (select id from content.entries where business_id = ${id} and publish_at is not null limit 3)`.execute(
    db,
  )
  const statements = await recordStatements(async () => {
    const made = await admin.post(entries, { collectionId: FILLED.journal, blocks: title('New') })
    assert.equal(made.status, 201, made.text)
    const path = `${entries}/${made.body.id}`
    assert.equal((await admin.put(path, { blocks: title('Newer'), locale: 'de' })).status, 200)
    assert.equal((await admin.post(`${path}/versions/1/restore`, {})).status, 200)
    assert.equal((await admin.delete(path)).status, 200)
    assert.equal(await publishDue(db, used.api.app.log), 3)
    const { body } = await admin.get(`${collections}/${FILLED.letters}`)
    const changed = await admin.put(`${collections}/${FILLED.letters}`, {
      blocks: [...body.blocks, { id: 'extra', type: 'TEXT' }],
    })
    assert.equal(changed.status, 200, changed.text)
    const empty = await admin.post(collections, { name: 'Short-lived' })
    assert.equal((await admin.delete(`${collections}/${empty.body.id}`)).status, 200)
    assert.equal((await rebuildContent(db, { businessId: 'biz_other7' })).entries, 10)
  })
  assert.deepEqual(await findSequentialScans(statements), [])
})
