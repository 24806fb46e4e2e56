import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Content,
  contentOf,
  PUBLISHED,
  readPage,
  type SentBlock,
  text as textBlock,
} from '../../support/content.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const lines: string[] = []
const used = useWorld({ own: true, lines })

/** Text, and a word by which it must be found; none where the text holds nothing that people would call a word. */
const TEXTS: Record<string, [text: string, word?: string]> = {
  Arabic: ['قهوة عربية', 'عربية'],
  'mixed directions': ['abc \u202eקפה\u202c \u2067def\u2069', 'קפה'],
  'direction marks only': ['\u200f\u200e\u061c'],
  emoji: ['🙂 Lampe', '🙂'],
  'a flag alone': ['🏴󠁧󠁢󠁳󠁣󠁴󠁿🇩🇪'],
  'letters of four bytes': ['𐌰𐌱𐌲 𠀀𠀁 𝔘𝔫𝔦', '𐌰𐌱𐌲'],
  'accents as characters of their own': ['Cre\u0300me bru\u0302le\u0301e', 'crème'],
  'more accents than letters': [`Z${'\u0300\u0489'.repeat(40)}algo`, 'zalgo'],
  'control characters': ['bell\u0007 escape\u001b[31m delete\u007f c1\u0085 \u0001', 'escape'],
  'tabs and line ends': ['a\tb\r\nc\u2028d\u2029e\u000bf', 'b'],
  Chinese: ['蓝色陶瓷杯子', '蓝色陶瓷杯子'],
  'one long word': ['Donaudampfschifffahrt'.repeat(4), 'Donaudampfschifffahrt'.repeat(4)],
  'quotes and backslashes': [`it's "quoted" \\ \\\\ \\' \\" \` ´ „“ a\\`, 'quoted'],
  HTML: ['<script>alert("x")</script> &amp; <b>bold</b>', 'bold'],
  SQL: [`'; drop table content.entries; -- $1 %s`, 'drop'],
  'text search operators': [`a & b | !c <-> 'd':* (e) \\:f`, 'd'],
  'an array of PostgreSQL': ['{a,"b",NULL}', 'b'],
  templates: ['${process.env} {{ user }} $& $1 $` #{x} %{y} <%= z %>', 'process'],
  'JSON and prototypes': ['{"__proto__":1} constructor toString', 'constructor'],
  'invisible characters': ['zero\u200bwidth\u2060joiner\ufeff \u00ad \u3164', 'zero'],
  'the last of all characters': ['\u{10ffff}\ufffe\uffff\ufffd \ue000 z', 'z'],
  spaces: ['  padded\u00a0\u3000  ', 'padded'],
  'what looks like a number': ['+0x10', '0x10'],
  'what looks like a stored value': ['t:n:4 x', 'x'],
}

const schemaOf = (text: string): SentBlock[] => [
  { id: 'plain', type: 'TEXT', label: text },
  { id: 'many', type: 'TEXT' },
  { id: 'rich', type: 'TEXT', settings: { variant: 'HTML' } },
  { id: 'one', type: 'SELECT', settings: { options: [text, 'other'] } },
  { id: 'some', type: 'MULTI_SELECT', settings: { options: [text, `${text}?`] } },
]
const collectionOf = (text: string) => ({
  name: `n${text}`,
  description: text,
  type: 'NEWSLETTER',
  blocks: schemaOf(text),
  plans: [{ id: 'p', name: `n${text}`, description: text, features: [text] }],
  statuses: PUBLISHED,
})
const valuesOf = (text: string) => ({
  plain: text,
  many: { en: text, 'de-CH': `${text}!` },
  one: text,
  some: [text, `${text}?`],
})
const blocksOf = (text: string): SentBlock[] =>
  schemaOf(text).map(({ id = '', type }) => ({ id, type, value: { ...valuesOf(text), rich: text }[id] }))

function assertHolds(body: { blocks: SentBlock[] }, text: string) {
  const held = Object.fromEntries(body.blocks.map(({ id, value }) => [id, value]))
  assert.deepEqual({ ...held, rich: undefined }, { ...valuesOf(text), rich: undefined })
  assert.equal(body.blocks[0]?.label, text)
}

