import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findDescendantSlugs } from '#modules/catalog/index.ts'
import { holdClock } from '../../support/clock.ts'
import { onServer } from '../../support/database.ts'
import { findSequentialScans, recordStatements } from '../../support/explain.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

const IMAGE = { id: 'med_1', url: 'https://cdn.example/shirts.png', mimeType: 'image/png' }
const FULL = {
  name: 'Shirts',
  slug: 'shirts',
  parentId: null,
  position: 3,
  description: 'Cut straight.',
  image: IMAGE,
  seo: { title: 'Shirts', description: 'Of soft cotton.' },
  translations: { de: { name: 'Hemden', slug: 'hemden', description: 'Gerade.', seo: { title: 'Hemden' } }, fr: {} },
}

async function makeShop() {
  const shop = await used.make.shop({ cell: 'main' })
  const categories = `${shop.path}/categories`
  const create = async (body: object) => {
    const made = await shop.admin.post(categories, body)
    assert.equal(made.status, 201, made.text)
    return {
      id: made.body.id as string,
      slug: made.body.slug as string,
      body: made.body,
      path: `${categories}/${made.body.id}`,
    }
  }
  /** One below the other, the first at the top. */
  const createChain = async (...names: string[]) => {
    const made: Awaited<ReturnType<typeof create>>[] = []
    for (const name of names) made.push(await create({ name, parentId: made.at(-1)?.id ?? null }))
    return made
  }
  const list = async (query = '') =>
    (await shop.admin.get(`${categories}?limit=100${query}`)).body.items as { id: string; name: string }[]
  const namesOf = async (query = '') => (await list(query)).map(({ name }) => name)
  return { ...shop, categories, create, createChain, list, namesOf }
}

test('a category is created, read, listed, changed and deleted', async () => {
  const { admin, id: businessId, categories, list } = await makeShop()
  const made = await admin.post(categories, { ...FULL, id: 'mine', createdAt: 5 })
  assert.equal(made.status, 201, made.text)
  const { id, createdAt, updatedAt, ...rest } = made.body
  assert.match(id, /^cat_[0-9a-z]{26}$/)
  assert.deepEqual(rest, { ...FULL, businessId })
  assert.ok(Number.isInteger(createdAt) && updatedAt === createdAt)
  const path = `${categories}/${id}`
  assert.deepEqual((await admin.get(path)).body, made.body)
  assert.deepEqual(await list(), [made.body])

  const changed = await admin.put(path, { description: '', position: 0, image: null })
  assert.equal(changed.status, 200, changed.text)
  assert.deepEqual({ ...changed.body, updatedAt }, { ...made.body, description: '', position: 0, image: null })
  assert.deepEqual((await admin.get(path)).body, changed.body)

  assert.deepEqual((await admin.delete(path)).body, { success: true })
  assert.equal(refusal(await admin.get(path)), '404 NOT_FOUND')
  assert.equal(refusal(await admin.put(path, { position: 1 })), '404 NOT_FOUND')
  assert.equal(refusal(await admin.delete(path)), '404 NOT_FOUND')
  assert.deepEqual(await list(), [])
})

test('only a name is needed, and the slug is made of it', async () => {
  const { admin, categories, create } = await makeShop()
  const { body } = await create({ name: 'Öl & Essig' })
  assert.deepEqual(
    { ...body, id: '', businessId: '', createdAt: 0, updatedAt: 0 },
    {
      id: '',
      businessId: '',
      name: 'Öl & Essig',
      slug: 'oel-and-essig',
      parentId: null,
      position: 0,
      description: '',
      image: null,
      seo: { title: '', description: '' },
      translations: {},
      createdAt: 0,
      updatedAt: 0,
    },
  )
  const again = await create({ name: 'Öl & Essig' })
  assert.equal(again.slug, `oel-and-essig-${again.id.slice(-6)}`)
  assert.equal(refusal(await admin.post(categories, {})), '422 VALIDATION_FAILED name REQUIRED')
  assert.equal(refusal(await admin.post(categories, { name: ' ' })), '422 VALIDATION_FAILED name INVALID')
  const { headers } = await admin.post(categories, { name: 'Known', colour: 'red' })
  assert.equal(headers.get('x-ignored-fields'), 'colour')
})

