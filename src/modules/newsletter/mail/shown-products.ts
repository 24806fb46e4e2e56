import { type Offer, priceAt, readOffers } from '#modules/catalog/index.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import type { Block } from '#vocabulary/blocks.ts'
import type { Business, Market } from '#vocabulary/business.ts'
import { formatMoneyRange } from '#vocabulary/format-money.ts'
import { isLocale } from '#vocabulary/locales.ts'
import type { Media } from '#vocabulary/media.ts'
import { productUrlOf } from '#vocabulary/origins.ts'
import { toSeconds } from '#vocabulary/time.ts'

/** A product as a letter shows it. Prices are texts, by market: readers of different markets see different ones. */
export type ShownProduct = {
  name: string
  url: string | null
  picture: Media | null
  prices: Record<string, string>
}

const MAX_PRODUCTS = 100

/** The products that blocks point at, by id, as they are now. One that is not for sale is left out. */
export async function readShownProducts(
  db: Db,
  business: Business,
  { locale, blocks }: { locale: string; blocks: readonly Block[] },
): Promise<Record<string, ShownProduct>> {
  const ids = [...new Set(blocks.flatMap((block) => productIdOf(block) ?? []))].slice(0, MAX_PRODUCTS)
  if (ids.length === 0) return {}
  const offers = await readOffers(db, business.id, ids)
  return Object.fromEntries(
    offers.map((offer) => [offer.id, toShown(offer, business, isLocale(locale) ? locale : 'en')]),
  )
}

export const productIdOf = ({ type, settings, value }: Block): string | undefined =>
  type === 'RELATIONSHIP' && settings?.targetType === 'PRODUCT' && typeof value === 'string' ? value : undefined

function toShown(offer: Offer, business: Business, locale: string): ShownProduct {
  const { name, slug } = inLocale(offer, locale)
  const prices = business.markets.flatMap((market) => {
    const price = priceIn(offer, market, locale)
    return price === undefined ? [] : [[market.id, price] as const]
  })
  return {
    name,
    url: productUrlOf(business, slug),
    picture: offer.gallery.find(({ mimeType }) => mimeType.startsWith('image/')) ?? null,
    prices: Object.fromEntries(prices),
  }
}

/** In the locale that was asked for, or in its language. */
function inLocale({ name, slug, translations }: Offer, locale: string) {
  const [exact, general] = [translations[locale], translations[locale.split('-')[0] ?? '']]
  return { name: exact?.name || general?.name || name, slug: exact?.slug || general?.slug || slug }
}

function priceIn({ prices }: Offer, market: Market, locale: string): string | undefined {
  const at = toSeconds(now())
  const amounts = prices.flatMap((ofVariant) => priceAt(ofVariant, market, at)?.price ?? [])
  if (amounts.length === 0) return undefined
  return formatMoneyRange(Math.min(...amounts), Math.max(...amounts), market.currency, locale)
}
