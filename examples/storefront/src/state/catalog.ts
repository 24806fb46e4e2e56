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

/** Lists are newest first. */
export const useNewest = (count: number) =>
  useLoad(`newest:${count}`, async () => (await kontor.products.list({ limit: count })).items)

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

/** The word on our labels that is nearest to what was typed, if one is near enough to be meant. */
export function likelyWord(typed: string, categories: readonly Category[]): string | undefined {
  const words = categories.flatMap(({ name, products }) => [name, ...products.map((product) => product.name)])
  const known = new Set(words.flatMap((text) => text.toLowerCase().match(/\p{L}{3,}/gu) ?? []))
  const wanted = typed.toLowerCase().match(/\p{L}{3,}/gu) ?? []
  const near = wanted.flatMap((each) =>
    [...known].map((word) => ({ word, far: distance(each, word) / Math.max(each.length, word.length) })),
  )
  const best = near.reduce((one, other) => (other.far < one.far ? other : one), { word: '', far: 1 })
  return best.far > 0 && best.far <= 0.5 ? best.word : undefined
}

/** How many letters are wrong, missing or too many. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1]
    for (let index = 0; index < other.length; index++) {
      const swapped = (row[index] ?? 0) + (one[at] === other[index] ? 0 : 1)
      next.push(Math.min(swapped, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
