import type { Cell } from '#platform/database/database.ts'
import { findDescendantSlugs } from '../categories/queries.ts'
import { categoryOfListUnknown } from './errors.ts'
import { type AttributeFilter, usesPrice } from './filters.ts'
import { markOf } from './rows.ts'
import { ATTRIBUTE_PREFIX, type ListingQuery } from './schemas.ts'

/** At most this many rows are looked at for one answer, however rare what is asked for is. */
export const MAX_LOOKED = 20_000

/**
 * Of so many marks one may be asked for: comparing two arrays takes as many steps as their lengths multiplied. A branch of
 * the tree with more categories is compared with the column, by a hash of them.
 */
const MAX_MARKED = 20

/** What a search has found, the best first. */
export type Ranked = { ids: string[]; ranks: number[] }

type Mark = { facet: string; said: string[] } & ({ oneOf: string[] } | { categories: string[] })

/** A list's question, with everything looked up that it names. */
export type Matching = {
  businessId: string
  /** The market whose prices count; empty: none. */
  marketId: string
  market: string | undefined
  statuses: readonly string[]
  /** One mark of each. `facet` is the facet that does not count this filter, `said` what the caller sent. */
  marks: Mark[]
  isWithoutCategory: boolean
  priceFrom: number | undefined
  priceTo: number | undefined
  inStock: boolean
  ids: readonly string[] | undefined
  slug: string | undefined
  sku: string | undefined
  ranked: Ranked | undefined
}

export type MatchingQuery = ListingQuery & {
  id?: readonly string[]
  category?: string
  slug?: string
  sku?: string
  attributes?: readonly AttributeFilter[]
}

export async function toMatching(
  db: Cell,
  { businessId, statuses, ranked }: Pick<Matching, 'businessId' | 'statuses' | 'ranked'>,
  query: MatchingQuery,
): Promise<Matching> {
  const { id, category, categoryId, tag, attributes = [], market, priceFrom, priceTo, slug, sku } = query
  const marks: Mark[] = attributes.map(({ name, values }) => ({
    facet: `${ATTRIBUTE_PREFIX}${name}`,
    oneOf: values.map((value) => markOf.attribute(name, value)),
    said: values,
  }))
  if (tag !== undefined) marks.push({ facet: 'tag', oneOf: [markOf.tag(tag)], said: [tag] })
  if (category) marks.push({ facet: 'category', oneOf: [markOf.category(category)], said: [category] })
  if (categoryId !== undefined) {
    const slugs = await findDescendantSlugs(db, businessId, categoryId)
    if (!slugs) throw categoryOfListUnknown({ categoryId })
    const branch = slugs.length > MAX_MARKED ? { categories: slugs } : { oneOf: slugs.map(markOf.category) }
    marks.push({ facet: 'category', said: ['', categoryId], ...branch })
  }
  return {
    businessId,
    marketId: usesPrice(query) ? (market ?? '') : '',
    market,
    statuses,
    marks,
    isWithoutCategory: category === '',
    priceFrom,
    priceTo,
    inStock: query.inStock === 'true',
    ids: id,
    slug,
    sku,
    ranked,
  }
}

/** Collects the values of a statement, and gives each its placeholder. */
export function createValues() {
  const values: unknown[] = []
  return { values, add: (value: unknown, type: string) => `$${values.push(value)}::${type}` }
}
export type Add = ReturnType<typeof createValues>['add']

/** The conditions on `listing`: which rows there are at all, what an index finds, and what is left to look at. */
export function conditionsOf(matching: Matching, add: Add) {
  const { businessId, marketId, marks, isWithoutCategory, priceFrom, priceTo, inStock, ids, slug, sku } = matching
  const business = add(businessId, 'text')
  const range = [
    priceFrom === undefined ? [] : `price >= ${add(priceFrom, 'bigint')}`,
    priceTo === undefined ? [] : `price <= ${add(priceTo, 'bigint')}`,
  ].flat()
  const wanted = marks.flatMap((mark) => ('oneOf' in mark ? [mark.oneOf] : []))
  const alone = wanted.filter(({ length }) => length === 1).flat()
  const marked = [
    alone.length === 0 ? [] : `marks @> ${add(alone, 'text[]')}`,
    wanted.filter(({ length }) => length > 1).map((oneOf) => `marks && ${add(oneOf, 'text[]')}`),
  ].flat()
  const named = [
    ids === undefined ? [] : `product_id = any (${add(ids, 'text[]')})`,
    slug === undefined
      ? []
      : `product_id = any (array(
           select id from catalog.products where business_id = ${business} and slug = ${add(slug, 'text')} and status <> 'DELETED'))`,
    sku === undefined
      ? []
      : `product_id = any (array(
           select product_id from catalog.variants
            where business_id = ${business} and sku = ${add(sku, 'text')} and sku <> '' and position is not null))`,
  ].flat()
  return {
    business,
    base: `business_id = ${business} and market_id = ${add(marketId, 'text')}`,
    range,
    marked,
    named,
    rest: [
      inStock ? 'is_in_stock' : [],
      isWithoutCategory ? `category = ''` : [],
      marks.map((mark) => ('categories' in mark ? `category = any (${add(mark.categories, 'text[]')})` : [])).flat(),
    ].flat(),
  }
}

/** Where rows come from: the table, or what of it a search has found, with its rank. */
export const sourceOf = ({ ranked }: Matching, add: Add) =>
  ranked
    ? `(select listing.*, ranked.rank
          from unnest(${add(ranked.ids, 'text[]')}, ${add(ranked.ranks, 'integer[]')}) as ranked (id, rank)
          join catalog.listing on listing.product_id = ranked.id) as listing`
    : 'catalog.listing'

export const and = (conditions: readonly string[]) => (conditions.length === 0 ? 'true' : conditions.join(' and '))
