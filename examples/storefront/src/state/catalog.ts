import type { Category, Media, Price, PublicProduct, PublicVariant } from '@kontor/sdk'
import { formatPrice, priceOf } from '@kontor/sdk'
import { kontor, type Market, useLanguage, useView } from './kontor.ts'
import { useLoad } from './use-load.ts'

/** A category as it is shown: in the language that is read, with what is above and below it. */
export type Shelf = {
  id: string
  /** What products say in their `category`: the slug of the default language. */
  key: string
  slug: string
  /** Of all languages: an address may have any of them. */
  slugs: string[]
  name: string
  description: string
  image: Media | undefined
  parent: Shelf | undefined
  children: Shelf[]
}

/** All categories, parents before their children. Asked for without a language, because only then each tells all its slugs. */
export function useShelves() {
  const { language } = useLanguage()
  const loaded = useLoad('categories', () => kontor.storefront.categories({ limit: 100 }).all())
  return { ...loaded, value: loaded.value && toShelves(loaded.value, language) }
}

function toShelves(categories: readonly Category[], language: string): Shelf[] {
  const inOrder = categories.toSorted((one, other) => one.position - other.position)
  const below = Map.groupBy(inOrder, ({ parentId }) => parentId)
  const shelves: Shelf[] = []
  const add = (category: Category, parent: Shelf | undefined): Shelf => {
    const { id, slug: key, image, translations } = category
    const texts = translations[language]
    const shelf: Shelf = {
      id,
      key,
      slug: texts?.slug || key,
      slugs: [key, ...Object.values(translations).flatMap(({ slug }) => slug ?? [])],
      name: texts?.name || category.name,
      description: texts?.description || category.description,
      image: image ?? undefined,
      parent,
      children: [],
    }
    shelves.push(shelf)
    shelf.children = (below.get(id) ?? []).map((child) => add(child, shelf))
    return shelf
  }
  for (const root of below.get(null) ?? []) add(root, undefined)
  return shelves
}

export const hrefOf = ({ slug }: Shelf) => `/shop/${encodeURIComponent(slug)}`

/** From the root to the shelf itself. */
export const pathTo = (shelf: Shelf | undefined): Shelf[] => (shelf ? [...pathTo(shelf.parent), shelf] : [])

/** How many products there are on a shelf and below it, by the facet `category`. */
export const countOn = ({ key, children }: Shelf, counts: ReadonlyMap<string, number>): number =>
  children.reduce((sum, child) => sum + countOn(child, counts), counts.get(key) ?? 0)

/** Lists are newest first. */
export function useNewest(count: number) {
  const view = useView()
  return useLoad(view && `newest:${count}:${JSON.stringify(view)}`, async () => {
    return (await kontor.storefront.products.list({ ...view, limit: count })).items
  })
}

/** `made-to-order` is for machines. */
export const titleOf = (word: string) => {
  const words = word.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export const isSoldOut = ({ availability }: Pick<PublicVariant, 'availability'>) => availability === 'OUT_OF_STOCK'

/** What a reduced price is compared with: the lowest of the last 30 days, where the service knows it. */
export function usualPrice({ price, compareAtPrice, lowestOf30Days }: Price): number | undefined {
  const usual = lowestOf30Days ?? compareAtPrice
  return usual !== undefined && usual > price ? usual : undefined
}

/** The cheapest of a product in a market, and whether others cost more. */
export function cheapestOf({ variants }: PublicProduct, market: Market | undefined) {
  if (!market) return undefined
  const priced = variants.flatMap((variant) => priceOf(variant, market.id) ?? [])
  const [cheapest] = priced.toSorted((one, other) => one.price - other.price)
  return cheapest && { price: cheapest, isFrom: priced.some(({ price }) => price !== cheapest.price) }
}

export const money = (amount: number, currency: string) => formatPrice(amount, currency, navigator.language)

/** The word on our labels that is nearest to what was typed, if one is near enough to be meant. */
export function likelyWord(typed: string, labels: readonly string[]): string | undefined {
  const known = new Set(labels.flatMap((text) => text.toLowerCase().match(/\p{L}{3,}/gu) ?? []))
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
