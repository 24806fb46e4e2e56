import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '#vocabulary/actor.ts'
import { collectDetails, type Report } from '#vocabulary/block-values.ts'
import { type Block, checkFreeBlocks } from '#vocabulary/blocks.ts'
import type { Business } from '#vocabulary/business.ts'
import { invalid } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { type Media, toMedia } from '#vocabulary/media.ts'
import { appendStatuses, type StatusEntry } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { toDocument } from './document.ts'
import type { NewVariant, ProductChanges, ProductStatus } from './schemas.ts'

export type MarketPrice = { marketId: string; currency: string; price: number; compareAtPrice?: number }
export type Variant = {
  id: string
  name: string
  sku: string
  attributes: { name: string; value: string }[]
  prices: MarketPrice[]
  gallery: Media[]
  tracked: boolean
  lowStockThreshold: number | null
  maxPerOrder: number | null
}

/** A product as its rows hold it. Stock lives apart. */
export type Product = {
  id: string
  businessId: string
  name: string
  slug: string
  description: string
  category: string
  gallery: Media[]
  variants: Variant[]
  statuses: StatusEntry<ProductStatus>[]
  blocks: Block[]
  version: number
  createdAt: Date
  updatedAt: Date
}

/** What a variant's stock is to become. */
export type StockTarget = { variantId: string; quantity: number }

const MAX_BYTES = 200_000
const tooLarge = () =>
  invalid(
    'variants',
    'TOO_LARGE',
    'The product is larger than 200 KB as JSON. Shorten its texts, or make it two products.',
  )

type Context = { business: Pick<Business, 'id' | 'markets'>; actor: Actor | undefined; at: Date }

const empty = { slug: '', description: '', category: '', gallery: [], variants: [], statuses: [], blocks: [] }

/**
 * The product with what was sent put in, and the stock that was sent along. What is not sent stays as it is; variants that are
 * known (`removed` ones, too) keep what their element does not send. Throws 422 with one detail for each mistake.
 */
export function mergeProduct(
  before: Product | undefined,
  removed: readonly Variant[],
  sent: ProductChanges,
  { business, actor, at }: Context,
): { product: Product; targets: StockTarget[] } {
  const base = before ?? {
    ...empty,
    id: newId('prod'),
    businessId: business.id,
    name: '',
    version: 0,
    createdAt: at,
  }
  const { report, throwIfAny } = collectDetails()
  const known = new Map([...removed, ...base.variants].map((variant) => [variant.id, variant]))
  const variants = sent.variants ? mergeVariants(known, sent.variants, business, report) : base.variants
  throwIfAny()

  const atSeconds = toSeconds(at)
  const statuses = appendStatuses(base.statuses, sent.statuses ?? [], { field: 'statuses', actor, atSeconds })
  const product = {
    ...base,
    name: sent.name ?? base.name,
    slug: sent.slug ?? base.slug,
    description: sent.description ?? base.description,
    category: sent.category ?? base.category,
    gallery: sent.gallery?.map(toMedia) ?? base.gallery,
    variants,
    statuses:
      statuses.length > 0
        ? statuses
        : appendStatuses([], [{ status: 'DRAFT' }], { field: 'statuses', actor, atSeconds }),
    blocks: sent.blocks ? checkFreeBlocks(sent.blocks) : base.blocks,
    version: base.version + 1,
    updatedAt: at,
  }
  checkSize(product, before)
  return { product, targets: targetsOf(variants, sent.variants) }
}

/**
 * What grows by many small changes must end somewhere, too: lists hand out a hundred of them. A product that was too large already
 * may become smaller or go another way through its statuses.
 */
function checkSize(product: Product, before: Product | undefined): void {
  if (bytesOf(product) <= MAX_BYTES) return
  const withoutHistory = (one: Product) => bytesOf({ ...one, statuses: [] })
  const wasTooLarge = before !== undefined && bytesOf(before) > MAX_BYTES
  if (!wasTooLarge || withoutHistory(product) > withoutHistory(before)) throw tooLarge()
}

const bytesOf = (product: Product) => Buffer.byteLength(toDocument(product))

/** Whether a change says how much there is of anything. */
export const setsStock = ({ variants = [] }: ProductChanges) =>
  variants.some(({ inventory }) => inventory?.quantity !== undefined)

const targetsOf = (variants: Variant[], sent: readonly NewVariant[] = []): StockTarget[] =>
  sent.flatMap(({ inventory }, index) => {
    const variantId = variants[index]?.id ?? ''
    return inventory?.quantity === undefined ? [] : [{ variantId, quantity: inventory.quantity }]
  })

function mergeVariants(
  known: ReadonlyMap<string, Variant>,
  sent: readonly NewVariant[],
  { markets }: Pick<Business, 'markets'>,
  report: Report,
): Variant[] {
  const ids = new Set<string>()
  return sent.map((element, index) => {
    const at = `variants.${index}`
    const { id = newId('var'), inventory = {} } = element
    if (ids.has(id)) report(`${at}.id`, 'DUPLICATE', `Two variants have the id ${id}.`)
    ids.add(id)
    const base = known.get(id)
    const {
      tracked = base?.tracked ?? true,
      lowStockThreshold = base?.lowStockThreshold ?? null,
      maxPerOrder = base?.maxPerOrder ?? null,
    } = inventory
    return {
      id,
      name: element.name ?? base?.name ?? '',
      sku: element.sku ?? base?.sku ?? '',
      attributes: element.attributes ?? base?.attributes ?? [],
      prices: element.pricing
        ? toPrices(element.pricing.markets, base?.prices ?? [], markets, at, report)
        : (base?.prices ?? []),
      gallery: element.gallery?.map(toMedia) ?? base?.gallery ?? [],
      tracked,
      lowStockThreshold,
      maxPerOrder,
    }
  })
}

/** A price that is sent back as it was stays, also when its market has gone or changed its currency since. */
function toPrices(
  sent: NonNullable<NewVariant['pricing']>['markets'],
  before: readonly MarketPrice[],
  markets: Business['markets'],
  at: string,
  report: Report,
): MarketPrice[] {
  const seen = new Set<string>()
  const stored = new Map(before.map((price) => [price.marketId, price]))
  return sent.map(({ marketId, currency, price, compareAtPrice }, index) => {
    const field = `${at}.pricing.markets.${index}`
    const market = markets.find(({ id }) => id === marketId)
    const compare = compareAtPrice === undefined || compareAtPrice === null ? {} : { compareAtPrice }
    const wrong = (name: string, error: string, message: string) => report(`${field}.${name}`, error, message)
    if (seen.has(marketId)) wrong('marketId', 'DUPLICATE', `Two prices are for the market ${marketId}.`)
    seen.add(marketId)
    const known = stored.get(marketId)
    if (known && isDeepStrictEqual(known, { marketId, currency, price, ...compare })) return known
    if (!market) wrong('marketId', 'NOT_FOUND', `This business has no market ${marketId}.`)
    if (market && currency !== undefined && currency !== market.currency)
      wrong('currency', 'INVALID', `The currency of market ${marketId} is ${market.currency}, not ${currency}.`)
    return { marketId, currency: market?.currency ?? currency ?? '', price, ...compare }
  })
}
