import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { itemsOf, plusFive, steer, tryEdit } from '../../support/bulk-edits.ts'
import { eventsOf } from '../../support/imports.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ worker: 'catalog' })
type Shop = Awaited<ReturnType<typeof used.make.shop>>

const inUs = (price: number, more: object = {}) => ({ pricing: { markets: [{ marketId: 'us', price, ...more }] } })

/** Everything that is stored of products, but what every write changes. */
async function stateOf({ db, id }: Shop) {
  const { rows: products } = await sql<{ id: string; document: string; publicDocument: string }>`
    select id, status, tags, category, name, tax_class,
           regexp_replace(document, '"updatedAt":\\d+', '') as document,
           regexp_replace(public_document, '"updatedAt":\\d+', '') as public_document
      from catalog.products where business_id = ${id} order by id`.execute(db)
  const read = async (table: string, order: string) =>
    (await sql`select * from ${sql.table(table)} where business_id = ${id} order by ${sql.raw(order)}`.execute(db)).rows
  return {
    products,
    variants: await read('catalog.variants', 'product_id, id'),
    stock: await read('catalog.stock', 'product_id, variant_id'),
    listing: await read('catalog.listing', 'product_id, market_id'),
    search: await read('catalog.search', 'product_id'),
    slugs: await read('catalog.product_slugs', 'slug'),
  }
}

test('a dry run shows each price before and after, and changes nothing; applying does, and undoing puts all of it back', async () => {
  const shop = await used.make.shop()
  const first = await used.make.product(shop, {
    variants: [
      { id: 'a', name: 'A', sku: 'SKU-A', ...inUs(1_990) },
      { id: 'b', ...inUs(2_090) },
      { id: 'c', pricing: { markets: [{ marketId: 'de', price: 500 }] } },
    ],
  })
  const same = await used.make.product(shop, { variants: [{ id: 'a', ...inUs(90) }] })
  const before = await stateOf(shop)

  const tried = await tryEdit(shop, { ids: [first.id, same.id, first.id, 'prod_unknown'] }, plusFive)
  assert.equal(tried.status, 'READY')
  assert.deepEqual([tried.total, tried.done, tried.changing, tried.unchanged, tried.changedValues], [2, 2, 1, 1, 2])
  assert.deepEqual(await stateOf(shop), before)
  const [change] = await itemsOf(shop, tried.id, 'status=PENDING')
  assert.equal(change?.name, first.name)
  assert.deepEqual(change?.changes, [
    { field: 'price', marketId: 'us', variantId: 'a', variantName: 'A', sku: 'SKU-A', before: 1_990, after: 2_090 },
    { field: 'price', marketId: 'us', variantId: 'b', variantName: '', sku: '', before: 2_090, after: 2_190 },
  ])

  const done = await steer(shop, tried.id, 'apply')
  assert.deepEqual([done.status, done.total, done.done, done.applied, done.skipped], ['DONE', 2, 2, 1, 0])
  assert.equal(done.appliedBy, shop.admin.id)
  const { body: raised } = await shop.admin.get(first.path)
  assert.deepEqual(
    raised.variants.map((variant: { pricing: { markets: { price: number }[] } }) => variant.pricing.markets[0]?.price),
    [2_090, 2_190, 500],
  )
  const byPrice = await shop.admin.get(`${shop.products}?market=us&priceFrom=2090`)
  assert.deepEqual(
    byPrice.body.items.map(({ id }: { id: string }) => id),
    [first.id],
    'lists know the new price',
  )
  const { rows: past } = await sql<{ price: number }>`
    select price from catalog.price_history where business_id = ${shop.id} order by price`.execute(shop.db)
  assert.deepEqual(past, [{ price: 1_990 }, { price: 2_090 }])

  const undone = await steer(shop, tried.id, 'undo')
  assert.deepEqual([undone.status, undone.done, undone.undone, undone.kept], ['UNDONE', 2, 1, 0])
  const after = await stateOf(shop)
  assert.deepEqual(after, before)
  const events = await eventsOf(shop.db, shop.id, 'bulk_edit.finished', 'product.updated')
  assert.deepEqual(
    events.map(({ type, subject, data }) => ({ type, subject, data })),
    [
      {
        type: 'bulk_edit.finished',
        subject: tried.id,
        data: { work: 'APPLY', changed: 1, skipped: 0, isStopped: false },
      },
      {
        type: 'bulk_edit.finished',
        subject: tried.id,
        data: { work: 'UNDO', changed: 1, skipped: 0, isStopped: false },
      },
    ],
    'one event tells it all',
  )
})

