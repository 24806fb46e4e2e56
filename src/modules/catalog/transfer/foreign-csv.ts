import { htmlToText } from 'html-to-text'
import type { Market } from '#vocabulary/business.ts'
import { exponentOf } from '#vocabulary/currencies.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { hasMarkup } from '#vocabulary/html.ts'
import * as refusal from '../errors.ts'
import { MAX_QUANTITY } from '../schemas.ts'

/** The shop that a file of another system is for. */
export type Home = { market: Market; timeZone: string }

/** What is wrong with the cells of a product, by the names of its columns. */
export type Report = (detail: Detail) => void

const MAX_QUOTED = 50
export const quote = (text: string) => text.slice(0, MAX_QUOTED)

/**
 * An amount in minor units, exactly: `12.90`, `12,90`, `1.299,00`, `€ 1,299.00`. What cannot be read for certain stays
 * text, and is reported: a wrong price costs money.
 */
export function readMoney(text: string, { currency }: Market, column: string, report: Report): number | string {
  const digits = exponentOf(currency)
  const bare = /^[^\d.,-]{0,4}([\d.,'’\s]+)[^\d.,-]{0,4}$/.exec(text)?.[1]?.trim() ?? ''
  const mark = decimalMark(bare, digits)
  if (mark === 'unclear') {
    const [thousands = '', rest = ''] = bare.split(/[.,]/)
    const [one, other] = [`${thousands}${rest}.${'0'.repeat(digits)}`, `${thousands}.${rest.slice(0, digits)}`]
    report(refusal.moneyUnclear({ column, text: quote(text), one, other }))
    return text
  }
  const [whole, fraction] = mark === -1 ? [bare, ''] : [bare.slice(0, mark), bare.slice(mark + 1)]
  const minor = isGrouped(whole) && /^\d*$/.test(fraction) && toMinor(whole, fraction, digits)
  if (typeof minor === 'number') return minor
  const example = (1299 / 10 ** digits).toFixed(digits)
  report(refusal.moneyInvalid({ column, example, text: quote(text) }))
  return text
}

/** Where the fraction begins; -1: there is none. `1.299` may be a thousand or 1.30: who is to know? */
function decimalMark(text: string, digits: number): number | 'unclear' {
  const at = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  const marks = text.match(/[.,]/g) ?? []
  if (at === -1 || (marks.length > 1 && marks.every((mark) => mark === text[at]))) return -1
  const [whole, fraction] = [text.slice(0, at), text.slice(at + 1)]
  if (marks.length > 1 || fraction.length !== 3 || digits === 3 || !/^[1-9]\d{0,2}$/.test(whole)) return at
  return digits === 0 ? -1 : 'unclear'
}

const isGrouped = (whole: string) => /^(?:\d{0,12}|\d{1,3}(?:([.,'’\s])\d{3}(?:\1\d{3})*)?)$/.test(whole)

/** False: there is more of it than the currency has digits. */
function toMinor(whole: string, fraction: string, digits: number): number | false {
  if (/[1-9]/.test(fraction.slice(digits)) || !/\d/.test(whole + fraction)) return false
  const minor = Number(`${whole.replaceAll(/\D/g, '')}${fraction.slice(0, digits).padEnd(digits, '0')}`)
  return Number.isSafeInteger(minor) && minor
}

/** Stock that was oversold elsewhere is none. */
export function readQuantity(text: string, column: string, report: Report): number | string {
  const [, sign = '', digits] = /^(-?)(\d{1,16})(?:[.,]0+)?$/.exec(text) ?? []
  if (digits === undefined || Number(digits) > MAX_QUANTITY) {
    report(refusal.wholeNumberInvalid({ column, text: quote(text) }))
    return text
  }
  return sign ? 0 : Number(digits)
}

/** Reading takes longer than in proportion: what is larger stays as it is. */
const MAX_HTML = 50_000
const TEXT_ROW = { leadingLineBreaks: 1, trailingLineBreaks: 1 }

/**
 * A description is plain text here: paragraphs and lists stay, markup and scripts go. Tables become rows of text: the library's
 * own drawing of them takes as long as their cells say that they are wide.
 */
export function readHtml(html: string): string {
  if (!hasMarkup(html) || html.length > MAX_HTML) return html
  return htmlToText(html, {
    wordwrap: false,
    limits: { maxDepth: 100 },
    selectors: [
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      ...['img', 'iframe', 'object', 'video', 'form', 'style', 'script'].map((selector) => ({
        selector,
        format: 'skip',
      })),
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'ul', options: { itemPrefix: '• ' } },
      { selector: 'table', format: 'block' },
      { selector: 'tr', options: TEXT_ROW, format: 'block' },
      ...['td', 'th'].map((selector) => ({ selector, options: { suffix: '   ' }, format: 'inlineSurround' })),
    ],
  })
    .replaceAll(/ +$/gm, '')
    .trim()
}

/** Each once, without spaces around it. */
export const readList = (values: readonly string[]): string[] => [
  ...new Set(values.map((value) => value.trim()).filter((value) => value !== '')),
]

/** Without what is undefined. */
export const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Undefined for a cell that is empty or not there: what it says stays as it is. */
export const textOf = (cell: string | undefined) => (cell === undefined || cell === '' ? undefined : cell)