test('what was read can be sent back, and seo and translations are replaced whole', async () => {
  const { admin, create } = await makeShop()
  const { path, body } = await create(FULL)
  const same = await admin.put(path, body)
  assert.deepEqual({ ...same.body, updatedAt: 0 }, { ...body, updatedAt: 0 })
  const changed = await admin.put(path, { seo: { title: 'New' }, translations: { de: { name: 'Neu' } } })
  assert.deepEqual(changed.body.seo, { title: 'New', description: '' })
  assert.deepEqual(changed.body.translations, { de: { name: 'Neu' } })
})

test('a change moves updatedAt and the ETag; an edit of an older version is refused', async (t) => {
  const clock = holdClock()
  t.after(clock.release)
  const { admin, create } = await makeShop()
  const { path, body } = await create({ name: 'Shirts' })
  const etag = (await admin.get(path)).headers.get('etag') ?? ''
  assert.equal((await admin.get(path, { 'if-none-match': etag })).status, 304)
  clock.advance(60)
  const changed = await admin.put(path, { position: 1 }, { 'if-match': etag })
  assert.deepEqual([changed.body.createdAt, changed.body.updatedAt], [body.createdAt, body.updatedAt + 60])
  assert.notEqual(changed.headers.get('etag'), etag)
  assert.equal((await admin.get(path, { 'if-none-match': etag })).status, 200)
  assert.equal(refusal(await admin.put(path, { position: 2 }, { 'if-match': etag })), '412 PRECONDITION_FAILED')
  assert.equal(refusal(await admin.delete(path, { 'if-match': etag })), '412 PRECONDITION_FAILED')
  assert.equal((await admin.delete(path, { 'if-match': changed.headers.get('etag') ?? '' })).status, 200)
})

test('guests read categories, and only PRODUCTS_WRITE changes them', async () => {
  const { id, categories, create } = await makeShop()
  const { path, body } = await create(FULL)
  for (const caller of [await used.make.guest(), await used.make.member(id, 'PROMOS_WRITE')]) {
    assert.deepEqual((await caller.get(path)).body, body)
    assert.deepEqual((await caller.get(categories)).body.items, [body])
    assert.equal(refusal(await caller.post(categories, { name: 'Mine' })), '403 FORBIDDEN')
    assert.equal(refusal(await caller.put(path, { name: 'Mine' })), '403 FORBIDDEN')
    assert.equal(refusal(await caller.delete(path)), '403 FORBIDDEN')
  }
  const writer = await used.make.member(id, 'PRODUCTS_WRITE')
  assert.equal((await writer.post(categories, { name: 'Ours' })).status, 201)
})

test('a category of another business is not found, cannot be a parent, and its slugs are free here', async () => {
  const [mine, theirs] = [await makeShop(), await makeShop()]
  const other = await theirs.create(FULL)
  const path = `${mine.categories}/${other.id}`
  for (const answer of [await mine.admin.get(path), await mine.admin.put(path, {}), await mine.admin.delete(path)])
    assert.equal(refusal(answer), '404 NOT_FOUND')
  const below = await mine.admin.post(mine.categories, { name: 'Below', parentId: other.id })
  assert.equal(refusal(below), '422 VALIDATION_FAILED parentId NOT_FOUND')
  assert.match(below.body.message, new RegExp(other.id))
  await mine.create(FULL)
  assert.deepEqual(await findDescendantSlugs(mine.db, mine.id, other.id), undefined)
})

