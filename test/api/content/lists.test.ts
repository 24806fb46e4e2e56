import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { encodeCursor } from '#vocabulary/paging.ts'
import {
  ARCHIVED,
  contentOf,
  DRAFT,
  EVERY_TYPE,
  everyValue,
  PUBLISHED,
  readAll,
  readPage,
  text,
  titled,
  titles,
} from '../../support/content.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()
const open = async (cell?: string) => contentOf(await used.make.business(cell === undefined ? {} : { cell }))
const invalid = (complaint: string) => `422 VALIDATION_FAILED ${complaint}`

for (const cell of ['main', 'second']) {
  test(`in cell ${cell} entries are listed newest first, by collection, owner, locale and status`, async () => {
    const { admin, entries, collection, entry } = await open(cell)
    const [a, b] = [await collection(), await collection({ name: 'Notes' })]
    const made: [string, object, object][] = [
      ['a1', a, {}],
      ['b1', b, { locale: 'de' }],
      ['a2', a, { locale: 'de', statuses: DRAFT }],
      ['b2', b, { statuses: ARCHIVED }],
      ['a3', a, { locale: 'de' }],
    ]
    for (const [title, place, body] of made) await entry(place as typeof a, { blocks: titled(title), ...body })
    const cases: [query: Record<string, string>, ...expected: string[]][] = [
      [{}, 'a3', 'b2', 'a2', 'b1', 'a1'],
      [{ collectionId: a.id }, 'a3', 'a2', 'a1'],
      [{ owner: `collection:${b.id}` }, 'b2', 'b1'],
      [{ owner: `collection:${b.id}`, collectionId: b.id }, 'b2', 'b1'],
      [{ locale: 'de' }, 'a3', 'a2', 'b1'],
      [{ locale: 'de', collectionId: a.id }, 'a3', 'a2'],
      [{ locale: 'de', status: 'PUBLISHED' }, 'a3', 'b1'],
      [{ status: 'DRAFT' }, 'a2'],
      [{ status: 'ARCHIVED', collectionId: a.id }],
      [{ collectionId: 'col_none' }],
      [{ locale: 'fr' }],
      [{ query: '   ' }, 'a3', 'b2', 'a2', 'b1', 'a1'],
    ]
    for (const [query, ...expected] of cases) {
      assert.deepEqual(await titles(admin, entries, query), expected, JSON.stringify(query))
      const paged = await readAll(admin, entries, { ...query, limit: '1' })
      assert.equal(paged.length, expected.length, 'page by page')
    }
  })
}

test('filters that contradict or cannot be answered are refused, not ignored', async () => {
  const { admin, entries, collection } = await open()
  const [a, b] = [await collection(), await collection()]
  const get = async (query: string) => refusal(await admin.get(`${entries}?${query}`))
  assert.equal(await get(`owner=collection:${a.id}&collectionId=${b.id}`), invalid('owner INVALID'))
  for (const more of ['query=x', 'block.title=x', `collectionId=${a.id}`]) {
    assert.equal(await get(`owner=reservation:r1&${more}`), invalid('owner INVALID'), more)
  }
  for (const wrong of [
    'owner=shop:x',
    'owner=order:',
    'collectionId=a%20b',
    'status=GONE',
    'include=all',
    'limit=101',
    'locale=x',
  ]) {
    assert.match(await get(wrong), new RegExp(`^422 VALIDATION_FAILED ${wrong.split('=')[0]} `))
  }
  assert.equal(await get(`query=${'x'.repeat(201)}`), invalid('query TOO_LONG'))
})

