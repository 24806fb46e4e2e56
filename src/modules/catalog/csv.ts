import { type CsvRecord, toCsvRow } from '#platform/csv.ts'
import { type FileLine, refuseLine } from '#platform/http/uploads.ts'
import type { Market } from '#vocabulary/business.ts'
import { badRequest } from '#vocabulary/errors.ts'
import { findWrongNumbers } from './csv-numbers.ts'
import { MAX_VARIANTS, PRODUCT_STATUSES, type Product } from './schemas.ts'

/*
 * One row a variant; the columns of the product stand in its first row only, or again in each. A cell that is empty, or a column
 * that is not there, is not sent. Prices have a column a market: `price:us`, `compareAtPrice:us`.
 */
const PRODUCT_COLUMNS = ['slug', 'name', 'description', 'category', 'status', 'images', 'blocks'] as const
const VARIANT_COLUMNS = [
  'variantId',
  'variantName',
  'sku',
  'attributes',
  'variantImages',
  'tracked',
  'quantity',
  'lowStockThreshold',
  'maxPerOrder',
] as const

const BY_NAME = new Map<string, string>([...PRODUCT_COLUMNS, ...VARIANT_COLUMNS].map((name) => [bare(name), name]))

/** Case, spaces and the like do not matter: `Variant name` and `variant_name` are `variantName`. */
function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '')
}

/** The columns that the names of the first line mean; if two mean the same, the one that is spelled exactly, or the first. */
export function readHeader(names: string[], markets: readonly Market[]): (string | false)[] {
  const known = names.map((name) => toColumn(name, markets))
  const columns = known.map((column, index) => {
    const exact = names.findIndex((name, other) => known[other] === column && name === column)
    return column !== false && index === (exact === -1 ? known.indexOf(column) : exact) && column
  })
  // Without a column that says so, nobody knows where a product ends: all rows would be variants of the first one's.
  if (!columns.includes('slug') && !columns.includes('name'))
    throw badRequest('The first line of the file must name its columns, slug or name among them.')
  return columns
}

function toColumn(name: string, markets: readonly Market[]): string | false {
  const [kind = '', market] = name.split(':').map((part) => part.trim())
  if (market === undefined) return BY_NAME.get(bare(kind)) ?? false
  const price = ['price', 'compareAtPrice'].find((one) => bare(one) === bare(kind))
  const alike = markets.filter(({ id }) => id.toLowerCase() === market.toLowerCase())
  const isExact = alike.some(({ id }) => id === market)
  return price !== undefined && `${price}:${isExact ? market : alike.length === 1 ? alike[0]?.id : market}`
}

type Cells = Partial<Record<string, string>>

const MAX_GROUP_BYTES = 2 * 1024 * 1024

type Group = { number: number; rows: Cells[]; bytes: number }

/** Rows that follow each other and have the same slug, or neither slug nor name, are one product. */
export async function* groupCsvRecords(
  records: AsyncIterable<CsvRecord>,
  markets: readonly Market[],
): AsyncGenerator<FileLine> {
  let group: Group | undefined
  for await (const { record, info } of records) {
    const first = group?.rows[0]
    const continues = first && (record.slug ? record.slug === first.slug : !record.name)
    if (group && continues) {
      group.bytes += bytesOf(record)
      // One more than a product can have is enough for its row to be refused; of one that is too large nothing more is kept.
      if (group.rows.length <= MAX_VARIANTS && group.bytes <= MAX_GROUP_BYTES) group.rows.push(record)
      continue
    }
    if (group) yield toStaged(group, markets)
    group = { number: info.lines, rows: [record], bytes: bytesOf(record) }
  }
  if (group) yield toStaged(group, markets)
}

const bytesOf = (cells: Cells) =>
  Object.values(cells).reduce((sum, text) => sum + (text === undefined ? 0 : Buffer.byteLength(text)), 0)

function toStaged({ number, rows, bytes }: Group, markets: readonly Market[]): FileLine {
  if (bytes > MAX_GROUP_BYTES)
    return refuseLine(number, JSON.stringify(toProduct(rows.slice(0, 1))), 'The rows of this product are larger than 2 MiB together. Shorten its texts.') // biome-ignore format: one line
  const line = JSON.stringify(toProduct(rows))
  const details = findWrongNumbers(rows, markets)
  return details.length > 0 ? { number, line, details } : { number, line }
}

/** A cell that is no number stays text, for the schema to refuse by its name. */
const toInteger = (text: string) => (/^-?\d{1,16}$/.test(text) ? Number(text) : text)
const toBoolean = (text: string) => BOOLEANS.get(text.toLowerCase()) ?? text
const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
  ['yes', true],
  ['no', false],
])

function put(
  target: Record<string, unknown>,
  name: string,
  text: string | undefined,
  convert: (text: string) => unknown = String,
) {
  if (text !== undefined && text !== '') target[name] = convert(text)
}

