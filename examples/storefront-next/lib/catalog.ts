'use cache'
// All that pages read of the service. Each answer is kept for everybody, by its arguments.
import { type AttributeFilter, KontorError } from '@kontor/sdk'
import { kontorFor, LIST_TAGS, type View } from './kontor.ts'
import { FILTERS, JOURNAL } from './settings.ts'

export type ProductFilter = AttributeFilter & {
  categoryId?: string
  query?: string
  priceFrom?: number
  priceTo?: number
  inStock?: 'true'
}
export type ProductSort = '-createdAt' | 'name' | 'price' | '-price' | '-sold' | 'relevance'

export async function readShop() {
  return plain(await kontorFor().storefront.get())
}

/** All of them, in the order of a menu. */
export async function readCategories(locale?: string) {
  const found = await kontorFor({ locale }, LIST_TAGS).storefront.categories({ limit: 100 }).all()
  return plain(found.toSorted((one, other) => one.position - other.position))
}

export async function readProducts(
  view: View,
  filter: ProductFilter & { sort?: ProductSort; cursor?: string; limit?: number },
) {
  return orNothing(kontorFor(view).storefront.products.list({ limit: 24, ...filter }))
}

export async function readFacets(view: View, filter: ProductFilter) {
  const names = FILTERS.map((name) => `attribute.${name}` as const)
  return orNothing(kontorFor(view).storefront.products.facets([...names, 'price'], filter))
}

/** By its slug in any language. Without a language: with all that is translated. */
export async function readProduct(slug: string, view: View) {
  return orNothing(kontorFor(view).storefront.products.get(slug))
}

/** Those in this language; those in the shop's own where there are none. */
export async function readArticles(locale: string, defaultLocale: string, cursor?: string) {
  const list = (locale: string) =>
    orNothing(kontorFor().storefront.entries.list({ collection: JOURNAL, locale, limit: 12, cursor }))
  const found = await list(locale)
  return found?.items.length || locale === defaultLocale ? found : list(defaultLocale)
}

export async function readArticle(slug: string) {
  const found = await orNothing(
    kontorFor().storefront.entries.list({ collection: JOURNAL, 'block.slug': slug, limit: 1 }),
  )
  return found?.items[0]
}

/** Slugs in all languages, for the sitemap. */
export async function readSlugs() {
  const found: { slug: string; slugs: Partial<Record<string, string>>; updatedAt: number }[] = []
  for await (const { slug, translations, updatedAt } of kontorFor({}, LIST_TAGS).storefront.products.list({
    limit: 100,
  }))
    found.push({ slug, slugs: slugsIn(translations), updatedAt })
  return found
}

export async function readArticleSlugs() {
  const { storefront, blockText } = kontorFor({}, LIST_TAGS)
  const found: { slug: string; locale: string; updatedAt: number }[] = []
  for await (const { blocks, locale, updatedAt } of storefront.entries.list({ collection: JOURNAL, limit: 100 }))
    found.push({ slug: blockText(blocks, 'slug'), locale, updatedAt })
  return found
}

const slugsIn = (translations: Record<string, { slug?: string }>) =>
  Object.fromEntries(Object.entries(translations).map(([locale, { slug }]) => [locale, slug]))

/** What the service does not have, or does not take: an old cursor, or a filter that somebody made up. */
async function orNothing<Record extends object>(reading: PromiseLike<Record>): Promise<Record | undefined> {
  try {
    return plain(await reading)
  } catch (error) {
    if (error instanceof KontorError && [400, 404, 422].includes(error.status)) return undefined
    throw error
  }
}

/** The SDK remembers versions of records under a symbol, which Next cannot keep. */
const plain = <Record extends object>(record: Record): Record => structuredClone(record)
