import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { useWorld } from '../../support/world.ts'

const used = useWorld()

const TAGS = ['a', 'b', 'c']
const COLOURS = ['Red', 'Blue', 'Green']
const SIZES = ['S', 'L']
const CATEGORIES = ['', 'shirts', 'lamps']
const NAMES = ['ant', 'Bee', 'côte', 'cota', 'Ant']

const madeVariant = fc.record({
  colour: fc.option(fc.constantFrom(...COLOURS)),
  size: fc.option(fc.constantFrom(...SIZES)),
  price: fc.option(fc.integer({ min: 1, max: 4 })),
  quantity: fc.option(fc.integer({ min: 0, max: 1 })),
})
const madeProduct = fc.record({
  name: fc.constantFrom(...NAMES),
  category: fc.constantFrom(...CATEGORIES),
  tags: fc.uniqueArray(fc.constantFrom(...TAGS)),
  isActive: fc.boolean(),
  variants: fc.array(madeVariant, { maxLength: 2 }),
})
type Made = { name: string; category: string; tags: string[]; isActive: boolean; variants: MadeVariant[] }
type MadeVariant = { colour: string | null; size: string | null; price: number | null; quantity: number | null }
type Listed = Made & { id: string }

const asked = fc.record(
  {
    tag: fc.constantFrom(...TAGS),
    category: fc.constantFrom(...CATEGORIES),
    colours: fc.uniqueArray(fc.constantFrom(...COLOURS), { minLength: 1 }),
    size: fc.constantFrom(...SIZES),
    priceFrom: fc.integer({ min: 0, max: 5 }),
    priceTo: fc.integer({ min: 0, max: 5 }),
    inStock: fc.constant('true'),
    sort: fc.constantFrom('-createdAt', 'name', 'price', '-price'),
  },
  { requiredKeys: [] },
)
type Asked = Partial<{
  tag: string
  category: string
  colours: string[]
  size: string
  priceFrom: number
  priceTo: number
  inStock: string
  sort: string
}>

const toBody = ({ name, category, tags, isActive, variants }: Made) => ({
  name,
  category,
  tags,
  statuses: [{ status: isActive ? 'ACTIVE' : 'DRAFT' }],
  variants: variants.map(({ colour, size, price, quantity }, at) => ({
    id: `v${at}`,
    attributes: [
      ...(colour === null ? [] : [{ name: 'Colour', value: colour }]),
      ...(size === null ? [] : [{ name: 'Size', value: size }]),
    ],
    pricing: { markets: price === null ? [] : [{ marketId: 'us', price }] },
    inventory: quantity === null ? { tracked: false } : { quantity },
  })),
})

function toQuery({ colours = [], size, ...rest }: Asked): string {
  const query = new URLSearchParams({ market: 'us' })
  for (const [name, value] of Object.entries(rest)) query.append(name, String(value))
  for (const colour of colours) query.append('attribute.Colour', colour)
  if (size !== undefined) query.append('attribute.Size', size)
  return query.toString()
}

const lowestOf = ({ variants }: Made) => {
  const prices = variants.flatMap(({ price }) => price ?? [])
  return prices.length === 0 ? undefined : Math.min(...prices)
}
const keyOf = (name: string) => name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

/** The same, computed plainly. */
function matches(product: Listed, { tag, category, colours, size, priceFrom, priceTo, inStock }: Asked): boolean {
  const { variants } = product
  const price = lowestOf(product)
  return (
    (tag === undefined || product.tags.includes(tag)) &&
    (category === undefined || product.category === category) &&
    (!colours || variants.some(({ colour }) => colour !== null && colours.includes(colour))) &&
    (size === undefined || variants.some((each) => each.size === size)) &&
    (priceFrom === undefined || (price !== undefined && price >= priceFrom)) &&
    (priceTo === undefined || (price !== undefined && price <= priceTo)) &&
    (inStock === undefined || variants.some(({ quantity }) => quantity === null || quantity > 0))
  )
}

