import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rebuildProducts } from '#modules/catalog/index.ts'
import { type Product, ProductChanges, VARIANT_FILTERS, Variant } from '#modules/catalog/schemas.ts'
import type { Flat } from '#platform/transfer/columns.ts'
import { CSV, importFile, NDJSON } from '../../support/imports.ts'
import { useWorld } from '../../support/world.ts'

// A field of a variant passes through many hands. Here each of them is tried with every field that the schema has.

const used = useWorld({ worker: 'catalog' })

type Shown = Product['variants'][number]
type Fields = Flat<Shown, 'inventory'>
type Path = keyof Fields

/** Two values of each field. What a variant has to be found by stays. */
const SAMPLES: { [Name in Path]-?: [NonNullable<Fields[Name]>, NonNullable<Fields[Name]>] } = {
  id: ['red', 'red'],
  name: ['Red', 'Dark red'],
  sku: ['TS-RED', 'TS-DARK-RED'],
  attributes: [[{ name: 'Colour', value: 'Red' }], [{ name: 'Colour', value: 'Dark red' }]],
  translations: [
    { de: { name: 'Rot' } },
    { de: { name: 'Dunkelrot', attributes: [{ name: 'Farbe', value: 'Dunkelrot' }] } },
  ],
  pricing: [
    { markets: [{ marketId: 'us', currency: 'USD', price: 1_000, compareAtPrice: 2_000 }] },
    { markets: [{ marketId: 'us', currency: 'USD', price: 1_000, compareAtPrice: 2_100 }] },
  ],
  gallery: [
    [{ id: 'front', url: 'https://images.example/front.png', mimeType: 'image/png' }],
    [{ id: 'back', url: 'https://images.example/back.jpg', mimeType: 'image/jpeg' }],
  ],
  'inventory.tracked': [false, true],
  'inventory.quantity': [7, 9],
  'inventory.lowStockThreshold': [2, 3],
  'inventory.maxPerOrder': [5, 6],
}
const PATHS = Object.keys(SAMPLES) as Path[]

/** A variant that has the first, or the second, value of each field. */
function variantOf(which: 0 | 1) {
  const variant: Record<string, unknown> = {}
  const inventory: Record<string, unknown> = {}
  for (const path of PATHS) {
    const [group, field = ''] = path.split('.')
    if (group === 'inventory') inventory[field] = SAMPLES[path][which]
    else variant[path] = SAMPLES[path][which]
  }
  return { ...variant, inventory }
}

const valueAt = (variant: Shown, path: Path): unknown =>
  path.split('.').reduce((value: unknown, name) => (value as Record<string, unknown>)[name], variant)

type Shop = Awaited<ReturnType<typeof used.make.shop>>

async function variantIn({ admin, products }: Shop, slug = 't-shirt'): Promise<Shown> {
  const { body, text } = await admin.get(`${products}?slug=${slug}`)
  assert.equal(body.items.length, 1, text)
  const [{ pricing, ...variant }] = body.items[0].variants
  // The service works it out; nobody can send it.
  const markets = pricing.markets.map(({ lowestOf30Days: _lowest, ...price }: { lowestOf30Days?: number }) => price)
  return { ...variant, pricing: { markets } }
}

async function checkFields(shop: Shop, which: 0 | 1, when: string): Promise<void> {
  const variant = await variantIn(shop)
  for (const path of PATHS) assert.deepEqual(valueAt(variant, path), SAMPLES[path][which], `${path}, ${when}`)
}

async function makeShirt(shop: Shop) {
  const sent = { name: 'T-shirt', statuses: [{ status: 'ACTIVE' }], variants: [variantOf(0)] }
  const made = await shop.admin.post(shop.products, sent)
  assert.equal(made.status, 201, made.text)
  const path = `${shop.products}/${made.body.id}`
  const put = async (body: object) => {
    const answer = await shop.admin.put(path, body)
    assert.equal(answer.status, 200, answer.text)
  }
  return { put }
}

const namesOf = ({ inventory, ...own }: Record<string, { properties?: object }>) =>
  [...Object.keys(own), ...Object.keys(inventory?.properties ?? {}).map((name) => `inventory.${name}`)].sort()

test('what can be sent of a variant is what is answered, and each field is tried here', () => {
  const sent = (ProductChanges.properties.variants as unknown as { items: { properties: never } }).items
  const shown = namesOf(Variant.properties as never)
  assert.deepEqual(namesOf(sent.properties), shown)
  assert.deepEqual([...PATHS].sort(), shown)
})

test('each field of a variant is stored, and stays when it is not sent', async () => {
  const shop = await used.make.shop()
  const { put } = await makeShirt(shop)
  await checkFields(shop, 0, 'as it was created')
  await put({ description: 'Soft' })
  await checkFields(shop, 0, 'after a PUT without variants')
  await put({ variants: [{ id: 'red' }] })
  await checkFields(shop, 0, 'after a PUT of the variant that names its id only')
  await put({ variants: [] })
  await put({ variants: [{ id: 'red' }] })
  await checkFields(shop, 0, 'after the variant was removed and came back')
  await put({ variants: [variantOf(1)] })
  await checkFields(shop, 1, 'after another one was sent')
  await rebuildProducts(shop.db, { businessId: shop.id })
  await checkFields(shop, 1, 'after documents were made anew')
})

test('a field that a variant may lack is taken away by null', async () => {
  const shop = await used.make.shop()
  const { put } = await makeShirt(shop)
  const required = (schema: unknown) => (schema as { required: string[] }).required
  const isOptional = (path: Path) => {
    const [group, field] = path.split('.') as [string, string?]
    return field === undefined
      ? !required(Variant).includes(group)
      : !required(Variant.properties.inventory).includes(field)
  }
  const optional = PATHS.filter(isOptional)
  assert.ok(optional.length >= 2)
  for (const path of optional) {
    const [group = '', field] = path.split('.')
    await put({ variants: [{ id: 'red', [group]: field === undefined ? null : { [field]: null } }] })
    assert.equal(valueAt(await variantIn(shop), path), undefined, path)
  }
})

for (const [format, type] of [
  ['ndjson', NDJSON],
  ['csv', CSV],
] as const) {
  test(`each field of a variant is exported as ${type}, and imported`, async () => {
    const shop = await used.make.shop()
    await makeShirt(shop)
    const { text } = await shop.admin.get(`${shop.products}/export?format=${format}`)
    const other = await used.make.shop()
    for (const times of ['once', 'twice']) {
      const { failed, done } = await importFile(other, text, type)
      assert.deepEqual([failed, done], [0, 1], times)
      await checkFields(other, 0, `imported ${times}`)
    }
  })
}

test('products are found by each field of a variant that the list can be narrowed by', async () => {
  const shop = await used.make.shop()
  await makeShirt(shop)
  await used.make.product(shop, { name: 'Mug' })
  for (const name of Object.keys(VARIANT_FILTERS) as (keyof typeof VARIANT_FILTERS)[]) {
    const [here, elsewhere] = SAMPLES[name]
    const find = async (query: Record<string, string>) => {
      const { body, text } = await shop.admin.get(`${shop.products}?${new URLSearchParams(query).toString()}`)
      assert.ok(body.items, text)
      return body.items.map((found: { slug: string }) => found.slug)
    }
    for (const also of [{}, { query: 'shirt' }, { slug: 't-shirt' }, { category: '' }] as Record<string, string>[]) {
      assert.deepEqual(await find({ [name]: here, ...also }), ['t-shirt'], `${name} with ${JSON.stringify(also)}`)
      assert.deepEqual(await find({ [name]: elsewhere, ...also }), [], name)
    }
  }
})
