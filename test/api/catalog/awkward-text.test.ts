import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeCursor } from '#vocabulary/paging.ts'
import type { Answer } from '../../support/client.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const lines: string[] = []
const used = useWorld({ own: true, lines })

const GAP = '\u0001' // what a stored document has where stock goes

/** Text, and a word by which it must be found; none where the text holds nothing that people would call a word. */
const TEXTS: Record<string, [text: string, word?: string]> = {
  Arabic: ['قهوة عربية', 'عربية'],
  'Hebrew with points': ['קָפֶה שָׁחֹר', 'שחור'.replace('ו', '')],
  'mixed directions': ['abc \u202eקפה\u202c \u2067def\u2069', 'קפה'],
  'direction marks only': ['\u200f\u200e\u061c'],
  emoji: ['🙂 Lampe', '🙂'],
  'emoji joined to a family': ['👩‍👩‍👧‍👦 puzzle', '👩‍👩‍👧‍👦'],
  'emoji of a colour, a flag, a keycap': ['👍🏽 🇩🇪 5️⃣ set', 'set'],
  'a flag alone': ['🏴󠁧󠁢󠁳󠁣󠁴󠁿🇩🇪'],
  'letters of four bytes': ['𐌰𐌱𐌲 𠀀𠀁 𝔘𝔫𝔦', '𐌰𐌱𐌲'],
  'mathematical letters': ['𝐇𝐞𝐥𝐥𝐨 Ⓦorld', '𝐇𝐞𝐥𝐥𝐨'],
  'accents in one character': ['Crème brûlée', 'creme'],
  'accents as characters of their own': ['Cre\u0300me bru\u0302le\u0301e', 'crème'],
  'more accents than letters': [`Z${'\u0300\u0489'.repeat(40)}algo`, 'zalgo'],
  'control characters': ['bell\u0007 escape\u001b[31m delete\u007f c1\u0085', 'escape'],
  'the gap of the stored document': [`${GAP}a${GAP}${GAP}b${GAP}`, 'a'],
  'the gap, escaped': ['\\u0001 \\\\u0001 "\\u0001"', 'u0001'],
  'the gap in JSON': [`","inventory":{"quantity":${GAP}}},{"x":"`, 'inventory'],
  'tabs and line ends': ['a\tb\r\nc\u2028d\u2029e\u000bf', 'b'],
  Chinese: ['蓝色陶瓷杯子', '蓝色陶瓷杯子'],
  Japanese: ['青いマグカップ ｶﾞﾗｽ', '青いマグカップ'],
  Korean: ['파란 머그잔', '머그잔'],
  Thai: ['แก้วสีน้ำเงิน', 'แก้วสีน้ำเงิน'],
  Hindi: ['नीला मग', 'नीला'],
  'Turkish dots': ['İSTANBUL ığdır', 'istanbul'],
  Greek: ['ΟΔΥΣΣΕΥΣ λόγος', 'οδυσσευς'],
  'one long word': ['Donaudampfschifffahrt'.repeat(4), 'Donaudampfschifffahrt'.repeat(4)],
  'quotes and backslashes': [`it's "quoted" \\ \\\\ \\' \\" \` ´ „“ a\\`, 'quoted'],
  HTML: ['<script>alert("x")</script> &amp; <b>bold</b>', 'bold'],
  SQL: [`'; drop table catalog.products; -- $1 %s`, 'drop'],
  'text search operators': [`a & b | !c <-> 'd':* (e) \\:f`, 'd'],
  templates: ['${process.env} {{ user }} $& $1 $` #{x} %{y} <%= z %>', 'process'],
  'JSON and prototypes': ['{"__proto__":1} constructor toString', 'constructor'],
  'invisible characters': ['zero\u200bwidth\u2060joiner\ufeff \u00ad \u3164', 'zero'],
  'the last of all characters': ['\u{10ffff}\ufffe\uffff\ufffd \ue000 z', 'z'],
  spaces: ['  padded\u00a0\u3000  ', 'padded'],
}

