type Cell = string | number

/** A spreadsheet would run a text that begins like this. */
const FORMULA = /^[=+\-@\t\r]/

function written(cell: Cell): string {
  if (typeof cell === 'number') return String(cell)
  const safe = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** A table as a file that spreadsheets read: figures with a point, texts never as formulas. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(written).join(',')}\r\n`).join('')
