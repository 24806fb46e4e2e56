import { type Readable, Transform } from 'node:stream'
import { CsvError } from 'csv-parse'
import type { Detail } from '#vocabulary/errors.ts'
import type { UnknownColumn } from './kind.ts'
import * as refusal from './refusals.ts'

export const FILE_FORMATS = ['ndjson', 'csv'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

/** A line of a file, or the reasons why it cannot be read. */
export type FileLine = { number: number; line: string; details?: Detail[] }

/** Streams a file up to `maxBytes`. A file that ends early is refused. */
export function limitFile(file: Readable, maxBytes: number, progress?: (bytes: number) => void): Readable {
  let bytes = 0
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      progress?.(bytes)
      if (bytes > maxBytes) return done(refusal.fileTooLarge({ maxMebibytes: Math.floor(maxBytes / 1024 / 1024) }))
      done(null, chunk)
    },
  })
  file.on('error', (error) => limited.destroy(error))
  file.on('close', () => {
    if (!file.readableEnded) limited.destroy(refusal.uploadEndedEarly())
  })
  return file.pipe(limited)
}

/**
 * Skips empty lines, but counts them. Lines end at a line feed: `readline` would also end them at U+2028, which is
 * valid inside JSON, and would buffer a line of any length.
 */
export async function* readLines(file: Readable, maxLineBytes: number): AsyncGenerator<FileLine> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let number = 0
  for await (const bytes of splitLines(file, maxLineBytes)) {
    number++
    if (bytes.length > maxLineBytes) {
      yield refuseLine(number, bytes.toString('utf8', 0, 2_000), tooLong(maxLineBytes))
      continue
    }
    let line: string
    try {
      line = decoder.decode(bytes).trim()
    } catch {
      yield refuseLine(number, bytes.toString('utf8'), refusal.lineNotUtf8())
      continue
    }
    if (line === '') continue
    yield line.includes('\0') ? refuseLine(number, line, refusal.lineHoldsNul()) : { number, line }
  }
}

/** Discards what exceeds the allowed length, so that one endless line does not fill the memory. */
async function* splitLines(file: Readable, maxLineBytes: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let length = 0
  const keep = (part: Buffer) => {
    if (length <= maxLineBytes) parts.push(part)
    length += part.length
  }
  for await (const chunk of file as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end))
      yield parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      parts = []
      length = 0
      start = end + 1
    }
    keep(chunk.subarray(start))
  }
  if (length > 0) yield Buffer.concat(parts)
}

export const tooLong = (maxLineBytes: number) =>
  refusal.lineTooLong({
    limit: maxLineBytes >= 1024 * 1024 ? `${maxLineBytes / 1024 / 1024} MiB` : `${maxLineBytes / 1024} KiB`,
  })

export const refuseLine = (number: number, line: string, detail: Detail): FileLine => ({
  number,
  line: line.slice(0, 500).replaceAll('\0', '�').toWellFormed(),
  details: [detail],
})

const SHOWN_LINE_LENGTH = 500
const MAX_FIELD_LENGTH = 200
const MAX_MESSAGE_LENGTH = 500
const MAX_COLUMN_LENGTH = 100

/** Enough characters of a line for `shortenLine` to see that there are more. */
export const SEEN_LINE_LENGTH = SHOWN_LINE_LENGTH + 1

export const shortenLine = (line: string) => shorten(line, SHOWN_LINE_LENGTH)

/** A detail as it is stored: messages quote the input, and one key may be as long as the line. */
export const toKeptDetail = ({ field, error, message }: Detail): Detail => ({
  field: shorten(clean(field), MAX_FIELD_LENGTH),
  error,
  message: shorten(clean(message), MAX_MESSAGE_LENGTH),
})

/** A column as it is stored: its name may be as long as the header, and hold anything. */
export const toKeptColumn = ({ name, suggestions }: UnknownColumn): UnknownColumn => ({
  name: shorten(clean(name), MAX_COLUMN_LENGTH),
  suggestions,
})

const shorten = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text
const clean = (text: string) => text.toWellFormed().replaceAll('\0', '�')

/**
 * Refuses other encodings, such as Excel's, which would be read as text with replacement characters. Removes a byte
 * order mark.
 */
export async function* decodeUtf8(file: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of file) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** The refusal for a CSV error, if the file was at fault. */
export function csvProblem(error: unknown): unknown {
  const { code, message } = error as Error & { code?: string }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return refusal.fileNotUtf8()
  return error instanceof CsvError ? refusal.csvInvalid({ message }) : error
}
