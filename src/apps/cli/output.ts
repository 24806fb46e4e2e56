import { styleText } from 'node:util'

/** Double-width letters, and combining marks without a width. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u
const NARROW = /\p{Mark}|\u200b|\u200d|\ufe0f/u

const widthOfLetter = (letter: string) => (NARROW.test(letter) ? 0 : WIDE.test(letter) ? 2 : 1)

/** The width of a text in terminal columns. */
export const widthOf = (text: string) => Array.from(text).reduce((sum, letter) => sum + widthOfLetter(letter), 0)

/** User-written text must not move the cursor, or break a row. */
// oxlint-disable-next-line no-control-regex -- that is what it looks for
const flat = (text: string) => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')

export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  for (const letter of text) {
    if (widthOf(kept + letter) > width - 1) break
    kept += letter
  }
  return `${kept}…`
}

const GAP = '  '
const MIN_WIDTH = 4

/** Narrows the widest columns until all fit, but never the first: it is the id, which is useless if cut. */
export function fitWidths(wanted: readonly number[], room: number): number[] {
  const widths = [...wanted]
  const total = () => widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1)
  while (total() > room) {
    const widest = Math.max(...widths.slice(1))
    if (widest <= MIN_WIDTH) break
    widths[widths.lastIndexOf(widest)] = widest - 1
  }
  return widths
}

export type Cell = string | number | boolean | Date | null | undefined
export type Row = Record<string, Cell>

const textOf = (cell: Cell): string => {
  if (cell === null || cell === undefined || cell === '') return '–'
  return cell instanceof Date ? cell.toISOString().replace(/\.\d+Z$/, 'Z') : flat(String(cell))
}

/** A header line, then one line a row. `room`: the width to cut to; without it nothing is cut. */
export function formatTable(columns: readonly string[], rows: readonly Row[], room?: number): string[] {
  const lines = [[...columns], ...rows.map((row) => columns.map((column) => textOf(row[column])))]
  const wanted = columns.map((_column, index) => Math.max(...lines.map((cells) => widthOf(cells[index] ?? ''))))
  const widths = room === undefined ? wanted : fitWidths(wanted, room)
  return lines.map((cells) =>
    cells
      .map((cell, index) => {
        const text = cut(cell, widths[index] ?? 0)
        return text + ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)))
      })
      .join(GAP)
      .trimEnd(),
  )
}

/** A table that fits the terminal. In a pipe it has its full width. */
export function printTable(columns: readonly string[], rows: readonly Row[]): void {
  const [head = '', ...body] = formatTable(columns, rows, process.stdout.isTTY ? process.stdout.columns : undefined)
  console.log(styleText('dim', head, { stream: process.stdout }))
  for (const line of body) console.log(line)
}

export const printJson = (value: unknown) => console.log(JSON.stringify(value))

/** Prints a list: NDJSON, or a table, or a sentence when it is empty. */
export function printList(json: boolean, columns: readonly string[], rows: readonly Row[], none: string): void {
  if (json) for (const row of rows) printJson(row)
  else if (rows.length === 0) console.log(none)
  else printTable(columns, rows)
}

/** Prints one result: JSON, or a sentence. */
export function printResult(json: boolean, value: unknown, sentence: string): void {
  if (json) printJson(value)
  else console.log(flat(sentence))
}
