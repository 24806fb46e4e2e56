import type { FileLine } from '#platform/http/uploads.ts'
import type { Market } from '#vocabulary/business.ts'
import { MAX_VARIANTS, type Product } from './schemas.ts'

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
] as const

type Cells = Record<string, string>
type CsvRecord = { record: Cells; info: { lines: number } }

/** Rows that follow each other and have the same slug, or neither slug nor name, are one product. */
export async function* groupCsvRecords(records: AsyncIterable<CsvRecord>): AsyncGenerator<FileLine> {
  let group: { number: number; rows: Cells[] } | undefined
  for await (const { record, info } of records) {
    const first = group?.rows[0]
    const continues = first && (record.slug ? record.slug === first.slug : !record.name)
    if (group && continues) {
      // One more than a product can have is enough for its row to be refused.
      if (group.rows.length <= MAX_VARIANTS) group.rows.push(record)
      continue
    }
    if (group) yield toStaged(group.number, group.rows)
    group = { number: info.lines, rows: [record] }
  }
  if (group) yield toStaged(group.number, group.rows)
}

const toStaged = (number: number, rows: Cells[]): FileLine => ({ number, line: JSON.stringify(toProduct(rows)) })

/** A cell that is no number stays text, for the schema to refuse by its name. */
const toInteger = (text: string) => (/^-?\d{1,16}$/.test(text) ? Number(text) : text)
const toBoolean = (text: string) => BOOLEANS.get(text.toLowerCase()) ?? text
const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
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
  put(product, 'statuses', first.status, (status) => [{ status }])
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
  if (Object.keys(inventory).length > 0) variant.inventory = inventory
  const markets = Object.entries(cells).flatMap(([column, text]) => {
    const marketId = /^price:(.+)$/.exec(column)?.[1]
    if (marketId === undefined || text === '') return []
    const price: Record<string, unknown> = { marketId, price: toInteger(text) }
    put(price, 'compareAtPrice', cells[`compareAtPrice:${marketId}`], toInteger)
    return [price]
  })
  if (markets.length > 0) variant.pricing = { markets }
  return variant
}

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

const quote = (text: string) => (/[",\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export const csvHeader = (markets: readonly Market[]) =>
  [...PRODUCT_COLUMNS, ...VARIANT_COLUMNS, ...markets.flatMap(({ id }) => [`price:${id}`, `compareAtPrice:${id}`])]
    .map(quote)
    .join(',')

type ExportedVariant = Product['variants'][number]

/** The rows of a product, each with its line's end. */
export function toCsv(product: Product, markets: readonly Market[]): string {
  const variants: (ExportedVariant | undefined)[] = product.variants.length > 0 ? product.variants : [undefined]
  return variants
    .map((variant, index) => {
      const own = index === 0 ? productCells(product) : [product.slug, '', '', '', '', '', '']
      return `${[...own, ...variantCells(variant, markets)].map(quote).join(',')}\n`
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
    ...prices,
  ]
}

function fromAttributes(attributes: ExportedVariant['attributes']): string {
  const lines = attributes.map(({ name, value }) => `${name}: ${value}`).join('\n')
  return JSON.stringify(lines === '' ? [] : toAttributes(lines)) === JSON.stringify(attributes)
    ? lines
    : JSON.stringify(attributes)
}
