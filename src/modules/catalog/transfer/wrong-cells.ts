import { type Cells, INTEGER } from '#platform/transfer/columns.ts'
import type { Market } from '#vocabulary/business.ts'
import { exponentOf } from '#vocabulary/currencies.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { numberInvalid, statusInvalid } from '../errors.ts'
import { PRODUCT_STATUSES } from '../schemas.ts'
import { VARIANT_COLUMNS } from './csv-columns.ts'

const MAX_DETAILS = 100
const MAX_QUOTED = 50

/** Finds cells that the import cannot read. Numbers are reported by their columns: people write dollars, not cents. */
export function findWrongCells(rows: readonly Cells[], markets: readonly Market[]): Detail[] {
  const details = findWrongStatus(rows[0]?.status)
  for (const cells of rows) {
    for (const [column, text] of Object.entries(cells)) {
      if (!text || /^-?\d{1,16}$/.test(text)) continue
      const market = /^(?:price|compareAtPrice):(.+)$/.exec(column)?.[1]
      const isNumber = market !== undefined || NUMBERS.includes(column)
      if (!isNumber || details.length >= MAX_DETAILS) continue
      const currency = markets.find(({ id }) => id === market)?.currency
      const wanted = market === undefined ? 'a whole number' : wholePrice(text, currency)
      details.push(numberInvalid({ column, wanted, text: text.slice(0, MAX_QUOTED) }))
    }
  }
  return details
}

function findWrongStatus(text: string | undefined): Detail[] {
  const isKnown = !text || PRODUCT_STATUSES.some((status) => status === text.toUpperCase())
  return isKnown ? [] : [statusInvalid({ text: text.slice(0, MAX_QUOTED) })]
}

const NUMBERS = Object.values(VARIANT_COLUMNS).flatMap(([name, cell]) => (cell === INTEGER ? [name] : []))

/** `a whole number of cents: 2200`; the figure is given only where the intended one is clear. */
function wholePrice(text: string, currency: string | undefined): string {
  const digits = currency === undefined ? 2 : exponentOf(currency)
  const unit = digits === 2 ? 'a whole number of cents' : `a whole number in the smallest unit of ${currency}`
  const [, whole = '', fraction = ''] = /^[^\d.,-]{0,4}(\d{1,12})(?:[.,](\d+))?[^\d.,-]{0,4}$/.exec(text) ?? []
  const isThousands = digits !== 3 && fraction.length === 3 // 1,000 may be a thousand
  if (whole === '' || isThousands || /[1-9]/.test(fraction.slice(digits))) return unit
  return `${unit}: ${Number(`${whole}${fraction.slice(0, digits).padEnd(digits, '0')}`)}`
}
