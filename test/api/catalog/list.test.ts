import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { now } from '#platform/clock.ts'
import { newId } from '#vocabulary/ids.ts'
import { encodeCursor } from '#vocabulary/paging.ts'
import type { Client } from '../../support/client.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const STATUSES = ['DRAFT', 'ACTIVE', 'ARCHIVED'] as const
type Status = (typeof STATUSES)[number]
type Product = { id: string; name: string }
type Page = { items: Product[]; cursor: string | null }

async function read(caller: Pick<Client, 'get'>, products: string, query: Record<string, string | number> = {}) {
  const answer = await caller.get(`${products}?${new URLSearchParams(query as Record<string, string>).toString()}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body as Page
}
const namesOf = ({ items }: Page) => items.map(({ name }) => name)

async function readAll(caller: Pick<Client, 'get'>, products: string, query: Record<string, string | number>) {
  const pages: Page[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: Page = await read(caller, products, { ...query, cursor })
    pages.push(page)
    cursor = page.cursor
  }
  return pages
}

async function makeShop() {
  const shop = await used.make.shop()
  const make = (name: string, body: object = {}) =>
    used.make.product(shop, { name, statuses: [{ status: 'ACTIVE' }], ...body })
  const status = (status: Status) => ({ statuses: [{ status }] })
  return { ...shop, make, status }
}

test('products are listed newest first, with their stock, a page at a time', async () => {
  const { admin, products, make } = await makeShop()
  const made = []
  for (const name of ['A', 'B', 'C', 'D', 'E']) made.push(await make(name))
  await admin.post(`${made[4]?.path}/variants/one/stock`, { delta: -1 })
  const all = await read(admin, products)

  assert.deepEqual(namesOf(all), ['E', 'D', 'C', 'B', 'A'])
  assert.equal(all.cursor, null)
  for (const [index, item] of all.items.entries()) {
    assert.deepEqual(item, (await admin.get(`${products}/${item.id}`)).body, `item ${index} is as it is read alone`)
  }
  const pages = await readAll(admin, products, { limit: 2 })
  assert.deepEqual(pages.map(namesOf), [['E', 'D'], ['C', 'B'], ['A']])
  const exact = await readAll(admin, products, { limit: 5 })
  assert.deepEqual(
    exact.map(({ items }) => items.length),
    [5],
    'a full last page is the last page',
  )
  assert.deepEqual(await read(admin, products, { limit: 5, cursor: 'null' }), all)
  for (const limit of ['0', '101', '-1', '1.5', 'x']) {
    assert.match(refusal(await admin.get(`${products}?limit=${limit}`)), /^422 VALIDATION_FAILED limit \w+$/, limit)
  }
})

test('products are asked for by their ids, a hundred at most; those that are unknown or of others are left out', async () => {
  const { admin, products, make } = await makeShop()
  const [a, b, c] = [await make('A'), await make('B', { category: 'lamps' }), await make('C')]
  const theirs = await (await makeShop()).make('Theirs')
  const get = (words: string) => admin.get(`${products}?${words}`)
  const by = (...ids: string[]) => ids.map((id) => `id=${id}`).join('&')
  const names = async (words: string) => namesOf((await get(words)).body)

  assert.deepEqual(await names(by(a.id)), ['A'])
  assert.deepEqual(await names(by(a.id, c.id, a.id, theirs.id, 'prod_none')), ['C', 'A'])
  assert.deepEqual(await names(`${by(a.id, b.id)}&category=lamps`), ['B'])
  const first = (await get(`${by(a.id, b.id)}&limit=1`)).body
  assert.deepEqual(namesOf(first), ['B'])
  assert.deepEqual(await names(`${by(a.id, b.id)}&limit=1&cursor=${first.cursor}`), ['A'])
  assert.match(refusal(await get(`${by(a.id)}&cursor=${first.cursor}`)), /^422 VALIDATION_FAILED cursor/)
  await admin.delete(a.path)
  assert.deepEqual(await names(by(a.id, b.id)), ['B'])
  const many = Array.from({ length: 101 }, (_, index) => `prod_${index}`)
  assert.match(refusal(await get(by(...many))), /^422 VALIDATION_FAILED id/)
})

test('a new business has an empty list', async () => {
  const { admin, products } = await makeShop()
  assert.deepEqual(await read(admin, products), { items: [], cursor: null })
})

test('guests and strangers see ACTIVE products only; staff see all and may pick a status', async () => {
  const { id, admin, products, make, status } = await makeShop()
  const draft = await make('Draft', status('DRAFT'))
  const active = await make('Active')
  await make('Archived', status('ARCHIVED'))
  const [guest, stranger] = [await used.make.guest(), await used.make.user()]
  const [helper, clerk] = [await used.make.member(id, 'PRODUCTS_WRITE'), await used.make.member(id, 'ORDERS_READ')]

  for (const caller of [guest, stranger, clerk]) {
    assert.deepEqual(namesOf(await read(caller, products)), ['Active'])
    assert.deepEqual(namesOf(await read(caller, products, { status: 'ACTIVE' })), ['Active'])
    assert.deepEqual(namesOf(await read(caller, products, { slug: draft.slug })), [])
    assert.equal(refusal(await caller.get(`${products}?status=DRAFT`)), '403 FORBIDDEN')
    assert.equal(refusal(await caller.get(draft.path)), '404 NOT_FOUND')
    assert.equal((await caller.get(active.path)).status, 200)
  }
  for (const caller of [admin, helper]) {
    assert.deepEqual(namesOf(await read(caller, products)), ['Archived', 'Active', 'Draft'])
    for (const [wanted, name] of [
      ['DRAFT', 'Draft'],
      ['ACTIVE', 'Active'],
      ['ARCHIVED', 'Archived'],
    ] as const) {
      assert.deepEqual(namesOf(await read(caller, products, { status: wanted })), [name])
    }
  }
  assert.match(refusal(await admin.get(`${products}?status=DELETED`)), /^422 VALIDATION_FAILED status/)

  await admin.put(active.path, status('ARCHIVED'))
  await admin.put(draft.path, status('ACTIVE'))
  assert.deepEqual(namesOf(await read(guest, products)), ['Draft'], 'the latest status counts')
})

test('a category lists its own products, newest first', async () => {
  const { admin, products, make } = await makeShop()
  await make('Shirt 1', { category: 'shirts' })
  await make('Shoe', { category: 'shoes' })
  const second = await make('Shirt 2', { category: 'shirts' })
  await make('Draft shirt', { category: 'shirts', statuses: [] })
  await make('Loose')
  const guest = await used.make.guest()

  assert.deepEqual(namesOf(await read(guest, products, { category: 'shirts' })), ['Shirt 2', 'Shirt 1'])
  const all = await readAll(admin, products, { category: 'shirts', limit: 1 })
  assert.deepEqual(all.map(namesOf), [['Draft shirt'], ['Shirt 2'], ['Shirt 1']])
  assert.deepEqual(namesOf(await read(admin, products, { category: 'shirts', status: 'DRAFT' })), ['Draft shirt'])
  assert.deepEqual(namesOf(await read(guest, products, { category: 'shirt' })), [])
  assert.deepEqual(namesOf(await read(guest, products, { category: '' })), ['Loose'])
  await admin.put(second.path, { category: 'shoes' })
  assert.deepEqual(namesOf(await read(guest, products, { category: 'shoes' })), ['Shirt 2', 'Shoe'])
  assert.deepEqual(namesOf(await read(guest, products, { category: 'shirts' })), ['Shirt 1'])
})

test('a slug finds its one product, until that is deleted and the slug is free again', async () => {
  const { admin, products, make } = await makeShop()
  const guest = await used.make.guest()
  const first = await make('Blue Shirt', { category: 'shirts' })
  await make('Other')

  assert.equal(first.slug, 'blue-shirt')
  assert.deepEqual(namesOf(await read(guest, products, { slug: 'blue-shirt' })), ['Blue Shirt'])
  assert.deepEqual(namesOf(await read(guest, products, { slug: 'blue' })), [])
  assert.equal((await admin.delete(first.path)).status, 200)
  assert.deepEqual(namesOf(await read(admin, products, { slug: 'blue-shirt' })), [])
  const second = await make('Blue Shirt', { slug: 'blue-shirt' })
  assert.deepEqual(
    (await read(guest, products, { slug: 'blue-shirt' })).items.map(({ id }) => id),
    [second.id],
  )
})

test('filters that are sent together all hold', async () => {
  const { admin, products, make } = await makeShop()
  await make('Blue Shirt', { category: 'shirts' })
  const count = async (query: Record<string, string>) => (await read(admin, products, query)).items.length

  assert.equal(await count({ slug: 'blue-shirt', category: 'shirts' }), 1)
  assert.equal(await count({ slug: 'blue-shirt', category: 'shoes' }), 0)
  assert.equal(await count({ slug: 'blue-shirt', status: 'DRAFT' }), 0)
})

test('a slug and a query that are sent together both hold', async () => {
  const { admin, products, make } = await makeShop()
  await make('Blue Shirt', { category: 'shirts' })
  const count = async (query: Record<string, string>) => (await read(admin, products, query)).items.length

  assert.equal(await count({ slug: 'blue-shirt', query: 'shirt' }), 1)
  assert.equal(await count({ slug: 'red-shirt', query: 'shirt' }), 0)
})

test('a business lists its own products, wherever it lives', async () => {
  const first = await used.make.shop({ cell: 'main' })
  const others = [await used.make.shop({ cell: 'main' }), await used.make.shop({ cell: 'second' })]
  const { id, slug } = await used.make.product(first, { name: 'Mine', category: 'shirts' })
  for (const other of others) {
    await used.make.product(other, { name: 'Theirs', category: 'shirts', slug })
    for (const query of [{}, { category: 'shirts' }, { slug }, { status: 'ACTIVE' }] as Record<string, string>[]) {
      assert.deepEqual(namesOf(await read(first.admin, first.products, query)), ['Mine'])
      assert.deepEqual(namesOf(await read(other.admin, other.products, query)), ['Theirs'])
    }
    assert.equal(refusal(await other.admin.get(`${other.products}/${id}`)), '404 NOT_FOUND')
    assert.equal(refusal(await other.admin.delete(`${other.products}/${id}`)), '404 NOT_FOUND')
    assert.equal(refusal(await other.admin.put(`${other.products}/${id}`, { name: 'x' })), '404 NOT_FOUND')
  }
})

test('a cursor belongs to its business, filters and reader’s view', async () => {
  const { admin, products, make } = await makeShop()
  for (const name of ['A', 'B', 'C']) await make(name, { category: 'shirts' })
  const other = await used.make.shop()
  const guest = await used.make.guest()
  const { cursor } = await read(admin, products, { limit: 1 })
  const refused = async (caller: Client, path: string, query: Record<string, string>) =>
    refusal(await caller.get(`${path}?${new URLSearchParams({ ...query, cursor: cursor ?? '' }).toString()}`))

  assert.deepEqual(namesOf(await read(admin, products, { limit: 50, cursor: cursor ?? '' })), ['B', 'A'])
  for (const query of [{ category: 'shirts' }, { status: 'ACTIVE' }, { slug: 'a' }, { query: 'a' }]) {
    assert.equal(await refused(admin, products, query as never), '422 VALIDATION_FAILED cursor INVALID')
  }
  assert.equal(await refused(other.admin, other.products, {}), '422 VALIDATION_FAILED cursor INVALID')
  assert.equal(await refused(guest, products, {}), '422 VALIDATION_FAILED cursor INVALID')
})

test('a forged cursor is refused, and one at a place of its own invention breaks nothing', async () => {
  const { id: businessId, admin, products, make } = await makeShop()
  await make('A')
  const filters = {
    list: 'products',
    businessId,
    category: undefined,
    slug: undefined,
    query: undefined,
    statuses: [...STATUSES],
  }
  const get = (cursor: string) => admin.get(`${products}?cursor=${encodeURIComponent(cursor)}`)

  const positions: unknown[][] = [[], [1], [null], [['x']], [{}], ['x', 'y'], ['a\0b'], ['\ud800'], [true]]
  const texts = ['x', 'bnVsbA', 'W10', '%00', '{}', '"', "'", 'x'.repeat(3_000)]
  for (const cursor of [...positions.map((position) => encodeCursor(filters, position as never)), ...texts]) {
    assert.match(refusal(await get(cursor)), /^422 VALIDATION_FAILED cursor \w+$/, cursor)
  }
  for (const place of ['', '~', '~~', 'prod_', "' or 1=1 --", '💥', 'x'.repeat(500), 'zzz']) {
    const answer = await get(encodeCursor(filters, [place]))
    assert.equal(answer.status, 200, `${place}: ${answer.text}`)
  }
})

// Ids of any age, so that products appear and vanish before, at and behind the place where the reader is.
const age = fc.nat({ max: 1_000_000 })
const newProduct = fc.record({
  age,
  status: fc.constantFrom(...STATUSES),
  category: fc.constantFrom('shirts', 'shoes'),
})
type NewProduct = { age: number; status: Status; category: string }
const scene = fc.record({
  staying: fc.array(newProduct, { minLength: 1, maxLength: 30 }),
  passing: fc.array(newProduct, { maxLength: 20 }),
  query: fc.record(
    { category: fc.constantFrom('shirts', 'shoes'), status: fc.constantFrom(...STATUSES) },
    { requiredKeys: [] },
  ),
  asGuest: fc.boolean(),
  turns: fc.array(
    fc.record({
      limit: fc.integer({ min: 1, max: 9 }),
      added: fc.array(newProduct, { maxLength: 3 }),
      created: fc.boolean(),
      removed: fc.array(fc.nat(), { maxLength: 3 }),
      moved: fc.option(fc.record({ pick: fc.nat(), status: fc.constantFrom(...STATUSES) })),
    }),
    { minLength: 1, maxLength: 8 },
  ),
})

async function makePagedShop() {
  const shop = await makeShop()
  const guest = await used.make.guest()
  return {
    ...shop,
    guest,
    /** Straight into the table: only there can a product be older than the others. */
    async insert(made: NewProduct[]): Promise<(NewProduct & { id: string })[]> {
      const rows = made.map((product) => ({ ...product, id: newId('prod', product.age) }))
      const values = rows.map(({ id, status, category }) => ({
        businessId: shop.id,
        id,
        name: id,
        slug: id,
        description: '',
        category,
        gallery: '[]',
        blocks: '[]',
        statuses: JSON.stringify([{ id: newId('sts'), status, changedBy: 'SYSTEM', timestamp: 1 }]),
        status,
        version: 1,
        document: JSON.stringify({ id, name: id }),
        publicDocument: JSON.stringify({ id, name: id }),
        createdAt: now(),
        updatedAt: now(),
      }))
      if (values.length > 0) await shop.db.insertInto('catalog.products').values(values).execute()
      return rows
    },
  }
}

test('whoever pages while products come and go sees each that stays once, and none twice', async () => {
  let pages = 0
  await fc.assert(
    fc.asyncProperty(scene, async ({ staying, passing, query, asGuest, turns }) => {
      const { admin, guest, products, insert, make } = await makePagedShop()
      const reader = asGuest ? guest : admin
      const filter = asGuest && query.status ? { ...query, status: 'ACTIVE' as const } : query
      const seesAll = !asGuest && filter.status === undefined
      const wanted = ({ status, category }: NewProduct) =>
        (filter.category === undefined || filter.category === category) &&
        (seesAll || status === (filter.status ?? 'ACTIVE'))
      const stayed = await insert(staying)
      const present = await insert(passing)
      const seen: string[] = []
      let cursor: string | null = null
      for (let index = 0; ; index++) {
        const { limit, added, created, removed, moved } = turns[index % turns.length] as (typeof turns)[number]
        const isOpen = index < turns.length
        const leaving = removed.flatMap((pick) => present.splice(pick % (present.length || 1), 1))
        // Staff see a product in whichever status it is: changing it must neither hide it nor show it twice.
        const changing = seesAll && moved ? stayed[moved.pick % stayed.length] : undefined
        const [page, arrived]: [Page, (NewProduct & { id: string })[], ...unknown[]] = await Promise.all([
          read(reader, products, { ...filter, limit, cursor: cursor ?? '' }),
          isOpen ? insert(added) : [],
          isOpen && created ? make('New', { category: 'shirts' }) : undefined,
          changing && admin.put(`${products}/${changing.id}`, { statuses: [{ status: moved?.status }] }),
          ...leaving.map(({ id }) => admin.delete(`${products}/${id}`)),
        ])
        present.push(...arrived)
        pages++
        assert.ok(page.items.length <= limit)
        assert.ok(page.cursor === null || page.items.length === limit, 'only the last page is short')
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.cursor
        if (cursor === null) break
      }
      assert.equal(new Set(seen).size, seen.length, 'none twice')
      assert.deepEqual(seen, [...seen].sort().toReversed(), 'newest first')
      const missed = stayed.filter((product) => wanted(product) && !seen.includes(product.id))
      assert.deepEqual(missed, [], 'none that stayed was skipped')
      const wrong = stayed.filter((product) => !wanted(product) && seen.includes(product.id))
      assert.deepEqual(wrong, [], 'none that does not belong here was shown')
    }),
    { numRuns: 30 },
  )
  assert.ok(pages > 30)
})
