import { type Readable, Transform } from 'node:stream'
import { CsvError } from 'csv-parse'
import { badRequest, type Detail, payloadTooLarge } from '#vocabulary/errors.ts'

/** A line of a file: what it says, or why it says nothing. */
export type FileLine = { number: number; line: string; details?: Detail[] }

/** A file as it arrives, up to so many bytes. One that ends early is not taken for a whole one. */
export function limitFile(file: Readable, maxBytes: number, progress?: (bytes: number) => void): Readable {
  let bytes = 0
  const limited = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      progress?.(bytes)
      if (bytes > maxBytes) return done(payloadTooLarge(`${Math.floor(maxBytes / 1024 / 1024)} MiB`))
      done(null, chunk)
    },
  })
  file.on('error', (error) => limited.destroy(error))
  file.on('close', () => {
    if (!file.readableEnded) limited.destroy(badRequest('The upload ended early.'))
  })
  return file.pipe(limited)
}

/**
 * Empty lines do not count, but keep their number. Lines end where a line feed is: `readline` would also end them at U+2028, which
 * JSON leaves as it is, and would hold a line of any length.
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
      yield refuseLine(number, bytes.toString('utf8'), 'The line is not UTF-8.')
      continue
    }
    if (line === '') continue
    yield line.includes('\0') ? refuseLine(number, line, 'The line holds a NUL.') : { number, line }
  }
}

/** What is beyond the length that is allowed is not kept, so that one endless line does not fill the memory. */
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
  `The line is longer than ${maxLineBytes >= 1024 * 1024 ? `${maxLineBytes / 1024 / 1024} MiB` : `${maxLineBytes / 1024} KiB`}.`

export const refuseLine = (number: number, line: string, message: string): FileLine => ({
  number,
  line: line.slice(0, 500).replaceAll('\0', '�').toWellFormed(),
  details: [{ field: '', error: 'INVALID', message }],
})

const SHOWN_LINE_LENGTH = 500
const MAX_FIELD_LENGTH = 200
const MAX_MESSAGE_LENGTH = 500

/** As many characters of a line as `shortenLine` needs to see that there are more. */
export const SEEN_LINE_LENGTH = SHOWN_LINE_LENGTH + 1

/** A line as people are shown it. */
export const shortenLine = (line: string) => shorten(line, SHOWN_LINE_LENGTH)

/** What is wrong with a line, as it is kept: messages quote what was sent, and a key of it may be as long as the line. */
export const toKeptDetail = ({ field, error, message }: Detail): Detail => ({
  field: shorten(clean(field), MAX_FIELD_LENGTH),
  error,
  message: shorten(clean(message), MAX_MESSAGE_LENGTH),
})

const shorten = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text
const clean = (text: string) => text.toWellFormed().replaceAll('\0', '�')

/** Other encodings, Excel's for instance, would be read as text with holes in it. A byte order mark goes away here. */
export async function* decodeUtf8(file: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of file) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

/** What reading a CSV failed for, if that was the file's fault. */
export function csvProblem(error: unknown): unknown {
  const { code, message } = error as Error & { code?: string }
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return badRequest('The file is not UTF-8.')
  return error instanceof CsvError ? badRequest(`The file is not readable as CSV: ${message}`) : error
}
