import { badRequest, conflict, forbidden, invalid, lineRefused, notFound } from '#vocabulary/define-refusal.ts'
import { MAX_QUANTITY } from './schemas.ts'

// Products
export const productNotFound = notFound('product')
export const slugExists = conflict('slug', 'SLUG_EXISTS', 'Another product of this business has the slug {slug}.')
export const draftsAreHidden = forbidden('Only who holds PRODUCTS_WRITE sees products that are not ACTIVE.')
export const productTooLarge = invalid(
  'variants',
  'TOO_LARGE',
  'The product is larger than 200 KB as JSON. Shorten its texts, or make it two products.',
)
export const priceNotFound = notFound('price')
export const variantRepeated = invalid('{at}id', 'DUPLICATE', 'Two variants have the id {id}.')
export const priceRepeated = invalid('{at}marketId', 'DUPLICATE', 'Two prices are for the market {marketId}.')
export const pricesOverlap = invalid(
  '{at}validFrom',
  'INVALID',
  'Two planned prices for the market {marketId} hold at the same time.',
)
export const priceEndsBefore = invalid('{at}validTo', 'INVALID', 'A planned price must end after it begins.')
export const marketNotFound = invalid('{at}marketId', 'NOT_FOUND', 'This business has no market {marketId}.')
export const currencyDiffers = invalid(
  '{at}currency',
  'INVALID',
  'The currency of market {marketId} is {currency}, not {sent}.',
)

export const localeInvalid = invalid('locale', 'INVALID', 'locale must be a locale such as en or de-CH.')

// Stock
export const variantNotFound = notFound('variant')
export const outOfStock = conflict('{field}', 'OUT_OF_STOCK', 'There are only {quantity} left.')
export const stockTooLarge = invalid('delta', 'TOO_LARGE', `Stock cannot be above ${MAX_QUANTITY}.`)
export const noChange = invalid('delta', 'INVALID', 'delta must not be 0.')

// Files
export const columnsMissing = badRequest('The first line of the file must name its columns, slug or name among them.')
export const numberInvalid = lineRefused('{column}', 'INVALID', '{column} must be {wanted}, not {text}.')
export const rowsTooLarge = lineRefused(
  '',
  'INVALID',
  'The rows of this product are larger than 2 MiB together. Shorten its texts.',
)
export const slugTaken = lineRefused('slug', 'SLUG_EXISTS', 'Another product got this slug at the same time.')
