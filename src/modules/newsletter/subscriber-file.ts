import { type Readable, Transform } from 'node:stream'
import type { Db } from '#platform/database/database.ts'
import { badRequest, payloadTooLarge } from '#vocabulary/errors.ts'
import { readCsv } from './subscriber-csv.ts'
import { type StagedRow, stageRows } from './subscriber-imports.ts'

export const FILE_FORMATS = ['csv', 'ndjson'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

export const MAX_BYTES = 100 * 1024 * 1024
const MAX_LINE_BYTES = 16 * 1024
const STAGE_ROWS = 1_000

/** Puts a file, as it arrives, into the rows that wait to be imported. Answers how many there are. */
export async function stageFile(
  db: Db,
  businessId: string,
  importId: string,
  file: Readable,
  format: FileFormat,
): Promise<number> {
  const limited = file.pipe(limitBytes())
  file.on('error', (error) => limited.destroy(error))
  file.on('close', () => {
    if (!file.readableEnded) limited.destroy(badRequest('The upload ended early.'))
  })
  let total = 0
  let waiting: StagedRow[] = []
  const flush = async () => {
    await stageRows(db, businessId, importId, waiting)
    total += waiting.length
    waiting = []
  }
  for await (const row of format === 'csv' ? readCsv(limited) : readLines(limited)) {
    waiting.push(row.line.length > MAX_LINE_BYTES ? refuse(row.number, row.line, TOO_LONG) : row)
    if (waiting.length >= STAGE_ROWS) await flush()
  }
  await flush()
  return total
}

function limitBytes(): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > MAX_BYTES) return done(payloadTooLarge('100 MiB'))
      done(null, chunk)
    },
  })
}

const TOO_LONG = 'The line is longer than 16 KiB.'

const refuse = (number: number, line: string, message: string): StagedRow => ({
  number,
  line: line.replaceAll('\0', '�').toWellFormed(),
  details: [{ field: '', error: 'INVALID', message }],
})

/** One subscriber a line. Empty lines do not count, but keep their number. */
async function* readLines(file: Readable): AsyncGenerator<StagedRow> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let number = 0
  for await (const bytes of splitLines(file)) {
    number++
    if (bytes.length > MAX_LINE_BYTES) {
      yield refuse(number, bytes.toString('utf8', 0, 2_000), TOO_LONG)
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
    yield line.includes('\0') ? refuse(number, line, 'The line holds a NUL.') : { number, line }
  }
}

/** What is beyond the length that is allowed is not kept, so that one endless line does not fill the memory. */
async function* splitLines(file: Readable): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  let length = 0
  const keep = (part: Buffer) => {
    if (length <= MAX_LINE_BYTES) begun.push(part)
    length += part.length
  }
  for await (const chunk of file as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end))
      yield begun.length === 1 && begun[0] ? begun[0] : Buffer.concat(begun)
      begun = []
      length = 0
      start = end + 1
    }
    keep(chunk.subarray(start))
  }
  if (length > 0) yield Buffer.concat(begun)
}
