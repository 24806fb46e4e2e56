import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onServer } from '../../support/database.ts'
import { findSequentialScans, recordStatements } from '../../support/explain.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ own: true })

const MANY = 45_000
const BRANCHES = 5_000

test('among 45,000 products a page looks at 20,000 at most, goes on from there, and reads no table whole', async (t) => {
  const { id, admin, products } = await used.make.shop()
  const { cell } = await used.api.services.databases.control
    .selectFrom('access.businesses')
    .select('cell')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const database = cell === 'main' ? used.api.databases.main : used.api.databases.second
  const guest = await used.make.guest()
  // Every tenth is tagged d3, every 9,000th is rare; only the last hundred are in stock.
  await onServer(async (client) => {
    await client.query('set statement_timeout = 0')
    await client.query(`
      insert into catalog.products
             (business_id, id, name, slug, description, category, gallery, blocks, statuses, status, version, document, public_document, created_at, updated_at)
      select '${id}', 'prod_' || lpad(n::text, 26, '0'), 'Product ' || n, 'product-' || n, '', '', '[]', '[]', '[]',
             'ACTIVE', 1, '{"id":"' || n || '"}', '{}', now(), now()
        from generate_series(1, ${MANY}) as n`)
    await client.query(`
      insert into catalog.listing (business_id, market_id, product_id, status, name_key, price, category, is_in_stock, marks)
      select '${id}', market_id, 'prod_' || lpad(n::text, 26, '0'), 'ACTIVE', 'product ' || lpad(n::text, 6, '0'),
             case when market_id <> '' then n end, 'c' || n % ${BRANCHES}, n > ${MANY - 100},
             array['c:c' || n % ${BRANCHES}] || array['t:all', 't:d' || n % 10] || case when n % 9000 = 0 then array['t:rare'] else '{}' end
        from generate_series(1, ${MANY}) as n, (values (''), ('us')) as market (market_id)`)
    await client.query(`
      insert into catalog.categories (business_id, id, parent_id, name, slug, position, description, seo, translations, created_at, updated_at)
      select business_id, 'cat_' || n, case when n > 0 then 'cat_0' end, 'Branch', 'c' || n, 0, '', '{}', '{}', now(), now()
        from generate_series(0, ${BRANCHES - 1}) as n, unnest(array['${id}', 'biz_1', 'biz_2', 'biz_3', 'biz_4', 'biz_5']) as business_id`)
    await client.query('vacuum analyze catalog.listing, catalog.products, catalog.categories')
  }, database.url)

  const pagesOf = async (query: string) => {
    const pages: number[][] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body, status, text } = await guest.get(`${products}?${query}&limit=100&cursor=${cursor}`)
      assert.equal(status, 200, text)
      pages.push(body.items.map((item: { id: string }) => Number(item.id)))
      cursor = body.cursor
    }
    return pages
  }
  const upTo = (count: number, step: (at: number) => number) => Array.from({ length: count }, (_, at) => step(at))
  const inStock = upTo(100, (at) => MANY - 99 + at)
  const statements = await recordStatements(async () => {
    for (const sort of ['name', 'price']) {
      const pages = await pagesOf(`inStock=true&market=us&sort=${sort}`)
      assert.deepEqual(pages.slice(0, 2), [[], []], 'twice it has looked far enough')
      assert.deepEqual(pages.flat(), inStock, sort)
    }
    assert.deepEqual((await pagesOf('inStock=true')).flat(), inStock.toReversed())
    const tenth = (await pagesOf('tag=d3&market=us&sort=price&priceFrom=30000')).flat()
    assert.deepEqual(
      tenth,
      upTo(1_500, (at) => 30_003 + at * 10),
    )
    assert.deepEqual(
      (await pagesOf('tag=d3&sort=name')).flat(),
      upTo(4_500, (at) => 3 + at * 10),
      'walked',
    )
    assert.deepEqual(
      (await pagesOf('tag=rare')).flat(),
      upTo(5, (at) => MANY - at * 9_000),
      'sorted',
    )
    const inBranches = await pagesOf('categoryId=cat_0&inStock=true&market=us&sort=price')
    assert.deepEqual(inBranches.flat(), inStock, 'a category with 4,999 below it')
    const first = await guest.get(`${products}?tag=all&market=us&sort=-price&limit=2`)
    assert.deepEqual(
      first.body.items.map((item: { id: string }) => Number(item.id)),
      [MANY, MANY - 1],
    )
    const staff = await admin.get(`${products}?tag=all&sort=name&limit=2`)
    assert.equal(staff.body.items.length, 2)
    const { body } = await guest.get(`${products}/facets?facets=tag,price&market=us`)
    assert.equal(body.items[0].isExact, false)
    assert.deepEqual(body.items[0].values[0], { value: 'all', count: 20_000 })
    assert.deepEqual(body.items[1], { name: 'price', min: 1, max: MANY, isExact: true }, 'both ends are near')
    const late = await guest.get(`${products}/facets?facets=price&market=us&tag=all&inStock=true`)
    assert.equal(late.body.items[0].isExact, false, 'the least one stands behind more than are looked at')
    const rare = await guest.get(`${products}/facets?facets=price&market=us&tag=rare`)
    assert.deepEqual(rare.body.items[0], { name: 'price', min: 9_000, max: 45_000, isExact: true })
  })
  const distinct = [...new Map(statements.map((statement) => [statement.text, statement])).values()]
  assert.deepEqual(await findSequentialScans(distinct), [])
  const wide = [
    '?categoryId=cat_0&inStock=true&sort=name',
    '?categoryId=cat_0&tag=d3',
    '/facets?facets=category,tag,price&market=us&categoryId=cat_0',
  ]
  for (const query of wide) {
    const started = performance.now()
    assert.equal((await guest.get(`${products}${query}`)).status, 200)
    assert.ok(performance.now() - started < 2_000, `${query} takes no more steps for a wide branch than for a leaf`)
  }
  for (const query of ['tag=rare', 'tag=all&sort=name', 'tag=d3&sort=price&market=us', 'inStock=true&sort=name']) {
    const started = performance.now()
    assert.equal((await guest.get(`${products}?${query}`)).status, 200)
    t.diagnostic(`${query}: ${(performance.now() - started).toFixed(1)} ms`)
  }
})

test('facets of products with many marks count fewer products, and say so', async () => {
  const { id, products } = await used.make.shop({ cell: 'main' })
  const guest = await used.make.guest()
  await onServer(
    (client) =>
      client.query(`
        insert into catalog.listing (business_id, market_id, product_id, status, name_key, price, category, is_in_stock, marks)
        select '${id}', '', 'prod_' || lpad(n::text, 26, '0'), 'ACTIVE', 'product', null, '', true,
               array(select 't:' || mark from generate_series(1, 200) as mark)
          from generate_series(1, 1500) as n`),
    used.api.databases.main.url,
  )
  const { body } = await guest.get(`${products}/facets?facets=tag`)
  const [{ values, isExact }] = body.items
  assert.deepEqual([isExact, values.length], [false, 50])
  assert.ok(values[0].count > 900 && values[0].count <= 1_000, `${values[0].count} of 1,500`)
})
