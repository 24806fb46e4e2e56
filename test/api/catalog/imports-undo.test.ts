import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  countsOf,
  dryRun,
  eventsOf,
  faultsIn,
  importFile,
  importLines,
  movementsOf,
  steerImport,
  toLines,
} from '../../support/imports.ts'
import { refusal } from '../../support/refusal.ts'
import { useWorld } from '../../support/world.ts'

const used = useWorld({ worker: 'catalog' })
after(() => assert.deepEqual(faultsIn(used.lines), [], 'nothing was logged as our fault'))

type Shop = Awaited<ReturnType<typeof used.make.shop>>
// biome-ignore lint/suspicious/noExplicitAny: what a test expects of a body is for the test to say
type Body = any // oxlint-disable-line typescript/no-explicit-any

const range = (count: number, from = 1) => Array.from({ length: count }, (_, index) => index + from)
const lamp = (number: number, price: number, more: object = {}) => ({
  name: `Lamp ${number}`,
  slug: `lamp-${number}`,
  description: 'Bright.',
  statuses: [{ status: 'ACTIVE' }],
  variants: [
    {
      name: 'Red',
      sku: `L-${number}-R`,
      pricing: {
        markets: [
          { marketId: 'us', price, compareAtPrice: price + 500 },
          { marketId: 'de', price: 900 },
        ],
      },
      inventory: { quantity: 5, lowStockThreshold: 2 },
    },
    { name: 'Blue', sku: `L-${number}-B`, inventory: { quantity: 3 } },
  ],
  ...more,
})
const bySlug = async (shop: Shop, slug: string): Promise<Body> =>
  (await shop.admin.get(`${shop.products}?slug=${slug}`)).body.items[0]

/**
 * A product as a person sees it, without its stock and its history of statuses. The lowest price of the last 30 days is
 * what it was: the import's price did hold for a while.
 */
const shown = ({ updatedAt: _at, statuses, variants, ...product }: Body) => ({
  ...product,
  status: statuses.at(-1).status,
  variants: variants.map(({ inventory: { quantity: _quantity, ...inventory }, pricing, ...variant }: Body) => ({
    ...variant,
    inventory,
    prices: pricing.markets.map(({ lowestOf30Days: _lowest, ...price }: Body) => price),
  })),
})

for (const how of ['after a dry run', 'without one']) {
  test(`an import ${how} is undone: texts, prices, statuses and variants are as they were`, async () => {
    const shop = await used.make.shop()
    await importFile(shop, toLines(range(250).map((number) => lamp(number, 2_000))))
    const before = await Promise.all(range(5).map((number) => bySlug(shop, `lamp-${number}`)))
    const file = toLines([
      ...range(250).map((number) => ({
        slug: `lamp-${number}`,
        name: `New lamp ${number}`,
        description: 'Dim.',
        tags: ['new'],
        statuses: [{ status: 'ARCHIVED' }],
        variants: [
          { sku: `L-${number}-R`, pricing: { markets: [{ marketId: 'us', price: 100 }] }, inventory: { quantity: 50 } },
          { sku: `L-${number}-G`, name: 'Green', inventory: { quantity: 1 } },
        ],
      })),
      lamp(300, 1_000),
    ])
    const applied =
      how === 'without one'
        ? await importFile(shop, file)
        : await steerImport(shop, (await dryRun(shop, file)).id, 'apply')
    assert.equal(countsOf(applied), '1/250/0 of 251')
    const ledger = await movementsOf(shop.db, shop.id)

    const undone = await steerImport(shop, applied.id, 'undo')
    assert.deepEqual([undone.undone, undone.kept], [251, 0])
    assert.deepEqual(
      (await Promise.all(range(5).map((number) => bySlug(shop, `lamp-${number}`)))).map(shown),
      before.map(shown),
    )
    assert.deepEqual(await movementsOf(shop.db, shop.id), ledger, 'stock is left alone')
    assert.deepEqual(
      (await bySlug(shop, 'lamp-1')).variants.map(({ inventory }: Body) => inventory.quantity),
      [50, 3],
    )
    assert.equal((await bySlug(shop, 'lamp-300')).statuses.at(-1).status, 'ARCHIVED', 'what it had made is archived')
    const again = await shop.admin.post(`${shop.products}/imports/${applied.id}/undo`, {})
    assert.deepEqual([again.status, again.body.status], [202, 'UNDONE'], 'asking again changes nothing')
  })
}

