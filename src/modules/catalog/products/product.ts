import { STANDARD_TAX_CLASS } from '#vocabulary/business.ts'
import { currentOf } from '#vocabulary/status-history.ts'
import type { Product as Shown } from '../schemas.ts'

type ShownVariant = Shown['variants'][number]
export type MarketPrice = ShownVariant['pricing']['markets'][number]

/** Optional fields of the response are nullable columns of the row. */
type Row<Fields> = {
  [Name in keyof Fields]-?: Partial<Pick<Fields, Name>> extends Pick<Fields, Name>
    ? NonNullable<Fields[Name]> | null
    : Fields[Name]
}

/** A variant as stored: all fields of the response except the quantity. */
export type Variant = Row<Omit<ShownVariant, 'pricing' | 'inventory'> & Omit<ShownVariant['inventory'], 'quantity'>> & {
  prices: MarketPrice[]
}

/** A product as stored. Stock has its own table, and options are read from the variants. */
export type Product = Row<Omit<Shown, 'variants' | 'options' | 'createdAt' | 'updatedAt'>> & {
  variants: Variant[]
  /** When a planned price begins or ends next. */
  pricesChangeAt: Date | null
  version: number
  createdAt: Date
  updatedAt: Date
}

/**
 * Defaults of a new product and a new variant. Rows are read and written by these keys, and no other list repeats them:
 * a field of the schema that is missing here does not compile.
 */
export const EMPTY_PRODUCT: Omit<
  Product,
  'id' | 'businessId' | 'variants' | 'pricesChangeAt' | 'version' | 'createdAt' | 'updatedAt'
> = {
  name: '',
  slug: '',
  description: '',
  category: '',
  taxClass: STANDARD_TAX_CLASS,
  tags: [],
  seo: { title: '', description: '' },
  translations: {},
  gallery: [],
  statuses: [],
  blocks: [],
}
export const EMPTY_VARIANT: Omit<Variant, 'id'> = {
  name: '',
  sku: '',
  attributes: [],
  translations: {},
  prices: [],
  gallery: [],
  tracked: true,
  lowStockThreshold: null,
  maxPerOrder: null,
}

/** Splits a variant into its own row and the columns that its stock row holds. */
export function splitVariant({ tracked, lowStockThreshold, ...content }: Variant) {
  return { content, inventory: { tracked, lowStockThreshold } }
}

const empty = splitVariant({ id: '', ...EMPTY_VARIANT })
export const CONTENT_FIELDS = keysOf(empty.content)
export const INVENTORY_FIELDS = keysOf(empty.inventory)
export const PRODUCT_FIELDS = [
  'id',
  ...keysOf(EMPTY_PRODUCT),
  'pricesChangeAt',
  'version',
  'createdAt',
  'updatedAt',
] as const

function keysOf<Fields extends object>(fields: Fields) {
  return Object.keys(fields) as (keyof Fields)[]
}

export const statusOf = (product: Product) => currentOf(product.statuses)

type Attribute = Variant['attributes'][number]

/** What can be chosen: names and values in the order in which variants bring them. */
export function optionsOf(ofVariants: Iterable<readonly Attribute[]>): Shown['options'] {
  const options = new Map<string, Set<string>>()
  for (const attributes of ofVariants)
    for (const { name, value } of attributes) options.set(name, (options.get(name) ?? new Set()).add(value))
  return [...options].map(([name, values]) => ({ name, values: [...values] }))
}