test('words are found in any order, by a beginning, with a typo, without case and accents', async () => {
  const { admin, entries, collection, entry } = await open()
  const place = await collection()
  for (const title of ['Crème brûlée at the harbour', 'Harbour lights', 'Straße'])
    await entry(place, { blocks: titled(title) })
  const find = (query: string) => titles(admin, entries, { query })
  assert.deepEqual(await find('harbour creme'), ['Crème brûlée at the harbour'])
  assert.deepEqual(await find('harbour lig'), ['Harbour lights'])
  assert.deepEqual(await find('HARBOUR'), ['Harbour lights', 'Crème brûlée at the harbour'])
  assert.deepEqual(await find('lihgts'), ['Harbour lights'])
  assert.deepEqual(await find('strasse'), ['Straße'])
  assert.deepEqual(await find('harbour nothing'), [])
  assert.deepEqual(await find('!?'), [])
})

test('a match in the title comes before a choice, a short text and a long one', async () => {
  const { admin, entries, collection, entry } = await open()
  const choice = { id: 'kind', type: 'SELECT', settings: { options: ['Walnut', 'Oak'] } }
  const place = await collection({
    blocks: [{ id: 'title', type: 'TEXT' }, { id: 'note', type: 'TEXT' }, { id: 'story', type: 'TEXT' }, choice],
  })
  const add = (title: string, ...blocks: object[]) => entry(place, { blocks: [text('title', title), ...blocks] })
  await add('Walnut in the title')
  await add('short', text('note', 'Of walnut'))
  await add('choice', { id: 'kind', type: 'SELECT', value: 'Walnut' })
  await add('long', text('story', `${'Once upon a time. '.repeat(20)} walnut`))
  const ranked = ['Walnut in the title', 'choice', 'short', 'long']
  for (const query of ['walnut', 'waln', 'walmut']) assert.deepEqual(await titles(admin, entries, { query }), ranked)
  assert.deepEqual(await titles(admin, entries, { query: 'walnut', 'block.kind': 'Walnut' }), ['choice'])
  assert.deepEqual(await readAll(admin, entries, { query: 'walnut', limit: '1' }).then((ids) => ids.length), 4)
})

test('of HTML the text is searched, not the tags; every locale is', async () => {
  const { admin, entries, collection, entry } = await open()
  const html = '<blockquote><a href="https://example.com/hidden" title="secret">Lantern</a> R&amp;D</blockquote>'
  await entry(await collection(), { blocks: [text('title', { en: 'Boat', fr: 'Bateau' }), text('body', html)] })
  const found = async (query: string) => (await readPage(admin, entries, { query })).items.length
  for (const query of ['lantern', 'boat', 'bateau', 'bateau lantern', 'R&D']) assert.equal(await found(query), 1, query)
  for (const query of ['blockquote', 'href', 'hidden', 'secret', 'amp', 'title'])
    assert.equal(await found(query), 0, query)
})

test('search follows changes, and looks in one collection, locale and status', async () => {
  const { admin, entries, collection, entry } = await open()
  const [a, b] = [await collection(), await collection()]
  const one = await entry(a, { blocks: titled('Lamp one'), locale: 'de' })
  await entry(b, { blocks: titled('Lamp two'), statuses: DRAFT })
  const find = (query: Record<string, string>) => titles(admin, entries, { query: 'lamp', ...query })
  assert.deepEqual(await find({ collectionId: a.id }), ['Lamp one'])
  assert.deepEqual(await find({ locale: 'de' }), ['Lamp one'])
  assert.deepEqual(await find({ status: 'DRAFT' }), ['Lamp two'])
  assert.deepEqual(await find({ status: 'DRAFT', collectionId: a.id }), [])
  await admin.put(one.path, { statuses: DRAFT, locale: 'fr' })
  assert.deepEqual(await find({ status: 'DRAFT', collectionId: a.id }), ['Lamp one'])
  assert.deepEqual(await find({ locale: 'de' }), [])
  await admin.put(one.path, { blocks: titled('Candle') })
  assert.deepEqual(await find({}), ['Lamp two'])
  assert.deepEqual(await titles(admin, entries, { query: 'cadnle' }), ['Candle'])
})

