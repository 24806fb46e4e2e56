import assert from 'node:assert/strict'
import { test } from 'node:test'
import { notify } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import { newId } from '#vocabulary/ids.ts'
import type { Client } from '../../support/client.ts'
import { onServer } from '../../support/database.ts'
import { findSequentialScans, findWalks, recordStatements } from '../../support/explain.ts'
import { until } from '../../support/until.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

/** Until this process has heard its own news a second time, from the database: after that nothing more is forgotten. */
async function allIsHeard(): Promise<void> {
  const { databases, listener } = used.api.services
  const topic = `test-${newId('x')}`
  let times = 0
  listener.on(topic, () => void times++)
  await transaction(databases.control, (tx) => notify(tx, topic, 'x'))
  await until('it is heard twice', () => times === 2)
}

const isFrame = (text: string) => /^\s*(begin|commit|rollback\s*$)/i.test(text)

/** What one call says to the databases, without the frame of its transaction. */
async function statementsOf(call: () => ReturnType<Client['get']>, status = 200): Promise<string[]> {
  const statements = await recordStatements(async () => {
    const answer = await call()
    assert.equal(answer.status, status, answer.text)
  })
  return statements.map(({ text }) => text).filter((text) => !isFrame(text))
}

const variantsOf = (count: number, body: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => ({ id: `v${index}`, ...body(index) }))
const priced = (price: number) => ({
  pricing: {
    markets: [
      { marketId: 'us', price },
      { marketId: 'de', price },
    ],
  },
})

async function makeKnownShop() {
  const shop = await used.make.shop()
  const guest = await used.make.guest()
  const make = (name: string, body: object = {}) => used.make.product(shop, { name, ...body })
  const known = async () => {
    await allIsHeard()
    for (const caller of [guest, shop.admin]) assert.equal((await caller.get(shop.products)).status, 200)
  }
  return { ...shop, guest, make, known }
}

test('reading a product, listing twenty and finding some costs one round trip, a typo two', async () => {
  const { guest, admin, products, make, known } = await makeKnownShop()
  const variants = variantsOf(20, (index) => ({ sku: `SKU-${index}`, ...priced(100), inventory: { quantity: 5 } }))
  const made: { path: string }[] = []
  for (let index = 0; index < 21; index++) made.push(await make(`Lamp ${index}`, { category: 'lamps', variants }))
  await known()

  const ids = made.map(({ path }) => `id=${path.split('/').at(-1)}`).join('&')
  for (const caller of [guest, admin]) {
    const count = async (path: string) => (await statementsOf(() => caller.get(path))).length
    assert.equal(await count(made[0]?.path ?? ''), 1)
    assert.equal(await count(`${products}?limit=20`), 1)
    const { body } = await caller.get(`${products}?limit=20`)
    assert.equal(body.items.length, 20)
    assert.equal(await count(`${products}?limit=20&cursor=${body.cursor}`), 1)
    for (const query of [
      'category=lamps',
      'slug=lamp-1',
      'status=ACTIVE',
      'query=lamp',
      'query=la&category=lamps',
      ids,
    ]) {
      assert.equal(await count(`${products}?${query}`), 1, query)
    }
    for (const query of ['sku=SKU-1', 'sku=SKU-1&category=lamps', 'query=la&sku=SKU-1']) {
      assert.equal(await count(`${products}?${query}`), 1, query)
    }
    assert.equal(await count(`${products}?query=lmap`), 2)
    assert.equal(await count(`${products}?query=nothing`), 2)
    assert.equal(await count(`${products}?query=${encodeURIComponent('!?')}`), 0)
  }
  assert.equal((await statementsOf(() => admin.get(`${made[0]?.path}/variants/v0/stock`))).length, 1)
})

