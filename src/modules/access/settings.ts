import type { Market } from '#vocabulary/business.ts'
import { isCurrency } from '#vocabulary/currencies.ts'
import { type Detail, invalidFields } from '#vocabulary/errors.ts'
import { isLocale } from '#vocabulary/locales.ts'
import { findOffStep } from '#vocabulary/money.ts'
import { isOrderUrl, isOrigin, isPreviewUrl, isProductUrl } from '#vocabulary/origins.ts'
import { amountOffStep } from '#vocabulary/refusals.ts'
import { isTimeZone } from '#vocabulary/time-zones.ts'
import * as refusal from './errors.ts'
import type { BusinessChanges } from './schemas.ts'

/**
 * Rules that a schema cannot express. Throws 422 with one detail for each mistake. A shipping price that is off its currency's
 * step, stored by an archive, does not block other changes.
 */
export function checkSettings(settings: BusinessChanges, before: readonly Market[] = []): void {
  const { locales, defaultLocale, allowedOrigins, orderUrl, timeZone, storefront, markets } = settings
  const details: Detail[] = []
  const wrong = (detail: Detail) => details.push(detail)

  for (const [index, locale] of (locales ?? []).entries()) {
    if (!isLocale(locale)) wrong(refusal.localeInvalid.asDetail({ index, locale }))
  }
  if (defaultLocale !== undefined && locales && !locales.includes(defaultLocale)) {
    wrong(refusal.defaultLocaleUnknown.asDetail())
  }
  for (const [index, origin] of (allowedOrigins ?? []).entries()) {
    if (!isOrigin(origin)) wrong(refusal.originInvalid.asDetail({ index, origin }))
  }
  if (orderUrl && !isOrderUrl(orderUrl, allowedOrigins ?? [])) {
    wrong(refusal.orderUrlInvalid.asDetail({ orderId: '{orderId}' }))
  }
  if (storefront?.previewUrl && !isPreviewUrl(storefront.previewUrl, allowedOrigins ?? [])) {
    wrong(refusal.previewUrlInvalid.asDetail({ entryId: '{entryId}', token: '{token}' }))
  }
  if (storefront?.productUrl && !isProductUrl(storefront.productUrl, allowedOrigins ?? [])) {
    wrong(refusal.productUrlInvalid.asDetail({ slug: '{slug}' }))
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) wrong(refusal.timeZoneInvalid.asDetail({ timeZone }))
  details.push(...marketProblems(markets ?? [], (index) => `markets.${index}`, before))
  if (details.length > 0) throw invalidFields(details)
}

/** The same rules for one market that is only tried. */
export function checkMarket(market: SentMarket): void {
  const details = marketProblems([market], () => 'market')
  if (details.length > 0) throw invalidFields(details)
}

type SentMarket = NonNullable<BusinessChanges['markets']>[number]
type SentMethod = SentMarket['shippingMethods'][number]

function marketProblems(
  markets: readonly SentMarket[],
  placeOf: (index: number) => string,
  before: readonly Market[] = [],
): Detail[] {
  const details: Detail[] = []
  const wrong = (detail: Detail) => details.push(detail)
  for (const [index, market] of markets.entries()) {
    const at = placeOf(index)
    if (!isCurrency(market.currency)) wrong(refusal.currencyInvalid.asDetail({ at, currency: market.currency }))
    if (isRepeated(markets, index)) wrong(refusal.marketRepeated.asDetail({ at, id: market.id }))
    for (const [position, { taxClass }] of (market.taxRates ?? []).entries()) {
      if (market.taxRates?.findIndex((rate) => rate.taxClass === taxClass) !== position) {
        wrong(refusal.taxClassRepeated.asDetail({ at: `${at}.taxRates.${position}`, taxClass }))
      }
    }
    for (const [position, method] of market.shippingMethods.entries()) {
      if (isRepeated(market.shippingMethods, position)) {
        wrong(refusal.shippingMethodRepeated.asDetail({ at: `${at}.shippingMethods.${position}`, id: method.id }))
      }
      // `freeFrom` is compared with a subtotal and never charged.
      const off = isStored(before, market, method) ? undefined : findOffStep(method.price, market.currency)
      if (off) wrong(amountOffStep.asDetail({ field: `${at}.shippingMethods.${position}.price`, ...off }))
    }
  }
  return details
}

const isStored = (before: readonly Market[], { id, currency }: SentMarket, { id: methodId, price }: SentMethod) =>
  before
    .find((market) => market.id === id && market.currency === currency)
    ?.shippingMethods.some((method) => method.id === methodId && method.price === price)

const MAX_BYTES = 64 * 1024

/**
 * Limited because every request loads the settings of its business. Settings that are over the limit already may still
 * shrink.
 */
export function checkSize(after: BusinessChanges, before: BusinessChanges = {}): void {
  const bytes = bytesOf(after)
  if (bytes > MAX_BYTES && bytes >= bytesOf(before)) throw refusal.settingsTooLarge()
}

const bytesOf = (settings: BusinessChanges) => {
  const { name, slug, contactEmail, locales, defaultLocale, allowedOrigins, orderUrl, timeZone, markets } = settings
  const counted = { name, slug, contactEmail, locales, defaultLocale, allowedOrigins, orderUrl, timeZone, markets }
  return Buffer.byteLength(JSON.stringify(counted))
}

const isRepeated = (items: readonly { id: string }[], index: number) =>
  items.findIndex(({ id }) => id === items[index]?.id) !== index