test('block.<id> finds a value of every type that can be compared', async () => {
  const { admin, entries, collection, entry } = await open()
  const place = await collection({ blocks: EVERY_TYPE })
  const values = everyValue(place.id)
  const { path } = await entry(place, {
    blocks: [text('title', { en: 'Harbour lights', de: 'Hafenlicht' }), ...values.slice(1)],
  })
  await entry(place, { blocks: titled('Other') })
  const count = async (query: Record<string, string>) => (await readPage(admin, entries, query)).items.length
  const held: Record<string, string[]> = {
    title: ['Harbour lights', 'Hafenlicht'],
    stars: ['4.5', '4.50', '+4.5', '45e-1'],
    open: ['false'],
    day: ['1789000000', '1.789e9'],
    link: [place.id],
    size: ['M'],
    colours: ['red', 'dark green'],
  }
  for (const [id, texts] of Object.entries(held)) {
    for (const value of texts) assert.equal(await count({ [`block.${id}`]: value }), 1, `${id}=${value}`)
  }
  const wrong: Record<string, string[]> = {
    title: ['harbour lights', 'Harbour', '', 'Other lights'],
    body: ['<p>Bright</p>', 'Bright'],
    stars: ['4', '', 'NaN', 'Infinity'],
    open: ['true', '0'],
    place: ['54.3'],
    pictures: ['front'],
    size: ['m'],
    colours: ['blue', 'red,dark green'],
    none: ['x'],
    __proto__: ['x'],
  }
  for (const [id, texts] of [...Object.entries(wrong), ['__proto__', ['x']] as const]) {
    for (const value of texts) assert.equal(await count({ [`block.${id}`]: value }), 0, `${id}=${value}`)
  }
  const several = {
    'block.size': 'M',
    'block.colours': 'red',
    'block.stars': '4.5',
    'block.open': 'false',
    'block.title': 'Hafenlicht',
  }
  assert.equal(await count(several), 1)
  assert.equal(await count({ ...several, 'block.size': 'L' }), 0)
  assert.equal(
    await count({ ...several, query: 'harbour', collectionId: place.id, locale: 'en', status: 'PUBLISHED' }),
    1,
  )
  assert.equal(await count({ ...several, locale: 'de' }), 0)
  await admin.put(path, { blocks: [text('title', 'Changed'), { id: 'stars', type: 'NUMBER', value: -0 }] })
  assert.deepEqual(
    [await count({ 'block.size': 'M' }), await count({ 'block.stars': '0' }), await count({ 'block.stars': '-0.0' })],
    [0, 1, 1],
  )
})

test('4 and 4.0 are one number; a text is compared as it is', async () => {
  const { admin, entries, collection, entry } = await open()
  const numbers = await collection({ blocks: [{ id: 'n', type: 'NUMBER' }] })
  const texts = await collection({ blocks: [{ id: 'n', type: 'TEXT' }] })
  await entry(numbers, { blocks: [{ id: 'n', type: 'NUMBER', value: 4 }] })
  for (const value of ['4', '4.0', ' 4 ']) await entry(texts, { blocks: [text('n', value)] })
  const values = async (value: string) =>
    (await readPage(admin, entries, { 'block.n': value })).items.map(({ blocks }) => blocks[0]?.value)
  assert.deepEqual(await values('4'), ['4', 4])
  assert.deepEqual(await values('4.0'), ['4.0', 4])
  assert.deepEqual(await values(' 4 '), [' 4 ', 4])
  assert.deepEqual(await values('4.01'), [])
})

test('texts of up to 200 characters can be compared, longer ones are refused', async () => {
  const { admin, entries, collection, entry } = await open()
  const place = await collection()
  await entry(place, { blocks: titled('x'.repeat(200)) })
  await entry(place, { blocks: titled('x'.repeat(201)) })
  assert.equal((await readPage(admin, entries, { 'block.title': 'x'.repeat(200) })).items.length, 1)
  assert.equal(refusal(await admin.get(`${entries}?block.title=${'x'.repeat(201)}`)), invalid('block.title TOO_LONG'))
})

