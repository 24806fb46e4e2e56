import { pipeline, type Readable } from 'node:stream'
import { parse as parseCsv } from 'csv-parse'
import { csvProblem, decodeUtf8, type FileLine } from '#platform/http/uploads.ts'
import { badRequest } from '#vocabulary/errors.ts'
import type { Subscription } from './schemas.ts'

/** A row a subscriber. A cell that is empty, or a column that is not there, is not sent. */
const COLUMNS = ['email', 'name', 'planId', 'status'] as const
const BY_NAME = new Map<string, Column>(COLUMNS.map((column) => [column.toLowerCase(), column]))
const MAX_ROW_BYTES = 1024 * 1024 // other columns may hold whatever they like
const MAX_HEADER_LENGTH = 64 * 1024

type Column = (typeof COLUMNS)[number]
type CsvRecord = { record: Partial<Record<Column, string>>; info: { lines: number } }

export async function* readCsv(file: Readable): AsyncGenerator<FileLine> {
  try {
    const text = decodeUtf8(file)
    const head = await readFirstLine(text)
    const parser = parseCsv({
      columns: readHeader,
      delimiter: delimiterOf(head),
      info: true,
      skip_empty_lines: true,
      relax_column_count: true,
      trim: true,
      max_record_size: MAX_ROW_BYTES,
    })
    pipeline(join(head, text), parser, () => {}) // whoever reads from the parser hears of its errors
    let last = 0
    for await (const { record, info } of parser as AsyncIterable<CsvRecord>) {
      last = Math.max(info.lines, last + 1)
      yield { number: last, line: JSON.stringify(toSubscriber(record)) }
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
  if (head.trim() === '') throw noHeader()
  return head
}

/** Excel writes semicolons where the comma is a decimal sign. The header tells: no column has either in its name. */
const delimiterOf = (head: string) => (/^[^\r\n,]*;/.test(head.trimStart()) ? ';' : ',')

const noHeader = () => badRequest('The first line of the file must name its columns, email among them.')

function readHeader(header: string[]): (Column | false)[] {
  const columns = header.map((name) => BY_NAME.get(name.toLowerCase()) ?? false)
  if (!columns.includes('email')) throw noHeader()
  return columns
}

function toSubscriber(record: CsvRecord['record']): CsvRecord['record'] {
  const subscriber: CsvRecord['record'] = {}
  for (const column of COLUMNS) if (record[column]) subscriber[column] = restore(record[column])
  return subscriber
}

/*
 * A spreadsheet would run a cell that looks like a formula: it gets an apostrophe in front. The import takes it away, and the
 * export gives one more to what has one already, so that everything reads back as it was.
 */
const disarm = (text: string) => (/^'*[=+\-@\t\r\n]/.test(text) ? `'${text}` : text)
const restore = (text: string) => (/^'+[=+\-@\t\r\n]/.test(text) ? text.slice(1) : text)
const quote = (text: string) => (/[",;\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export const CSV_HEADER = `${[...COLUMNS, 'createdAt'].join(',')}\n`

export const toCsv = ({ email, name = '', planId = '', status, createdAt }: Subscription) =>
  `${[email, name, planId, status, String(createdAt)].map((text) => quote(disarm(text))).join(',')}\n`
