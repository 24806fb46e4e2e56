import type { Readable } from 'node:stream'
import {
  bareName,
  byName,
  type Cells,
  namesOf,
  readCells,
  readNames,
  toInteger,
  writeCells,
} from '#platform/transfer/columns.ts'
import { type CsvRecord, readCsv } from '#platform/transfer/csv.ts'
import { type FileLine, refuseLine } from '#platform/transfer/file.ts'
import type { OnUnknown } from '#platform/transfer/kind.ts'
import type { Market } from '#vocabulary/business.ts'
import { columnsMissing, rowsTooLarge } from '../errors.ts'
import { isPlanned } from '../products/prices.ts'
import { MAX_VARIANTS, type Product } from '../schemas.ts'
import { PRODUCT_COLUMNS, VARIANT_COLUMNS } from './csv-columns.ts'
import { reportUnknown } from './unknown-columns.ts'
import { findWrongCells } from './wrong-cells.ts'

/*
 * One row per variant. The product's columns are filled in its first row only, or repeated in each. Prices have one
 * column per market: `price:us`, `compareAtPrice:us`.
 */
const MAX_ROW_BYTES = 2 * 1024 * 1024
const MAX_GROUP_BYTES = 2 * 1024 * 1024

export function readProductCsv(
  file: Readable,
  markets: readonly Market[],
  onUnknown: OnUnknown,
): AsyncGenerator<FileLine> {
  const readHeader = (names: string[]) => findColumns(names, markets)
  const onUnread = (names: string[]) => reportUnknown(names, markets, onUnknown)
  return groupRows(readCsv(file, { readHeader, onUnread, maxRowBytes: MAX_ROW_BYTES }), markets)
}

const findColumn = byName(PRODUCT_COLUMNS, VARIANT_COLUMNS)

function findColumns(names: string[], markets: readonly Market[]): (string | false)[] {
  const columns = readNames(names, (name) => findPrice(name, markets) ?? findColumn(name))
  // One of these columns is needed to see where the next product starts: otherwise all rows would be variants of the
  // first.
  if (!columns.includes('slug') && !columns.includes('name')) throw columnsMissing()
  return columns
}

/** Undefined when the column is not a price of a market. */
function findPrice(name: string, markets: readonly Market[]): string | false | undefined {
  const [kind = '', market] = name.split(':').map((part) => part.trim())
  if (market === undefined) return undefined
  const price = ['price', 'compareAtPrice'].find((one) => bareName(one) === bareName(kind))
  const alike = markets.filter(({ id }) => id.toLowerCase() === market.toLowerCase())
  const isExact = alike.some(({ id }) => id === market)
  return price !== undefined && `${price}:${isExact ? market : alike.length === 1 ? alike[0]?.id : market}`
}

type Group = { number: number; rows: Cells[]; bytes: number }

/**
 * Consecutive rows with the same slug form one product. A row with cells of a variant only belongs to the product above; one with a
 * status, say, but no name is a product whose name is missing.
 */
async function* groupRows(records: AsyncIterable<CsvRecord>, markets: readonly Market[]): AsyncGenerator<FileLine> {
  let group: Group | undefined
  for await (const { record, info } of records) {
    const first = group?.rows[0]
    const continues = first && (record.slug ? record.slug === first.slug : !isOfProduct(record))
    if (group && continues) {
      group.bytes += bytesOf(record)
      // One row more than allowed is enough to refuse the product; rows of an oversized one are dropped to bound
      // memory.
      if (group.rows.length <= MAX_VARIANTS && group.bytes <= MAX_GROUP_BYTES) group.rows.push(record)
      continue
    }
    if (group) yield toStaged(group, markets)
    group = { number: info.lines, rows: [record], bytes: bytesOf(record) }
  }
  if (group) yield toStaged(group, markets)
}

const isOfProduct = (cells: Cells) => PRODUCT_NAMES.some((name) => Boolean(cells[name]))
const PRODUCT_NAMES = namesOf(PRODUCT_COLUMNS)

const bytesOf = (cells: Cells) =>
  Object.values(cells).reduce((sum: number, text) => sum + (text === undefined ? 0 : Buffer.byteLength(text)), 0)

function toStaged({ number, rows, bytes }: Group, markets: readonly Market[]): FileLine {
  if (bytes > MAX_GROUP_BYTES) {
    return refuseLine(number, JSON.stringify(toProduct(rows.slice(0, 1))), rowsTooLarge())
  }
  const line = JSON.stringify(toProduct(rows))
  const details = findWrongCells(rows, markets)
  return details.length > 0 ? { number, line, details } : { number, line }
}

export function toProduct(rows: readonly Cells[]): Record<string, unknown> {
  const product = readCells(PRODUCT_COLUMNS, rows[0] ?? {})
  const variants = rows.map(toVariant).filter((variant) => Object.keys(variant).length > 0)
  return variants.length > 0 ? { ...product, variants } : product
}

function toVariant(cells: Cells): Record<string, unknown> {
  const markets = Object.entries(cells).flatMap(([column, price]) => {
    const marketId = /^price:(.+)$/.exec(column)?.[1]
    if (marketId === undefined || !price) return []
    const compareAtPrice = cells[`compareAtPrice:${marketId}`]
    return [{ marketId, price: toInteger(price), ...(compareAtPrice && { compareAtPrice: toInteger(compareAtPrice) }) }]
  })
  return { ...readCells(VARIANT_COLUMNS, cells), ...(markets.length > 0 && { pricing: { markets } }) }
}

export const csvColumns = (markets: readonly Market[]) => [
  ...namesOf(PRODUCT_COLUMNS),
  ...namesOf(VARIANT_COLUMNS),
  ...markets.flatMap(({ id }) => [`price:${id}`, `compareAtPrice:${id}`]),
]

/** The product's fields go into the first row, its slug into each. */
export function toCsvRows(product: Product, markets: readonly Market[]): string[][] {
  const own = writeCells(PRODUCT_COLUMNS, product)
  const again = own.map((cell, index) => (index === 0 ? cell : ''))
  const [first = emptyVariant(markets), ...others] = product.variants.map((variant) => variantCells(variant, markets))
  return [[...own, ...first], ...others.map((cells) => [...again, ...cells])]
}

const emptyVariant = (markets: readonly Market[]) =>
  Array.from({ length: namesOf(VARIANT_COLUMNS).length + 2 * markets.length }, () => '')

function variantCells(variant: Product['variants'][number], markets: readonly Market[]): string[] {
  const prices = markets.flatMap((market) => {
    const price = variant.pricing.markets.find((one) => one.marketId === market.id && !isPlanned(one))
    return [price?.price, price?.compareAtPrice].map((value) => value?.toString() ?? '')
  })
  return [...writeCells(VARIANT_COLUMNS, variant), ...prices]
}