test('the same Idempotency-Key makes one category', async () => {
  const { admin, categories, list } = await makeShop()
  const key = { 'idempotency-key': 'once' }
  const [first, again] = [await admin.post(categories, FULL, key), await admin.post(categories, FULL, key)]
  assert.deepEqual([first.status, again.status, again.text], [201, 201, first.text])
  assert.equal((await list()).length, 1)
})

test('slugs of all locales are one namespace, whichever category and locale has them', async () => {
  const { admin, categories, create, namesOf } = await makeShop()
  await create(FULL)
  const refused = async (body: object) => refusal(await admin.post(categories, { name: 'Other', ...body }))
  assert.equal(await refused({ slug: 'shirts' }), '409 CONFLICT slug SLUG_EXISTS')
  assert.equal(await refused({ slug: 'hemden' }), '409 CONFLICT slug SLUG_EXISTS')
  for (const slug of ['shirts', 'hemden']) {
    const at = '409 CONFLICT translations.it.slug SLUG_EXISTS'
    assert.equal(await refused({ translations: { it: { slug } } }), at)
    assert.equal(
      await refused({ name: slug, translations: { it: { slug } } }),
      at,
      'also when the name gives the same one',
    )
  }
  const other = await create({ name: 'Hemden' })
  assert.equal(other.slug, `hemden-${other.id.slice(-6)}`, 'a slug of a name gets out of the way')
  assert.equal(refusal(await admin.put(other.path, { slug: 'hemden' })), '409 CONFLICT slug SLUG_EXISTS')
  assert.deepEqual(await namesOf(), ['Hemden', 'Shirts'])
})

test('locales of one category may share a slug, and one that is given up is free', async () => {
  const { admin, create } = await makeShop()
  const translations = { de: { slug: 'hemden' }, 'de-CH': { slug: 'hemden' }, en: { slug: 'shirts' } }
  const first = await create({ ...FULL, translations })
  assert.deepEqual(first.body.translations, translations)
  const swapped = await admin.put(first.path, { slug: 'hemden', translations: { en: { slug: 'shirts' } } })
  assert.equal(swapped.status, 200, swapped.text)
  assert.equal((await admin.put(first.path, { translations: {} })).status, 200)
  assert.equal((await create({ name: 'Blouses', slug: 'shirts' })).slug, 'shirts')
  assert.equal((await admin.delete(first.path)).status, 200)
  assert.equal((await create({ name: 'Coats', translations: { de: { slug: 'hemden' } } })).slug, 'coats')
})

test('translations are for locales, and a category stays small enough for lists', async () => {
  const { admin, categories } = await makeShop()
  const refused = async (body: object) => refusal(await admin.post(categories, { name: 'Other', ...body }))
  for (const locale of ['de-ch', 'de_CH', '']) {
    const translations = JSON.parse(`{${JSON.stringify(locale)}: {"name": "Anders"}}`)
    assert.equal(await refused({ translations }), `422 VALIDATION_FAILED translations.${locale} INVALID`)
  }
  const slug = { de: { slug: 'Nicht So' } }
  assert.equal(await refused({ translations: slug }), '422 VALIDATION_FAILED translations.de.slug INVALID')
  const long = Object.fromEntries(
    ['de', 'fr', 'it', 'es'].map((locale) => [locale, { description: 'ö'.repeat(5_000) }]),
  )
  assert.equal(await refused({ translations: long }), '422 VALIDATION_FAILED translations TOO_LARGE')
  assert.equal(await refused({ description: 'x'.repeat(5_001) }), '422 VALIDATION_FAILED description TOO_LONG')
  assert.equal(await refused({ position: -1 }), '422 VALIDATION_FAILED position TOO_SMALL')
  assert.equal(await refused({ image: { url: 'cdn', mimeType: 'image/png' } }), '422 VALIDATION_FAILED image INVALID')
})

