import { isCurrency } from '#vocabulary/currencies.ts'
import { type Detail, invalid, invalidFields } from '#vocabulary/errors.ts'
import { isLocale } from '#vocabulary/locales.ts'
import { isOrigin } from '#vocabulary/origins.ts'
import type { BusinessChanges } from './schemas.ts'

/** What a schema cannot say about a business's settings. Throws 422 with one detail for each mistake. */
export function checkSettings({ locales, defaultLocale, allowedOrigins, markets }: BusinessChanges): void {
  const details: Detail[] = []
  const wrong = (field: string, error: string, message: string) => details.push({ field, error, message })

  for (const [index, locale] of (locales ?? []).entries()) {
    if (!isLocale(locale)) wrong(`locales.${index}`, 'INVALID', `${locale} is not a locale such as en or de-CH.`)
  }
  if (defaultLocale !== undefined && locales && !locales.includes(defaultLocale)) {
    wrong('defaultLocale', 'INVALID', 'defaultLocale must be one of locales.')
  }
  for (const [index, origin] of (allowedOrigins ?? []).entries()) {
    if (!isOrigin(origin))
      wrong(`allowedOrigins.${index}`, 'INVALID', `${origin} is not an origin such as https://shop.example.com.`)
  }
  for (const [index, market] of (markets ?? []).entries()) {
    const at = `markets.${index}`
    if (!isCurrency(market.currency))
      wrong(`${at}.currency`, 'INVALID', `${market.currency} is not an ISO 4217 currency.`)
    if (isRepeated(markets ?? [], index)) wrong(`${at}.id`, 'DUPLICATE', `Two markets have the id ${market.id}.`)
    for (const [position, method] of market.shippingMethods.entries()) {
      if (isRepeated(market.shippingMethods, position)) {
        wrong(`${at}.shippingMethods.${position}.id`, 'DUPLICATE', `Two shipping methods have the id ${method.id}.`)
      }
    }
  }
  if (details.length > 0) throw invalidFields(details)
}

const MAX_BYTES = 64 * 1024

/** Every request carries the settings of its business. Those that were larger already may become smaller. */
export function checkSize(after: BusinessChanges, before: BusinessChanges = {}): void {
  const bytes = bytesOf(after)
  if (bytes > MAX_BYTES && bytes >= bytesOf(before))
    throw invalid('markets', 'TOO_LARGE', 'The settings are larger than 64 KB as JSON. Remove markets or shipping methods, or shorten their names.') // biome-ignore format: one line
}

const bytesOf = ({ name, slug, contactEmail, locales, defaultLocale, allowedOrigins, markets }: BusinessChanges) =>
  Buffer.byteLength(JSON.stringify({ name, slug, contactEmail, locales, defaultLocale, allowedOrigins, markets }))

const isRepeated = (items: readonly { id: string }[], index: number) =>
  items.findIndex(({ id }) => id === items[index]?.id) !== index
