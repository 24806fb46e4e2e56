import type { Query } from '@kontor/sdk'
import { oneOf, type Search, wholeOf, wordOf, wordsOf } from '../shell/search.ts'

export const STATUSES = ['ACTIVE', 'DRAFT', 'ARCHIVED'] as const
export type ProductStatus = (typeof STATUSES)[number]
export const SORTS = ['-createdAt', 'name', 'price', '-price', '-sold'] as const
export const EXTRA_COLUMNS = ['sku', 'tags', 'created'] as const
export const COLUMNS = ['status', 'stock', 'price', 'category', 'variants', 'updated', ...EXTRA_COLUMNS] as const
export type ColumnId = (typeof COLUMNS)[number]

/** What the address of the list says: the parameters of the API's own list, and how it is shown. */
export type ProductSearch = {
  status?: ProductStatus | undefined
  categoryId?: string | undefined
  tag?: string | undefined
  inStock?: 'true' | 'false' | undefined
  /** Whose prices are shown, filtered and sorted by; none: the first of the business. */
  market?: string | undefined
  /** In minor units. */
  priceFrom?: number | undefined
  priceTo?: number | undefined
  query?: string | undefined
  sort?: (typeof SORTS)[number] | undefined
  columns?: ColumnId[] | undefined
  /** The saved view that was opened. */
  view?: string | undefined
}

export const readProductsSearch = (search: Search): ProductSearch => ({
  status: oneOf(search.status, STATUSES),
  categoryId: wordOf(search.categoryId),
  tag: wordOf(search.tag),
  inStock: oneOf(search.inStock, ['true', 'false']),
  market: wordOf(search.market),
  priceFrom: wholeOf(search.priceFrom),
  priceTo: wholeOf(search.priceTo),
  query: wordOf(search.query),
  sort: oneOf(search.sort, SORTS),
  columns: wordsOf(search.columns, COLUMNS),
  view: wordOf(search.view),
})

export type Filters = Omit<Query<'countProducts'>, 'id'>

/** The same, as the API takes it. A market is only named where prices are asked for: it must be one of the business. */
export function filtersOf(search: ProductSearch, markets: readonly { id: string }[]): Filters {
  const { status, categoryId, tag, inStock, priceFrom, priceTo, query } = search
  const isPriced = priceFrom !== undefined || priceTo !== undefined || search.sort?.endsWith('price')
  const market = markets.find(({ id }) => id === search.market)?.id ?? markets[0]?.id
  const filters = { status, categoryId, tag, inStock, priceFrom, priceTo, query, market: isPriced ? market : undefined }
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
}

export const FILTER_NAMES = ['status', 'categoryId', 'tag', 'inStock', 'priceFrom', 'priceTo', 'query'] as const

export const CLEARED: ProductSearch = Object.fromEntries([...FILTER_NAMES, 'view'].map((name) => [name, undefined]))

export const filterKey = (search: ProductSearch) => JSON.stringify(FILTER_NAMES.map((name) => search[name] ?? null))
export const hasFilters = (search: ProductSearch) => FILTER_NAMES.some((name) => search[name] !== undefined)