test('names, categories, tags, tax classes and thresholds can be changed, and put back', async () => {
  const shop = await used.make.shop()
  const product = await used.make.product(shop, { tags: ['old', 'kept'], category: 'before' })
  const before = await stateOf(shop)
  const tried = await tryEdit(shop, { filters: {} }, [
    { field: 'name', op: 'set', value: 'Renamed' },
    { field: 'category', op: 'set', value: 'after' },
    { field: 'taxClass', op: 'set', value: 'reduced' },
    { field: 'tags', op: 'add', value: 'new' },
    { field: 'tags', op: 'add', value: 'kept' },
    { field: 'tags', op: 'remove', value: 'old' },
    { field: 'lowStockThreshold', op: 'set', value: 7 },
    { field: 'price', marketId: 'us', op: 'set', value: 4_500 },
  ])
  const [item] = await itemsOf(shop, tried.id)
  assert.deepEqual(
    item?.changes.map(({ field, before, after }) => [field, before, after]),
    [
      ['name', product.name, 'Renamed'],
      ['category', 'before', 'after'],
      ['taxClass', 'standard', 'reduced'],
      ['tags', ['old', 'kept'], ['kept', 'new']],
      ['lowStockThreshold', null, 7],
      ['price', 1_000, 4_500],
    ],
  )
  await steer(shop, tried.id, 'apply')
  const { body } = await shop.admin.get(product.path)
  assert.deepEqual(
    [body.name, body.slug, body.category, body.taxClass, body.tags, body.variants[0].inventory.lowStockThreshold],
    ['Renamed', product.slug, 'after', 'reduced', ['kept', 'new'], 7],
  )
  const found = await shop.admin.get(`${shop.products}?query=renamed`)
  assert.equal(found.body.items.length, 1, 'search knows the new name')
  await steer(shop, tried.id, 'undo')
  assert.deepEqual(await stateOf(shop), before)
})

test('a status is set by whoever applies, and set back; its history keeps both', async () => {
  const shop = await used.make.shop()
  const [product, draft] = [await used.make.product(shop), await used.make.product(shop, { statuses: [] })]
  const tried = await tryEdit(shop, { filters: {} }, [{ field: 'status', op: 'set', value: 'ARCHIVED' }])
  assert.deepEqual(tried.warnings, [{ code: 'NOT_SOLD', count: 1 }])
  assert.deepEqual(
    (await itemsOf(shop, tried.id, 'warning=NOT_SOLD')).map(({ productId }) => productId),
    [product.id],
  )
  assert.deepEqual(
    (await itemsOf(shop, tried.id, 'warned=false')).map(({ productId }) => productId),
    [draft.id],
  )
  await steer(shop, tried.id, 'apply')
  await steer(shop, tried.id, 'undo')
  const { body } = await shop.admin.get(product.path)
  assert.deepEqual(
    body.statuses.map(({ status, userId }: { status: string; userId: string }) => [status, userId]),
    [
      ['ACTIVE', shop.admin.id],
      ['ARCHIVED', shop.admin.id],
      ['ACTIVE', shop.admin.id],
    ],
  )
})

