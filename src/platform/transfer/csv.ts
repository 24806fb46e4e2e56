import { pipeline, type Readable } from 'node:stream'
import { parse as parseCsv } from 'csv-parse'
import { restoreCell, toCsv } from './csv-cells.ts'
import { csvProblem, decodeUtf8, type FileFormat } from './file.ts'
import { tooManyCells, tooManyColumns } from './refusals.ts'

export type CsvRecord<Column extends string = string> = {
  record: Partial<Record<Column, string>>
  info: { lines: number }
}

const MAX_HEADER_LENGTH = 64 * 1024
const MAX_COLUMNS = 2_000
/** Between two ends of lines. The parser's own limit counts what is in the cells, not the cells: a million empty ones take a lot of room. */
const MAX_SEPARATORS = 100_000
/** Rows may be long, so the parser reads ahead one row at most (backpressure). */
const ONE_AT_A_TIME = { readableHighWaterMark: 1 }

type CsvOptions<Column extends string> = {
  /** The column for each name of the header line; false: not read. */
  readHeader: (names: string[]) => (Column | false)[]
  /** Called with the names of the columns that are not read. */
  onUnread?: (names: string[]) => void
  maxRowBytes: number
  /** Called when the file has no header line. */
  whenEmpty?: () => never
  /** A quotation mark inside of a cell without quotation marks is text: some systems write such. */
  relaxQuotes?: boolean
}

/** Streams the rows of a file, separated by commas, semicolons or tabs. Restores what `toCsv` escaped. */
export async function* readCsv<Column extends string>(
  file: Readable,
  { readHeader, onUnread, maxRowBytes, whenEmpty, relaxQuotes = false }: CsvOptions<Column>,
): AsyncGenerator<CsvRecord<Column>> {
  try {
    const text = decodeUtf8(file)
    const head = await readFirstLine(text)
    if (head.trim() === '') return whenEmpty?.()
    const delimiter = delimiterOf(head)
    const parser = parseCsv({
      columns: (names: string[]) => {
        if (names.length > MAX_COLUMNS) throw tooManyColumns({ count: names.length, most: MAX_COLUMNS })
        const columns = readHeader(names)
        onUnread?.(names.filter((name, index) => name !== '' && columns[index] === false))
        return columns
      },
      delimiter,
      info: true,
      skip_empty_lines: true,
      relax_column_count: true,
      relax_quotes: relaxQuotes,
      trim: true,
      max_record_size: maxRowBytes,
      ...ONE_AT_A_TIME,
    })
    pipeline(limitCells(join(head, text), delimiter), parser, () => {}) // the reader of the parser gets its errors
    for await (const { record, info } of parser as AsyncIterable<CsvRecord<Column>>) {
      for (const column in record) record[column] = restoreCell(record[column] ?? '')
      yield { record, info }
    }
  } catch (error) {
    throw csvProblem(error)
  }
}

async function* join(head: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield head
  yield* rest
}

async function* limitCells(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<string> {
  let cells = 0
  for await (const chunk of text) {
    for (const character of chunk) {
      if (character === '\n') cells = 0
      else if (character === delimiter) cells += 1
      if (cells > MAX_SEPARATORS) throw tooManyCells({ most: MAX_SEPARATORS })
    }
    yield chunk
  }
}

/** Reads up to the end of the first line that is not empty, including text already received after it. */
async function readFirstLine(text: AsyncGenerator<string>): Promise<string> {
  let head = ''
  for (let isComplete = false; !isComplete && head.length < MAX_HEADER_LENGTH; ) {
    const { value, done } = await text.next()
    if (done) break
    head += value
    isComplete = value.includes('\n') && head.trimStart().includes('\n')
  }
  return head
}

/**
 * Excel writes semicolons where the comma is the decimal separator. The first separator in the header, outside of
 * quotes, decides.
 */
function delimiterOf(head: string): string {
  let isQuoted = false
  for (const character of head.trimStart()) {
    if (character === '"') isQuoted = !isQuoted
    if (isQuoted) continue
    if (character === '\n' || character === '\r') break
    if (',;\t'.includes(character)) return character
  }
  return ','
}

type FileWriter<Item> = {
  columns: readonly string[]
  toRows: (item: Item) => string[][]
  toLine: (item: Item) => string
}

/** Streams a file page by page, so that neither side ever holds all of it. */
export async function* writeFile<Item>(
  pages: AsyncIterable<Item[]>,
  format: FileFormat,
  { columns, toRows, toLine }: FileWriter<Item>,
): AsyncGenerator<string> {
  if (format === 'csv') yield toCsv([[...columns]])
  for await (const page of pages)
    yield format === 'csv' ? toCsv(page.flatMap(toRows)) : page.map((item) => `${toLine(item)}\n`).join('')
}
