import { type Cells, INTEGER } from '#platform/transfer/columns.ts'
import type { Market } from '#vocabulary/business.ts'
import { exponentOf } from '#vocabulary/currencies.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { numberInvalid } from '../errors.ts'
import { VARIANT_COLUMNS } from './csv-columns.ts'

const MAX_DETAILS = 100
const MAX_QUOTED = 50

/**
 * Finds cells that need a whole number and hold something else. Reported by column name: people write dollars, not
 * cents.
 */
export function findWrongNumbers(rows: readonly Cells[], markets: readonly Market[]): Detail[] {
  const details: Detail[] = []
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