test('changing a product with 500 variants takes at most five statements, whatever changes', async (t) => {
  const { admin, make, known } = await makeKnownShop()
  const variants = variantsOf(500, (index) => ({ sku: `SKU-${index}`, ...priced(100), inventory: { quantity: 5 } }))
  const { path } = await make('Large', { variants })
  await known()
  const changes: [what: string, body: object][] = [
    ['nothing', {}],
    ['its name', { name: 'Larger' }],
    ['a status', { statuses: [{ status: 'ARCHIVED' }] }],
    ['all quantities', { variants: variantsOf(500, (index) => ({ inventory: { quantity: index } })) }],
    ['the same quantities', { variants: variantsOf(500, (index) => ({ inventory: { quantity: index } })) }],
    ['all prices', { variants: variantsOf(500, (index) => priced(index)) }],
    ['all prices and quantities', { variants: variantsOf(500, () => ({ ...priced(7), inventory: { quantity: 7 } })) }],
    ['the order', { variants: variantsOf(500, () => ({})).toReversed() }],
    ['half of them', { variants: variantsOf(250, () => ({})) }],
    ['all of them back, and more', { variants: variantsOf(600, () => ({ name: 'New', inventory: { quantity: 1 } })) }],
  ]
  for (const [what, body] of changes) {
    const started = performance.now()
    const statements = await statementsOf(() => admin.put(path, body))
    t.diagnostic(`${what}: ${statements.length} statements, ${Math.round(performance.now() - started)} ms`)
    assert.ok(statements.length <= 5, `${what}: ${statements.join('\n\n')}`)
  }
  const { body } = await admin.get(path)
  assert.deepEqual([body.variants.length, body.variants[599].inventory.quantity], [600, 1])
})

test('creating a product takes at most six statements, moving stock three', async () => {
  const { admin, products, make, known } = await makeKnownShop()
  const taken = await make('Taken')
  await known()
  const variants = variantsOf(500, (index) => ({ sku: `SKU-${index}`, ...priced(100), inventory: { quantity: 5 } }))
  const count = async (body: object) => (await statementsOf(() => admin.post(products, body), 201)).length

  assert.ok((await count({ name: 'Plain' })) <= 6)
  assert.ok((await count({ name: 'With a slug', slug: 'with-a-slug' })) <= 6)
  assert.ok((await count({ name: 'Large', variants })) <= 6)
  assert.ok((await count({ name: 'Taken', variants })) <= 6, 'also when the name’s slug is taken')
  const move = () => admin.post(`${taken.path}/variants/one/stock`, { delta: -1 })
  assert.ok((await statementsOf(move, 201)).length <= 3)
})

const KEYS = {
  'catalog.products': ['business_id', 'id'],
  'catalog.variants': ['business_id', 'product_id', 'id'],
  'catalog.stock': ['business_id', 'product_id', 'variant_id'],
}
const PRODUCTS = 20_000
/** With a single product, as most have it: a plan for the average business is a bad one for the large one. */
const OTHERS = 10_000

/** Eight letters, the same for the same number. */
const word = (number: string) => `translate(substr(md5((${number})::text), 1, 8), '0123456789', 'ghijklmnop')`

/**
 * Products of one business: the name is a common word (`shirt` in every fourth), one of 500 and one of its own; the category one
 * of 40; the description twenty of 2,000 words and `item`, which is everywhere. Two variants each.
 */