test('the tree is six levels deep, also when a branch is moved', async () => {
  const { admin, categories, create, createChain } = await makeShop()
  const deep = await createChain('One', 'Two', 'Three', 'Four', 'Five', 'Six')
  const tooDeep = '422 VALIDATION_FAILED parentId INVALID'
  assert.equal(refusal(await admin.post(categories, { name: 'Seven', parentId: deep[5]?.id })), tooDeep)
  const branch = await createChain('Branch', 'Twig', 'Leaf')
  const move = (parentId: string | undefined) => admin.put(branch[0]?.path ?? '', { parentId })
  assert.equal(refusal(await move(deep[3]?.id)), tooDeep)
  const moved = await move(deep[2]?.id)
  assert.deepEqual([moved.status, moved.body.parentId], [200, deep[2]?.id])
  const single = await create({ name: 'Single' })
  assert.equal(refusal(await admin.put(single.path, { parentId: branch[2]?.id })), tooDeep)
  assert.equal((await admin.put(branch[0]?.path ?? '', { parentId: null })).status, 200)
  assert.equal((await admin.put(single.path, { parentId: branch[2]?.id })).status, 200)
})

test('a category cannot be below itself', async () => {
  const { admin, createChain } = await makeShop()
  const [one, two, three] = await createChain('One', 'Two', 'Three')
  for (const parentId of [one?.id, two?.id, three?.id]) {
    const refused = await admin.put(one?.path ?? '', { parentId })
    assert.equal(refusal(refused), '422 VALIDATION_FAILED parentId INVALID')
    assert.equal(refused.body.message, 'A category cannot be below itself.')
  }
  assert.equal((await admin.get(one?.path ?? '')).body.parentId, null)
})

test('a category that others are below is not deleted', async () => {
  const { admin, createChain } = await makeShop()
  const [one, two] = await createChain('One', 'Two')
  assert.equal(refusal(await admin.delete(one?.path ?? '')), '409 CONFLICT id IN_USE')
  assert.equal((await admin.delete(two?.path ?? '')).status, 200)
  assert.equal((await admin.delete(one?.path ?? '')).status, 200)
})

test('a category that products name keeps its slug and stays, until they name another one or are deleted', async () => {
  const shop = await makeShop()
  const { admin, create } = shop
  const { path } = await create(FULL)
  const products = [await used.make.product(shop, { category: 'shirts' }), await used.make.product(shop)]
  await admin.put(products[1]?.path ?? '', { category: 'shirts', statuses: [{ status: 'ARCHIVED' }] })
  await used.make.product(shop, { category: 'Shirts' }) // byte for byte: this is another one
  await used.make.product(shop, { category: 'hemden' })
  for (const product of products) {
    const renamed = await admin.put(path, { slug: 'blouses' })
    assert.equal(refusal(renamed), '409 CONFLICT slug IN_USE')
    assert.match(renamed.body.message, /shirts/)
    assert.equal(refusal(await admin.delete(path)), '409 CONFLICT slug IN_USE')
    assert.equal((await admin.put(path, { slug: 'shirts', name: 'All shirts', translations: {} })).status, 200)
    if (product === products[0]) assert.equal((await admin.delete(product.path)).status, 200)
    else assert.equal((await admin.put(product.path, { category: '' })).status, 200)
  }
  assert.equal((await admin.put(path, { slug: 'blouses' })).body.slug, 'blouses')
  assert.equal((await admin.delete(path)).status, 200)
})