let shared: Promise<Content> | undefined
const getShared = () => (shared ??= used.make.business().then(contentOf))

for (const [what, [text, word]] of Object.entries(TEXTS)) {
  test(`${what}: kept exactly in every field, listed, filtered and found`, async () => {
    const { admin, collections, entries } = await getShared()
    const made = await admin.post(collections, collectionOf(text), { 'idempotency-key': what })
    assert.equal(made.status, 201, made.text)
    const { slug, statuses: _, plans, ...collection } = made.body
    assert.match(slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    const { name, description, blocks } = collectionOf(text)
    assert.deepEqual(
      [collection.name, collection.description, collection.blocks, plans],
      [name, description, blocks, collectionOf(text).plans],
    )
    const { staleEntries, ...read } = (await admin.get(`${collections}/${collection.id}`)).body
    assert.deepEqual([staleEntries, read], [0, made.body])
    const sentBack = await admin.put(`${collections}/${collection.id}`, read)
    assert.deepEqual(sentBack.body, { ...read, updatedAt: sentBack.body.updatedAt }, 'the schema is the same')

    const collectionId = collection.id as string
    const entry = await admin.post(entries, { collectionId, blocks: blocksOf(text), statuses: PUBLISHED })
    assert.equal(entry.status, 201, entry.text)
    assertHolds(entry.body, text)
    const path = `${entries}/${entry.body.id}`
    assert.deepEqual((await admin.get(path)).body, entry.body)
    const again = await admin.put(path, { blocks: entry.body.blocks })
    assert.deepEqual(again.body.blocks, entry.body.blocks, 'rich text, too, is what it was')
    assert.deepEqual((await admin.get(`${path}/versions/1`)).body.blocks, entry.body.blocks)

    const queries: Record<string, string>[] = [
      {},
      { 'block.plain': text },
      { 'block.many': `${text}!` },
      { 'block.one': text, 'block.some': `${text}?`, 'block.plain': text },
      ...(word === undefined
        ? []
        : [{ query: text }, { query: word }, { query: word.toUpperCase(), 'block.some': text }]),
    ]
    await Promise.all(
      queries.map(async (query) => {
        const { items } = await readPage(admin, entries, { ...query, collectionId })
        assert.equal(items.length, 1, JSON.stringify(query))
        assertHolds(items[0] as { blocks: SentBlock[] }, text)
      }),
    )
    for (const query of [{ 'block.plain': `${text}.` }, { 'block.rich': text }] as Record<string, string>[]) {
      assert.deepEqual((await readPage(admin, entries, { ...query, collectionId })).items, [])
    }
  })

  test(`${what}: as slug, id, locale, filter or cursor it is refused or finds nothing, and breaks nothing`, async () => {
    const { admin, collections, entries } = await getShared()
    const cases: [path: string, body: object, field: string][] = [
      [collections, { name: 'x', slug: text }, 'slug'],
      [collections, { name: 'x', type: text }, 'type'],
      [collections, { name: 'x', type: 'NEWSLETTER', plans: [{ id: text, name: 'x' }] }, 'plans.0.id'],
      [collections, { name: 'x', statuses: [{ id: text, status: 'DRAFT' }] }, 'statuses.0.id'],
      [collections, { name: 'x', blocks: [{ id: text, type: 'TEXT' }] }, 'blocks.0.id'],
      [
        collections,
        { name: 'x', blocks: [{ type: 'MEDIA', settings: { accept: [text] } }] },
        'blocks.0.settings.accept.0',
      ],
      [entries, { collectionId: text }, 'collectionId'],
      [entries, { owner: `reservation:${text}` }, 'owner'],
      [entries, { owner: 'reservation:x', locale: text }, 'locale'],
      [entries, { owner: 'reservation:x', blocks: [{ type: text }] }, 'blocks.0.type'],
      [entries, { owner: 'reservation:x', blocks: [{ type: 'RELATIONSHIP', value: text }] }, 'blocks.0.value'],
      [entries, { owner: 'reservation:x', blocks: [textBlock('a', { [text]: 'x' })] }, 'blocks.0.value'],
    ]
    await Promise.all(
      cases.map(async ([path, body, field]) => {
        const answer = await admin.post(path, body)
        // Some of them are ids after all.
        if (/^[A-Za-z0-9_-]+$/.test(text) && answer.status !== 422) return assert.ok(answer.status < 300, answer.text)
        assert.equal(answer.status, 422, `${field}: ${answer.text}`)
        assert.ok(answer.body.details[0].field.startsWith(field), answer.text)
      }),
    )
    const encoded = encodeURIComponent(text)
    const reads = [
      ...['locale', 'status', 'cursor', 'collectionId', 'owner', 'include'].map(
        (name) => `${entries}?${name}=${encoded}`,
      ),
      `${entries}?block.${encoded}=x`,
      `${entries}?owner=order:${encoded}`,
      `${entries}/${encoded}`,
      `${entries}/${encoded}/versions`,
      `${entries}/x/versions/${encoded}`,
      ...['slug', 'status', 'cursor'].map((name) => `${collections}?${name}=${encoded}`),
      `${collections}/${encoded}`,
    ]
    for (const answer of await Promise.all(reads.map((path) => admin.get(path)))) {
      assert.ok([200, 400, 404, 422].includes(answer.status), answer.text)
      if (answer.status === 200) assert.deepEqual(answer.body.items, [])
    }
  })
}

test('NUL and half a surrogate pair are refused wherever they stand, keys included', async () => {
  const { admin, collections, entries, collection } = contentOf(await used.make.business())
  const { id: collectionId } = await collection()
  for (const bad of ['\0', 'a\0b', '\ud800', 'x\ud83d', '\udc00\ud800']) {
    const cases: [path: string, body: object, field: string][] = [
      [collections, { name: bad }, 'name'],
      [collections, { name: 'x', description: bad }, 'description'],
      [collections, { name: 'x', blocks: [{ type: 'TEXT', label: bad }] }, 'blocks.0.label'],
      [
        collections,
        { name: 'x', blocks: [{ type: 'SELECT', settings: { options: [bad] } }] },
        'blocks.0.settings.options.0',
      ],
      [collections, { name: 'x', plans: [{ name: 'x', features: ['', bad] }] }, 'plans.0.features.1'],
      [entries, { collectionId, blocks: [textBlock('title', bad)] }, 'blocks.0.value'],
      [entries, { collectionId, blocks: [textBlock('title', { en: bad })] }, 'blocks.0.value.en'],
      [entries, { collectionId, blocks: [textBlock('title', { [bad]: 'x' })] }, 'blocks.0.value'],
      [entries, { collectionId, locale: bad }, 'locale'],
    ]
    await Promise.all(
      cases.map(async ([path, body, field]) =>
        assert.equal(refusal(await admin.post(path, body)), `422 VALIDATION_FAILED ${field} INVALID`),
      ),
    )
  }
})

test('in an address, NUL is refused and bytes that are no text find nothing', async () => {
  const { admin, entries, collection, entry } = contentOf(await used.make.business())
  await entry(await collection())
  for (const name of ['query', 'locale', 'collectionId', 'owner', 'cursor', 'status', 'block.title', 'block']) {
    assert.equal(refusal(await admin.get(`${entries}?${name}=a%00b`)), '400 BAD_REQUEST', name)
    for (const broken of ['%ED%A0%80', '%FF%FE', '%', '%zz', '%C3', '%F0%9F%99']) {
      const answer = await admin.get(`${entries}?${name}=${broken}`)
      assert.ok([200, 400, 422].includes(answer.status), `${name}=${broken}: ${answer.text}`)
      if (answer.status === 200 && name !== 'block') assert.deepEqual(answer.body.items, [], `${name}=${broken}`)
    }
  }
})

test('nothing of all this was our fault', () => {
  const faults = lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)
  assert.deepEqual(faults, [])
})