export function toProduct(rows: readonly Cells[]): Record<string, unknown> {
  const [first = {}] = rows
  const product: Record<string, unknown> = {}
  for (const name of ['slug', 'name', 'description', 'category'] as const) put(product, name, first[name])
  put(product, 'statuses', first.status, (text) => [{ status: toStatus(text) }])
  put(product, 'gallery', first.images, toGallery)
  put(product, 'blocks', first.blocks, parseJson)
  const variants = rows.map(toVariant).filter((variant) => Object.keys(variant).length > 0)
  if (variants.length > 0) product.variants = variants
  return product
}

function toVariant(cells: Cells): Record<string, unknown> {
  const variant: Record<string, unknown> = {}
  put(variant, 'id', cells.variantId)
  put(variant, 'name', cells.variantName)
  put(variant, 'sku', cells.sku)
  put(variant, 'attributes', cells.attributes, toAttributes)
  put(variant, 'gallery', cells.variantImages, toGallery)
  const inventory: Record<string, unknown> = {}
  put(inventory, 'tracked', cells.tracked, toBoolean)
  put(inventory, 'quantity', cells.quantity, toInteger)
  put(inventory, 'lowStockThreshold', cells.lowStockThreshold, toInteger)
  put(inventory, 'maxPerOrder', cells.maxPerOrder, toInteger)
  if (Object.keys(inventory).length > 0) variant.inventory = inventory
  const markets = Object.entries(cells).flatMap(([column, text]) => {
    const marketId = /^price:(.+)$/.exec(column)?.[1]
    if (marketId === undefined || text === undefined || text === '') return []
    const price: Record<string, unknown> = { marketId, price: toInteger(text) }
    put(price, 'compareAtPrice', cells[`compareAtPrice:${marketId}`], toInteger)
    return [price]
  })
  if (markets.length > 0) variant.pricing = { markets }
  return variant
}

const toStatus = (text: string) => PRODUCT_STATUSES.find((status) => status === text.toUpperCase()) ?? text

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** One a line, `Colour: Red`; as JSON where that would not read back. */
const toAttributes = (text: string): unknown =>
  text.startsWith('[')
    ? parseJson(text)
    : text.split('\n').map((line) => {
        const [name = '', ...value] = line.split(': ')
        return { name: name.trim(), value: value.join(': ').trim() }
      })

const TYPES: Record<string, string> = { jpg: 'image/jpeg', jpeg: 'image/jpeg', png: 'image/png', webp: 'image/webp', gif: 'image/gif', avif: 'image/avif', svg: 'image/svg+xml', mp4: 'video/mp4' } // biome-ignore format: a table

/** Addresses between spaces; as JSON where ids and types are to be kept. */
const toGallery = (text: string): unknown =>
  text.startsWith('[')
    ? parseJson(text)
    : text.split(/\s+/).map((url) => {
        const ending = /\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ''
        return { url, mimeType: (Object.hasOwn(TYPES, ending) && TYPES[ending]) || 'application/octet-stream' }
      })

export const csvHeader = (markets: readonly Market[]) =>
  toCsvRow([
    ...PRODUCT_COLUMNS,
    ...VARIANT_COLUMNS,
    ...markets.flatMap(({ id }) => [`price:${id}`, `compareAtPrice:${id}`]),
  ])

type ExportedVariant = Product['variants'][number]

/** The rows of a product, each with its line's end. */
export function toCsv(product: Product, markets: readonly Market[]): string {
  const variants: (ExportedVariant | undefined)[] = product.variants.length > 0 ? product.variants : [undefined]
  return variants
    .map((variant, index) => {
      const own = index === 0 ? productCells(product) : [product.slug, '', '', '', '', '', '']
      return toCsvRow([...own, ...variantCells(variant, markets)])
    })
    .join('')
}

const jsonUnlessEmpty = (list: readonly unknown[]) => (list.length > 0 ? JSON.stringify(list) : '')

const productCells = ({ slug, name, description, category, statuses, gallery, blocks }: Product) => [
  slug,
  name,
  description,
  category,
  statuses.at(-1)?.status ?? '',
  jsonUnlessEmpty(gallery),
  jsonUnlessEmpty(blocks),
]

function variantCells(variant: ExportedVariant | undefined, markets: readonly Market[]): string[] {
  if (!variant) return Array.from({ length: VARIANT_COLUMNS.length + 2 * markets.length }, () => '')
  const { id, name, sku, attributes, gallery, inventory, pricing } = variant
  const prices = markets.flatMap((market) => {
    const price = pricing.markets.find(({ marketId }) => marketId === market.id)
    return [price?.price, price?.compareAtPrice].map((value) => value?.toString() ?? '')
  })
  return [
    id,
    name,
    sku,
    fromAttributes(attributes),
    jsonUnlessEmpty(gallery),
    String(inventory.tracked),
    String(inventory.quantity),
    inventory.lowStockThreshold?.toString() ?? '',
    inventory.maxPerOrder?.toString() ?? '',
    ...prices,
  ]
}

function fromAttributes(attributes: ExportedVariant['attributes']): string {
  const lines = attributes.map(({ name, value }) => `${name}: ${value}`).join('\n')
  return JSON.stringify(lines === '' ? [] : toAttributes(lines)) === JSON.stringify(attributes)
    ? lines
    : JSON.stringify(attributes)
}
