import type { Readable } from 'node:stream'
import { bareName, readNames } from '#platform/transfer/columns.ts'
import { type CsvRecord, readCsv } from '#platform/transfer/csv.ts'
import { type FileLine, refuseLine } from '#platform/transfer/file.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { slugOf } from '#vocabulary/slugs.ts'
import * as refusal from '../errors.ts'
import { toMedia } from './csv-columns.ts'
import {
  given,
  type Home,
  quote,
  type Report,
  readHtml,
  readList,
  readMoney,
  readQuantity,
  textOf,
} from './foreign-csv.ts'
import { secondsIn } from './zoned-time.ts'

/*
 * Products as WooCommerce exports them: https://github.com/woocommerce/woocommerce/wiki/Product-CSV-Import-Schema. A row
 * is a product or a variation, which names its parent by SKU or id and may stand anywhere: exports are ordered by id.
 */
const NAMES = {
  id: 'ID',
  type: 'Type',
  sku: 'SKU',
  name: 'Name',
  published: 'Published',
  shortDescription: 'Short description',
  description: 'Description',
  saleFrom: 'Date sale price starts',
  saleTo: 'Date sale price ends',
  taxClass: 'Tax class',
  inStock: 'In stock?',
  stock: 'Stock',
  lowStock: 'Low stock amount',
  backorders: 'Backorders allowed?',
  soldAlone: 'Sold individually?',
  salePrice: 'Sale price',
  regularPrice: 'Regular price',
  categories: 'Categories',
  tags: 'Tags',
  images: 'Images',
  parent: 'Parent',
} as const
type Column = keyof typeof NAMES
type Cells = Record<string, string | undefined>
type Row = { number: number; cells: Partial<Record<Column, string>> & Cells; bytes: number }

const COLUMN_OF = new Map<string, string>(Object.entries(NAMES).map(([column, name]) => [bareName(name), column]))
/** Columns of attributes: `attribute 1 name` becomes `attribute:1:name`. */
const ATTRIBUTE = /^attribute(\d{1,3})(name|value\(s\))$/

const MAX_ROW_BYTES = 2 * 1024 * 1024
/** Variable products wait for their variations up to this size together; then the oldest go. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024

export function readWooCommerceCsv(
  file: Readable,
  home: Home,
  onUnread: (names: string[]) => void,
): AsyncGenerator<FileLine> {
  const readHeader = (names: string[]) => {
    const columns = readNames(names, toColumn)
    if (!['type', 'name', 'sku'].every((column) => columns.includes(column)))
      throw refusal.foreignColumnsMissing({ system: 'WooCommerce', columns: 'Type, SKU and Name' })
    return columns
  }
  return joinRows(readCsv(file, { readHeader, onUnread, maxRowBytes: MAX_ROW_BYTES, relaxQuotes: true }), home)
}

function toColumn(name: string): string | false {
  const bare = bareName(name)
  const [, number, part] = ATTRIBUTE.exec(bare) ?? []
  return number === undefined
    ? (COLUMN_OF.get(bare) ?? false)
    : `attribute:${number}:${part === 'name' ? 'name' : 'value'}`
}

type Family = { parent: Row | undefined; variations: Row[]; keys: Set<string>; bytes: number }

/** Rows as products: simple ones at once, variable ones with their variations when the file has ended. */
async function* joinRows(records: AsyncIterable<CsvRecord>, home: Home): AsyncGenerator<FileLine> {
  const families = new Set<Family>()
  const byKey = new Map<string, Family>()
  let waiting = 0
  const familyOf = (keys: readonly string[]): Family => {
    const known = new Set(keys.flatMap((key) => byKey.get(key) ?? []))
    const [family = { parent: undefined, variations: [], keys: new Set(), bytes: 0 }, ...others] = known
    // Variations may have named a parent that was still to come by its SKU, and others by its id.
    for (const other of others) {
      for (const variation of other.variations) family.variations.push(variation)
      family.bytes += other.bytes
      families.delete(other)
    }
    for (const key of [...keys, ...others.flatMap((other) => [...other.keys])]) {
      byKey.set(key, family)
      family.keys.add(key)
    }
    families.add(family)
    return family
  }
  const wait = (family: Family, row: Row) => {
    family.bytes += row.bytes
    waiting += row.bytes
  }

  for await (const { record, info } of records) {
    const bytes = Object.values(record).reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)
    const row: Row = { number: info.lines, cells: record, bytes }
    const type = typeOf(row)
    if (type === 'variation') {
      const family = familyOf([keyOf(row.cells.parent ?? '')])
      family.variations.push(row)
      wait(family, row)
    } else if (type === 'variable') {
      const family = familyOf(keysOf(row))
      family.parent = row
      wait(family, row)
    } else yield toLine(row, [row], home, type === 'simple' ? undefined : refusal.typeNotTaken({ type }))

    for (const family of families) {
      if (waiting <= MAX_WAITING_BYTES) break
      families.delete(family)
      waiting -= family.bytes
      // What is still to come of it finds nobody, and says so.
      for (const key of family.keys) byKey.delete(key)
      yield* toLines(family, home)
    }
  }
  for (const family of families) yield* toLines(family, home)
}