test('a price that falls by more than 30 %, or to zero, is warned of', async () => {
  const shop = await used.make.shop()
  const prices = { exactly: 1_000, more: 999, small: 1, free: 0 }
  for (const [name, price] of Object.entries(prices))
    await used.make.product(shop, { name, variants: [{ id: 'one', ...inUs(price) }] })
  const tried = await tryEdit(shop, { filters: {} }, [
    { field: 'price', marketId: 'us', op: 'percent', bps: -3_005 },
    { field: 'price', marketId: 'us', op: 'round', to: 700, ending: 0 },
  ])
  // 1,000 → 699.5 → 700: exactly 30 %. 999 → 698.8 → 700: less. 1 → 0.7 → 1 → 0.
  assert.deepEqual(tried.warnings, [
    { code: 'PRICE_DROP', count: 1 },
    { code: 'PRICE_ZERO', count: 1 },
  ])
  assert.equal(tried.warned, 1, 'one product with both')
  const deeper = await tryEdit(shop, { filters: {} }, [{ field: 'price', marketId: 'us', op: 'percent', bps: -3_005 }])
  assert.deepEqual(
    (await itemsOf(shop, deeper.id, 'warning=PRICE_DROP')).map(({ name }) => name),
    ['more'],
  )
})

test('planned prices, and prices of other markets, are left alone', async () => {
  const shop = await used.make.shop()
  const planned = { marketId: 'us', price: 700, validFrom: 4_000_000_000, compareAtPrice: 900 }
  const product = await used.make.product(shop, {
    variants: [
      { id: 'one', pricing: { markets: [{ marketId: 'us', price: 1_000 }, planned, { marketId: 'de', price: 900 }] } },
    ],
  })
  const tried = await tryEdit(shop, { ids: [product.id] }, plusFive)
  await steer(shop, tried.id, 'apply')
  const { body } = await shop.admin.get(product.path)
  assert.deepEqual(body.variants[0].pricing.markets, [
    { marketId: 'us', currency: 'USD', price: 1_090 },
    { marketId: 'de', currency: 'EUR', price: 900 },
    { ...planned, currency: 'USD' },
  ])
})

test('what somebody changes after the dry run is skipped, and what they change after it was applied is kept', async () => {
  const shop = await used.make.shop()
  const early = await used.make.product(shop)
  const late = await used.make.product(shop)
  const gone = await used.make.product(shop)
  const deleted = await used.make.product(shop)
  const plain = await used.make.product(shop)
  const tried = await tryEdit(shop, { filters: {} }, plusFive)
  await shop.admin.put(early.path, { name: 'Changed early' })
  await shop.admin.delete(gone.path)
  const done = await steer(shop, tried.id, 'apply')
  assert.deepEqual([done.applied, done.skipped, done.done], [3, 2, 5])
  assert.deepEqual(
    (await itemsOf(shop, tried.id, 'status=SKIPPED')).map(({ productId, name }) => [productId, name]),
    [
      [early.id, 'Changed early'],
      [gone.id, null],
    ],
  )
  await shop.admin.put(`${late.path}/variants/one/prices/us`, { price: 5_000 })
  await shop.admin.delete(deleted.path)
  await shop.admin.post(`${plain.path}/variants/one/stock`, { delta: -3 })
  const undone = await steer(shop, tried.id, 'undo')
  assert.deepEqual([undone.undone, undone.kept, undone.done], [1, 2, 5], 'a sale is no change of the product')
  assert.deepEqual(
    (await itemsOf(shop, tried.id, 'status=KEPT')).map(({ productId }) => productId),
    [late.id, deleted.id],
  )
  const priceOf = async ({ path }: { path: string }) =>
    (await shop.admin.get(path)).body.variants[0].pricing.markets[0].price
  assert.deepEqual([await priceOf(early), await priceOf(late), await priceOf(plain)], [1_000, 5_000, 1_000])
  assert.equal(await plain.stock(), 97)
})

