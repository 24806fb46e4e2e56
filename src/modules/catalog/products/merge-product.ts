import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '#vocabulary/actor.ts'
import { collectDetails, type Report } from '#vocabulary/block-values.ts'
import { checkFreeBlocks } from '#vocabulary/blocks.ts'
import type { Business } from '#vocabulary/business.ts'
import { newId } from '#vocabulary/ids.ts'
import { toMedia } from '#vocabulary/media.ts'
import { appendStatuses } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import * as refusal from '../errors.ts'
import type { NewVariant, ProductChanges } from '../schemas.ts'
import { toDocument } from './document.ts'
import { EMPTY_PRODUCT, EMPTY_VARIANT, type MarketPrice, type Product, type Variant } from './product.ts'

/** The quantity that a variant's stock is to be set to. */
export type StockTarget = { variantId: string; quantity: number }

const MAX_BYTES = 200_000

type Context = { business: Pick<Business, 'id' | 'markets'>; actor: Actor | undefined; at: Date; places?: Places }

/** Where a field stands in what was sent, for error details; what stands at the top has an empty place. */
export type Places = { variant: (index: number) => string; price: (index: number, number: number) => string }

const IN_PRODUCT: Places = {
  variant: (index) => `variants.${index}.`,
  price: (index, number) => `variants.${index}.pricing.markets.${number}.`,
}

/**
 * Applies the changes to a product, and returns the stock that they set. Fields that were not sent stay. Known
 * variants, `removed` ones included, keep the fields that their element leaves out. Throws 422 with one detail for each
 * mistake.
 */
export function mergeProduct(
  before: Product | undefined,
  removed: readonly Variant[],
  sent: ProductChanges,
  { business, actor, at, places = IN_PRODUCT }: Context,
): { product: Product; targets: StockTarget[] } {
  const base = before ?? {
    id: newId('prod'),
    businessId: business.id,
    ...EMPTY_PRODUCT,
    variants: [],
    version: 0,
    createdAt: at,
  }
  const { report, throwIfAny } = collectDetails()
  const known = new Map([...removed, ...base.variants].map((variant) => [variant.id, variant]))
  const { variants: sentVariants, gallery, statuses: sentStatuses = [], blocks, ...texts } = sent
  const variants = sentVariants ? mergeVariants(known, sentVariants, business, places, report) : base.variants
  throwIfAny()

  const atSeconds = toSeconds(at)
  const statuses = appendStatuses(base.statuses, sentStatuses, { field: 'statuses', actor, atSeconds })
  const product = {
    ...base,
    ...texts,
    gallery: gallery?.map(toMedia) ?? base.gallery,
    variants,
    statuses:
      statuses.length > 0
        ? statuses
        : appendStatuses([], [{ status: 'DRAFT' }], { field: 'statuses', actor, atSeconds }),
    blocks: blocks ? checkFreeBlocks(blocks) : base.blocks,
    version: base.version + 1,
    updatedAt: at,
  }
  checkSize(product, before)
  return { product, targets: targetsOf(variants, sentVariants) }
}

/**
 * A product that grows by many small changes needs a limit, too: a list returns a hundred of them. A product that is
 * over the limit already may still shrink or change its status.
 */
function checkSize(product: Product, before: Product | undefined): void {
  if (bytesOf(product) <= MAX_BYTES) return
  const withoutHistory = (one: Product) => bytesOf({ ...one, statuses: [] })
  const wasTooLarge = before !== undefined && bytesOf(before) > MAX_BYTES
  if (!wasTooLarge || withoutHistory(product) > withoutHistory(before)) throw refusal.productTooLarge()
}

const bytesOf = (product: Product) => Buffer.byteLength(toDocument(product))

/** Whether the change sets any quantity. */
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
  places: Places,
  report: Report,
): Variant[] {
  const ids = new Set<string>()
  return sent.map((element, index) => {
    const { id = newId('var'), pricing, inventory = {}, gallery, ...texts } = element
    const { quantity: _quantity, ...limits } = inventory
    if (ids.has(id)) report(refusal.variantRepeated.asDetail({ at: places.variant(index), id }))
    ids.add(id)
    const base = known.get(id) ?? { id, ...EMPTY_VARIANT }
    return {
      ...base,
      ...texts,
      ...limits,
      prices: pricing
        ? toPrices(pricing.markets, base.prices, markets, (number) => places.price(index, number), report)
        : base.prices,
      gallery: gallery?.map(toMedia) ?? base.gallery,
    }
  })
}

/** A price that is sent back unchanged stays valid after its market was removed or changed its currency. */
function toPrices(
  sent: NonNullable<NewVariant['pricing']>['markets'],
  before: readonly MarketPrice[],
  markets: Business['markets'],
  placeOf: (number: number) => string,
  report: Report,
): MarketPrice[] {
  const seen = new Set<string>()
  const stored = new Map(before.map((price) => [price.marketId, price]))
  return sent.map(({ marketId, currency, price, compareAtPrice }, number) => {
    const place = { at: placeOf(number), marketId }
    const market = markets.find(({ id }) => id === marketId)
    const compare = compareAtPrice === undefined || compareAtPrice === null ? {} : { compareAtPrice }
    if (seen.has(marketId)) report(refusal.priceRepeated.asDetail(place))
    seen.add(marketId)
    const known = stored.get(marketId)
    if (known && isDeepStrictEqual(known, { marketId, currency, price, ...compare })) return known
    if (!market) report(refusal.marketNotFound.asDetail(place))
    if (market && currency !== undefined && currency !== market.currency)
      report(refusal.currencyDiffers.asDetail({ ...place, currency: market.currency, sent: currency }))
    return { marketId, currency: market?.currency ?? currency ?? '', price, ...compare }
  })
}