const variantOf = (text: string) => ({
  id: 'one',
  name: text,
  sku: text,
  attributes: [
    { name: text, value: text },
    { name: `x${text}`, value: '' },
  ],
  inventory: { tracked: true, quantity: 41 },
})

const blocksOf = (text: string) => [
  { id: 'plain', type: 'TEXT', label: text, value: text },
  { id: 'many', type: 'TEXT', value: { en: text, 'de-CH': `${text}!` } },
  { id: 'one', type: 'SELECT', settings: { options: [text] }, value: text },
  { id: 'some', type: 'MULTI_SELECT', value: [text, `${text}?`] },
]

/** A product with this text wherever text may stand. */
const productOf = (text: string) => ({
  name: `n${text}`,
  description: text,
  category: text,
  variants: [variantOf(text), { ...variantOf(text), id: 'two', inventory: { tracked: false, quantity: 7 } }],
  statuses: [{ status: 'ACTIVE' }],
  blocks: blocksOf(text),
})

function assertHolds(answer: Answer, text: string) {
  assert.ok(answer.status < 300, answer.text)
  const { name, description, category, variants, blocks } = answer.body
  const sent = productOf(text)
  const [first, second] = variants
  assert.deepEqual(
    { name, description, category, blocks },
    { name: sent.name, description: text, category: text, blocks: sent.blocks },
  )
  for (const variant of [first, second]) {
    const { name, sku, attributes } = variantOf(text)
    assert.deepEqual([variant.name, variant.sku, variant.attributes], [name, sku, attributes])
  }
  assert.deepEqual([first.inventory.quantity, second.inventory.quantity], [41, 7])
}

// Each text is a category of its own, and what is refused changes nothing: one shop will do for all.
let shared: ReturnType<typeof makeShop> | undefined
const getShop = () => (shared ??= makeShop())
async function makeShop() {
  const shop = await used.make.shop()
  return { ...shop, product: await used.make.product(shop) }
}

