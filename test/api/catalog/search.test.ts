import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { encodeCursor } from '#vocabulary/paging.ts'
import type { Client } from '../../support/client.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

type Query = Record<string, string | number>
type NewProduct = { name: string } & Record<string, unknown>
type Page = { items: { id: string; name: string }[]; cursor: string | null }

/** A shop whose products are given by name and what else matters, and a search that answers names. */
async function makeShop(...bodies: NewProduct[]) {
  const shop = await used.make.shop()
  const make = (body: NewProduct) => used.make.product(shop, { variants: [], ...body })
  for (const body of bodies) await make(body)
  const page = async (
    query: string,
    { caller = shop.admin, ...rest }: Query & { caller?: Pick<Client, 'get'> } = {},
  ) => {
    const answer = await caller.get(`${shop.products}?${new URLSearchParams({ query, ...rest } as never).toString()}`)
    assert.equal(answer.status, 200, `${query}: ${answer.text}`)
    return answer.body as Page
  }
  const find = async (...asked: Parameters<typeof page>) => (await page(...asked)).items.map(({ name }) => name)
  return { ...shop, make, page, find }
}

async function readAll(page: (cursor: string, limit: number) => Promise<Page>, limits: readonly number[]) {
  const seen: string[] = []
  let cursor: string | null = ''
  for (let index = 0; cursor !== null; index++) {
    const limit = limits[index % limits.length] ?? 1
    const read: Page = await page(cursor, limit)
    assert.ok(read.items.length <= limit)
    assert.ok(read.cursor === null || read.items.length === limit, 'only the last page is short')
    seen.push(...read.items.map(({ id }) => id))
    cursor = read.cursor
  }
  return seen
}

test('words are found in any order, all of them, the last one also by its beginning', async () => {
  const { find } = await makeShop(
    { name: 'Blue Cotton Shirt' },
    { name: 'Blue Wool Jumper' },
    { name: 'Red Cotton Scarf' },
  )

  assert.deepEqual(await find('cotton blue'), ['Blue Cotton Shirt'])
  assert.deepEqual(await find('shirt blue cotton'), ['Blue Cotton Shirt'])
  assert.deepEqual((await find('cotton')).sort(), ['Blue Cotton Shirt', 'Red Cotton Scarf'])
  assert.deepEqual(await find('blue jum'), ['Blue Wool Jumper'])
  assert.deepEqual(await find('j'), ['Blue Wool Jumper'])
  assert.deepEqual(await find('blue shirt blue'), ['Blue Cotton Shirt'])
  assert.deepEqual(await find('blue scarf'), [], 'all words, not any')
  assert.deepEqual(await find('bl shirt'), [], 'only the last word may be a beginning')
  assert.deepEqual(await find('jum '), [], 'a word that was finished is not a beginning')
  assert.deepEqual(await find('  BLUE   shirt '), ['Blue Cotton Shirt'])
})

