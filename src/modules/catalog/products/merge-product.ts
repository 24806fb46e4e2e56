import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '#vocabulary/actor.ts'
import { collectDetails, type Report } from '#vocabulary/block-values.ts'
import { checkFreeBlocks } from '#vocabulary/blocks.ts'
import type { Business } from '#vocabulary/business.ts'
import { newId } from '#vocabulary/ids.ts'
import { MAX_LOCALES } from '#vocabulary/limits.ts'
import { isLocale } from '#vocabulary/locales.ts'
import { type KnownMedia, type NewMedia, toMedia } from '#vocabulary/media.ts'
import { findOffStep } from '#vocabulary/money.ts'
import { amountOffStep, notALocale, tooManyLocales } from '#vocabulary/refusals.ts'
import { appendStatuses } from '#vocabulary/status-history.ts'
import { toSeconds } from '#vocabulary/time.ts'
import * as refusal from '../errors.ts'
import type { NewVariant, ProductChanges } from '../schemas.ts'
import { toDocument } from './document.ts'
import { beginOf, endOf, isPlanned } from './prices.ts'
import { EMPTY_PRODUCT, EMPTY_VARIANT, type MarketPrice, optionsOf, type Product, type Variant } from './product.ts'
import { itemsOf, withoutCopies } from './product-media.ts'

/** The quantity that a variant's stock is to be set to. */
export type StockTarget = { variantId: string; quantity: number }

const MAX_BYTES = 200_000
/** A thousand variants with prices in some markets are one product, too. */
const MAX_VARIANT_BYTES = 600
/** Each brings the addresses of its renditions, some two kilobytes. */
export const MAX_FILES = 300
const mostBytes = ({ variants }: Product) => MAX_BYTES + variants.length * MAX_VARIANT_BYTES

