// The query of a list: what its form sends, as filters of the service and back.
import type { ProductFilter, ProductSort } from './catalog.ts'
import type { SearchParams } from './page.ts'
import { minorUnits } from './prices.ts'
import { FILTERS } from './settings.ts'

const SORTS: readonly ProductSort[] = ['-createdAt', 'name', 'price', '-price', '-sold', 'relevance']

const all = (value: string | string[] | undefined) => [value ?? []].flat().filter(Boolean)
const one = (value: string | string[] | undefined) => all(value)[0]

export type ListQuery = ReturnType<typeof readListQuery>

/** Prices are typed in whole units: 20 is $20.00. */
export function readListQuery(params: SearchParams, currency: string) {
  const attributes = FILTERS.map((name) => ({ name, chosen: all(params[name]) }))
  const sort = SORTS.find((known) => known === one(params.sort))
  return {
    attributes,
    priceFrom: amountOf(one(params.priceFrom), currency),
    priceTo: amountOf(one(params.priceTo), currency),
    inStock: one(params.inStock) === 'true',
    query: one(params.query)?.trim().slice(0, 100) || undefined,
    sort,
    cursor: one(params.cursor),
  }
}

function amountOf(text: string | undefined, currency: string): number | undefined {
  const amount = Number(text?.replace(',', '.') || Number.NaN)
  return amount >= 0 && amount < 1e9 ? Math.round(amount * minorUnits(currency)) : undefined
}

/** Only what is set: another order of the same filters is the same list to the cache. */
export function toFilter({ attributes, priceFrom, priceTo, inStock, query }: ListQuery): ProductFilter {
  const chosen = attributes.filter(({ chosen }) => chosen.length > 0)
  return {
    ...Object.fromEntries(chosen.map(({ name, chosen }) => [`attribute.${name}`, chosen.toSorted()])),
    ...(priceFrom !== undefined && { priceFrom }),
    ...(priceTo !== undefined && { priceTo }),
    ...(inStock && { inStock: 'true' as const }),
    ...(query !== undefined && { query }),
  }
}

/** The same query with another cursor. */
export function hrefTo(path: string, params: SearchParams, changes: Record<string, string>): string {
  const given = Object.entries(params).flatMap(([name, value]) => all(value).map((each) => [name, each]))
  const search = new URLSearchParams(given.filter(([name = '']) => !(name in changes)))
  for (const [name, value] of Object.entries(changes)) search.set(name, value)
  return `${path}?${search}`
}
