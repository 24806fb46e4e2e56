import type { Readable } from 'node:stream'
import { readCsv } from '#platform/csv.ts'
import type { Db } from '#platform/database/database.ts'
import { type FileLine, limitFile, readLines } from '#platform/http/uploads.ts'
import type { Business } from '#vocabulary/business.ts'
import { groupCsvRecords, readHeader } from './csv.ts'
import { stageRows } from './imports.ts'

export const IMPORT_FORMATS = ['ndjson', 'csv'] as const
export type ImportFormat = (typeof IMPORT_FORMATS)[number]

export const MAX_BYTES = 100 * 1024 * 1024
const MAX_LINE_BYTES = 2 * 1024 * 1024
const STAGE_ROWS = 500
const STAGE_CHARACTERS = 2_000_000

/** Puts a file, as it arrives, into the rows that wait to be imported. Answers how many there are. */
export async function stageFile(
  db: Db,
  { id: businessId, markets }: Pick<Business, 'id' | 'markets'>,
  importId: string,
  file: Readable,
  {
    format,
    maxBytes = MAX_BYTES,
    progress,
  }: { format: ImportFormat; maxBytes?: number; progress?: (bytes: number) => void },
): Promise<number> {
  const limited = limitFile(file, maxBytes, progress)
  let total = 0
  let waiting: FileLine[] = []
  let characters = 0
  const flush = async () => {
    await stageRows(db, businessId, importId, waiting)
    total += waiting.length
    waiting = []
    characters = 0
  }
  const readProducts = () => {
    const rows = readCsv(limited, { readHeader: (names) => readHeader(names, markets), maxRowBytes: MAX_LINE_BYTES })
    return groupCsvRecords(rows, markets)
  }
  for await (const row of format === 'csv' ? readProducts() : readLines(limited, MAX_LINE_BYTES)) {
    waiting.push(row)
    characters += row.line.length
    if (waiting.length >= STAGE_ROWS || characters > STAGE_CHARACTERS) await flush()
  }
  await flush()
  return total
}
