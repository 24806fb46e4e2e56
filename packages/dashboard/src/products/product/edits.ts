import type { Product } from '@kontor/sdk'
import { isSame } from '../../merge/is-same.ts'
import { statusOf } from '../listed.ts'

/** A variant without its figures. `null` in its place: there is no such variant. */
export type Seed = { name: string; attributes: { name: string; value: string }[] }

/** What a person made of one field. `was` is what they saw, so that two people's changes can be told apart. */
export type Edit = { was: unknown; now: unknown }

/** By the name of the field: `name`, `text/de/name`, `price/<variant>/<market>`… */
export type Edits = Readonly<Record<string, Edit>>

/** New values of some fields. */
export type Patch = Readonly<Record<string, unknown>>

export const PLAIN = [
  'name',
  'slug',
  'description',
  'category',
  'taxClass',
  'tags',
  'gallery',
  'seo.title',
  'seo.description',
  'status',
] as const
export type PlainField = (typeof PLAIN)[number]
export const TEXT_FIELDS = ['name', 'slug', 'description', 'seo.title', 'seo.description'] as const
export type TextField = (typeof TEXT_FIELDS)[number]

export const fieldOf = {
  text: (locale: string, field: TextField) => `text/${locale}/${field}`,
  variant: (id: string) => `variant/${id}`,
  sku: (id: string) => `sku/${id}`,
  /** In minor units; `null`: it is not sold there. */
  price: (id: string, marketId: string) => `price/${id}/${marketId}`,
  /** What it cost before a sale; `null`: it is no sale. */
  compare: (id: string, marketId: string) => `compare/${id}/${marketId}`,
  /** A difference: what is sold in between stays sold. */
  stock: (id: string) => `stock/${id}`,
  low: (id: string) => `low/${id}`,
  /** Pictures of a variant; those of the product are `gallery` alone. */
  gallery: (id: string) => `gallery/${id}`,
}

type Variant = Product['variants'][number]
export type Price = Variant['pricing']['markets'][number]

export const isPlanned = ({ validFrom, validTo }: Price) => validFrom !== undefined || validTo !== undefined
const plainPrice = (variant: Variant | undefined, marketId: string | undefined) =>
  variant?.pricing.markets.find((price) => price.marketId === marketId && !isPlanned(price))

const indexes = new WeakMap<Product, Map<string, Variant>>()

/** The variants by their ids: a grid asks for thousands of cells. */
export function variantOf(product: Product, id: string): Variant | undefined {
  const known = indexes.get(product) ?? new Map(product.variants.map((variant) => [variant.id, variant]))
  indexes.set(product, known)
  return known.get(id)
}

const prices = new WeakMap<Product, Map<string, number>>()

/** The plain prices by the names of their fields, for sums over all of them. */
export function plainPricesOf(product: Product): ReadonlyMap<string, number> {
  const known = prices.get(product)
  if (known) return known
  const made = new Map(
    product.variants.flatMap(({ id, pricing }) =>
      pricing.markets
        .filter((price) => !isPlanned(price))
        .map(({ marketId, price }) => [fieldOf.price(id, marketId), price] as const),
    ),
  )
  prices.set(product, made)
  return made
}

/** The value of a field as the product has it. */
export function readField(product: Product, field: string): unknown {
  const [kind = '', id = '', rest] = field.split('/')
  const variant = id ? variantOf(product, id) : undefined
  switch (kind) {
    case 'text':
      return textOf(product.translations[id], rest as TextField)
    case 'variant':
      return variant ? { name: variant.name, attributes: variant.attributes } : null
    case 'sku':
      return variant?.sku ?? ''
    case 'price':
      return plainPrice(variant, rest)?.price ?? null
    case 'compare':
      return plainPrice(variant, rest)?.compareAtPrice ?? null
    case 'stock':
      return 0
    case 'low':
      return variant?.inventory.lowStockThreshold ?? null
    case 'gallery':
      return id ? (variant?.gallery ?? []) : product.gallery
    case 'status':
      return statusOf(product)
    case 'seo.title':
      return product.seo.title
    case 'seo.description':
      return product.seo.description
    default:
      return product[kind as 'name']
  }
}

type Translation = Product['translations'][string]

function textOf(translation: Translation | undefined, field: TextField): string {
  if (field === 'seo.title') return translation?.seo?.title ?? ''
  if (field === 'seo.description') return translation?.seo?.description ?? ''
  return translation?.[field] ?? ''
}

export const valueOf = (product: Product, edits: Edits, field: string): unknown => {
  const edit = edits[field]
  return edit ? edit.now : readField(product, field)
}

export type Change = Readonly<Record<string, { before: Edit | undefined; after: Edit | undefined }>>

/** Makes new edits of old ones. What has its old value again is no edit. The change can be taken back. */
export function applyPatch(product: Product, edits: Edits, patch: Patch): { edits: Edits; change: Change } {
  const next: Record<string, Edit> = { ...edits }
  const change: Record<string, { before: Edit | undefined; after: Edit | undefined }> = {}
  for (const [field, now] of Object.entries(patch)) {
    const before = edits[field]
    const was = before ? before.was : readField(product, field)
    const after = isSame(was, now) ? undefined : { was, now }
    if (isSame(before, after)) continue
    if (after) next[field] = after
    else delete next[field]
    change[field] = { before, after }
  }
  return { edits: next, change }
}

/** Takes a change back, or does it again. */
export function applyChange(edits: Edits, change: Change, side: 'before' | 'after'): Edits {
  const next: Record<string, Edit> = { ...edits }
  for (const [field, of] of Object.entries(change)) {
    const edit = of[side]
    if (edit) next[field] = edit
    else delete next[field]
  }
  return next
}

/** Edits that still change something: others may have made the same ones, or this page may have saved them before a reload. */
export const withoutDone = (product: Product, edits: Edits): Edits =>
  Object.fromEntries(
    Object.entries(edits).filter(
      ([field, { now }]) => field.startsWith('stock/') || !isSame(now, readField(product, field)),
    ),
  )

export type Row = Seed & { id: string; isNew: boolean }

/** A product that is not stored yet has no id. */
export const isUnsaved = ({ id }: Product) => id === ''

/** The variants with what was added and without what was removed. */
export function rowsOf(product: Product, edits: Edits): Row[] {
  const isNew = isUnsaved(product)
  const kept = product.variants.flatMap(({ id, name, attributes }) => {
    const edit = edits[fieldOf.variant(id)]
    if (!edit) return [{ id, name, attributes, isNew }]
    return edit.now ? [{ id, ...(edit.now as Seed), isNew }] : []
  })
  const added = Object.entries(edits).flatMap(([field, { was, now }]) => {
    const [kind, id = ''] = field.split('/')
    const isAdded = kind === 'variant' && was === null && now !== null && !variantOf(product, id)
    return isAdded ? [{ id, ...(now as Seed), isNew: true }] : []
  })
  return [...kept, ...added]
}

/** What a variant is called: its own name, or what it is made of. */
export const titleOf = ({ name, attributes }: Seed) => name || attributes.map(({ value }) => value).join(', ')