test('block filters have names of blocks, each once, and five at most', async () => {
  const { admin, entries, collection, entry } = await open()
  await entry(await collection(), { blocks: titled('x') })
  const get = async (query: string) => refusal(await admin.get(`${entries}?${query}`))
  for (const id of ['', 'a.b', "a'b", 'a b', 'ü', '%22;--', 'x'.repeat(65), '{}', '$1', 'a%0Ab']) {
    assert.equal(await get(`block.${id}=x`), invalid('block INVALID'), id)
  }
  assert.equal(await get('block.title=x&block.title=y'), invalid('block.title DUPLICATE'))
  assert.equal(await get([1, 2, 3, 4, 5, 6].map((n) => `block.b${n}=x`).join('&')), invalid('block TOO_MANY'))
  assert.equal(await get('block.title=a%00b'), '400 BAD_REQUEST')
  for (const query of [
    'block.title=%ED%A0%80',
    'block.title=%',
    'block.title',
    'block.title=%27%3B--',
    'block.constructor=x',
  ]) {
    assert.deepEqual((await admin.get(`${entries}?${query}`)).body, { items: [], cursor: null }, query)
  }
  const encoded = await admin.get(`${entries}?block%2Etitle=y&%62lock.body=y`)
  assert.deepEqual(encoded.body.items, [], 'however the name is written')
})

test('a cursor belongs to its filters, its business and its reader', async () => {
  const { id: businessId, admin, entries, collection, entry } = await open()
  const place = await collection({ blocks: EVERY_TYPE })
  const blocks = [text('title', 'Lamp'), { id: 'size', type: 'SELECT', value: 'M' }]
  for (let n = 0; n < 3; n++) await entry(place, { blocks })
  const other = await open()
  const guest = await used.make.guest()
  const queries = [
    '',
    `collectionId=${place.id}`,
    'locale=en',
    'status=PUBLISHED',
    'query=lamp',
    'block.size=M',
    'block.title=Lamp',
    'query=lamp&block.size=M',
  ]
  const cursors: string[] = []
  for (const query of queries) {
    const { cursor } = (await admin.get(`${entries}?limit=1&${query}`)).body
    assert.equal((await admin.get(`${entries}?limit=1&${query}&cursor=${cursor}`)).status, 200)
    cursors.push(cursor)
  }
  for (const [made, cursor] of cursors.entries()) {
    for (const [asked, query] of queries.entries()) {
      if (made === asked) continue
      assert.equal(refusal(await admin.get(`${entries}?${query}&cursor=${cursor}`)), invalid('cursor INVALID'))
    }
  }
  assert.equal(refusal(await other.admin.get(`${other.entries}?cursor=${cursors[0]}`)), invalid('cursor INVALID'))
  assert.equal(refusal(await guest.get(`${entries}?cursor=${cursors[0]}`)), invalid('cursor INVALID'))
  for (const cursor of ['x', 'W10', encodeCursor({ list: 'entries', businessId }, ['~'])]) {
    assert.equal(refusal(await admin.get(`${entries}?cursor=${cursor}`)), invalid('cursor INVALID'))
  }
  for (const cursor of ['', 'null']) assert.equal((await admin.get(`${entries}?cursor=${cursor}`)).status, 200)
})

const step = fc.record({
  kind: fc.constantFrom('add', 'delete', 'hide', 'rename', 'other'),
  pick: fc.nat({ max: 1_000 }),
})