test('what somebody has changed since stays, and is listed', async () => {
  const shop = await used.make.shop()
  await importFile(shop, toLines(range(4).map((number) => lamp(number, 2_000))))
  const done = await importFile(shop, toLines(range(6).map((number) => lamp(number, 3_000))))
  const [edited, gone, made] = await Promise.all([1, 2, 5].map((number) => bySlug(shop, `lamp-${number}`)))
  await shop.admin.put(`${shop.products}/${edited.id}`, { description: 'By hand.' })
  await shop.admin.delete(`${shop.products}/${gone.id}`)
  await shop.admin.put(`${shop.products}/${made.id}`, { category: 'kept' })
  const undone = await steerImport(shop, done.id, 'undo')
  assert.deepEqual([undone.undone, undone.kept], [3, 3])
  assert.deepEqual(
    (await importLines(shop, done.id, '&status=KEPT')).map(({ number }) => number),
    [1, 2, 5],
  )
  const still = await bySlug(shop, 'lamp-1')
  assert.deepEqual([still.description, still.variants[0].pricing.markets[0].price], ['By hand.', 3_000])
  assert.equal((await bySlug(shop, 'lamp-5')).statuses.at(-1).status, 'ACTIVE')
  assert.equal((await bySlug(shop, 'lamp-3')).variants[0].pricing.markets[0].price, 2_000)
  const [event] = await eventsOf(shop.db, shop.id, 'import.undone')
  if (event) assert.deepEqual([event.actorId, event.data], [shop.admin.id, { undone: 3, kept: 3 }])
})

test('several lines about one product are undone from the last to the first', async () => {
  const shop = await used.make.shop()
  await importFile(shop, toLines([lamp(1, 2_000)]))
  const before = await bySlug(shop, 'lamp-1')
  const done = await importFile(
    shop,
    toLines([
      { slug: 'lamp-1', name: 'One' },
      lamp(2, 100),
      { slug: 'lamp-1', description: 'Two' },
      { slug: 'lamp-2', name: 'Of two' },
      { slug: 'lamp-1', category: 'three' },
    ]),
  )
  assert.equal(countsOf(done), '1/4/0 of 5')
  const undone = await steerImport(shop, done.id, 'undo')
  assert.deepEqual([undone.undone, undone.kept], [5, 0])
  assert.deepEqual(shown(await bySlug(shop, 'lamp-1')), shown(before))
  const { name, statuses } = await bySlug(shop, 'lamp-2')
  assert.deepEqual([name, statuses.at(-1).status], ['Lamp 2', 'ARCHIVED'])
})

test('an import that was not kept for it cannot be undone', async () => {
  const shop = await used.make.shop()
  const done = await importFile(shop, toLines([lamp(1, 100)]))
  await shop.db.updateTable('catalog.imports').set({ isUndoable: false }).where('id', '=', done.id).execute()
  const refused = await shop.admin.post(`${shop.products}/imports/${done.id}/undo`, {})
  assert.equal(refusal(refused), '409 CONFLICT total TOO_LARGE')
})

test('a product whose old slug is taken stays as it is; all others are put back', async () => {
  const shop = await used.make.shop()
  const inGerman = (slug: string) => ({ translations: { de: { name: 'Lampe', slug } } })
  const ids = range(3)
  await importFile(shop, toLines(ids.map((number) => lamp(number, 1_000, inGerman(`lampe-${number}`)))))
  const report = await dryRun(shop, toLines(ids.map((number) => lamp(number, 2_000, inGerman(`leuchte-${number}`)))))
  await steerImport(shop, report.id, 'apply')
  const taken = await shop.admin.post(shop.products, { name: 'Faster', slug: 'lampe-2' })
  assert.equal(taken.status, 201, taken.text)

  const undone = await steerImport(shop, report.id, 'undo')
  assert.deepEqual([undone.undone, undone.kept], [2, 1])
  const pricesOf = async (number: number) =>
    (await bySlug(shop, `lamp-${number}`)).variants[0].pricing.markets[0].price as number
  assert.deepEqual(await Promise.all(ids.map(pricesOf)), [1_000, 2_000, 1_000])
})
