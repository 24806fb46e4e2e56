import { amountStep, fractionDigits, type Product } from '@kontor/sdk'
import { parseAmount } from '../amount.ts'
import { type Edits, fieldOf, type Patch, type Row, valueOf, variantOf } from './edits.ts'

export type Kind = 'sku' | 'price' | 'compare' | 'stock' | 'low'

export type GridColumn = { id: string; kind: Kind; market?: { id: string; name: string; currency: string } }

export const columnsOf = (
  markets: readonly { id: string; name: string; currency: string }[],
  isWithSales: boolean,
): GridColumn[] => [
  { id: 'sku', kind: 'sku' },
  ...markets.flatMap((market): GridColumn[] => [
    { id: `price/${market.id}`, kind: 'price', market },
    ...(isWithSales ? [{ id: `compare/${market.id}`, kind: 'compare' as const, market }] : []),
  ]),
  { id: 'stock', kind: 'stock' },
  { id: 'low', kind: 'low' },
]

export function fieldIn({ kind, market }: GridColumn, variantId: string): string {
  if (kind === 'price' || kind === 'compare') return fieldOf[kind](variantId, market?.id ?? '')
  return fieldOf[kind](variantId)
}

const quantityOf = (product: Product, id: string) => variantOf(product, id)?.inventory.quantity ?? 0
const MOST = 1_000_000_000
const NOT_SOLD = /^([-–—]+|not sold( there)?|n\/a|nicht verkauft)$/i

/**
 * What was typed or pasted into a cell, as its value. A text in the place of a number is one that cannot be read: it stays
 * in the cell until it is mended. In `stock`, `+ 24` adds, `- 3` takes, and `24` makes it 24.
 */
