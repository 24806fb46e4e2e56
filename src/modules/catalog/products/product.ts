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

/** A product as stored. Stock has its own table. */
export type Product = Row<Omit<Shown, 'variants' | 'createdAt' | 'updatedAt'>> & {
  variants: Variant[]
  version: number
  createdAt: Date
  updatedAt: Date
}

/**
 * Defaults of a new product and a new variant. Rows are read and written by these keys, and no other list repeats them:
 * a field of the schema that is missing here does not compile.
 */
export const EMPTY_PRODUCT: Omit<Product, 'id' | 'businessId' | 'variants' | 'version' | 'createdAt' | 'updatedAt'> = {
  name: '',
  slug: '',
  description: '',
  category: '',
  taxClass: STANDARD_TAX_CLASS,
  gallery: [],
  statuses: [],
  blocks: [],
}
export const EMPTY_VARIANT: Omit<Variant, 'id'> = {
  name: '',
  sku: '',
  attributes: [],
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
export const PRODUCT_FIELDS = ['id', ...keysOf(EMPTY_PRODUCT), 'version', 'createdAt', 'updatedAt'] as const

function keysOf<Fields extends object>(fields: Fields) {
  return Object.keys(fields) as (keyof Fields)[]
}

export const statusOf = (product: Product) => currentOf(product.statuses)
