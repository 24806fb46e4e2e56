import type { Readable } from 'node:stream'
import { bareName, readNames } from '#platform/transfer/columns.ts'
import { type CsvRecord, readCsv } from '#platform/transfer/csv.ts'
import { type FileLine, refuseLine } from '#platform/transfer/file.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { slugOf } from '#vocabulary/slugs.ts'
import { choiceInvalid, foreignColumnsMissing, rowsApart, rowsTooLarge } from '../errors.ts'
import { MAX_VARIANTS } from '../schemas.ts'
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

/*
 * Products as Shopify exports them, with the names of columns until 2025 and since:
 * https://help.shopify.com/en/manual/products/import-export/using-csv. Rows with one handle, below each other, are one
 * product; each is a variant, a further picture, or both.
 */
const NAMES = {
  handle: ['Handle', 'URL handle'],
  title: ['Title'],
  body: ['Body (HTML)', 'Description'],
  category: ['Product Category'],
  type: ['Type'],
  tags: ['Tags'],
  published: ['Published', 'Published on online store'],
  status: ['Status'],
  seoTitle: ['SEO Title'],
  seoDescription: ['SEO Description'],
  image: ['Image Src', 'Product image URL'],
  imagePosition: ['Image Position'],
  option1: ['Option1 Name'],
  value1: ['Option1 Value'],
  option2: ['Option2 Name'],
  value2: ['Option2 Value'],
  option3: ['Option3 Name'],
  value3: ['Option3 Value'],
  sku: ['Variant SKU', 'SKU'],
  price: ['Variant Price', 'Price'],
  compareAt: ['Variant Compare At Price', 'Compare-at price'],
  tracker: ['Variant Inventory Tracker', 'Inventory tracker'],
  quantity: ['Variant Inventory Qty', 'Inventory quantity'],
  policy: ['Variant Inventory Policy', 'Continue selling when out of stock'],
  variantImage: ['Variant Image', 'Variant image URL'],
} as const
type Column = keyof typeof NAMES
type Row = Partial<Record<Column, string>>

const COLUMN_OF = new Map(
  Object.entries(NAMES).flatMap(([column, names]) => names.map((name) => [bareName(name), column as Column] as const)),
)

const MAX_BYTES = 2 * 1024 * 1024
const OPTIONS = [1, 2, 3] as const

export function readShopifyCsv(
  file: Readable,
  home: Home,
  onUnread: (names: string[]) => void,
): AsyncGenerator<FileLine> {
  const readHeader = (names: string[]) => {
    const columns = readNames(names, (name) => COLUMN_OF.get(bareName(name)) ?? false)
    if (!columns.includes('handle') || !columns.includes('title'))
      throw foreignColumnsMissing({ system: 'Shopify', columns: 'Handle (or URL handle) and Title' })
    return columns
  }
  return groupRows(readCsv(file, { readHeader, onUnread, maxRowBytes: MAX_BYTES, relaxQuotes: true }), home)
}

type Group = { number: number; rows: Row[]; bytes: number }

async function* groupRows(records: AsyncIterable<CsvRecord>, home: Home): AsyncGenerator<FileLine> {
  const seen = new Set<string>()
  let group: Group | undefined
  for await (const { record, info } of records) {
    const row: Row = record
    const bytes = Object.values(row).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    const handle = group?.rows[0]?.handle
    if (group && (row.handle ? row.handle === handle : !row.title)) {
      group.bytes += bytes
      if (group.bytes <= MAX_BYTES && group.rows.length <= 2 * MAX_VARIANTS) group.rows.push(row)
      continue
    }
    if (group) yield toLine(group, seen, home)
    group = { number: info.lines, rows: [row], bytes }
  }
  if (group) yield toLine(group, seen, home)
}

function toLine({ number, rows, bytes }: Group, seen: Set<string>, home: Home): FileLine {
  const details: Detail[] = []
  const product = toProduct(rows, home, (detail) => details.push(detail))
  const line = JSON.stringify(product)
  if (bytes > MAX_BYTES) return refuseLine(number, line, rowsTooLarge())
  const handle = rows[0]?.handle ?? ''
  // A second group would take the variants of the first away.
  if (handle !== '' && seen.has(handle)) details.push(rowsApart({ column: 'Handle', handle: quote(handle) }))
  seen.add(handle)
  return details.length > 0 ? { number, line, details } : { number, line }
}