test('the list is found by parent and by the slug of any locale, page by page, newest first', async () => {
  const { admin, categories, create, namesOf } = await makeShop()
  const root = await create({ name: 'Root', translations: { de: { slug: 'wurzel' } } })
  for (const name of ['A', 'B', 'C']) await create({ name, parentId: root.id })
  assert.deepEqual(await namesOf(), ['C', 'B', 'A', 'Root'])
  assert.deepEqual(await namesOf('&parentId='), ['Root'])
  assert.deepEqual(await namesOf(`&parentId=${root.id}`), ['C', 'B', 'A'])
  assert.deepEqual(await namesOf('&parentId=cat_unknown'), [])
  for (const slug of ['root', 'wurzel']) assert.deepEqual(await namesOf(`&slug=${slug}`), ['Root'])
  assert.deepEqual(await namesOf('&slug=a&parentId='), [])
  assert.deepEqual(await namesOf('&slug=Root'), [])

  const names: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await admin.get(`${categories}?limit=2&parentId=${root.id}&cursor=${cursor}`)
    names.push(...body.items.map(({ name }: { name: string }) => name))
    cursor = body.cursor
  }
  assert.deepEqual(names, ['C', 'B', 'A'])
  const { body } = await admin.get(`${categories}?limit=1`)
  const elsewhere = await admin.get(`${categories}?limit=1&parentId=&cursor=${body.cursor}`)
  assert.equal(refusal(elsewhere), '422 VALIDATION_FAILED cursor INVALID')
})

test('a branch is found with all that is below it in one statement', async () => {
  const { id, db, create, createChain } = await makeShop()
  const [one, two] = await createChain('One', 'Two', 'Three')
  await create({ name: 'Beside', parentId: one?.id ?? null })
  const found: (string[] | undefined)[] = []
  const statements = await recordStatements(async () => {
    for (const root of [one?.id, two?.id, 'cat_unknown']) found.push(await findDescendantSlugs(db, id, root ?? ''))
  })
  assert.deepEqual(found, [['one', 'beside', 'two', 'three'], ['two', 'three'], undefined])
  assert.equal(statements.length, 3)
})

test('each change is an event', async () => {
  const { admin, id, db, create } = await makeShop()
  const { id: categoryId, path } = await create(FULL)
  await admin.put(path, { position: 5, name: 'Blouses' })
  await admin.put(path, { parentId: categoryId })
  await admin.delete(path)
  const events = await db
    .selectFrom('cell.eventOutbox')
    .select(['type', 'actorId', 'data'])
    .where((event) => event.and({ businessId: id, subject: categoryId }))
    .orderBy('position')
    .execute()
  const actorId = admin.id
  assert.deepEqual(events, [
    { type: 'category.created', actorId, data: {} },
    { type: 'category.updated', actorId, data: { fields: ['name', 'position'] } },
    { type: 'category.deleted', actorId, data: {} },
  ])
})

test('a business has 5,000 categories, and none of their statements reads a table whole', async () => {
  const { admin, id, db, categories, create } = await makeShop()
  const root = await create({ name: 'Root' })
  // Without the checks of foreign keys, whose plans are of the empty table.
  await onServer(async (client) => {
    await client.query(`
      begin;
      set local session_replication_role = replica;
      insert into catalog.categories
             (business_id, id, parent_id, name, slug, position, description, seo, translations, created_at, updated_at)
      select '${id}', 'cat_' || lpad(n::text, 26, '0'), case when n % 2 = 0 then '${root.id}' end, 'Category ' || n,
             'category-' || n, n, '', '{"title":"","description":""}', '{}', now(), now()
        from generate_series(1, 4998) n;
      insert into catalog.categories
             (business_id, id, parent_id, name, slug, position, description, seo, translations, created_at, updated_at)
      select 'biz_other' || other, id, parent_id, name, slug, position, description, seo, translations, created_at, updated_at
        from catalog.categories, generate_series(1, 20) as other where business_id = '${id}';
      insert into catalog.category_slugs (business_id, slug, category_id)
      select business_id, slug, id from catalog.categories on conflict do nothing;
      commit`)
    await client.query('analyze catalog.categories, catalog.category_slugs')
  }, used.api.databases.main.url)
  const statements = await recordStatements(async () => {
    const last = await create({ name: 'Last', parentId: root.id })
    assert.equal(refusal(await admin.post(categories, { name: 'More' })), '409 CONFLICT id TOO_MANY')
    assert.equal((await admin.put(last.path, { slug: 'the-last', parentId: null })).status, 200)
    for (const query of ['', '?parentId=', `?parentId=${root.id}`, '?slug=category-7'])
      assert.equal((await admin.get(categories + query)).status, 200)
    assert.equal((await findDescendantSlugs(db, id, root.id))?.length, 2_500)
    assert.equal((await admin.delete(last.path)).status, 200)
  })
  // A business may count all of its own.
  const others = statements.filter(({ text }) => !text.includes('count(*)'))
  assert.deepEqual(await findSequentialScans(others), [])
})