export function parseCell(text: string, column: GridColumn, product: Product, row: Row): unknown {
  const typed = text.trim()
  if (column.kind === 'sku') return typed.slice(0, 100)
  if (column.kind === 'price' || column.kind === 'compare') {
    if (typed === '' || NOT_SOLD.test(typed)) return null
    const currency = column.market?.currency ?? 'EUR'
    const amount = parseAmount(typed, currency)
    return amount === undefined || amount % amountStep(currency) > 0 ? typed : amount
  }
  if (typed === '') return column.kind === 'low' ? null : 0
  const [, sign = '', figure = ''] = /^([+\-−–]?)\s*([\d\s.,'’\u00a0\u202f]+)$/.exec(typed) ?? []
  // Pieces are whole: what looks like a fraction is a group of thousands, or a mistake.
  const whole = /^\d{1,3}([.,'’\s\u00a0\u202f]\d{3})+$/.test(figure) ? figure.replaceAll(/\D/g, '') : figure.trim()
  const pieces = /^\d+$/.test(whole) ? Number(whole) : Number.NaN
  if (!(pieces <= MOST)) return typed
  if (column.kind === 'low') return sign ? typed : pieces
  const there = quantityOf(product, row.id)
  const delta = sign === '+' ? pieces : sign ? -pieces : pieces - there
  return there + delta < 0 ? typed : delta
}

/** A value that could not be read. */
export const isWrong = ({ kind }: GridColumn, value: unknown) => kind !== 'sku' && typeof value === 'string'

/** The same by the name of its field. */
export const isUnread = (field: string, value: unknown) =>
  typeof value === 'string' && /^(price|compare|stock|low)\//.test(field)

/** Whether a cell of this variant can be changed: what is not counted has no stock. */
export const isFixed = ({ kind }: GridColumn, product: Product, row: Row) =>
  kind === 'stock' && !row.isNew && variantOf(product, row.id)?.inventory.tracked === false

const figures = new Map<string, Intl.NumberFormat>()
function figureOf(locale: string, digits: number): Intl.NumberFormat {
  const key = `${locale} ${digits}`
  const made =
    figures.get(key) ??
    new Intl.NumberFormat(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: false })
  figures.set(key, made)
  return made
}

export const signed = (delta: number) => `${delta < 0 ? '−' : '+'} ${Math.abs(delta)}`

/** A value as it is shown, copied, and typed over. */
export function cellText(value: unknown, { kind, market }: GridColumn, locale: string): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (kind === 'price' || kind === 'compare') {
    const digits = fractionDigits(market?.currency ?? 'EUR')
    return figureOf(locale, digits).format((value as number) / 10 ** digits)
  }
  if (kind === 'stock') return value === 0 ? '' : signed(value as number)
  return typeof value === 'number' ? String(value) : ''
}

/** Rows and columns of a selection, both ends included. */
export type Range = { top: number; bottom: number; left: number; right: number }

export const rangeOf = (one: Place, other: Place): Range => ({
  top: Math.min(one.row, other.row),
  bottom: Math.max(one.row, other.row),
  left: Math.min(one.column, other.column),
  right: Math.max(one.column, other.column),
})

export type Place = { row: number; column: number }

export type Sheet = {
  product: Product
  edits: Edits
  rows: readonly Row[]
  columns: readonly GridColumn[]
  locale: string
}

const cellsIn = function* ({ rows, columns, product }: Sheet, { top, bottom, left, right }: Range) {
  for (let row = top; row <= Math.min(bottom, rows.length - 1); row++)
    for (let column = left; column <= Math.min(right, columns.length - 1); column++) {
      const at = { variant: rows[row] as Row, column: columns[column] as GridColumn }
      if (!isFixed(at.column, product, at.variant)) yield { ...at, row, place: column }
    }
}

/** Rows of cells from the clipboard: tabs between, quotes around what has a tab or a line of its own. */
export function readTable(text: string): string[][] {
  const rows: string[][] = [[]]
  const cell = /("(?:[^"]|"")*"|[^\t\n]*)(\t|\n|$)/gy
  const clean = text.replaceAll(/\r\n?/g, '\n').replace(/\n$/, '')
  for (let match = cell.exec(clean); match; match = cell.exec(clean)) {
    const [, said = '', end] = match
    rows.at(-1)?.push(said.startsWith('"') ? said.slice(1, -1).replaceAll('""', '"') : said)
    if (end === '\n') rows.push([])
    if (end === '') break
  }
  return rows
}

/** One cell fills the whole selection; a table begins at its upper left. Says how many lines and columns had no place. */
export function paste(sheet: Sheet, at: Range, text: string): { patch: Patch; range: Range; left: number } {
  const table = readTable(text)
  const width = Math.max(...table.map((line) => line.length))
  const isOne = table.length === 1 && width === 1
  const range = isOne
    ? at
    : { top: at.top, left: at.left, bottom: at.top + table.length - 1, right: at.left + width - 1 }
  const patch: Record<string, unknown> = {}
  for (const { variant, column, row, place } of cellsIn(sheet, range)) {
    const said = isOne ? table[0]?.[0] : table[row - range.top]?.[place - range.left]
    if (said !== undefined) patch[fieldIn(column, variant.id)] = parseCell(said, column, sheet.product, variant)
  }
  const last = { bottom: sheet.rows.length - 1, right: sheet.columns.length - 1 }
  return {
    patch,
    range: { ...range, bottom: Math.min(range.bottom, last.bottom), right: Math.min(range.right, last.right) },
    left: Math.max(0, range.bottom - last.bottom) + Math.max(0, range.right - last.right),
  }
}

/** The first row of the selection in all below it; of one row, what stands above it. */
export function fillDown(sheet: Sheet, at: Range): Patch {
  const from = at.top === at.bottom ? at.top - 1 : at.top
  const source = sheet.rows[from]
  if (!source) return {}
  const patch: Record<string, unknown> = {}
  for (const { variant, column } of cellsIn(sheet, { ...at, top: from + 1 }))
    patch[fieldIn(column, variant.id)] = valueOf(sheet.product, sheet.edits, fieldIn(column, source.id))
  return patch
}

/** Not sold there; no difference; no threshold; no number. */
export function clear(sheet: Sheet, at: Range): Patch {
  const patch: Record<string, unknown> = {}
  for (const { variant, column } of cellsIn(sheet, at))
    patch[fieldIn(column, variant.id)] = column.kind === 'sku' ? '' : column.kind === 'stock' ? 0 : null
  return patch
}

const quoted = (text: string) => (/[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The selection as a spreadsheet takes it. Of stock, what is there: a difference means nothing elsewhere. */
export function copy({ product, edits, rows, columns, locale }: Sheet, { top, bottom, left, right }: Range): string {
  return rows
    .slice(top, bottom + 1)
    .map((row) =>
      columns
        .slice(left, right + 1)
        .map((column) => {
          const value = valueOf(product, edits, fieldIn(column, row.id))
          if (column.kind === 'stock' && typeof value === 'number') return String(quantityOf(product, row.id) + value)
          return quoted(cellText(value, column, locale))
        })
        .join('\t'),
    )
    .join('\n')
}