type Context = {
  business: Pick<Business, 'id' | 'markets'>
  actor: Actor | undefined
  at: Date
  places?: Places
  /** The files that pictures may name; `knownMedia` reads them. */
  known?: KnownMedia
}

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
  { business, actor, at, places = IN_PRODUCT, known: files }: Context,
): { product: Product; targets: StockTarget[] } {
  const base = before ?? {
    id: newId('prod'),
    businessId: business.id,
    ...EMPTY_PRODUCT,
    variants: [],
    pricesChangeAt: null,
    version: 0,
    createdAt: at,
  }
  const { report, throwIfAny } = collectDetails()
  const known = new Map([...removed, ...base.variants].map((variant) => [variant.id, variant]))
  const { variants: sentVariants, gallery, statuses: sentStatuses = [], blocks, seo, translations, ...texts } = sent
  const variants = sentVariants
    ? mergeVariants(known, sentVariants, { business, places, report, files })
    : base.variants
  const pictures = gallery && toGallery(gallery, 'gallery', report, files)
  if (translations) checkLocales(translations, 'translations', report)
  throwIfAny()

  const atSeconds = toSeconds(at)
  const statuses = appendStatuses(base.statuses, sentStatuses, { field: 'statuses', actor, atSeconds })
  const product = {
    ...base,
    ...texts,
    seo: { ...base.seo, ...seo },
    translations: translations ?? base.translations,
    gallery: pictures ?? base.gallery,
    variants,
    statuses:
      statuses.length > 0
        ? statuses
        : appendStatuses([], [{ status: 'DRAFT' }], { field: 'statuses', actor, atSeconds }),
    blocks: blocks ? checkFreeBlocks(blocks, 'blocks', files) : base.blocks,
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
  const files = itemsOf(product).filter(({ mediaId }) => mediaId !== undefined).length
  if (files > MAX_FILES) throw refusal.tooManyFiles()
  if (bytesOf(product) <= mostBytes(product)) return
  const withoutHistory = (one: Product) => bytesOf({ ...one, statuses: [] })
  const wasTooLarge = before !== undefined && bytesOf(before) > mostBytes(before)
  if (!wasTooLarge || withoutHistory(product) > withoutHistory(before)) throw refusal.productTooLarge()
}

/** Without the options, which repeat what the variants have. */
const bytesOf = (product: Product) =>
  Buffer.byteLength(toDocument(withoutCopies(product))) -
  Buffer.byteLength(JSON.stringify(optionsOf(product.variants.map(({ attributes }) => attributes))))

/** Whether the change sets any quantity. */
export const setsStock = ({ variants = [] }: ProductChanges) =>
  variants.some(({ inventory }) => inventory?.quantity !== undefined)

const targetsOf = (variants: Variant[], sent: readonly NewVariant[] = []): StockTarget[] =>
  sent.flatMap(({ inventory }, index) => {
    const variantId = variants[index]?.id ?? ''
    return inventory?.quantity === undefined ? [] : [{ variantId, quantity: inventory.quantity }]
  })

const toGallery = (gallery: readonly NewMedia[], at: string, report: Report, files: KnownMedia | undefined) =>
  gallery.map((item, index) => toMedia(item, `${at}.${index}`, report, files))

type Merging = Pick<Context, 'business'> & { places: Places; report: Report; files: KnownMedia | undefined }

function mergeVariants(
  known: ReadonlyMap<string, Variant>,
  sent: readonly NewVariant[],
  { business: { markets }, places, report, files }: Merging,
): Variant[] {
  const ids = new Set<string>()
  return sent.map((element, index) => {
    const { id = newId('var'), pricing, inventory = {}, gallery, ...texts } = element
    const { quantity: _quantity, ...limits } = inventory
    if (ids.has(id)) report(refusal.variantRepeated.asDetail({ at: places.variant(index), id }))
    ids.add(id)
    if (texts.translations) checkLocales(texts.translations, `${places.variant(index)}translations`, report)
    const base = known.get(id) ?? { id, ...EMPTY_VARIANT }
    return {
      ...base,
      ...texts,
      ...limits,
      prices: pricing
        ? toPrices(pricing.markets, base.prices, markets, (number) => places.price(index, number), report)
        : base.prices,
      gallery: gallery ? toGallery(gallery, `${places.variant(index)}gallery`, report, files) : base.gallery,
    }
  })
}

function checkLocales(translations: object, at: string, report: Report): void {
  const locales = Object.keys(translations)
  if (locales.length > MAX_LOCALES) report(tooManyLocales.asDetail({ at }))
  for (const locale of locales) if (!isLocale(locale)) report(notALocale.asDetail({ field: `${at}.${locale}` }))
}

/** A price that is sent back unchanged stays valid after its market was removed or changed its currency. */
function toPrices(
  sent: NewPrices,
  before: readonly MarketPrice[],
  markets: Business['markets'],
  placeOf: (number: number) => string,
  report: Report,
): MarketPrice[] {
  const stored = new Map(before.map((price) => [termOf(price), price]))
  const prices = sent.map(({ marketId, currency, price, compareAtPrice, validFrom, validTo }, number) => {
    const place = { at: placeOf(number), marketId }
    const market = markets.find(({ id }) => id === marketId)
    const given = {
      ...(typeof compareAtPrice === 'number' && { compareAtPrice }),
      ...(typeof validFrom === 'number' && { validFrom }),
      ...(typeof validTo === 'number' && { validTo }),
    }
    const known = stored.get(termOf({ marketId, ...given }))
    const { lowestOf30Days: _lowest, ...shown } = known ?? {}
    if (known && isDeepStrictEqual(shown, { marketId, currency, price, ...given })) return known
    if (!market) report(refusal.marketNotFound.asDetail(place))
    if (market && currency !== undefined && currency !== market.currency)
      report(refusal.currencyDiffers.asDetail({ ...place, currency: market.currency, sent: currency }))
    for (const [field, amount] of Object.entries({ price, compareAtPrice: given.compareAtPrice ?? 0 })) {
      const off = market && findOffStep(amount, market.currency)
      if (off) report(amountOffStep.asDetail({ field: `${place.at}${field}`, ...off }))
    }
    return { marketId, currency: market?.currency ?? currency ?? '', price, ...given }
  })
  checkTerms(prices, placeOf, report)
  return prices
}

type NewPrices = NonNullable<NewVariant['pricing']>['markets']

const termOf = ({ marketId, validFrom, validTo }: { marketId: string; validFrom?: unknown; validTo?: unknown }) =>
  JSON.stringify([marketId, validFrom ?? null, validTo ?? null])

/** One plain price for each market, and planned ones that do not hold at the same time. */
function checkTerms(prices: readonly MarketPrice[], placeOf: (number: number) => string, report: Report): void {
  const plain = new Set<string>()
  const planned: { price: MarketPrice; at: string }[] = []
  for (const [number, price] of prices.entries()) {
    const at = placeOf(number)
    const { marketId } = price
    if (isPlanned(price)) planned.push({ price, at })
    else if (plain.has(marketId)) report(refusal.priceRepeated.asDetail({ at, marketId }))
    else plain.add(marketId)
  }
  for (const [marketId, ofMarket] of Map.groupBy(planned, ({ price }) => price.marketId)) {
    let end = 0
    for (const { price, at } of ofMarket.toSorted((a, b) => beginOf(a.price) - beginOf(b.price))) {
      if (beginOf(price) >= endOf(price)) report(refusal.priceEndsBefore.asDetail({ at }))
      if (beginOf(price) < end) report(refusal.pricesOverlap.asDetail({ at, marketId }))
      end = Math.max(end, endOf(price))
    }
  }
}
