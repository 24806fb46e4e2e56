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
  inStock: boolean | undefined
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
    inStock: query.inStock && query.inStock === 'true',
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

// The conditions on `listing`. Each adds its values when it is asked for: a statement has to use all that it is given.

export const baseSql = ({ businessId, marketId }: Matching, add: Add) =>
  `business_id = ${add(businessId, 'text')} and market_id = ${add(marketId, 'text')}`

const rangeSql = ({ priceFrom, priceTo }: Matching, add: Add): string[] => [
  ...(priceFrom === undefined ? [] : [`price >= ${add(priceFrom, 'bigint')}`]),
  ...(priceTo === undefined ? [] : [`price <= ${add(priceTo, 'bigint')}`]),
]

/** Marks of which all must be there, as each has but one value. */
const alone = ({ marks }: Matching) =>
  marks.flatMap((mark) => ('oneOf' in mark && mark.oneOf.length === 1 ? mark.oneOf : []))

/** Marks of which one is enough. A wide branch of the tree is not among them: an index, too, would compare each with each. */
const anyOf = ({ marks }: Matching) =>
  marks.flatMap((mark) => ('oneOf' in mark && mark.oneOf.length > 1 ? [mark.oneOf] : []))

/** What an index is asked for: all marks that have to be there, or else one of the first that will do. */
function soughtOf(matching: Matching) {
  const all = alone(matching)
  if (all.length > 0) return { marks: all, sign: '@>', find: 'catalog.listing_with_all' }
  const [any] = anyOf(matching)
  return any && { marks: any, sign: '&&', find: 'catalog.listing_with_any' }
}

const keysSql = ({ businessId, marketId }: Matching, marks: readonly string[], add: Add) =>
  `catalog.mark_keys(${add(businessId, 'text')}, ${add(marketId, 'text')}, ${add(marks, 'text[]')})`

/** All that a row has to fulfil, beside the business, the market and what is named. */
export function matchesSql(matching: Matching, add: Add): string {
  const { marks, inStock, isWithoutCategory } = matching
  const all = alone(matching)
  const branches = marks.flatMap((mark) => ('categories' in mark ? [mark.categories] : []))
  // What costs most comes last.
  return and([
    ...rangeSql(matching, add),
    ...(inStock === undefined ? [] : [inStock ? 'is_in_stock' : 'not is_in_stock']),
    ...(isWithoutCategory ? [`category = ''`] : []),
    ...(all.length === 0 ? [] : [`marks @> ${add(all, 'text[]')}`]),
    ...branches.map((categories) => `category = any (${add(categories, 'text[]')})`),
    ...anyOf(matching).map((oneOf) => `marks && ${add(oneOf, 'text[]')}`),
  ])
}

/** The same range where prices are walked along: an index knows where it begins and ends. */
export const pricedSql = (matching: Matching, add: Add) => ['price is not null', ...rangeSql(matching, add)]

/** Rows that have been named, one by one: there are few of them, and each is looked up. */
export const isNamed = ({ ids, slug, sku, ranked }: Matching) =>
  ids !== undefined || slug !== undefined || sku !== undefined || ranked !== undefined

/** Those that are named, or what a search has found, with its rank. */
export function namedSql(matching: Matching, add: Add): string {
  const { businessId, ids, slug, sku, ranked } = matching
  const conditions = [
    baseSql(matching, add),
    ids === undefined ? [] : `product_id = any (${add(ids, 'text[]')})`,
    slug === undefined
      ? []
      : `product_id = any (array(
           select id from catalog.products
            where business_id = ${add(businessId, 'text')} and slug = ${add(slug, 'text')} and status <> 'DELETED'))`,
    sku === undefined
      ? []
      : `product_id = any (array(
           select product_id from catalog.variants
            where business_id = ${add(businessId, 'text')} and sku = ${add(sku, 'text')} and sku <> '' and position is not null))`,
  ].flat()
  if (!ranked) return `select * from catalog.listing where ${and(conditions)}`
  return `
    select listing.*, ranked.rank
      from unnest(${add(ranked.ids, 'text[]')}, ${add(ranked.ranks, 'integer[]')}) as ranked (id, rank)
      join catalog.listing on listing.product_id = ranked.id
     where ${and(conditions)}`
}

/** How the planner is asked for its estimate of what `foundSql` would find by marks. Undefined: there are none. */
export function estimateSql(matching: Matching, add: Add): string | undefined {
  const sought = soughtOf(matching)
  if (!sought) return undefined
  return `
    explain (format json)
    select from catalog.listing
     where catalog.mark_keys(business_id, market_id, marks) ${sought.sign} ${keysSql(matching, sought.marks, add)}`
}

/** At most `most` rows that an index finds by marks or prices. Undefined: nothing of that is asked for. */
export function foundSql(matching: Matching, most: number, add: Add): string | undefined {
  const sought = soughtOf(matching)
  if (sought) return `select * from ${sought.find}(${keysSql(matching, sought.marks, add)}, ${most})`
  if (matching.priceFrom === undefined && matching.priceTo === undefined) return undefined
  return `
    select listing.*
      from unnest((select ${add(matching.statuses, 'text[]')})) as wanted (status)
     cross join lateral (
       select *
         from catalog.listing
        where ${and([baseSql(matching, add), 'listing.status = wanted.status', ...pricedSql(matching, add)])}
        order by price, product_id
        limit ${most}) as listing`
}

/** At most 20,000 rows among which all that matches is, or which count for all. */
export function lookedSql(matching: Matching, add: Add): string {
  if (isNamed(matching)) return `${namedSql(matching, add)} limit ${MAX_LOOKED}`
  return (
    foundSql(matching, MAX_LOOKED, add) ??
    `select * from catalog.listing
      where ${and([baseSql(matching, add), `status = any (${add(matching.statuses, 'text[]')})`])}
      order by product_id desc
      limit ${MAX_LOOKED}`
  )
}

export const and = (conditions: readonly string[]) => (conditions.length === 0 ? 'true' : conditions.join(' and '))
