import { type DemoProduct, type DemoVariant, LOW_STOCK_THRESHOLD, PRODUCTS, SHELVES } from '#demo/goods/goods.ts'
import { SOLD } from '#demo/order-plan.ts'
import { slugOf } from '#demo/slug.ts'
import { DAY_MS, HOUR_MS } from '#demo/time.ts'
import { catalogResolvers, changeStock, createProduct, exportProducts, updateProduct } from '#modules/catalog/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { Demo } from './demo.ts'
import { imageUrl } from './image-routes.ts'
import type { OnProgress, Outcome } from './make-demo.ts'
import { inThePast } from './past.ts'

/** The existing products, by slug. */
export async function readProductIds({ cell, business }: Demo): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for await (const lines of exportProducts(cell, business, 'ndjson')) {
    for (const line of lines.split('\n').filter(Boolean)) {
      const { id, slug } = JSON.parse(line) as { id: string; slug: string }
      ids.set(slug, id)
    }
  }
  return ids
}

/**
 * Alternates between categories, the first product last: lists show the newest first, and should start with every
 * category.
 */
const IN_ORDER_OF_ARRIVAL = SHELVES.map(({ id }) => PRODUCTS.filter(({ category }) => category === id))
  .flatMap((shelf) => shelf.map((product, place) => ({ product, place })))
  .sort((one, other) => one.place - other.place)
  .map(({ product }) => product)
  .toReversed()

export async function makeProducts(demo: Demo, onProgress: OnProgress): Promise<Outcome> {
  const known = await readProductIds(demo)
  let made = 0
  for (const [index, product] of IN_ORDER_OF_ARRIVAL.entries()) {
    if (!known.has(product.slug)) {
      await makeProduct(demo, product, demo.startMs + (2 + index / 6) * DAY_MS)
      made++
      onProgress(index + 1, PRODUCTS.length)
    }
  }
  return { count: PRODUCTS.length, made }
}

/** Creates it with its first delivery, and a second one before the first order. */
async function makeProduct(demo: Demo, product: DemoProduct, timeMs: number): Promise<void> {
  const { cell, control, business, owner, publicUrl } = demo
  const { item, slug, category, variants } = product
  const pictureOf = (...words: string[]) => ({
    url: imageUrl(publicUrl, item.motif, [slug, ...words].join('-')),
    mimeType: 'image/svg+xml',
  })
  const colours = [...new Set(variants.map(({ colour }) => colour))]
  const writer = { business, actor: owner, resolvers: catalogResolvers(control) }
  const deliveries = variants.map((variant) => ({ variant, ...deliveriesOf(slug, variant) }))
  await transaction(cell, async (tx) => {
    const { text } = await inThePast(timeMs, () =>
      createProduct(tx, writer, {
        name: item.name,
        slug,
        category,
        description: item.description,
        tags: [...(item.tags ?? [])],
        translations: {
          de: { name: item.german.name, slug: slugOf(item.german.name), description: item.german.description },
        },
        statuses: [{ status: 'ACTIVE' }],
        gallery: colours.slice(0, 4).map((colour) => pictureOf(colour)),
        blocks: [
          { id: 'material', type: 'TEXT', label: 'Material', value: { en: item.material, de: item.german.material } },
        ],
        variants: deliveries.map(({ variant: { id, name, sku, attributes, prices, colour, left }, first }) => ({
          id,
          name,
          sku,
          attributes,
          gallery: [pictureOf(colour)],
          pricing: { markets: pricesOf(item.wasPercent, prices) },
          inventory:
            left === undefined
              ? { tracked: false }
              : { tracked: true, quantity: first, lowStockThreshold: LOW_STOCK_THRESHOLD },
        })),
      }),
    )
    const { id: productId } = JSON.parse(text) as { id: string }
    const second = deliveries.flatMap(({ variant, second }) =>
      second > 0 ? [{ productId, variantId: variant.id, delta: second }] : [],
    )
    await inThePast(demo.startMs + 24 * DAY_MS + 9 * HOUR_MS, () =>
      changeStock(tx, business.id, second, { kind: 'MANUAL', reason: 'Delivery', userId: owner.userId }),
    )
    const { startMs, ...sale } = saleOf(demo, product)
    if (sale.variants.length > 0) await inThePast(startMs, () => updateProduct(tx, writer, productId, undefined, sale))
  })
}

/** A fortnight that has begun yesterday, so that whoever makes the demo sees what is reduced, and how it ends. */
function saleOf({ endMs }: Demo, { item, variants }: DemoProduct) {
  const startMs = endMs - DAY_MS
  const term = { validFrom: toSeconds(new Date(startMs)), validTo: toSeconds(new Date(startMs + 14 * DAY_MS)) }
  const reduced = variants.flatMap(({ id, prices, salePrices }) => {
    if (!salePrices) return []
    const planned = pricesOf(undefined, salePrices).map((price) => ({ ...price, ...term }))
    return [{ id, pricing: { markets: [...pricesOf(item.wasPercent, prices), ...planned] } }]
  })
  return { startMs, variants: reduced }
}

/** The deliveries: together, the quantity sold and the quantity left. */
function deliveriesOf(slug: string, { id, left }: DemoVariant) {
  const total = left === undefined ? 0 : left + (SOLD.get(`${slug} ${id}`) ?? 0)
  const first = Math.ceil(total * 0.7)
  return { first, second: total - first }
}

type Prices = DemoVariant['prices']

const pricesOf = (wasPercent: number | undefined, prices: Prices) => [
  priceOf(wasPercent, 'us', prices.us),
  priceOf(wasPercent, 'eu', prices.eu),
]

const priceOf = (wasPercent: number | undefined, marketId: string, price: number) => ({
  marketId,
  price,
  // Rounded up like a price tag.
  ...(wasPercent !== undefined && { compareAtPrice: Math.ceil((price * wasPercent) / 10_000) * 100 }),
})