const fill = (from: string, business: string) => `
  insert into catalog.products
         (business_id, id, name, slug, description, category, gallery, blocks, statuses, status, version, public_document, document, created_at, updated_at)
  select ${business}, 'prod_' || lpad(n::text, 26, '0'), 'Product ' || n, 'product-' || n, '', 'category-' || n % 40, '[]', '[]', '[]',
         (array['ACTIVE', 'ACTIVE', 'ACTIVE', 'DRAFT', 'ARCHIVED'])[n % 5 + 1], 1, '{}',
         '{"id":"prod_' || lpad(n::text, 26, '0') || '","name":"Product ' || n || '","description":"' || repeat('lorem ', 200)
         || '","variants":[{"id":"a","inventory":{"quantity":' || chr(1) || '}},{"id":"b","inventory":{"quantity":' || chr(1) || '}}]}',
         now(), now()
    from ${from};
  insert into catalog.variants (business_id, product_id, id, position, name, sku, attributes, prices, gallery)
  select ${business}, 'prod_' || lpad(n::text, 26, '0'), variant, position, 'Name', 'SKU-' || n || variant, '[]', '[{"marketId":"us","currency":"USD","price":0}]', '[]'
    from ${from}, (values ('a', 0), ('b', 1)) as each (variant, position);
  insert into catalog.stock (business_id, product_id, variant_id, position, tracked, quantity, version)
  select ${business}, 'prod_' || lpad(n::text, 26, '0'), variant, position, true, 10, 1
    from ${from}, (values ('a', 0), ('b', 1)) as each (variant, position);
  insert into catalog.stock_movements (business_id, product_id, variant_id, number, delta, quantity, kind, created_at)
  select ${business}, 'prod_' || lpad(n::text, 26, '0'), variant, 1, 10, 10, 'MANUAL', now()
    from ${from}, (values ('a'), ('b')) as each (variant);
  insert into catalog.search (business_id, product_id, status, category, terms)
  select ${business}, 'prod_' || lpad(n::text, 26, '0'), (array['ACTIVE', 'ACTIVE', 'ACTIVE', 'DRAFT', 'ARCHIVED'])[n % 5 + 1],
         'category-' || n % 40,
         (select string_agg(distinct term, ' ') from (
            select '''' || ${word('n')} || ''':1A' as term union all
            select '''' || ${word("'m' || n % 500")} || ''':1A' union all
            select '''' || (array['shirt', 'chair', 'table', 'clock'])[n % 4 + 1] || ''':1A' union all
            select '''category'':1B' union all select '''item'':1D' union all
            select '''sku' || n || 'a'':1B' union all select '''sku' || n || 'b'':1B' union all
            select '''' || ${word("'d' || (n * 7 + k * 131) % 2000")} || ''':1D' from generate_series(1, 20) k
         ) as terms)::tsvector
    from ${from};
  create temporary table words on commit drop as
  select distinct ${business} as business_id, word
    from ${from}, lateral (values (${word('n')}), (${word("'m' || n % 500")}), (${word("'d' || n % 2000")}),
                                  ('shirt'), ('chair'), ('table'), ('clock'), ('category'), ('item')) as each (word);
  insert into catalog.spellings (business_id, spelling, word)
  select distinct business_id, spelling, word
    from words, lateral (select word as spelling union select overlay(word placing '' from at for 1)
                           from generate_series(1, length(word)) at) as shortened
      on conflict do nothing;
  drop table words;`

