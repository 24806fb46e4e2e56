import type { Readable } from 'node:stream'
import type { Db } from '#platform/database/database.ts'
import { type FileLine, limitFile, readLines, refuseLine, tooLong } from '#platform/http/uploads.ts'
import { readCsv } from './subscriber-csv.ts'
import { stageRows } from './subscriber-imports.ts'

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
  { maxBytes = MAX_BYTES, progress }: { maxBytes?: number; progress?: (bytes: number) => void } = {},
): Promise<number> {
  const limited = limitFile(file, maxBytes, progress)
  let total = 0
  let waiting: FileLine[] = []
  const flush = async () => {
    await stageRows(db, businessId, importId, waiting)
    total += waiting.length
    waiting = []
  }
  for await (const row of format === 'csv' ? readCsv(limited) : readLines(limited, MAX_LINE_BYTES)) {
    waiting.push(row.line.length > MAX_LINE_BYTES ? refuseLine(row.number, row.line, tooLong(MAX_LINE_BYTES)) : row)
    if (waiting.length >= STAGE_ROWS) await flush()
  }
  await flush()
  return total
}
