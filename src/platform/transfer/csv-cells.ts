/*
 * The dashboard imports this file too, so that the service and its pages write CSV alike. It may import nothing.
 *
 * CSV injection: a spreadsheet runs a cell that looks like a formula, in East Asian editions also one in fullwidth
 * characters. Such a cell gets an apostrophe in front. The import removes it, and the export adds one more to a cell that
 * already has one, so that every text survives the round trip.
 */
const FORMULA = /^'*[=+\-@＝＋－＠\t\r\n]/
const ESCAPED_FORMULA = /^'+[=+\-@＝＋－＠\t\r\n]/
/** Whichever character a spreadsheet takes for the separator, a text stays in its cell. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/

export type CsvCell = string | number

/** Formats rows as CSV lines. Texts can neither become formulas nor spill into the next cell. */
export const toCsv = (rows: readonly (readonly CsvCell[])[]): string =>
  rows.map((row) => `${row.map(toCell).join(',')}\n`).join('')

function toCell(cell: CsvCell): string {
  if (typeof cell === 'number') return String(cell)
  const text = FORMULA.test(cell) ? `'${cell}` : cell
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Removes the apostrophe that `toCsv` put in front of a formula. */
export const restoreCell = (text: string): string => (ESCAPED_FORMULA.test(text) ? text.slice(1) : text)
