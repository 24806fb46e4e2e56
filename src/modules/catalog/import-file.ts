import { pipeline, type Readable, Transform } from 'node:stream'
import { parse as parseCsv } from 'csv-parse'
import type { Db } from '#platform/database/database.ts'
import { badRequest, payloadTooLarge } from '#vocabulary/errors.ts'
import { groupCsvRecords } from './csv.ts'
import { type StagedRow, stageRows } from './imports.ts'

export const IMPORT_FORMATS = ['ndjson', 'csv'] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

export const MAX_BYTES = 100 * 1024 * 1024
const MAX_LINE_BYTES = 2 * 1024 * 1024
const STAGE_ROWS = 500
const STAGE_CHARACTERS = 2_000_000

/** Puts a file, as it arrives, into the rows that wait to be imported. Answers how many there are. */
export async function stageFile(
  db: Db,
  businessId: string,
  importId: string,
  file: Readable,
  {
    format,
    maxBytes = MAX_BYTES,
    progress,
  }: { format: ImportFormat; maxBytes?: number; progress?: (bytes: number) => void },
): Promise<number> {
  const limited = file.pipe(limitBytes(maxBytes, progress))
  file.on('error', (error) => limited.destroy(error))
  file.on('close', () => {
    if (!file.readableEnded) limited.destroy(badRequest('The upload ended early.'))
  })
  let total = 0
  let waiting: StagedRow[] = []
  let characters = 0
  const flush = async () => {
    await stageRows(db, businessId, importId, waiting)
    total += waiting.length
    waiting = []
    characters = 0
  }
  for await (const row of format === 'csv' ? readCsv(limited) : readLines(limited)) {
    waiting.push(row)
    characters += row.line.length
    if (waiting.length >= STAGE_ROWS || characters > STAGE_CHARACTERS) await flush()
  }
  await flush()
  return total
}

function limitBytes(maxBytes: number, progress: ((bytes: number) => void) | undefined): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      progress?.(bytes)
      if (bytes > maxBytes) return done(payloadTooLarge(`${Math.floor(maxBytes / 1024 / 1024)} MiB`))
      done(null, chunk)
    },
  })
}

const refuse = (number: number, line: string, message: string): StagedRow => ({
  number,
  line: line.slice(0, 500).replaceAll('\0', '�').toWellFormed(),
  details: [{ field: '', error: 'INVALID', message }],
})

/**
 * One product a line; empty lines do not count, but keep their number. Lines end where a line feed is: `readline` would also end
 * them at U+2028, which JSON leaves as it is, and would hold a line of any length.
 */
async function* readLines(file: Readable): AsyncGenerator<StagedRow> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let number = 0
  for await (const bytes of splitLines(file)) {
    number++
    if (bytes.length > MAX_LINE_BYTES) {
      yield refuse(number, bytes.toString('utf8', 0, 2_000), 'The line is longer than 2 MiB.')
      continue
    }
    let line: string
    try {
      line = decoder.decode(bytes).trim()
    } catch {
      yield refuse(number, bytes.toString('utf8'), 'The line is not UTF-8.')
      continue
    }
    if (line === '') continue
    if (line.includes('\0')) yield refuse(number, line, 'The line holds a NUL.')
    else yield { number, line }
  }
}

/** What is beyond the length that is allowed is not kept, so that one endless line does not fill the memory. */
async function* splitLines(file: Readable): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let length = 0
  const keep = (part: Buffer) => {
    if (length <= MAX_LINE_BYTES) parts.push(part)
    length += part.length
  }
  for await (const chunk of file as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end))
      yield Buffer.concat(parts)
      parts = []
      length = 0
      start = end + 1
    }
    keep(chunk.subarray(start))
  }
  if (length > 0) yield Buffer.concat(parts)
}

async function* readCsv(file: Readable): AsyncGenerator<StagedRow> {
  const parser = parseCsv({
    columns: checkHeader,
    bom: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    trim: true,
    max_record_size: MAX_LINE_BYTES,
  })
  pipeline(file, decodeUtf8, parser, () => {}) // whoever reads from the parser hears of its errors
  try {
    yield* groupCsvRecords(parser as AsyncIterable<{ record: Record<string, string>; info: { lines: number } }>)
  } catch (error) {
    const { code, message } = error as Error & { code?: string }
    if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw badRequest('The file is not UTF-8.')
    throw code?.startsWith('CSV_') ? badRequest(`The file is not readable as CSV: ${message}`) : error
  }
}

/** Other encodings, Excel's for instance, would be read as text with holes in it. */
async function* decodeUtf8(file: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of file) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** Without a column that says so, nobody knows where a product ends: all rows would be variants of the first one's. */
function checkHeader(columns: string[]): string[] {
  if (!columns.includes('slug') && !columns.includes('name'))
    throw badRequest('The first line of the file must name its columns, slug or name among them.')
  return columns
}