type Node = { id: string; parentId: string | null; name: string; position: number; etag: string; products: number }

async function makeTree() {
  const shop = await makeShop()
  const { admin, categories } = shop
  const readTree = async () => (await admin.get(`${categories}/tree`)).body.items as Node[]
  /** `Top>Below`, in the order of the tree. */
  const draw = async () => {
    const all = await readTree()
    const below = (parentId: string | null, prefix: string): string[] =>
      all
        .filter((node) => node.parentId === parentId)
        .flatMap(({ id, name }) => [prefix + name, ...below(id, `${prefix}${name}>`)])
    return below(null, '').join(' ')
  }
  const move = (id: string, parentId: string | null, beforeId: string | null, headers = {}) =>
    admin.post(`${categories}/${id}/move`, { parentId, beforeId }, headers)
  return { ...shop, readTree, draw, move }
}

test('the tree has all of them at once, with their products and the locales that are complete', async () => {
  const { admin, path, create, readTree, categories } = await makeTree()
  const translations = { de: { name: 'Hemden', slug: 'hemden' }, fr: { name: 'Chemises' }, sv: {} }
  const shirts = await create({ name: 'Shirts', position: 20, translations })
  const hats = await create({ name: 'Hats', position: 10 })
  const caps = await create({ name: 'Caps', parentId: hats.id })
  for (const status of ['ACTIVE', 'DRAFT', 'ARCHIVED'])
    assert.equal(
      (await admin.post(`${path}/products`, { name: status, category: 'shirts', statuses: [{ status }] })).status,
      201,
    )
  const gone = await admin.post(`${path}/products`, { name: 'Gone', category: 'shirts' })
  assert.equal((await admin.delete(`${path}/products/${gone.body.id}`)).status, 200)

  const tree = await readTree()
  assert.deepEqual(
    tree.map(({ id, parentId, products }) => [id, parentId, products]),
    [
      [caps.id, hats.id, 0],
      [hats.id, null, 0],
      [shirts.id, null, 3],
    ],
  )
  assert.deepEqual(tree.at(-1), {
    id: shirts.id,
    parentId: null,
    position: 20,
    name: 'Shirts',
    slug: 'shirts',
    locales: ['de'],
    products: 3,
    etag: (await admin.get(shirts.path)).headers.get('etag'),
  })
  assert.equal(
    refusal(await (await used.make.member(shirts.body.businessId, 'ORDERS_READ')).get(`${categories}/tree`)),
    '403 FORBIDDEN',
  )
})

test('a category is moved in front of another, to the end, below another and out again', async () => {
  const { create, move, draw } = await makeTree()
  // All have the position 0, as categories have that were never moved.
  const [a, b, c] = [await create({ name: 'A' }), await create({ name: 'B' }), await create({ name: 'C' })]
  assert.equal(await draw(), 'A B C')
  const moved = await move(c.id, null, a.id)
  assert.equal(moved.status, 200, moved.text)
  assert.deepEqual([moved.body.id, moved.body.parentId, moved.body.name], [c.id, null, 'C'])
  assert.equal(await draw(), 'C A B')
  await move(c.id, null, null)
  assert.equal(await draw(), 'A B C')
  await move(c.id, a.id, null)
  await move(b.id, a.id, c.id)
  assert.equal(await draw(), 'A A>B A>C')
  await move(c.id, b.id, null)
  assert.equal(await draw(), 'A A>B A>B>C')
  await move(b.id, null, a.id)
  assert.equal(await draw(), 'B B>C A')
})

