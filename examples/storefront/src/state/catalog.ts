import type { Product, Variant } from '@kontor/sdk'
import { formatPrice, priceOf } from '@kontor/sdk'
import { kontor, type Market } from './kontor.ts'
import { useLoad } from './use-load.ts'

export type Category = { name: string; products: Product[] }

/** There is no list of categories: they are what the newest hundred products say. A large shop would name its own. */
export const useCategories = () =>
  useLoad('categories', async (): Promise<Category[]> => {
    const { items } = await kontor.products.list({ limit: 100 })
    const byName = Map.groupBy(items, ({ category }) => category)
    return [...byName]
      .flatMap(([name, products]) => (name ? [{ name, products }] : []))
      .sort((one, other) => one.name.localeCompare(other.name))
  })

/** The newest of each category in turn, so that one large delivery does not fill the front page. */
export function mixOf(categories: readonly Category[], count: number): Product[] {
  const longest = Math.max(0, ...categories.map(({ products }) => products.length))
  const rounds = Array.from({ length: longest }, (_, round) => categories.flatMap((each) => each.products[round] ?? []))
  return rounds.flat().slice(0, count)
}

/** `rope-and-hardware` is for machines. */
export const titleOf = (category: string) => {
  const words = category.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const isSoldOut = ({ inventory }: Variant) => inventory.tracked && inventory.quantity <= 0

/** Few enough to say so. */
export function leftOf({ inventory }: Variant): number | undefined {
  const { tracked, quantity, lowStockThreshold } = inventory
  return tracked && quantity > 0 && quantity <= Math.max(lowStockThreshold ?? 0, 3) ? quantity : undefined
}

/** The cheapest of a product in a market, and whether others cost more. */
export function cheapestOf({ variants }: Product, market: Market | undefined) {
  if (!market) return undefined
  const priced = variants.flatMap((variant) => priceOf(variant, market.id) ?? [])
  const [cheapest] = priced.toSorted((one, other) => one.price - other.price)
  return cheapest && { ...cheapest, isFrom: priced.some(({ price }) => price !== cheapest.price) }
}

export const money = (amount: number, currency: string) => formatPrice(amount, currency, navigator.language)
