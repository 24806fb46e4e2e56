import type { FastifyRequest } from 'fastify'
import type { Business } from '#vocabulary/business.ts'
import * as refusal from './errors.ts'
import { ATTRIBUTE_PREFIX, type ListingQuery, MAX_ATTRIBUTES, MAX_FACETS, MAX_VALUES } from './schemas.ts'

/** Products that have one of these values. */
export type AttributeFilter = { name: string; values: string[] }

/** Reads `attribute.<Name>=value`. Each business names its attributes, so no schema can list the parameters. */
export function attributeFiltersOf({ url }: Pick<FastifyRequest, 'url'>): AttributeFilter[] {
  const start = url.indexOf('?')
  return start === -1 ? [] : readAttributes(new URLSearchParams(url.slice(start)))
}

/** The same of parameters that did not come in an address. */
export function readAttributes(parameters: Iterable<[name: string, value: string]>): AttributeFilter[] {
  const found = new Map<string, Set<string>>()
  for (const [parameter, value] of parameters) {
    if (!parameter.startsWith(ATTRIBUTE_PREFIX)) continue
    const name = parameter.slice(ATTRIBUTE_PREFIX.length)
    if (!isName(name) || value.length > 500 || value.includes('\0'))
      throw refusal.attributeInvalid({ name: `${ATTRIBUTE_PREFIX}${name.slice(0, 100).replaceAll('\0', '')}` })
    found.set(name, (found.get(name) ?? new Set()).add(value))
  }
  if (found.size > MAX_ATTRIBUTES) throw refusal.tooManyAttributes()
  return Array.from(found, ([name, values]) => {
    if (values.size > MAX_VALUES) throw refusal.tooManyAttributeValues({ name: `${ATTRIBUTE_PREFIX}${name}` })
    return { name, values: [...values].sort() }
  }).sort((a, b) => (a.name < b.name ? -1 : 1))
}

const isName = (name: string) => name.length > 0 && name.length <= 100 && !name.includes('\0')

type Asked = ListingQuery & { query?: string }

/** Refuses what cannot be asked of this business. */
export function checkListing({ market, ...asked }: Asked, { markets }: Pick<Business, 'markets'>): void {
  if (market !== undefined && !markets.some(({ id }) => id === market)) throw refusal.marketOfListUnknown({ market })
  const needing = usesPrice(asked)
  if (market === undefined && needing) throw refusal.marketMissing({ name: needing })
  if (asked.sort === 'relevance' && !asked.query?.trim()) throw refusal.queryMissing()
}

/** What of it needs prices, and so a market. */
export function usesPrice({ priceFrom, priceTo, sort }: ListingQuery): string | undefined {
  if (priceFrom !== undefined) return 'priceFrom'
  if (priceTo !== undefined) return 'priceTo'
  return sort === 'price' || sort === '-price' ? `sort=${sort}` : undefined
}

/** The facets that are asked for, each once. */
export function facetsOf({ facets, market }: { facets: string; market?: string | undefined }): string[] {
  const names = [...new Set(facets.split(','))]
  if (names.length > MAX_FACETS) throw refusal.tooManyFacets()
  for (const name of names)
    if (!isFacet(name)) throw refusal.facetUnknown({ name: name.slice(0, 100).replaceAll('\0', '') })
  if (market === undefined && names.includes('price')) throw refusal.marketMissing({ name: 'price' })
  return names
}

const isFacet = (name: string) =>
  ['price', 'category', 'tag'].includes(name) ||
  (name.startsWith(ATTRIBUTE_PREFIX) && isName(name.slice(ATTRIBUTE_PREFIX.length)))