test('case and accents do not matter, in what is sold or in what is typed', async () => {
  const { find } = await makeShop(
    { name: 'Crème Brûlée' },
    { name: 'Straße' },
    { name: 'Smørrebrød' },
    { name: 'Łódź' },
    { name: 'ＫＩＴ' },
    { name: 'ΣΊΣΥΦΟΣ' },
    { name: 'Тёплый' },
    { name: 'İstanbul' },
  )
  for (const [query, name] of [
    ['creme brulee', 'Crème Brûlée'],
    ['CREME', 'Crème Brûlée'],
    ['cre\u0300me', 'Crème Brûlée'],
    ['brûlee', 'Crème Brûlée'],
    ['strasse', 'Straße'],
    ['STRASSE', 'Straße'],
    ['straße', 'Straße'],
    ['smorrebrod', 'Smørrebrød'],
    ['lodz', 'Łódź'],
    ['kit', 'ＫＩＴ'],
    ['σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['теплый', 'Тёплый'],
    ['istanbul', 'İstanbul'],
  ] as const) {
    assert.deepEqual(await find(query), [name], query)
  }
})

test('a sign glued to a word does not hide the word', async () => {
  const { find } = await makeShop({ name: 'Bolt® Lamp' }, { name: 'Rock’n’Roll 50% “Mug”' })

  assert.deepEqual(await find('bolt lamp'), ['Bolt® Lamp'])
  assert.deepEqual(await find('roll mug'), ['Rock’n’Roll 50% “Mug”'])
  assert.deepEqual(await find("rock'n'roll"), ['Rock’n’Roll 50% “Mug”'])
})

test('a trade mark sign is no part of the word before it', async () => {
  const { find } = await makeShop({ name: 'Acme™ Kettle' })
  assert.deepEqual(await find('acme kettle'), ['Acme™ Kettle'])
})

test('languages without spaces are found by their words', async () => {
  const { find } = await makeShop({ name: '红色棉质衬衫' }, { name: '木の机' })

  assert.deepEqual(await find('衬衫'), ['红色棉质衬衫'])
  assert.deepEqual(await find('机'), ['木の机'])
})

test('one typo is forgiven: a letter left out, added, changed, or two swapped', async () => {
  const { find } = await makeShop({ name: 'Wooden Candle' }, { name: 'Porcelain Teapot', description: 'with a lid' })
  for (const typo of ['cadle', 'andle', 'canddle', 'xcandle', 'cendle', 'kandle', 'canlde', 'acndle', 'candel']) {
    assert.deepEqual(await find(typo), ['Wooden Candle'], typo)
  }
  assert.deepEqual(await find('wooden cendle'), ['Wooden Candle'])
  assert.deepEqual(await find('woden cendle'), ['Wooden Candle'], 'one in each word')
  assert.deepEqual(await find('porcelian tea'), ['Porcelain Teapot'], 'beside a beginning')
  assert.deepEqual(await find('cxndxe'), [], 'two are not')
  assert.deepEqual(await find('porcelain cendle'), [], 'all words still count')
})

const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'.split(''))
const edit = fc.record({ kind: fc.constantFrom('leave out', 'add', 'change', 'swap'), place: fc.nat(), letter })

test('a typo in a word that is not finished is forgiven, too: candel finds candles', async () => {
  const { find } = await makeShop({ name: 'Scented candles' }, { name: 'Candlestick' }, { name: 'Lantern' })
  assert.deepEqual(await find('candel'), ['Candlestick', 'Scented candles'])
  assert.deepEqual(await find('scented candel'), ['Scented candles'])
  assert.deepEqual(await find('lantren'), ['Lantern'])
  assert.deepEqual(await find('lantr'), ['Lantern'])
  assert.deepEqual(await find('candel '), [], 'a finished word is as long as it is')
})

test('two letters of a short word may be swapped: enamel mgu finds the mug', async () => {
  const { find } = await makeShop({ name: 'Enamel mug' }, { name: 'Enamel jug' }, { name: 'Gum' })
  assert.deepEqual(await find('enamel mgu'), ['Enamel mug'])
  assert.deepEqual(await find('mgu enamel'), ['Enamel mug'])
  assert.deepEqual(await find('mgu'), ['Enamel mug'])
  assert.deepEqual(await find('mxg'), [], 'another typo would make it too many words')
})

test('blue mug finds a mug of which one variant is blue', async () => {
  const inColours = (...colours: string[]) => ({
    variants: colours.map((value) => ({ id: value, name: 'One size', attributes: [{ name: 'Colour', value }] })),
  })
  const { find } = await makeShop(
    { name: 'Mug', ...inColours('Red', 'Blue') },
    { name: 'Cup', ...inColours('Blue') },
    { name: 'Blue plate' },
  )
  assert.deepEqual(await find('blue mug'), ['Mug'])
  assert.deepEqual(await find('mug blue'), ['Mug'])
  assert.deepEqual(await find('blue'), ['Blue plate', 'Cup', 'Mug'])
  assert.deepEqual(await find('mug bleu'), ['Mug'], 'with a typo')
})

test('a word as it was typed comes before one that is only close to it', async () => {
  const { find } = await makeShop(
    { name: 'Cradle', description: 'For a candle made of wool' },
    { name: 'Candles of wool' },
    { name: 'Wool candle' },
  )
  // Nothing has all of these words: the typo in the second is forgiven, and the first decides.
  assert.deepEqual(await find('candle wolo'), ['Wool candle', 'Cradle', 'Candles of wool'])
})

test('one or two letters find words of this business that begin so', async () => {
  const { find } = await makeShop({ name: 'Amber lamp' }, { name: 'Apron' }, { name: 'Teapot' }, { name: 'Type A' })
  assert.deepEqual((await find('a')).sort(), ['Amber lamp', 'Apron', 'Type A'])
  assert.deepEqual(await find('ap'), ['Apron'])
  assert.deepEqual(await find('lamp am'), ['Amber lamp'])
  assert.deepEqual(await find('a '), ['Type A'])
})

/** The word with one typo. */
function mistype(word: string, { kind, place, letter }: { kind: string; place: number; letter: string }): string {
  const all = word.split('')
  const at = place % word.length
  if (kind === 'leave out') return all.toSpliced(at, 1).join('')
  if (kind === 'add') return all.toSpliced(at, 0, letter).join('')
  if (kind === 'change') return all.toSpliced(at, 1, letter).join('')
  const from = place % (word.length - 1)
  return all.toSpliced(from, 2, all[from + 1] ?? '', all[from] ?? '').join('')
}

test('a typo that thousands of words are close to is answered from the first fifty', async () => {
  const { db, id, find } = await makeShop({ name: 'Aalnut' }, { name: 'Zalnut' })
  await sql`
    insert into catalog.spellings (business_id, spelling, word)
    select ${id}, 'alnut', 'calnut' || n from generate_series(1, 30000) as n`.execute(db)
  assert.deepEqual(await find('balnut'), ['Aalnut'])
  assert.deepEqual(await find('zalnutt'), ['Zalnut'])
})

test('whatever the word and whatever the typo, the product is found', async () => {
  const words = fc.sample(fc.string({ unit: letter, minLength: 5, maxLength: 14 }), 25)
  const { find } = await makeShop(...words.map((word) => ({ name: `The ${word} thing` })))
  const asked = fc.tuple(fc.constantFrom(...words), edit)
  await fc.assert(
    fc.asyncProperty(asked, async ([word, typo]) => {
      const typed = mistype(word, typo)
      const found = await find(`${typed} thing`)
      const isOther = words.some((other) => other !== word && (other === typed || other.startsWith(typed)))
      assert.ok(isOther || found.includes(`The ${word} thing`), `${typed} for ${word}: ${found.join()}`)
    }),
    { numRuns: 150 },
  )
})

test('a product is found by SKU, attribute, variant, category and description', async () => {
  const variant = {
    id: 'v',
    name: 'Extra large',
    sku: 'TS-RED-0042',
    attributes: [{ name: 'Colour', value: 'Crimson' }],
  }
  const { find } = await makeShop(
    { name: 'Shirt', category: 'summer-wear', description: 'Soft cotton, cut straight.', variants: [variant] },
    { name: 'Other', variants: [{ id: 'v', name: 'Small', sku: 'XX-1' }] },
  )
  for (const query of [
    'TS-RED-0042',
    'ts-red-0042',
    'tsred0042',
    'TSRED',
    'ts red 0042',
    '0042',
    'crimson',
    'colour crimson',
    'extra large',
    'summer',
    'summer-wear',
    'cotton',
    'straight',
    'shirt crimson cotton',
  ]) {
    assert.deepEqual(await find(query), ['Shirt'], query)
  }
  assert.deepEqual(await find('TS-RED-0043'), [], 'a SKU that is nearly right is another SKU')
})

test('all SKUs, attributes and the description of a product with 500 variants are found', async () => {
  const variants = Array.from({ length: 500 }, (_, index) => ({
    id: `v${index}`,
    name: `Size ${index}`,
    sku: `BIG-${1_000 + index}-X${index % 7}`,
    attributes: [{ name: 'Shade', value: index === 499 ? 'Vermilion' : 'Grey' }],
  }))
  const { find } = await makeShop({ name: 'Many', variants, description: 'Handmade' }, { name: 'Few' })
  assert.deepEqual(await find('BIG-1000-X0'), ['Many'])
  assert.deepEqual(await find('BIG-1499-X2'), ['Many'])
  assert.deepEqual(await find('vermilion'), ['Many'])
  assert.deepEqual(await find('handmade'), ['Many'])
})

test('a match in the name comes before one in category or SKU, in a variant, in the description', async () => {
  const variant = (body: object) => [{ id: 'v', ...body }]
  const { find } = await makeShop(
    { name: 'By name: walnut' },
    { name: 'By variant', variants: variant({ name: 'Walnut' }) },
    { name: 'By description', description: 'Solid walnut' },
    { name: 'By category', category: 'walnut' },
  )
  assert.deepEqual(await find('walnut'), ['By name: walnut', 'By category', 'By variant', 'By description'])
  assert.deepEqual(await find('waln'), ['By name: walnut', 'By category', 'By variant', 'By description'])
  assert.deepEqual(await find('walmut'), ['By name: walnut', 'By category', 'By variant', 'By description'])
})

test('a match of several words in the name comes before one in the description', async () => {
  const { find } = await makeShop(
    { name: 'Walnut table' },
    { name: 'Table', description: 'Made of walnut' },
    { name: 'Bench', description: 'Goes with the walnut table' },
    { name: 'Chair', description: 'A walnut chair for every table' },
    { name: 'Round table of walnut' },
  )
  const found = await find('walnut table')
  assert.deepEqual(found.slice(0, 2).sort(), ['Round table of walnut', 'Walnut table'])
  assert.equal(found[2], 'Table')
  assert.deepEqual(found.slice(3).sort(), ['Bench', 'Chair'])
})

test('equally good matches come newest first', async () => {
  const { find } = await makeShop({ name: 'Lamp A' }, { name: 'Lamp B' }, { name: 'Lamp C' })
  assert.deepEqual(await find('lamp'), ['Lamp C', 'Lamp B', 'Lamp A'])
})

test('guests find ACTIVE products only, staff may look in one status', async () => {
  const { find, products } = await makeShop(
    { name: 'Lamp active' },
    { name: 'Lamp draft', statuses: [] },
    { name: 'Lamp archived', statuses: [{ status: 'ARCHIVED' }] },
  )
  const guest = await used.make.guest()

  for (const query of ['lamp', 'lapm']) {
    assert.deepEqual(await find(query, { caller: guest } as never), ['Lamp active'])
    assert.deepEqual((await find(query)).sort(), ['Lamp active', 'Lamp archived', 'Lamp draft'])
    assert.deepEqual(await find(query, { status: 'DRAFT' }), ['Lamp draft'])
  }
  assert.deepEqual(await find('draft', { caller: guest } as never), [])
  assert.equal(refusal(await guest.get(`${products}?query=lamp&status=DRAFT`)), '403 FORBIDDEN')
})

test('a search may be limited to a category', async () => {
  const { find } = await makeShop({ name: 'Red lamp', category: 'lamps' }, { name: 'Red chair', category: 'chairs' })

  assert.deepEqual(await find('red', { category: 'lamps' }), ['Red lamp'])
  assert.deepEqual(await find('chair', { category: 'lamps' }), [])
  assert.deepEqual(await find('chiar', { category: 'chairs' }), ['Red chair'])
  assert.deepEqual(await find('chiar', { category: 'lamps' }), [])
})

test('what is found follows every change: renamed, moved, published, deleted', async () => {
  const { admin, find, make } = await makeShop()
  const guest = { caller: await used.make.guest() } as never
  const { path } = await make({ name: 'Kettle', category: 'kitchen', statuses: [] })

  assert.deepEqual(await find('kettle', guest), [])
  await admin.put(path, { statuses: [{ status: 'ACTIVE' }] })
  assert.deepEqual(await find('kettle', guest), ['Kettle'])
  await admin.put(path, { name: 'Teapot' })
  assert.deepEqual([await find('kettle'), await find('teapot'), await find('tepaot')], [[], ['Teapot'], ['Teapot']])
  assert.deepEqual(await find('kettel'), [], 'nor by a typo in the old name')
  await admin.put(path, { category: 'dining', description: 'Holds a litre' })
  assert.deepEqual([await find('kitchen'), await find('dining'), await find('litre')], [[], ['Teapot'], ['Teapot']])
  assert.deepEqual(await find('teapot', { category: 'kitchen' }), [])
  await admin.put(path, { variants: [{ id: 'v', sku: 'AB-1' }] })
  assert.deepEqual(await find('ab1'), ['Teapot'])
  await admin.put(path, { variants: [] })
  assert.deepEqual(await find('ab1'), [])
  await admin.delete(path)
  assert.deepEqual([await find('teapot'), await find('tepaot')], [[], []])
})

test('another business’s products are never found, in whichever cell it is', async () => {
  const mine = await used.make.shop({ cell: 'main' })
  for (const cell of ['main', 'second']) {
    const other = await used.make.shop({ cell })
    await used.make.product(other, { name: 'Unicorn saddle', category: 'riding' })
    for (const query of ['unicorn', 'unicron', 'riding', 'saddle unicorn']) {
      const { body } = await mine.admin.get(`${mine.products}?query=${encodeURIComponent(query)}`)
      assert.deepEqual(body, { items: [], cursor: null }, query)
    }
  }
})

test('a query without a word finds nothing, an empty one is a list', async () => {
  const { find, page } = await makeShop({ name: 'Lamp' })
  for (const query of ['!', '...', "'", '"', '\\', '-- &', '()', '%', '_', '* :*', '¡¿']) {
    assert.deepEqual(await page(query), { items: [], cursor: null }, query)
  }
  assert.deepEqual([await find(''), await find('   ')], [['Lamp'], ['Lamp']])
})

test('signs that mean something to PostgreSQL mean nothing here', async () => {
  const { find } = await makeShop({ name: 'Blue lamp' })
  for (const sign of [
    '&',
    '|',
    '!',
    ':',
    ':*',
    '(',
    ')',
    "'",
    "''",
    '\\',
    '<->',
    '%',
    '"',
    '$',
    ';',
    '--',
    '*',
    '/*',
  ]) {
    assert.deepEqual(await find(`blue ${sign} lamp`), ['Blue lamp'], sign)
    for (const query of [`${sign}blue`, `blue${sign}`, `${sign}bleu`, `'${sign}'`, `lamp ${sign}`]) await find(query)
  }
  for (const query of ['blue <2> lamp', 'lamp:A', "lamp':1A", '$1 lamp']) await find(query)
  assert.deepEqual(await find('!lamp'), ['Blue lamp'])
  assert.deepEqual(await find('lamp | nothing'), [])
})

test('no text whatsoever breaks the search', async () => {
  const { admin, products } = await makeShop({ name: 'Lamp' })
  const signs = fc.string({
    unit: fc.constantFrom(...Array.from(`&|!:*()'\\<->"%_ aé😀ß衬\u0301\u200d0`)),
    maxLength: 40,
  })
  await fc.assert(
    fc.asyncProperty(fc.oneof(signs, fc.string({ unit: 'binary', maxLength: 60 })), async (query) => {
      const answer = await admin.get(`${products}?query=${encodeURIComponent(query.toWellFormed())}`)
      assert.equal(answer.status, query.includes('\0') ? 400 : 200, answer.text)
    }),
    { numRuns: 300 },
  )
  assert.match(refusal(await admin.get(`${products}?query=${'x'.repeat(201)}`)), /^422 VALIDATION_FAILED query \w+$/)
  assert.equal((await admin.get(`${products}?query=${'x'.repeat(200)}`)).status, 200)
  assert.equal((await admin.get(`${products}?query=${'a+'.repeat(99)}`)).status, 200)
})

test('a search’s cursor belongs to its words and filters, and a forged one breaks nothing', async () => {
  const { id: businessId, admin, products, page } = await makeShop({ name: 'Lamp A' }, { name: 'Lamp B' })
  const { cursor } = await page('lamp', { limit: 1 })
  const get = (query: Query) => admin.get(`${products}?${new URLSearchParams(query as never).toString()}`)

  assert.equal((await page('lamp', { limit: 1, cursor: cursor ?? '' })).items[0]?.name, 'Lamp A')
  for (const query of [
    { query: 'lam' },
    {},
    { query: 'lamp', category: 'x' },
    { query: 'lamp', status: 'ACTIVE' },
  ] as Query[]) {
    assert.equal(refusal(await get({ ...query, cursor: cursor ?? '' })), '422 VALIDATION_FAILED cursor INVALID')
  }
  const statuses = ['DRAFT', 'ACTIVE', 'ARCHIVED']
  const filters = { list: 'products', businessId, category: undefined, slug: undefined, query: 'lamp', statuses }
  const forge = (position: unknown[]) => get({ query: 'lamp', cursor: encodeCursor(filters, position as never) })
  for (const position of [
    [],
    ['x'],
    [0, 1],
    [0, '1', 'x'],
    [0, 1, 2],
    [0, 1.5, 'x'],
    [0, 1, 'a\0'],
    [0, 1, 'x', 1],
    [null, 1, 'x'],
  ]) {
    assert.equal(refusal(await forge(position)), '422 VALIDATION_FAILED cursor INVALID', JSON.stringify(position))
  }
  for (const mode of [0, 1, 2, -1, 2 ** 53 - 1]) {
    for (const rank of [0, -1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53) + 1]) {
      for (const id of ['', '~', "'", '💥']) assert.equal((await forge([mode, rank, id])).status, 200)
    }
  }
})