const percentile = (times: number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0

test('among 10,000 businesses, one with 20,000 products reads no table whole and answers fast', async (t) => {
  const { id, admin, path, products, guest } = await makeKnownShop()
  const { cell } = await used.api.services.databases.control
    .selectFrom('access.businesses')
    .select('cell')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const database = cell === 'main' ? used.api.databases.main : used.api.databases.second
  const first = `prod_${'1'.padStart(26, '0')}`
  const started = performance.now()
  await onServer(async (client) => {
    await client.query('begin; set local session_replication_role = replica; set local synchronous_commit = off')
    for (const table of ['products', 'variants', 'stock', 'stock_movements', 'search', 'spellings']) {
      await client.query(`alter table catalog.${table} set (autovacuum_enabled = false)`) // plans are the same in every run
    }
    // An index is made faster than it is kept up row by row.
    const { rows } = await client.query<{ def: string }>(
      "select pg_get_indexdef('catalog.search_terms'::regclass) as def",
    )
    await client.query('drop index catalog.search_terms')
    await client.query(fill(`generate_series(1, ${PRODUCTS}) n`, `'${id}'`))
    const others = `(select 'biz_other' || b as b, ${PRODUCTS} + b as n from generate_series(1, ${OTHERS}) b) as made`
    await client.query(fill(others, 'b'))
    await client.query(`
      insert into catalog.stock_movements (business_id, product_id, variant_id, number, delta, quantity, kind, created_at)
      select '${id}', '${first}', 'a', n, 1, n + 9, 'MANUAL', now() from generate_series(2, 20000) n;
      update catalog.stock set version = 20000, quantity = 20009
       where business_id = '${id}' and product_id = '${first}' and variant_id = 'a'`)
    await client.query(rows[0]?.def ?? '')
    await client.query('commit')
    await client.query('vacuum analyze')
  }, database.url)
  t.diagnostic(`filled in ${Math.round(performance.now() - started)} ms`)
  const { rows } = await onServer(
    (client) => client.query(`select ${word("'m7'")} as some, ${word('4242')} as one, ${word("'d9'")} as described`),
    database.url,
  )
  const { some, one, described } = rows[0] as { some: string; one: string; described: string }
  const typo = (text: string) => `${text[1]}${text[0]}${text.slice(2)}`
  const asked: Record<string, string> = {
    get: `/${first}`,
    list: '?limit=20',
    'list by category': '?category=category-7',
    'list by slug': '?slug=product-4242',
    'list by status': '?status=ACTIVE',
    'list by ids': `?limit=100&${Array.from({ length: 100 }, (_, index) => `id=prod_${String(index * 199 + 1).padStart(26, '0')}`).join('&')}`,
    'list by sku': '?sku=SKU-4242b',
    'search: one': `?query=${one}`,
    'search: beginning': `?query=${some.slice(0, 4)}`,
    'search: 40': `?query=${some}`,
    'search: two words': `?query=shirt+${described}`,
    'search: 200, in descriptions': `?query=${described}`,
    'search: 5,000': '?query=shirt',
    'search: 5,000 in a category': '?query=shirt&category=category-8',
    'search: 20,000 by sku': '?query=item&sku=SKU-4242b',
    'search: all 20,000': '?query=item',
    'search: nothing': '?query=zzzzzzzzz',
    'typo: one': `?query=${typo(one)}`,
    'typo: 40': `?query=${typo(some)}`,
    'typo: two words': `?query=clcok+${typo(some)}`,
    'typo: 5,000': '?query=shrit',
    ledger: `/${first}/variants/a/stock`,
  }
  await allIsHeard()
  const statements = await recordStatements(async () => {
    for (const [what, path] of Object.entries(asked)) {
      const answer = await admin.get(products + path)
      assert.equal(answer.status, 200, `${what}: ${answer.text}`)
      if (what === 'search: nothing') continue
      assert.ok(what === 'get' || answer.body.items.length > 0, what)
      if (!answer.body.cursor) continue
      const next = await admin.get(`${products}${path}${path.includes('?') ? '&' : '?'}cursor=${answer.body.cursor}`)
      assert.equal(next.status, 200, `${what}: ${next.text}`)
    }
    const { status } = await admin.put(`${products}/${first}`, {
      name: 'Renamed',
      variants: [{ id: 'a', inventory: { quantity: 3 } }],
    })
    assert.equal(status, 200)
    assert.equal((await admin.post(`${products}/${first}/variants/a/stock`, { delta: 1 })).status, 201)
    assert.equal((await admin.post(products, { name: 'Wholly new' })).status, 201)
    assert.equal((await admin.delete(`${products}/${first}`)).status, 200)
  })
  assert.deepEqual(await findSequentialScans(statements), [])

  const items = [6, 7, 11].map((n) => ({
    productId: `prod_${String(n).padStart(26, '0')}`,
    variantId: 'a',
    quantity: 1,
  }))
  const buying = await recordStatements(async () => {
    const quote = await guest.post('/v1/payments/quote', { businessId: id, market: 'us', items })
    assert.equal(quote.status, 200, quote.text)
    const order = await guest.post(`${path}/orders/checkout`, { market: 'us', items })
    assert.equal(order.status, 200, order.text)
  })
  assert.deepEqual(await findWalks(buying, KEYS), [], 'what is bought is found by its whole key')

  for (const [what, path] of Object.entries(asked)) {
    if (what === 'get' || what === 'ledger') continue
    const times: number[] = []
    for (let round = 0; round < 40; round++) {
      const started = performance.now()
      assert.equal((await (what === 'list by status' ? admin : guest).get(products + path)).status, 200)
      times.push(performance.now() - started)
    }
    t.diagnostic(
      `${what}: median ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`,
    )
  }
})