for (const [what, [text, word]] of Object.entries(TEXTS)) {
  test(`${what}: kept exactly in every field, listed and found`, async () => {
    const { admin, products } = await getShop()
    const create = () => admin.post(products, productOf(text), { 'idempotency-key': what })
    const made = await create()
    assertHolds(made, text)
    assert.match(made.body.slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.equal((await create()).text, made.text)
    const path = `${products}/${made.body.id}`
    const read = await admin.get(path)
    assertHolds(read, text)

    // Changed and sent back, it goes through the rows and not only through the document.
    assertHolds(await admin.put(path, { gallery: [] }), text)
    assertHolds(await admin.put(path, read.body), text)
    assertHolds(await admin.get(path), text)

    const found = async (query: Record<string, string>) => {
      const answer = await admin.get(`${products}?${new URLSearchParams({ ...query, category: text }).toString()}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body.items as unknown[]
    }
    const [listed, whole, byWord, inCapitals] = await Promise.all([
      found({}),
      found({ query: text }),
      found({ query: word ?? text }),
      found({ query: (word ?? text).toUpperCase() }),
    ])
    assert.equal(listed.length, 1)
    assertHolds({ ...read, body: listed[0] }, text)
    if (word === undefined) return
    assert.equal(whole.length, 1, 'found by the whole text')
    assert.equal(byWord.length, 1, 'found by its word')
    assert.equal(inCapitals.length, 1, 'found by its word in capitals')
  })

  test(`${what}: as slug, id, filter or cursor it is refused or finds nothing, and breaks nothing`, async () => {
    const { admin, products, id, product } = await getShop()
    const media = { url: 'https://example.com/a', mimeType: 'image/png' }
    const cases: [body: object, field: string][] = [
      [{ slug: text }, 'slug'],
      [{ variants: [{ id: text }] }, 'variants.0.id'],
      [
        { variants: [{ pricing: { markets: [{ marketId: text, price: 1 }] } }] },
        'variants.0.pricing.markets.0.marketId',
      ],
      [{ statuses: [{ id: text, status: 'DRAFT' }] }, 'statuses.0.id'],
      [{ blocks: [{ id: text, type: 'TEXT' }] }, 'blocks.0.id'],
      [{ blocks: [{ type: text }] }, 'blocks.0.type'],
      [{ gallery: [{ ...media, url: text }] }, 'gallery.0.url'],
      [{ gallery: [{ ...media, mimeType: text }] }, 'gallery.0.mimeType'],
    ]
    await Promise.all(
      cases.map(async ([body, field]) => {
        const answer = refusal(await admin.put(product.path, body))
        const refused = [`422 VALIDATION_FAILED ${field} INVALID`, `422 VALIDATION_FAILED ${field} TOO_LONG`]
        assert.ok(refused.includes(answer), answer)
      }),
    )
    const asLocale = await admin.put(product.path, { blocks: [{ type: 'TEXT', value: { [text]: 'x' } }] })
    assert.equal(asLocale.status, 422, asLocale.text)
    assert.deepEqual((await admin.get(product.path)).body, product.body)

    const encoded = encodeURIComponent(text)
    const statuses = ['DRAFT', 'ACTIVE', 'ARCHIVED']
    const filters = {
      list: 'products',
      businessId: id,
      category: undefined,
      slug: undefined,
      query: undefined,
      statuses,
    }
    const get = (path: string) => admin.get(products + path)
    const [category, query, slug, status, cursor, forged, asId] = await Promise.all([
      get(`?category=${encoded}&status=DRAFT`),
      get(`?query=${encoded}&status=DRAFT`),
      get(`?slug=${encoded}&status=DRAFT`),
      get(`?status=${encoded}`),
      get(`?cursor=${encoded}`),
      get(`?cursor=${encodeCursor(filters, [text])}`),
      get(`/${encoded}`),
    ])
    for (const { body } of [category, query, slug]) assert.deepEqual(body, { items: [], cursor: null })
    assert.equal(refusal(status), '422 VALIDATION_FAILED status INVALID')
    assert.equal(refusal(cursor), '422 VALIDATION_FAILED cursor INVALID')
    assert.ok(forged.status === 200 || forged.status === 422, forged.text)
    assert.match(refusal(asId), /^(422 VALIDATION_FAILED id (INVALID|TOO_LONG)|404 NOT_FOUND|400 BAD_REQUEST)$/)
  })
}

test('NUL and half a surrogate pair are refused wherever they stand, keys included', async () => {
  const { admin, products } = await used.make.shop()
  const product = await used.make.product({ admin, products })
  for (const bad of ['\0', 'a\0b', '\ud800', '\udc00x', 'x\ud83d', '\udc00\ud800']) {
    const cases: [body: object, field: string][] = [
      [{ name: bad }, 'name'],
      [{ description: bad }, 'description'],
      [{ category: bad }, 'category'],
      [{ slug: bad }, 'slug'],
      [{ variants: [{}, { sku: bad }] }, 'variants.1.sku'],
      [{ variants: [{ name: bad }] }, 'variants.0.name'],
      [{ variants: [{ attributes: [{ name: bad, value: '' }] }] }, 'variants.0.attributes.0.name'],
      [{ variants: [{ attributes: [{ name: 'a', value: bad }] }] }, 'variants.0.attributes.0.value'],
      [{ blocks: [{ type: 'TEXT', value: bad }] }, 'blocks.0.value'],
      [{ blocks: [{ type: 'TEXT', value: { en: bad } }] }, 'blocks.0.value.en'],
      [{ blocks: [{ type: 'TEXT', value: { [bad]: 'x' } }] }, 'blocks.0.value'],
      [{ blocks: [{ type: 'TEXT', label: bad }] }, 'blocks.0.label'],
    ]
    await Promise.all(
      cases.map(async ([body, field]) => {
        const refused = `422 VALIDATION_FAILED ${field} INVALID`
        assert.equal(refusal(await admin.post(products, { name: 'x', ...body })), refused)
        assert.equal(refusal(await admin.put(product.path, body)), refused)
      }),
    )
  }
  assert.deepEqual((await admin.get(products)).body.items, [product.body])
})

test('in an address, NUL is refused and bytes that are no text find nothing', async () => {
  const { admin, products } = await used.make.shop()
  await used.make.product({ admin, products })
  for (const name of ['query', 'category', 'slug', 'cursor', 'status']) {
    assert.equal(refusal(await admin.get(`${products}?${name}=a%00b`)), '400 BAD_REQUEST')
    for (const broken of ['%ED%A0%80', '%FF%FE', '%', '%zz', '%C3', '%F0%9F%99']) {
      const answer = await admin.get(`${products}?${name}=${broken}`)
      assert.ok([200, 400, 422].includes(answer.status), `${name}=${broken}: ${answer.text}`)
      if (answer.status === 200) assert.deepEqual(answer.body.items, [], `${name}=${broken}`)
    }
    assert.equal((await admin.get(`${products}?${name}=a&${name}=b`)).status, 422, name)
  }
})

test('a raw control character in JSON is malformed, its escape is text', async () => {
  const { admin, products } = await used.make.shop()
  assert.equal(refusal(await admin.send('POST', products, { raw: `{"name":"a${GAP}b"}` })), '400 BAD_REQUEST')
  const made = await admin.send('POST', products, { raw: '{"name":"a\\u0001b","variants":[{},{"sku":"\\u0001"}]}' })
  assert.deepEqual([made.body.name, made.body.variants[1].sku], ['a\u0001b', '\u0001'])
  assert.deepEqual((await admin.get(`${products}/${made.body.id}`)).body, made.body)
})

test('stock goes into its gaps and nowhere else, however many gaps the texts pretend', async () => {
  const { admin, products } = await used.make.shop()
  const variants = Array.from({ length: 20 }, (_, n) => ({
    sku: GAP.repeat(n),
    name: GAP,
    attributes: [{ name: GAP, value: GAP }],
    id: `v${n}`,
    inventory: { quantity: n, lowStockThreshold: 1 },
  }))
  const { path } = await used.make.product({ admin, products }, { ...productOf(GAP.repeat(50)), name: GAP, variants })
  const assertStock = (body: Answer['body'], offset = 0) => {
    for (const [n, variant] of body.variants.entries()) {
      assert.deepEqual([variant.inventory.quantity, variant.sku], [n + offset, GAP.repeat(n)])
    }
    assert.deepEqual([body.name, body.description, body.blocks], [GAP, GAP.repeat(50), blocksOf(GAP.repeat(50))])
  }
  assertStock((await admin.get(path)).body)
  for (let n = 0; n < 20; n++) await admin.post(`${path}/variants/v${n}/stock`, { delta: 5 })
  assertStock((await admin.get(path)).body, 5)
  assertStock((await admin.get(products)).body.items[0], 5)
  assertStock((await admin.put(path, { category: GAP })).body, 5)
})

test('names fit by characters, not by bytes or halves', async () => {
  const { admin, products } = await used.make.shop()
  const made = await admin.post(products, {
    name: '🙂'.repeat(200),
    category: '𠀀'.repeat(200),
    description: '🙂'.repeat(40_000),
    variants: [{ sku: '𠀀'.repeat(100), attributes: [{ name: '🙂'.repeat(100), value: '🙂'.repeat(500) }] }],
  })
  assert.equal(made.status, 201, made.text.slice(0, 500))
  const { body } = await admin.get(`${products}/${made.body.id}`)
  assert.equal(body.description, '🙂'.repeat(40_000))
  assert.deepEqual(
    [body.name, body.category, body.variants[0].sku],
    ['🙂'.repeat(200), '𠀀'.repeat(200), '𠀀'.repeat(100)],
  )
  assert.equal((await admin.get(`${products}?category=${encodeURIComponent('𠀀'.repeat(200))}`)).body.items.length, 1)
  assert.equal(refusal(await admin.post(products, { name: '🙂'.repeat(201) })), '422 VALIDATION_FAILED name TOO_LONG')
})

test('a SKU of letters outside the basic plane is kept and found, wherever it is cut for searching', async () => {
  const { admin, products } = await used.make.shop()
  for (const sku of ['𐌰'.repeat(100), `a${'𐌰'.repeat(99)}`, `ab-${'𐌰'.repeat(60)}`, '𐌰-'.repeat(50)]) {
    const made = await admin.post(products, { name: 'Astral', variants: [{ sku }] })
    assert.equal(made.status, 201, made.text)
    const path = `${products}/${made.body.id}`
    assert.equal((await admin.get(path)).body.variants[0].sku, sku)
    assert.equal((await admin.get(`${products}?query=${encodeURIComponent(sku)}`)).body.items[0]?.id, made.body.id)
    await admin.delete(path)
  }
})

test('a description of a megabyte is refused, one of a hundred thousand characters kept and searched', async () => {
  const { admin, products } = await used.make.shop()
  const large = await admin.post(products, { name: 'Large', description: 'word '.repeat(200_000) })
  assert.equal(refusal(large), '422 VALIDATION_FAILED description TOO_LONG')
  const description = Array.from({ length: 12_500 }, (_, n) => `w${String(n).padStart(6, '0')}`).join(' ')
  const made = await admin.post(products, { name: 'Fits', description })
  assert.equal(made.status, 201, made.text.slice(0, 500))
  assert.equal((await admin.get(`${products}/${made.body.id}`)).body.description, description)
  assert.equal((await admin.get(`${products}?query=w000007`)).body.items.length, 1)
  const one = await admin.post(products, { name: 'One word', description: 'x'.repeat(100_000) })
  assert.equal(one.status, 201)
  assert.equal((await admin.get(`${products}?query=${'x'.repeat(200)}`)).body.items[0].id, one.body.id)
})

test('text is found whatever its case, its accents and its width', async () => {
  const { admin, products } = await used.make.shop()
  const found = async (query: string) =>
    (await admin.get(`${products}?query=${encodeURIComponent(query)}`)).body.items.length as number
  for (const [name, ...queries] of [
    ['Crème', 'creme', 'CREME', 'cre\u0300me', 'CRÈME'],
    ['Straße', 'strasse', 'STRASSE', 'straße'],
    ['𝐇ello', 'hello', 'HELLO'],
    ['ＷＩＤＥ', 'wide', 'ｗｉｄｅ'],
    ['Ⓒircle', 'circle'],
    ['Brand™', 'brand', 'BRAND™'],
    ['Ærø', 'aero', 'ærø'],
    ['Łódź', 'lodz'],
  ] as const) {
    await admin.post(products, { name })
    for (const query of queries) assert.equal(await found(query), 1, `${query} finds ${name}`)
  }
})

test('names that differ only in how they are composed are two products with slugs of their own', async () => {
  const { admin, products } = await used.make.shop()
  const made = await Promise.all(['Café', 'Cafe\u0301'].map((name) => admin.post(products, { name, category: name })))
  assert.deepEqual(made.map(refusal), ['201', '201'])
  assert.notEqual(made[0]?.body.slug, made[1]?.body.slug)
  for (const { body } of made) {
    const { items } = (await admin.get(`${products}?category=${encodeURIComponent(body.category)}`)).body
    assert.deepEqual(items, [body])
  }
})

test('keys that mean something to JavaScript are no locales', async () => {
  const { admin, products } = await used.make.shop()
  for (const key of ['toString', 'constructor', 'hasOwnProperty', '0', '', ' ', 'en_US', 'de-ch']) {
    const answer = await admin.post(products, { name: 'Keys', blocks: [{ type: 'TEXT', value: { [key]: 'x' } }] })
    assert.equal(answer.status, 422, `${key}: ${answer.text}`)
  }
  const raw = '{"name":"x","blocks":[{"type":"TEXT","value":{"__proto__":"x"}}]}'
  assert.equal(refusal(await admin.send('POST', products, { raw })), '400 BAD_REQUEST')
})

test('none of this was ever a failure of the service', () => {
  assert.deepEqual(
    lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50),
    [],
  )
})