const limits = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 })

/** Thirty products with the word `walnut` in places of different worth, and some without. */
async function makeRankedShop() {
  const places = [
    (n: number) => ({ name: `Walnut ${n}` }),
    (n: number) => ({ name: `Item ${n}`, description: 'Oiled walnut table' }),
    (n: number) => ({ name: `Item ${n}`, category: 'walnut' }),
    (n: number) => ({ name: `Walnut table ${n}`, description: 'walnuts' }),
    (n: number) => ({ name: `Item ${n}`, variants: [{ id: 'v', name: 'walnut' }] }),
    (n: number) => ({ name: `Other ${n}`, description: 'walrus' }),
  ]
  const shop = await makeShop(
    ...Array.from({ length: 36 }, (_, n) => (places[n % places.length] as (typeof places)[0])(n)),
  )
  const count = async (query: string) => (await shop.page(query, { limit: 100 })).items.length
  return { ...shop, count }
}

for (const query of ['walnut', 'waln', 'walnut table', 'wallnut']) {
  test(`pages of a search for “${query}” neither skip nor repeat, while others come and go`, async () => {
    const { admin, products, page, make, count } = await makeRankedShop()
    const best = (await page(query, { limit: 100 })).items.map(({ id }) => id)
    assert.equal(best.length, await count(query))
    assert.ok(best.length >= 10, String(best.length))
    const passing = fc.array(fc.constantFrom('Oak', 'Walrus', 'Pine table'), { maxLength: 2 })
    await fc.assert(
      fc.asyncProperty(limits, fc.array(passing, { minLength: 1, maxLength: 4 }), async (limits, names) => {
        const made: string[] = []
        let turn = 0
        const seen = await readAll(async (cursor, limit) => {
          const coming = turn < names.length ? (names[turn] ?? []) : []
          const [read, ...arrived] = await Promise.all([
            page(query, { limit, cursor }),
            ...coming.map((name) => make({ name })),
            ...(turn % 2 ? made.splice(0).map((id) => admin.delete(`${products}/${id}`)) : []),
          ])
          for (const arrival of arrived) if ('id' in arrival) made.push(arrival.id)
          turn++
          return read
        }, limits)
        assert.deepEqual(seen, best)
      }),
      { numRuns: 8 },
    )
  })
}