test('whatever comes and goes between two pages, each entry that stays is seen exactly once', async () => {
  const { admin, entries, collection, entry } = await open()
  const blocks = (title: string, size = 'M') => [text('title', title), { id: 'size', type: 'SELECT', value: size }]
  const places = [await collection({ blocks: EVERY_TYPE }), await collection({ blocks: EVERY_TYPE })]
  const [place] = places as [(typeof places)[0]]
  let number = 0
  const add = (where: number) =>
    entry(places[where % 2] ?? place, {
      blocks: blocks(number++ % 3 ? 'Lamp' : 'Red lamp, lamp'),
      statuses: number % 4 ? PUBLISHED : DRAFT,
    })
  const staying: string[] = []
  for (let n = 0; n < 12; n++) staying.push((await add(n)).id)
  const passing = [await add(0), await add(1), await add(2), await add(3)]

  const queries: Record<string, string>[] = [
    {},
    { 'block.size': 'M' },
    { query: 'lamp' },
    { query: 'lmap', 'block.size': 'M' },
  ]
  const run = fc.tuple(
    fc.constantFrom(...queries),
    fc.constantFrom('2', '3', '5'),
    fc.array(step, { minLength: 3, maxLength: 8 }),
  )
  await fc.assert(
    fc.asyncProperty(run, async ([query, limit, steps]) => {
      const left = [...steps]
      const seen = await readAll(admin, entries, { ...query, limit }, async () => {
        const next = left.pop()
        if (!next) return
        const { kind, pick } = next
        const [gone] = kind === 'add' || passing.length === 0 ? [] : passing.splice(pick % passing.length, 1)
        if (!gone) passing.push(await add(pick))
        else if (kind === 'delete') await admin.delete(gone.path)
        else {
          const change = {
            hide: { statuses: ARCHIVED },
            rename: { blocks: blocks('Candle') },
            other: { blocks: blocks('Lamp', 'L') },
          }[kind as 'hide']
          assert.equal((await admin.put(gone.path, change)).status, 200)
        }
      })
      assert.equal(new Set(seen).size, seen.length, 'none twice')
      assert.deepEqual(
        staying.filter((id) => !seen.includes(id)),
        [],
        'none skipped',
      )
    }),
    { numRuns: 12 },
  )
})

test('a page of large entries ends early, whatever was asked for, and goes on where it ended', async () => {
  const { admin, entries, collection, entry } = await open()
  const schema = Array.from({ length: 14 }, (_, index) => ({ id: `part${index}`, type: 'TEXT' }))
  const place = await collection({ blocks: [{ id: 'title', type: 'TEXT' }, ...schema] })
  const large = [text('title', 'Lamp'), ...schema.map(({ id, type }) => ({ id, type, value: 'x '.repeat(49_000) }))]
  for (const owner of [place, place, place, 'reservation:r1', 'reservation:r1', 'reservation:r1'])
    await entry(owner, { blocks: large })
  const queries = [
    {},
    { collectionId: place.id },
    { 'block.title': 'Lamp' },
    { query: 'lamp' },
    { query: 'lmap' },
    { owner: 'reservation:r1' },
  ]
  for (const query of queries as Record<string, string>[]) {
    const first = await readPage(admin, entries, { ...query, limit: '100' })
    const next = await readPage(admin, entries, { ...query, limit: '100', cursor: first.cursor ?? '' })
    assert.deepEqual([first.items.length, next.items.length, next.cursor], [2, 1, null], JSON.stringify(query))
    assert.equal(new Set([...first.items, ...next.items].map(({ id }) => id)).size, 3)
    assert.equal((await readPage(admin, entries, { ...query, limit: '1' })).items.length, 1)
  }
})

test('an entry that is too large for a page is a page of its own', async () => {
  const { db, id, admin, entries, collection, entry } = await open()
  const place = await collection()
  const made = [await entry(place), await entry(place), await entry(place)].map(({ id }) => id).toReversed()
  await sql`
    update content.entries set document = json_build_object('id', id, 'text', repeat('x', 5000000))
     where business_id = ${id}`.execute(db)
  assert.deepEqual(await readAll(admin, entries, { limit: '1' }), made)
  const first = await readPage(admin, entries, { limit: '100' })
  assert.deepEqual([first.items.length, first.cursor === null], [1, false])
})