function toProduct(rows: readonly Row[], home: Home, report: Report): Record<string, unknown> {
  const first = rows[0] ?? {}
  const options = OPTIONS.map((number) => first[`option${number}`])
  const variants = rows.filter(isVariant).map((row) => toVariant(row, options, home, report))
  const pictures = rows
    .flatMap(({ image, imagePosition }) =>
      image ? [{ image, position: Number(imagePosition) || Number.MAX_VALUE }] : [],
    )
    .toSorted((a, b) => a.position - b.position)
  const seo = given({ title: textOf(first.seoTitle), description: textOf(first.seoDescription) })
  return given({
    slug: first.handle && slugOf(first.handle, 'product'),
    name: textOf(first.title),
    description: first.body === undefined ? undefined : readHtml(first.body),
    category: categoryOf(first),
    tags: first.tags === undefined ? undefined : readList(first.tags.split(',')),
    seo: Object.keys(seo).length > 0 ? seo : undefined,
    statuses: statusesOf(first, report),
    gallery: pictures.length > 0 ? readList(pictures.map(({ image }) => image)).map(toMedia) : undefined,
    variants: variants.length > 0 ? variants : undefined,
  })
}

/** The shop's own type, else the last part of Shopify's category, as the slug of a category. */
function categoryOf({ type, category }: Row): string | undefined {
  const name = type || category?.split('>').at(-1)?.trim()
  return name ? slugOf(name, 'other') : undefined
}

const STATUSES: Record<string, string> = { active: 'ACTIVE', draft: 'DRAFT', archived: 'ARCHIVED' }

/** What is active, but not published in the shop, nobody could see: a draft here. */
function statusesOf({ status, published }: Row, report: Report) {
  if (published && !/^(?:true|false)$/i.test(published))
    report(choiceInvalid({ column: 'Published', choices: 'true or false', text: quote(published) }))
  const isHidden = published?.toLowerCase() === 'false'
  const named = status ? (STATUSES[status.toLowerCase()] ?? status) : published && 'ACTIVE'
  return named ? [{ status: isHidden && named === 'ACTIVE' ? 'DRAFT' : named }] : undefined
}

const isVariant = ({ value1, sku, price }: Row) => Boolean(value1 || sku || price)

function toVariant(row: Row, options: readonly (string | undefined)[], { market }: Home, report: Report) {
  const chosen = OPTIONS.flatMap((number, index) => {
    const [name, value] = [options[index], row[`value${number}`]]
    return name && value && !(name === 'Title' && value === 'Default Title') ? [{ name, value }] : []
  })
  const inventory = given({
    tracked:
      row.tracker === undefined ? undefined : row.tracker !== '' && !/^(?:continue|true)$/i.test(row.policy ?? ''),
    quantity: row.quantity ? readQuantity(row.quantity, 'Variant Inventory Qty', report) : undefined,
  })
  return given({
    name: chosen.length > 0 ? chosen.map(({ value }) => value).join(' / ') : undefined,
    sku: textOf(row.sku?.replace(/^'/, '')), // keeps a spreadsheet from taking it for a number
    attributes: chosen.length > 0 ? chosen : undefined,
    pricing: row.price ? { markets: [toPrice(row.price, row.compareAt, market, report)] } : undefined,
    inventory: Object.keys(inventory).length > 0 ? inventory : undefined,
    gallery: row.variantImage ? [toMedia(row.variantImage)] : undefined,
  })
}

function toPrice(price: string, compareAt: string | undefined, market: Home['market'], report: Report) {
  const before = compareAt ? readMoney(compareAt, market, 'Variant Compare At Price', report) : 0
  return {
    marketId: market.id,
    price: readMoney(price, market, 'Variant Price', report),
    ...(before !== 0 && { compareAtPrice: before }),
  }
}