function sorted(products: Listed[], sort = '-createdAt'): Listed[] {
  const byId = (a: Listed, b: Listed) => (a.id < b.id ? -1 : 1)
  const byKey = (key: (product: Listed) => string | number) => (a: Listed, b: Listed) =>
    key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : byId(a, b)
  if (sort === 'name') return products.toSorted(byKey(({ name }) => keyOf(name)))
  if (sort === '-createdAt') return products.toSorted(byId).toReversed()
  const priced = products
    .filter((product) => lowestOf(product) !== undefined)
    .toSorted(byKey((product) => lowestOf(product) ?? 0))
  return sort === 'price' ? priced : priced.toReversed()
}

function counted(products: Listed[], valuesOf: (product: Listed) => (string | null)[]) {
  const counts = new Map<string, number>()
  for (const product of products)
    for (const value of new Set(valuesOf(product))) if (value) counts.set(value, (counts.get(value) ?? 0) + 1)
  return Array.from(counts, ([value, count]) => ({ value, count })).toSorted(
    (a, b) => b.count - a.count || (a.value < b.value ? -1 : 1),
  )
}

test('whatever is in a catalog, filters, order, pages and facets are those of a plain computation', async () => {
  const { make } = used
  await fc.assert(
    fc.asyncProperty(
      fc.array(madeProduct, { minLength: 1, maxLength: 5 }),
      fc.array(asked, { minLength: 3, maxLength: 3 }),
      fc.integer({ min: 1, max: 3 }),
      async (catalog, questions, limit) => {
        const shop = await make.shop()
        const listed: Listed[] = []
        for (const made of catalog) {
          const { body, status, text } = await shop.admin.post(shop.products, toBody(made))
          assert.equal(status, 201, text)
          listed.push({ ...made, id: body.id })
        }
        for (const [at, question] of questions.entries()) {
          const seesAll = at > 0
          const reader = seesAll ? shop.admin : make.anonymous()
          const visible = listed.filter(({ isActive }) => seesAll || isActive)
          if (!seesAll) await shop.admin.put(shop.path, { storefront: { isPublic: true } })
          const list = seesAll ? shop.products : `/v1/storefront/${shop.id}/products`
          const seen: string[] = []
          for (let cursor: string | null = ''; cursor !== null; ) {
            const page = await reader.get(`${list}?${toQuery(question)}&limit=${limit}&cursor=${cursor}`)
            assert.equal(page.status, 200, page.text)
            seen.push(...page.body.items.map(({ id }: Listed) => id))
            assert.ok(page.body.cursor === null || page.body.items.length === limit)
            cursor = page.body.cursor
          }
          const fitting = visible.filter((product) => matches(product, question))
          assert.deepEqual(
            seen,
            sorted(fitting, question.sort).map(({ id }) => id),
          )
          const { sort: _sort, ...filters } = question
          const facets = await reader.get(
            `${list}/facets?facets=attribute.Colour,tag,category,price&${toQuery(filters)}`,
          )
          assert.equal(facets.status, 200, facets.text)
          const but = (own: Asked) => visible.filter((product) => matches(product, { ...filters, ...own }))
          const prices = but({ priceFrom: undefined, priceTo: undefined }).flatMap((each) => lowestOf(each) ?? [])
          assert.deepEqual(facets.body.items, [
            {
              name: 'attribute.Colour',
              values: counted(but({ colours: undefined } as never), ({ variants }) =>
                variants.map(({ colour }) => colour),
              ),
              isExact: true,
            },
            { name: 'tag', values: counted(but({ tag: undefined } as never), ({ tags }) => tags), isExact: true },
            {
              name: 'category',
              values: counted(but({ category: undefined } as never), ({ category }) => [category]),
              isExact: true,
            },
            {
              name: 'price',
              min: prices.length === 0 ? null : Math.min(...prices),
              max: prices.length === 0 ? null : Math.max(...prices),
              isExact: true,
            },
          ])
        }
      },
    ),
    { numRuns: Number(process.env.CATALOGS ?? 200) },
  )
})