test('to move a category to where it is changes nothing, and others keep their versions where there is room', async () => {
  const { create, move, readTree } = await makeTree()
  const [a, b] = [await create({ name: 'A', position: 10 }), await create({ name: 'B', position: 20 })]
  const c = await create({ name: 'C', position: 30 })
  const before = await readTree()
  for (const [id, beforeId] of [
    [a.id, b.id],
    [b.id, c.id],
    [c.id, null],
  ] as const)
    assert.equal((await move(id, null, beforeId)).status, 200)
  assert.deepEqual(await readTree(), before)
  await move(c.id, null, b.id)
  const etagsOf = (nodes: Node[]) => new Map(nodes.map(({ id, etag }) => [id, etag]))
  const [then, now] = [etagsOf(before), etagsOf(await readTree())]
  assert.deepEqual([now.get(a.id), now.get(b.id)], [then.get(a.id), then.get(b.id)])
  assert.notEqual(now.get(c.id), then.get(c.id))
})

test('a move is refused below itself, too deep, before a stranger, and of an older version', async () => {
  const { create, createChain, move, draw, admin } = await makeTree()
  const chain = await createChain('1', '2', '3', '4', '5', '6')
  const other = await create({ name: 'Other' })
  const [first, second] = [chain[0]?.id ?? '', chain[1]?.id ?? '']
  const before = await draw()
  assert.equal(refusal(await move(first, second, null)), '422 VALIDATION_FAILED parentId INVALID')
  assert.equal(refusal(await move(first, first, null)), '422 VALIDATION_FAILED parentId INVALID')
  assert.equal(refusal(await move(other.id, chain[5]?.id ?? '', null)), '422 VALIDATION_FAILED parentId INVALID')
  assert.equal(refusal(await move(other.id, null, second)), '422 VALIDATION_FAILED beforeId NOT_FOUND')
  assert.equal(refusal(await move(other.id, 'cat_none', null)), '422 VALIDATION_FAILED parentId NOT_FOUND')
  assert.equal(refusal(await move('cat_none', null, null)), '404 NOT_FOUND')
  const { headers } = await admin.get(other.path)
  const ifMatch = { 'if-match': headers.get('etag') ?? '' }
  assert.equal((await admin.put(other.path, { description: 'Newer.' })).status, 200)
  assert.equal(refusal(await move(other.id, null, first, ifMatch)).slice(0, 3), '412')
  assert.equal(await draw(), before)
})

test('a move whose answer was lost is done once: the same key gets the same answer', async () => {
  const { create, move, draw, admin } = await makeTree()
  const [a, b] = [await create({ name: 'A' }), await create({ name: 'B' })]
  const etag = (await admin.get(b.path)).headers.get('etag') ?? ''
  const headers = { 'idempotency-key': 'move-1', 'if-match': etag }
  const first = await move(b.id, null, a.id, headers)
  assert.equal((await move(a.id, null, b.id)).status, 200)
  const again = await move(b.id, null, a.id, headers)
  assert.deepEqual([again.status, again.text], [200, first.text])
  assert.equal(await draw(), 'A B')
})

test('categories that are moved at once end up in one order, and none is lost', async () => {
  const { create, move, readTree } = await makeTree()
  const made = []
  for (let n = 0; n < 6; n++) made.push(await create({ name: `C${n}` }))
  const [first, ...rest] = made
  await Promise.all(rest.map(({ id }, n) => move(id, n % 2 ? (first?.id ?? '') : null, null)))
  const tree = await readTree()
  assert.equal(tree.length, 6)
  for (const parentId of [null, first?.id]) {
    const positions = tree.filter((node) => node.parentId === parentId).map(({ position }) => position)
    assert.equal(new Set(positions).size, positions.length, positions.join())
  }
})
