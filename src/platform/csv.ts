import { pipeline, type Readable } from 'node:stream'
import { parse as parseCsv } from 'csv-parse'
import { csvProblem, decodeUtf8 } from './http/uploads.ts'

export type CsvRecord<Column extends string = string> = {
  record: Partial<Record<Column, string>>
  info: { lines: number }
}

const MAX_HEADER_LENGTH = 64 * 1024
/** Rows may be long: the next part of the file waits until they are taken. For the stream that the parser is. */
const ONE_AT_A_TIME = { readableHighWaterMark: 1 }

type CsvOptions<Column extends string> = {
  /** The column that each name of the first line stands for; false: it is not read. */
  readHeader: (names: string[]) => (Column | false)[]
  maxRowBytes: number
  /** Called when there is not even a first line. */
  whenEmpty?: () => never
}

/** The rows of a file as it arrives, separated by commas, semicolons or tabs. Cells are as they were before `toCell`. */
export async function* readCsv<Column extends string>(
  file: Readable,
  { readHeader, maxRowBytes, whenEmpty }: CsvOptions<Column>,
): AsyncGenerator<CsvRecord<Column>> {
  try {
    const text = decodeUtf8(file)
    const head = await readFirstLine(text)
    if (head.trim() === '') return whenEmpty?.()
    const parser = parseCsv({
      columns: readHeader,
      delimiter: delimiterOf(head),
      info: true,
      skip_empty_lines: true,
      relax_column_count: true,
      trim: true,
      max_record_size: maxRowBytes,
      ...ONE_AT_A_TIME,
    })
    pipeline(join(head, text), parser, () => {}) // whoever reads from the parser hears of its errors
    for await (const { record, info } of parser as AsyncIterable<CsvRecord<Column>>) {
      for (const column in record) record[column] = restore(record[column] ?? '')
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

/** The first line that is not empty, with whatever came before it and along with it. */
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

/** Excel writes semicolons where the comma is a decimal sign. What comes first in the header, outside of quotes, separates. */
const delimiterOf = (head: string) => /^(?:"(?:[^"]|"")*"|[^"\r\n,;\t])*([,;\t])/.exec(head.trimStart())?.[1] ?? ','

/*
 * A spreadsheet would run a cell that looks like a formula: it gets an apostrophe in front. The import takes it away, and the
 * export gives one more to what has one already, so that everything reads back as it was.
 */
const disarm = (text: string) => (/^'*[=+\-@\t\r\n]/.test(text) ? `'${text}` : text)
const restore = (text: string) => (/^'+[=+\-@\t\r\n]/.test(text) ? text.slice(1) : text)
const quote = (text: string) => (/[",;\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** A text as a cell that no spreadsheet takes for a formula. */
const toCell = (text: string) => quote(disarm(text))

/** A row with its line's end. */
export const toCsvRow = (cells: readonly string[]) => `${cells.map(toCell).join(',')}\n`