test('a product that cannot be changed so is refused alone, and says why', async () => {
  const shop = await used.make.shop()
  const full = await used.make.product(shop, { tags: Array.from({ length: 50 }, (_, n) => `tag ${n}`) })
  const dear = await used.make.product(shop, { variants: [{ id: 'one', ...inUs(Number.MAX_SAFE_INTEGER) }] })
  const fine = await used.make.product(shop)
  const tried = await tryEdit(shop, { filters: {} }, [
    { field: 'tags', op: 'add', value: 'one more' },
    { field: 'price', marketId: 'us', op: 'percent', bps: 1 },
  ])
  assert.deepEqual([tried.changing, tried.refused], [1, 2])
  assert.deepEqual(
    (await itemsOf(shop, tried.id, 'status=REFUSED')).map(({ productId, details }) => [productId, details[0]?.error]),
    [
      [full.id, 'TOO_MANY'],
      [dear.id, 'TOO_LARGE'],
    ],
  )
  const done = await steer(shop, tried.id, 'apply')
  assert.deepEqual([done.applied, done.done], [1, 3])
  assert.deepEqual((await shop.admin.get(fine.path)).body.tags, ['one more'])
})

describe('filters', () => {
  test('select what the list of products shows', async () => {
    const shop = await used.make.shop()
    const { body: root } = await shop.admin.post(`${shop.path}/categories`, { name: 'Lamps' })
    await shop.admin.post(`${shop.path}/categories`, { name: 'Oil lamps', parentId: root.id })
    const made = {
      red: await used.make.product(shop, {
        name: 'Storm lantern',
        tags: ['summer'],
        category: 'oil-lamps',
        variants: [{ id: 'one', sku: 'RED-1', attributes: [{ name: 'Colour', value: 'Red' }], ...inUs(2_000) }],
      }),
      blue: await used.make.product(shop, {
        name: 'Storm kettle',
        tags: ['winter'],
        variants: [{ id: 'one', attributes: [{ name: 'Colour', value: 'Blue' }], ...inUs(900) }],
      }),
      draft: await used.make.product(shop, { name: 'Draft', statuses: [], tags: ['summer'] }),
    }
    const cases: [object, (keyof typeof made)[]][] = [
      [{}, ['red', 'blue', 'draft']],
      [{ tag: 'summer' }, ['red', 'draft']],
      [{ tag: 'summer', status: 'ACTIVE' }, ['red']],
      [{ categoryId: root.id }, ['red']],
      [{ category: 'oil-lamps' }, ['red']],
      [{ 'attribute.Colour': ['Red', 'Blue'] }, ['red', 'blue']],
      [{ 'attribute.Colour': 'Blue' }, ['blue']],
      [{ market: 'us', priceFrom: '901' }, ['red', 'draft']],
      [{ query: 'storm' }, ['red', 'blue']],
      [{ query: 'storm', tag: 'winter' }, ['blue']],
      [{ sku: 'RED-1' }, ['red']],
      [{ slug: 'storm-kettle' }, ['blue']],
      [{ id: [made.red.id, made.draft.id] }, ['red', 'draft']],
    ]
    for (const [filters, names] of cases) {
      const tried = await tryEdit(shop, { filters }, [{ field: 'taxClass', op: 'set', value: 'reduced' }])
      const found = (await itemsOf(shop, tried.id)).map(({ productId }) => productId)
      const wanted = names.map((name) => made[name].id).sort()
      assert.deepEqual(found.toSorted(), wanted, JSON.stringify(filters))
      assert.deepEqual(tried.filters, filters)
    }
  })

  test('that the list of products does not take are refused', async () => {
    const shop = await used.make.shop()
    const refusalOf = async (filters: object) => {
      const changes = [{ field: 'taxClass', op: 'set', value: 'reduced' }]
      return refusal(
        await shop.admin.post(`${shop.path}/bulk-edits`, { list: 'products', select: { filters }, changes }),
      )
    }
    assert.deepEqual(
      await refusalOf({ colour: 'red' }),
      '422 VALIDATION_FAILED select.filters.colour UNKNOWN_PARAMETER',
    )
    assert.deepEqual(await refusalOf({ limit: '5' }), '422 VALIDATION_FAILED select.filters.limit UNKNOWN_PARAMETER')
    assert.deepEqual(await refusalOf({ status: 'GONE' }), '422 VALIDATION_FAILED select.filters.status INVALID')
    assert.deepEqual(await refusalOf({ priceFrom: '5' }), '422 VALIDATION_FAILED market REQUIRED')
    assert.deepEqual(await refusalOf({ categoryId: 'cat_none' }), '422 VALIDATION_FAILED categoryId NOT_FOUND')
  })
})

