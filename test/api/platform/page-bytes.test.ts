import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { lazily } from '#platform/lazily.ts'
import type { Client } from '../../support/client.ts'
import { importErrors, importFile, NDJSON } from '../../support/imports.ts'
import { largestRead } from '../../support/read-bytes.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ worker: 'catalog' })

const MAX_PAGE_BYTES = 4_000_000
/** A page ends before it gets too large, unless its first record is; some bytes go to what is around the records. */
const LARGEST = MAX_PAGE_BYTES + 50_000

type Page = { items: { id: string }[]; cursor: string | null }

/** All pages of a list, none of which may be too large; what they hold, in their order. */
async function readAll(caller: Pick<Client, 'get'>, path: string, limit = 100) {
  const ids: string[] = []
  let pages = 0
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const answer = await caller.get(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}&cursor=${cursor}`)
    assert.equal(answer.status, 200, answer.text.slice(0, 500))
    const bytes = Buffer.byteLength(answer.text)
    assert.ok(bytes <= LARGEST, `a page of ${path} has ${bytes} bytes`)
    const page: Page = answer.body
    assert.ok(page.items.length > 0, 'a page holds at least one record')
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.cursor
  }
  return { ids, pages }
}

const LONG = 'word '.repeat(19_000)
const largeProduct = (number: number) => ({
  name: `Large ${number}`,
  category: 'large',
  description: LONG,
  blocks: [{ id: 'long', type: 'TEXT', value: LONG }],
})

/** Made once: tests only read them. */
const useLargeProducts = lazily(async () => {
  const shop = await used.make.shop()
  const ids: string[] = []
  for (let number = 1; number <= 25; number++) ids.push((await used.make.product(shop, largeProduct(number))).id)
  return { ...shop, ids }
})

test('lists and searches of large products end a page at 4 MB, and neither skip nor repeat one', async () => {
  const { products, ids: made, admin } = await useLargeProducts()
  const newestFirst = made.toReversed()
  const guest = await used.make.guest()
  for (const path of [products, `${products}?category=large`, `${products}?query=large`, `${products}?query=larqe`]) {
    const { ids, pages } = await readAll(guest, path)
    assert.deepEqual(ids, newestFirst, path)
    assert.equal(pages, 2, path)
  }
  const { ids } = await readAll(admin, products, 7)
  assert.deepEqual(ids, newestFirst, 'with a smaller limit')
  assert.ok((await largestRead(() => guest.get(`${products}?limit=100`))) <= LARGEST, 'the database hands out no more')
})

test('an export of large products reads no more than 4 MB at once, and all of them', async () => {
  const { products, ids, admin } = await useLargeProducts()
  for (const format of ['ndjson', 'csv']) {
    const read = await largestRead(async () => {
      const { text } = await admin.get(`${products}/export?format=${format}`)
      const lines = text.trim().split('\n')
      if (format === 'csv') assert.equal(lines.length, 26)
      else
        assert.deepEqual(
          lines.map((line) => (JSON.parse(line) as { id: string }).id),
          ids,
        )
    })
    assert.ok(read <= LARGEST, `${format}: ${read} bytes at once`)
  }
})

test('of large products that entries point at, no more than 4 MB are read', async () => {
  const { path, ids, admin } = await useLargeProducts()
  const settings = { targetType: 'PRODUCT' }
  const blocks = ids.map((value, index) => ({ id: `p${index}`, type: 'RELATIONSHIP', settings, value }))
  const made = await admin.post(`${path}/entries`, { owner: 'reservation:r1', blocks })
  assert.equal(made.status, 201, made.text)
  const asked = `${path}/entries/${made.body.id}?include=relations`
  const read = await largestRead(async () => {
    const { body, text } = await admin.get(asked)
    const found = Object.keys(body.relations.PRODUCT)
    assert.ok(found.length > 10 && found.length < 25, `${found.length} products`)
    assert.deepEqual(found, ids.slice(0, found.length), 'the first ones')
    assert.ok(text.length <= LARGEST)
  })
  assert.ok(read <= LARGEST, `${read} bytes`)
})

test('a list of large orders ends a page at 4 MB, and neither skips nor repeats one', async () => {
  const shop = await used.make.shop()
  const customer = await used.make.user()
  const mug = await used.make.product(shop)
  const line = { productId: mug.id, variantId: 'one', quantity: 1, unitPrice: 100, totalPrice: 100 }
  const figures = { market: 'us', lines: [line], subtotal: 100, tax: 0, shipping: 0, total: 100 }
  const blocks = [{ id: 'note', type: 'TEXT', value: LONG }]
  const ids: string[] = []
  for (let count = 0; count < 50; count++) {
    const made = await shop.admin.post(`${shop.path}/orders`, { ...figures, customerId: customer.id, blocks })
    assert.equal(made.status, 201, made.text)
    ids.unshift(made.body.id)
  }
  for (const caller of [shop.admin, customer]) {
    const { ids: listed, pages } = await readAll(caller, `${shop.path}/orders`)
    assert.deepEqual(listed, ids)
    assert.equal(pages, 2)
    assert.deepEqual((await readAll(caller, `${shop.path}/orders`, 9)).ids, ids, 'with a smaller limit')
    assert.ok((await largestRead(() => caller.get(`${shop.path}/orders?limit=100`))) <= LARGEST + 100_000)
  }
})

test('a list of businesses with large settings ends a page at 4 MB, and neither skips nor repeats one', async () => {
  const owner = await used.make.user()
  const ids: string[] = []
  for (let count = 0; count < 8; count++) ids.unshift((await used.make.business({ owner })).id)
  const { control } = used.api.services.databases
  // Larger than settings may be.
  const markets = Array.from({ length: 100 }, (_, index) => ({
    id: `m${index}`,
    name: 'n'.repeat(10_000),
    currency: 'USD',
    taxBps: 0,
    taxShipping: false,
    pricesIncludeTax: false,
    taxRates: [],
    shippingMethods: [],
    paymentMethods: [],
  }))
  await sql`update access.businesses set markets = ${JSON.stringify(markets)} where id = any (${ids})`.execute(control)
  const { ids: listed, pages } = await readAll(owner, '/v1/businesses')
  assert.deepEqual(listed, ids.toSorted().toReversed())
  assert.equal(pages, 3)
  assert.ok((await largestRead(() => owner.get('/v1/businesses?limit=100'))) <= LARGEST + 1_100_000)
})

test('the long lines of an import that failed are not read to be shortened', async () => {
  const shop = await used.make.shop()
  const bad = JSON.stringify({ description: LONG })
  const { id, failed } = await importFile(shop, Array.from({ length: 50 }, () => `${bad}\n`).join(''), NDJSON)
  assert.equal(failed, 50)
  const read = await largestRead(async () => {
    const [first, ...more] = await importErrors(shop, id)
    assert.equal(more.length, 49)
    assert.equal(first?.line, `${bad.slice(0, 500)}…`)
  })
  assert.ok(read < 100_000, `${read} bytes`)
})

test('what is wrong with a line is kept short, however long the key that it names', async () => {
  const shop = await used.make.shop()
  const bad = `{"${'k'.repeat(900_000)}":"\\u0000"}\n`
  const { id, failed } = await importFile(shop, bad.repeat(6), NDJSON)
  assert.equal(failed, 6)
  const answer = await shop.admin.get(`${shop.products}/imports/${id}/errors?limit=100`)
  assert.equal(answer.body.items.length, 6)
  assert.match(answer.body.items[0].details[0].message, /^k{500}…$/)
  assert.ok(answer.text.length < 20_000, `${answer.text.length} characters`)
})
