import { pipeline, type Readable } from 'node:stream'
import { parse as parseCsv } from 'csv-parse'
import type { Db } from '#platform/database/database.ts'
import { csvProblem, decodeUtf8, type FileLine, limitFile, readLines } from '#platform/http/uploads.ts'
import { badRequest } from '#vocabulary/errors.ts'
import { groupCsvRecords } from './csv.ts'
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
  businessId: string,
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
  for await (const row of format === 'csv' ? readCsv(limited) : readLines(limited, MAX_LINE_BYTES)) {
    waiting.push(row)
    characters += row.line.length
    if (waiting.length >= STAGE_ROWS || characters > STAGE_CHARACTERS) await flush()
  }
  await flush()
  return total
}

async function* readCsv(file: Readable): AsyncGenerator<FileLine> {
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
    throw csvProblem(error)
  }
}

/** Without a column that says so, nobody knows where a product ends: all rows would be variants of the first one's. */
function checkHeader(columns: string[]): string[] {
  if (!columns.includes('slug') && !columns.includes('name'))
    throw badRequest('The first line of the file must name its columns, slug or name among them.')
  return columns
}
