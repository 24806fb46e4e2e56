import type { Answer, Product } from '@kontor/sdk'
import type { ProductStatus } from './filters.ts'

type PriceRange = { marketId: string; currency: string; from: number; to: number }

/** What a row of the list shows of a product. A product may have a thousand variants: whole ones would fill the memory. */
export type Listed = Pick<Product, 'id' | 'name' | 'category' | 'tags' | 'createdAt' | 'updatedAt'> & {
  status: ProductStatus
  picture: string | undefined
  sku: string
  variants: number
  /** Pieces of all variants that are counted. */
  quantity: number
  isCounted: boolean
  /** How many variants are sold out, and how many are at or below their threshold. */
  empty: number
  low: number
  prices: PriceRange[]
}

export const statusOf = ({ statuses }: Pick<Product, 'statuses'>): ProductStatus => statuses.at(-1)?.status ?? 'DRAFT'

/** Of each market, from the lowest to the highest price that holds now: the first one of the market. */
function pricesOf({ variants }: Pick<Product, 'variants'>): PriceRange[] {
  const ranges = new Map<string, PriceRange>()
  for (const { pricing } of variants) {
    const seen = new Set<string>()
    for (const { marketId, currency, price } of pricing.markets) {
      if (seen.has(marketId)) continue
      seen.add(marketId)
      const { from, to } = ranges.get(marketId) ?? { from: price, to: price }
      ranges.set(marketId, { marketId, currency, from: Math.min(from, price), to: Math.max(to, price) })
    }
  }
  return [...ranges.values()]
}

/** A picture of the library by its smallest rendition: the first WebP. */
const smallOf = (picture: Product['gallery'][number] | undefined) =>
  (picture?.renditions?.find(({ mimeType }) => mimeType === 'image/webp') ?? picture)?.url

export function toListed(product: Product): Listed {
  const { id, name, category, tags, createdAt, updatedAt, gallery, variants } = product
  const counted = variants.filter(({ inventory }) => inventory.tracked).map(({ inventory }) => inventory)
  return {
    id,
    name,
    category,
    tags,
    createdAt,
    updatedAt,
    status: statusOf(product),
    picture: smallOf(gallery[0] ?? variants.find((variant) => variant.gallery.length > 0)?.gallery[0]),
    sku: variants[0]?.sku ?? '',
    variants: variants.length,
    quantity: counted.reduce((sum, { quantity }) => sum + quantity, 0),
    isCounted: counted.length > 0,
    empty: counted.filter(({ quantity }) => quantity === 0).length,
    low: counted.filter(({ quantity, lowStockThreshold = 0 }) => quantity > 0 && quantity <= lowStockThreshold).length,
    prices: pricesOf(product),
  }
}

export const toListedPage = ({ items, cursor }: Answer<'listProducts'>) => ({ items: items.map(toListed), cursor })
