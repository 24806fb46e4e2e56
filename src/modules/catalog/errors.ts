import { badRequest, conflict, forbidden, invalid, lineRefused, notFound } from '#vocabulary/define-refusal.ts'
import { MAX_QUANTITY } from './schemas.ts'

// Products
export const productNotFound = notFound('product')
export const slugExists = conflict('slug', 'SLUG_EXISTS', 'Another product of this business has the slug {slug}.')
export const draftsAreHidden = forbidden('Only who holds PRODUCTS_WRITE sees products that are not ACTIVE.')
export const tooManyFiles = invalid(
  'gallery',
  'TOO_MANY',
  'A product shows 300 uploaded files at most, with its variants and blocks.',
)
export const productTooLarge = invalid(
  'variants',
  'TOO_LARGE',
  'The product is larger than 200 KB and 600 bytes for each variant as JSON. Shorten its texts, or make it two products.',
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

export const productIdMissing = invalid('productId', 'REQUIRED', 'Say of which product the variant is: send productId.')

// Stocktakes
export const stocktakeNotFound = notFound('stocktake')
export const countedTwice = invalid('items.{index}.variantId', 'DUPLICATE', 'Each variant can be counted once.')
export const countedUnknown = invalid(
  'items.{index}.variantId',
  'NOT_FOUND',
  'This business has no variant {variantId} of {productId}.',
)
export const countWithoutChange = invalid('items.{index}.delta', 'INVALID', 'delta must not be 0.')
export const numberUnknown = invalid(
  'items.{index}.number',
  'INVALID',
  'The last movement of this variant has the number {last}.',
)
export const countTooLarge = invalid('items.{index}', 'TOO_LARGE', `Stock cannot be above ${MAX_QUANTITY}.`)
export const countBelowZero = conflict(
  'items.{index}',
  'OUT_OF_STOCK',
  'There are {quantity}: a change by {delta} would make it less than none.',
)
export const countedSince = conflict(
  'items.{index}.number',
  'COUNTED_SINCE',
  'Somebody has counted this variant since: movement {number} changed it by {delta}. Read it again, and count again if it still differs.',
)

// Files
export const columnsMissing = badRequest('The first line of the file must name its columns, slug or name among them.')
export const numberInvalid = lineRefused('{column}', 'INVALID', '{column} must be {wanted}, not {text}.')
export const statusInvalid = lineRefused(
  'statuses.0.status',
  'INVALID',
  'The status must be ACTIVE, DRAFT, or ARCHIVED, not {text}.',
)
export const skuTwice = lineRefused(
  'variants.{index}.sku',
  'DUPLICATE',
  'The SKU {sku} appears twice in this product. Give each variant its own SKU.',
)
export const skuRepeated = lineRefused(
  'variants.{index}.sku',
  'DUPLICATE',
  'Line {line} already has the SKU {sku}. Give each product its own SKU, or remove one of the lines.',
)
export const lineRepeated = lineRefused(
  'slug',
  'DUPLICATE',
  'Line {line} already describes this product. Combine the lines, or give this product another slug.',
)
export const categoryUnknown = lineRefused(
  'category',
  'NOT_FOUND',
  'The category {category} does not exist. Enter the slug of an existing category, or create it first.',
)
export const rowsTooLarge = lineRefused(
  '',
  'INVALID',
  'The rows of this product are larger than 2 MiB together. Shorten its texts.',
)
export const slugTaken = lineRefused('slug', 'SLUG_EXISTS', 'Another product has this slug. Choose another one.')

// Imports
export const lineNotFound = notFound('import row')
export const importNotReady = conflict(
  'status',
  'WRONG_STATE',
  'A line can be corrected while its dry run is READY; this import is {status}.',
)
export const importCannotMove = conflict('status', 'WRONG_STATE', 'An import that is {status} cannot be {verb}.')
export const importTooLargeToUndo = conflict('total', 'TOO_LARGE', 'Only imports of up to 100,000 lines can be undone.')
export const marketRequired = invalid(
  'market',
  'REQUIRED',
  'Say which market the prices of this file are for: {markets}.',
)
export const importMarketNotFound = invalid('market', 'NOT_FOUND', 'This business has no market {market}.')
export const formatDiffers = invalid('format', 'INVALID', 'A file of the type {type} cannot be {format}.')
export const foreignColumnsMissing = badRequest(
  'This is not a product file of {system}: its first line must name the columns {columns}.',
)
export const rowsApart = lineRefused(
  '{column}',
  'DUPLICATE',
  'Rows with the handle {handle} stand further up already. Put the rows of one product below each other.',
)
export const moneyInvalid = lineRefused(
  '{column}',
  'INVALID',
  '{column} must be an amount such as {example}, not {text}.',
)
export const moneyUnclear = lineRefused(
  '{column}',
  'INVALID',
  '{column} is {text}, which may be read in two ways. Write {one} or {other}.',
)
export const choiceInvalid = lineRefused('{column}', 'INVALID', '{column} must be {choices}, not {text}.')
export const wholeNumberInvalid = lineRefused('{column}', 'INVALID', '{column} must be a whole number, not {text}.')
export const dateInvalid = lineRefused('{column}', 'INVALID', '{column} must be a day such as 2026-11-30, not {text}.')
export const parentMissing = lineRefused('Parent', 'NOT_FOUND', 'No product of the file has the SKU or id {parent}.')
export const typeNotTaken = lineRefused(
  'Type',
  'INVALID',
  'Products of the type {type} are not imported: only simple and variable ones, and variations.',
)
