import { isDeepStrictEqual } from 'node:util'
import type { StockTarget } from './merge-product.ts'
import { isPlanned } from './prices.ts'
import { type MarketPrice, type Product, statusOf, type Variant } from './product.ts'

/** One field before and after. A variant that is new has no id yet. */
export type Change = {
  field: string
  marketId: string | null
  variantId: string | null
  variantName: string | null
  sku: string | null
  before: unknown
  after: unknown
}

export const WARNINGS = ['PRICE_DROP', 'PRICE_ZERO', 'NOT_SOLD', 'VARIANT_REMOVED', 'STOCK_SET'] as const
export type Warning = (typeof WARNINGS)[number]

type Place = Omit<Change, 'field' | 'before' | 'after'>
type Quantities = ReadonlyMap<string, number>

/** What differs between two states of a product, field by field. Of a new product: all that it has. */
export function changesBetween(
  before: Product | undefined,
  after: Product,
  targets: readonly StockTarget[],
  quantities: Quantities,
): Change[] {
  const known = new Map(before?.variants.map((variant) => [variant.id, variant]))
  const kept = new Set(after.variants.map(({ id }) => id))
  return [
    ...differences(before && PRODUCT(before), PRODUCT(after), NOWHERE),
    ...statusChange(before, after),
    ...after.variants.flatMap((variant) => variantChanges(known.get(variant.id), variant)),
    ...(before?.variants ?? []).flatMap((variant) =>
      kept.has(variant.id) ? [] : [{ ...placeOf(variant), field: 'variant', before: labelOf(variant), after: null }],
    ),
    ...orderChange(before, after),
    ...stockChanges(before, after, targets, quantities),
  ]
}

const NOWHERE: Place = { marketId: null, variantId: null, variantName: null, sku: null }
const labelOf = ({ sku, name }: Variant) => sku || name
const placeOf = ({ id, name, sku }: Variant): Place => ({ marketId: null, variantId: id, variantName: name, sku })

/** Fields as they are compared. Ids of media are made anew for each address, so they say nothing. */
const PRODUCT = ({
  name,
  slug,
  description,
  category,
  taxClass,
  tags,
  seo,
  translations,
  gallery,
  blocks,
}: Product) => ({
  name,
  slug,
  description,
  category,
  taxClass,
  tags,
  'seo.title': seo.title,
  'seo.description': seo.description,
  translations,
  gallery: mediaOf(gallery),
  blocks,
})

const VARIANT = (variant: Variant) => ({
  name: variant.name,
  sku: variant.sku,
  attributes: variant.attributes.map(({ name, value }) => `${name}: ${value}`),
  translations: variant.translations,
  gallery: mediaOf(variant.gallery),
  tracked: variant.tracked,
  lowStockThreshold: variant.lowStockThreshold,
  maxPerOrder: variant.maxPerOrder,
})

const mediaOf = (gallery: Product['gallery']) => gallery.map(({ url, mimeType }) => ({ url, mimeType }))

const isEmpty = (value: unknown) =>
  value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)

function differences(before: object | undefined, after: object, place: Place) {
  return Object.entries(after).flatMap(([field, value]): Change[] => {
    const was: unknown = before?.[field as keyof typeof before] ?? null
    if (before ? isDeepStrictEqual(was, value) : isEmpty(value)) return []
    return [{ ...place, field, before: was, after: value }]
  })
}

function statusChange(before: Product | undefined, after: Product): Change[] {
  if (before?.statuses.length === after.statuses.length) return []
  return [{ ...NOWHERE, field: 'status', before: (before && statusOf(before)) ?? null, after: statusOf(after) }]
}

function variantChanges(before: Variant | undefined, after: Variant): Change[] {
  const place = { ...placeOf(after), ...(before ? {} : { variantId: null }) }
  const added = before ? [] : [{ ...place, field: 'variant', before: null, after: labelOf(after) }]
  return [
    ...added,
    ...differences(before && VARIANT(before), VARIANT(after), place),
    ...priceChanges(before, after, place),
  ]
}

function priceChanges(before: Variant | undefined, after: Variant, place: Place) {
  const [was, is] = [before?.prices ?? [], after.prices]
  const markets = new Set([...is, ...was].map(({ marketId }) => marketId))
  return [...markets].flatMap((marketId): Change[] => {
    const [old, now] = [plainOf(was, marketId), plainOf(is, marketId)]
    const at = { ...place, marketId }
    const changes = (['price', 'compareAtPrice'] as const).flatMap((field): Change[] => {
      const isSame = old?.[field] === now?.[field] && (field === 'compareAtPrice' || old?.currency === now?.currency)
      return isSame ? [] : [{ ...at, field, before: old?.[field] ?? null, after: now?.[field] ?? null }]
    })
    const [oldPlans, plans] = [plansOf(was, marketId), plansOf(is, marketId)]
    if (isDeepStrictEqual(oldPlans, plans)) return changes
    return [...changes, { ...at, field: 'plannedPrices', before: oldPlans, after: plans }]
  })
}

const plainOf = (prices: readonly MarketPrice[], marketId: string) =>
  prices.find((price) => price.marketId === marketId && !isPlanned(price))

const plansOf = (prices: readonly MarketPrice[], marketId: string) =>
  prices
    .filter((price) => price.marketId === marketId && isPlanned(price))
    .map(({ price, compareAtPrice, validFrom, validTo }) => ({ price, compareAtPrice, validFrom, validTo }))
    .toSorted((a, b) => (a.validFrom ?? 0) - (b.validFrom ?? 0))

/** Only where those that stay have changed places. */
function orderChange(before: Product | undefined, after: Product): Change[] {
  if (!before) return []
  const idsOf = (one: Product, other: Product) => {
    const there = new Set(other.variants.map(({ id }) => id))
    return one.variants.filter(({ id }) => there.has(id))
  }
  const [was, is] = [idsOf(before, after), idsOf(after, before)]
  if (was.every(({ id }, index) => id === is[index]?.id)) return []
  return [{ ...NOWHERE, field: 'variants', before: was.map(labelOf), after: is.map(labelOf) }]
}

function stockChanges(
  before: Product | undefined,
  after: Product,
  targets: readonly StockTarget[],
  quantities: Quantities,
): Change[] {
  const known = new Set(before?.variants.map(({ id }) => id))
  const byId = new Map(after.variants.map((variant) => [variant.id, variant]))
  return targets.flatMap(({ variantId, quantity }): Change[] => {
    const variant = byId.get(variantId)
    const was = quantities.get(variantId) ?? 0
    if (!variant || was === quantity) return []
    const isNew = !known.has(variantId)
    const place = { ...placeOf(variant), ...(isNew && { variantId: null }) }
    return [{ ...place, field: 'quantity', before: isNew ? null : was, after: quantity }]
  })
}

const MAX_FALL = 0.3

/** What a person should look at before they agree. */
export function warningsOf(changes: readonly Change[]): Warning[] {
  const found = new Set<Warning>()
  for (const { field, before, after } of changes) {
    if (before === null) continue
    if (field === 'price' && typeof before === 'number' && typeof after === 'number') {
      if (after === 0 && before > 0) found.add('PRICE_ZERO')
      else if (after < before * (1 - MAX_FALL)) found.add('PRICE_DROP')
    }
    if (field === 'price' && after === null) found.add('NOT_SOLD')
    if (field === 'status' && before === 'ACTIVE' && after !== 'ACTIVE') found.add('NOT_SOLD')
    if (field === 'variant' && after === null) found.add('VARIANT_REMOVED')
    if (field === 'quantity') found.add('STOCK_SET')
  }
  return [...found]
}