/** Further words of the type, such as `virtual`, do not matter here. */
function typeOf({ cells }: Row): string {
  const words = (cells.type ?? '')
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
  const known = ['variation', 'variable', 'grouped', 'external'].find((word) => words.includes(word))
  return (
    known ??
    (words.some((word) => ['simple', 'virtual', 'downloadable', ''].includes(word)) ? 'simple' : (words[0] ?? ''))
  )
}

const keyOf = (parent: string) => (/^id:\s*\d+$/i.test(parent) ? `id:${parent.replaceAll(/\D/g, '')}` : `sku:${parent}`)
const keysOf = ({ cells: { id, sku } }: Row) => [...(sku ? [`sku:${sku}`] : []), ...(id ? [`id:${id}`] : [])]

function* toLines({ parent, variations }: Family, home: Home): Generator<FileLine> {
  if (parent) yield toLine(parent, variations, home)
  else
    for (const row of variations)
      yield toLine(row, [row], home, refusal.parentMissing({ parent: quote(row.cells.parent ?? '') }))
}

function toLine(row: Row, variants: readonly Row[], home: Home, wrong?: Detail): FileLine {
  const details: Detail[] = wrong ? [wrong] : []
  const bytes = variants.reduce((sum, variant) => sum + variant.bytes, row.bytes)
  if (bytes > MAX_ROW_BYTES) return refuseLine(row.number, row.cells.name ?? '', refusal.rowsTooLarge())
  const line = JSON.stringify(toProduct(row, variants, home, (detail) => details.push(detail)))
  return details.length > 0 ? { number: row.number, line, details } : { number: row.number, line }
}

function toProduct({ cells }: Row, variants: readonly Row[], home: Home, report: Report): Record<string, unknown> {
  const [category, ...others] = splitList(cells.categories).map((path) => path.split('>').at(-1)?.trim() ?? '')
  const description = cells.description || cells.shortDescription
  const images = splitList(cells.images)
  return given({
    name: textOf(cells.name),
    description: description === undefined ? undefined : readHtml(description.replaceAll('\\n', '\n')),
    category: category ? slugOf(category, 'other') : undefined,
    // A product has one category here: the others stay findable as tags.
    tags: cells.tags === undefined && others.length === 0 ? undefined : readList([...splitList(cells.tags), ...others]),
    taxClass: taxClassOf(cells.taxClass),
    statuses: statusesOf(cells, report),
    gallery: images.length > 0 ? readList(images).map(toMedia) : undefined,
    variants: variants.length > 0 ? variants.map((row) => toVariant(row, cells, home, report)) : undefined,
  })
}

/** Private products (-1) and drafts (0) become drafts. */
function statusesOf({ published }: Cells, report: Report) {
  if (!published) return undefined
  if (!['1', '0', '-1'].includes(published))
    report(refusal.choiceInvalid({ column: NAMES.published, choices: '1, 0 or -1', text: quote(published) }))
  return [{ status: published === '1' ? 'ACTIVE' : 'DRAFT' }]
}

