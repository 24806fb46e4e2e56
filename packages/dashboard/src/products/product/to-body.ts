import type { CreateProductBody, Input, Product } from '@kontor/sdk'
import { type Item, toNewMedia } from '../../media/picture.ts'
import {
  type Edits,
  fieldOf,
  isPlanned,
  type Price,
  type Row,
  readField,
  rowsOf,
  TEXT_FIELDS,
  valueOf,
  variantOf,
} from './edits.ts'

export type ProductChanges = Input<'updateProduct'>['body']
type NewVariant = NonNullable<ProductChanges['variants']>[number]
type NewPrice = NonNullable<NewVariant['pricing']>['markets'][number]
type Market = { id: string }

/** What is to be sent, made of the product as it is now. Differences of stock are sent by themselves, but for new variants. */
export function toChanges(product: Product, edits: Edits, markets: readonly Market[]): ProductChanges {
  const isEdited = (field: string) => field in edits
  const text = (field: string) => valueOf(product, edits, field) as string
  const fields = (['name', 'slug', 'description', 'category', 'taxClass', 'tags'] as const).filter(isEdited)
  const status = edits.status?.now as 'DRAFT' | undefined
  return {
    ...Object.fromEntries(fields.map((field) => [field, edits[field]?.now])),
    ...(isEdited('gallery') && { gallery: galleryOf(edits.gallery?.now) }),
    ...((isEdited('seo.title') || isEdited('seo.description')) && {
      seo: { title: text('seo.title'), description: text('seo.description') },
    }),
    ...(status && {
      statuses: [...product.statuses.map(({ id, status: past }) => ({ id, status: past })), { status }],
    }),
    ...(Object.keys(edits).some((field) => field.startsWith('text/')) && {
      translations: translationsOf(product, edits),
    }),
    ...(changesVariants(product, edits) && {
      variants: rowsOf(product, edits).map((row) => toVariant(product, edits, row, markets)),
    }),
  }
}

/** A whole product, of one that is not stored yet and what was typed. */
export function toNewProduct(product: Product, edits: Edits, markets: readonly Market[]): CreateProductBody {
  const { statuses: _statuses, ...rest } = toChanges(product, edits, markets)
  const slug = valueOf(product, edits, 'slug') as string
  return {
    ...rest,
    name: (valueOf(product, edits, 'name') as string).trim(),
    ...(slug ? { slug } : {}),
    statuses: [{ status: valueOf(product, edits, 'status') as 'DRAFT' }],
    variants: rowsOf(product, edits).map((row) => toVariant(product, edits, row, markets)),
  }
}

const galleryOf = (items: unknown) => (items as Item[]).map(toNewMedia)

const OF_VARIANTS = /^(variant|sku|price|compare|low|gallery)\//

/** The stock of a variant that is there is changed by itself: nothing of the product has to be written for it. */
const changesVariants = (product: Product, edits: Edits) =>
  Object.keys(edits).some((field) => OF_VARIANTS.test(field) && isThere(product, edits, field))

function isThere(product: Product, edits: Edits, field: string): boolean {
  const id = field.split('/')[1] ?? ''
  return variantOf(product, id) !== undefined || Boolean(edits[fieldOf.variant(id)]?.now)
}

function toVariant(product: Product, edits: Edits, row: Row, markets: readonly Market[]): NewVariant {
  const { id, name, attributes, isNew } = row
  const isEdited = (field: string) => isNew || field in edits
  const value = (field: string) => valueOf(product, edits, field)
  const isPriced =
    isNew || markets.some((market) => fieldOf.price(id, market.id) in edits || fieldOf.compare(id, market.id) in edits)
  const low = value(fieldOf.low(id)) as number | null
  return {
    id,
    ...(isEdited(fieldOf.variant(id)) && { name, attributes }),
    ...(isEdited(fieldOf.sku(id)) && { sku: value(fieldOf.sku(id)) as string }),
    ...(fieldOf.gallery(id) in edits && { gallery: galleryOf(value(fieldOf.gallery(id))) }),
    ...(isPriced && { pricing: { markets: pricesOf(product, edits, id, markets) } }),
    ...(isNew
      ? {
          inventory: {
            tracked: true,
            quantity: Math.max(0, value(fieldOf.stock(id)) as number),
            lowStockThreshold: low,
          },
        }
      : fieldOf.low(id) in edits && { inventory: { lowStockThreshold: low } }),
  }
}

const toNewPrice = ({ marketId, price, compareAtPrice, validFrom, validTo, currency }: Price): NewPrice => ({
  marketId,
  currency,
  price,
  ...(compareAtPrice !== undefined && { compareAtPrice }),
  ...(validFrom !== undefined && { validFrom }),
  ...(validTo !== undefined && { validTo }),
})

/** All prices of a variant, as they are replaced whole. Planned ones stay, unless it is not sold there any more. */
function pricesOf(product: Product, edits: Edits, id: string, markets: readonly Market[]): NewPrice[] {
  const stored = variantOf(product, id)?.pricing.markets ?? []
  const ofOthers = stored.filter(({ marketId }) => !markets.some((market) => market.id === marketId)).map(toNewPrice)
  const ofMarkets = markets.flatMap((market): NewPrice[] => {
    const field = fieldOf.price(id, market.id)
    const price = valueOf(product, edits, field) as number | null
    const planned = stored.filter((one) => one.marketId === market.id && isPlanned(one)).map(toNewPrice)
    if (price === null) return field in edits && readField(product, field) !== null ? [] : planned
    const compareAtPrice = valueOf(product, edits, fieldOf.compare(id, market.id)) as number | null
    return [{ marketId: market.id, price, ...(compareAtPrice !== null && { compareAtPrice }) }, ...planned]
  })
  return [...ofMarkets, ...ofOthers]
}

/** All locales, as they are replaced whole. An empty text is none: the default language is shown in its place. */
function translationsOf(product: Product, edits: Edits): Product['translations'] {
  const locales = new Set(Object.keys(product.translations))
  for (const field of Object.keys(edits)) if (field.startsWith('text/')) locales.add(field.split('/')[1] ?? '')
  return Object.fromEntries(
    [...locales].flatMap((locale) => {
      const texts = TEXT_FIELDS.flatMap((field) => {
        const text = (valueOf(product, edits, fieldOf.text(locale, field)) as string).trim()
        return text ? [[field, text] as const] : []
      })
      if (texts.length === 0) return []
      const { 'seo.title': title, 'seo.description': description, ...rest } = Object.fromEntries(texts)
      const seo = { ...(title && { title }), ...(description && { description }) }
      return [[locale, { ...rest, ...(Object.keys(seo).length > 0 && { seo }) }]]
    }),
  )
}