test('changes that make no sense are refused, each at its place', async () => {
  const shop = await used.make.shop()
  const post = (body: object) => shop.admin.post(`${shop.path}/bulk-edits`, { list: 'products', ...body })
  const refusalOf = async (change: object) =>
    refusal(await post({ select: { filters: {} }, changes: [plusFive[0], change] }))
  const price = { field: 'price', marketId: 'us' }
  assert.deepEqual(
    await refusalOf({ field: 'name', op: 'add', value: 'x' }),
    '422 VALIDATION_FAILED changes.1.op INVALID',
  )
  assert.deepEqual(
    await refusalOf({ field: 'slug', op: 'set', value: 'x' }),
    '422 VALIDATION_FAILED changes.1.field INVALID',
  )
  assert.deepEqual(await refusalOf({ field: 'name', op: 'set' }), '422 VALIDATION_FAILED changes.1.value REQUIRED')
  assert.deepEqual(
    await refusalOf({ field: 'name', op: 'set', value: 5 }),
    '422 VALIDATION_FAILED changes.1.value INVALID',
  )
  assert.deepEqual(await refusalOf({ ...price, op: 'percent' }), '422 VALIDATION_FAILED changes.1.bps REQUIRED')
  assert.deepEqual(
    await refusalOf({ ...price, op: 'percent', bps: -10_001 }),
    '422 VALIDATION_FAILED changes.1.bps TOO_SMALL',
  )
  assert.deepEqual(
    await refusalOf({ ...price, op: 'round', to: 100, ending: 100 }),
    '422 VALIDATION_FAILED changes.1.ending INVALID',
  )
  assert.deepEqual(
    await refusalOf({ ...price, op: 'set', value: -1 }),
    '422 VALIDATION_FAILED changes.1.value TOO_SMALL',
  )
  assert.deepEqual(
    await refusalOf({ ...price, marketId: 'fr', op: 'set', value: 1 }),
    '422 VALIDATION_FAILED changes.1.marketId NOT_FOUND',
  )
  for (const select of [{}, { ids: ['prod_1'], filters: {} }])
    assert.deepEqual(refusal(await post({ select, changes: plusFive })), '422 VALIDATION_FAILED select INVALID')
  assert.deepEqual(
    refusal(await post({ select: { ids: [] }, changes: plusFive })),
    '422 VALIDATION_FAILED select.ids TOO_FEW',
  )
  const { body } = await shop.admin.get(`${shop.path}/bulk-edits`)
  assert.deepEqual(body.items, [], 'nothing is left behind')
})

test('bulk edits are for who may write products, and belong to their business', async () => {
  const shop = await used.make.shop()
  const other = await used.make.shop()
  await used.make.product(shop)
  const tried = await tryEdit(shop, { filters: {} }, plusFive)
  const at = `${other.path}/bulk-edits/${tried.id}`
  for (const path of [at, `${at}/items`]) assert.equal((await other.admin.get(path)).status, 404)
  for (const verb of ['apply', 'undo', 'cancel', 'discard'])
    assert.equal((await other.admin.post(`${at}/${verb}`, undefined)).status, 404)
  const clerk = await used.make.member(shop.id, 'ORDERS_WRITE')
  assert.equal((await clerk.get(`${shop.path}/bulk-edits`)).status, 403)
})