/** Separated by commas; one inside of a value has a backslash in front. */
const splitList = (text = '') =>
  text
    .split(/(?<!\\),/)
    .map((value) => value.replaceAll('\\,', ',').trim())
    .filter((value) => value !== '')

const taxClassOf = (text: string | undefined) => (text && text !== 'parent' ? slugOf(text, 'standard') : undefined)

function toVariant({ cells }: Row, product: Row['cells'], home: Home, report: Report): Record<string, unknown> {
  const isVariation = cells !== product
  const attributes = attributesOf(cells)
  const prices = pricesOf(cells, home, report)
  const images = isVariation ? splitList(cells.images).slice(0, 1) : []
  return given({
    name: isVariation ? attributes.map(({ value }) => value).join(' / ') || textOf(cells.name) : undefined,
    sku: textOf(cells.sku),
    attributes: attributes.length > 0 ? attributes : undefined,
    pricing: prices.length > 0 ? { markets: prices } : undefined,
    inventory: inventoryOf(cells, report),
    gallery: images.length > 0 ? images.map(toMedia) : undefined,
  })
}

function attributesOf(cells: Cells): { name: string; value: string }[] {
  return Object.entries(cells).flatMap(([column, name]) => {
    const [, number] = /^attribute:(\d+):name$/.exec(column) ?? []
    const value = number === undefined ? undefined : cells[`attribute:${number}:value`]
    return name && value ? [{ name, value: value.replaceAll('\\,', ',') }] : []
  })
}

function pricesOf(cells: Row['cells'], { market, timeZone }: Home, report: Report): Record<string, unknown>[] {
  const { regularPrice, salePrice } = cells
  const regular = regularPrice ? readMoney(regularPrice, market, NAMES.regularPrice, report) : undefined
  const sale = salePrice ? readMoney(salePrice, market, NAMES.salePrice, report) : undefined
  const at = { marketId: market.id }
  if (regular === undefined || sale === undefined) {
    const only = regular ?? sale
    return only === undefined ? [] : [{ ...at, price: only }]
  }
  const term = given({
    validFrom: secondsOf(cells.saleFrom, 'saleFrom', timeZone, report),
    validTo: secondsOf(cells.saleTo, 'saleTo', timeZone, report),
  })
  if (Object.keys(term).length === 0) return [{ ...at, price: sale, compareAtPrice: regular }]
  return [
    { ...at, price: regular },
    { ...at, price: sale, compareAtPrice: regular, ...term },
  ]
}

/** A sale without a time begins with its first day, and ends with its last. */
function secondsOf(text: string | undefined, column: 'saleFrom' | 'saleTo', timeZone: string, report: Report) {
  if (!text) return undefined
  const seconds = secondsIn(timeZone, text, column === 'saleTo' ? 'end' : 'start')
  if (seconds === undefined) report(refusal.dateInvalid({ column: NAMES[column], text: quote(text) }))
  return seconds
}

/** Stock that a variation shares with its parent is not known of it alone: it starts with none, and nothing is oversold. */
function inventoryOf(cells: Row['cells'], report: Report): Record<string, unknown> | undefined {
  const { stock, inStock, backorders, lowStock, soldAlone } = cells
  const isCounted = Boolean(stock) && stock !== 'parent'
  const isUnlimited = stock === '' && inStock !== '0'
  const isSoldAnyway = backorders !== undefined && !['', '0', 'no'].includes(backorders.toLowerCase())
  const inventory = given({
    tracked: stock === undefined ? undefined : !(isUnlimited || isSoldAnyway),
    quantity: isCounted
      ? readQuantity(stock ?? '', NAMES.stock, report)
      : stock === '' && inStock === '0'
        ? 0
        : undefined,
    lowStockThreshold: lowStock ? readQuantity(lowStock, NAMES.lowStock, report) : undefined,
    maxPerOrder: soldAlone === '1' ? 1 : undefined,
  })
  return Object.keys(inventory).length > 0 ? inventory : undefined
}