test('matches that come and go do not disturb who reads the ones that stay', async () => {
  const { admin, products, page, make } = await makeRankedShop()
  const stayed = (await page('walnut', { limit: 100 })).items.map(({ id }) => id)
  const bodies = [{ name: 'Walnut' }, { name: 'x', description: 'walnut' }, { name: 'y', category: 'walnut' }]
  for (let round = 0; round < 4; round++) {
    const passing: string[] = []
    const seen = await readAll(
      async (cursor) => {
        const read = await page('walnut', { limit: 4, cursor })
        for (const id of passing.splice(0)) await admin.delete(`${products}/${id}`)
        for (const body of bodies) passing.push((await make(body)).id)
        return read
      },
      [4],
    )
    assert.equal(new Set(seen).size, seen.length, 'none twice')
    assert.deepEqual(
      seen.filter((id) => stayed.includes(id)),
      stayed,
    )
    for (const id of passing) await admin.delete(`${products}/${id}`)
  }
})

test('a new word that is close to the typo does not disturb who is reading', async () => {
  const { page, make } = await makeRankedShop()
  const before = (await page('wallnut', { limit: 100 })).items.map(({ id }) => id)
  const news = ['Wallnit', 'Wallnot', 'Ballnut', 'Wallnut', 'Hallnut', 'Wallput', 'Wallnub', 'Wallnux', 'Wablnut']
  const seen = await readAll(
    async (cursor, limit) => {
      const read = await page('wallnut', { limit, cursor })
      const name = news.pop()
      if (name) await make({ name })
      return read
    },
    [3],
  )
  assert.equal(new Set(seen).size, seen.length, 'none twice')
  assert.deepEqual(
    before.filter((id) => !seen.includes(id)),
    [],
    'none skipped',
  )
})
