import type { Readable } from 'node:stream'
import { readCsv as readRows, toCsvRow } from '#platform/csv.ts'
import type { FileLine } from '#platform/http/uploads.ts'
import { badRequest } from '#vocabulary/errors.ts'
import type { Subscription } from './schemas.ts'

/** A row a subscriber. A cell that is empty, or a column that is not there, is not sent. */
const COLUMNS = ['email', 'name', 'planId', 'status'] as const
const BY_NAME = new Map<string, Column>(COLUMNS.map((column) => [column.toLowerCase(), column]))
const MAX_ROW_BYTES = 1024 * 1024 // other columns may hold whatever they like

type Column = (typeof COLUMNS)[number]
type Cells = Partial<Record<Column, string>>

export async function* readCsv(file: Readable): AsyncGenerator<FileLine> {
  let last = 0
  const rows = readRows(file, { readHeader, maxRowBytes: MAX_ROW_BYTES, whenEmpty: refuseHeader })
  for await (const { record, info } of rows) {
    last = Math.max(info.lines, last + 1)
    yield { number: last, line: JSON.stringify(toSubscriber(record)) }
  }
}

function refuseHeader(): never {
  throw badRequest('The first line of the file must name its columns, email among them.')
}

function readHeader(header: string[]): (Column | false)[] {
  const columns = header.map((name) => BY_NAME.get(name.toLowerCase()) ?? false)
  return columns.includes('email') ? columns : refuseHeader()
}

function toSubscriber(record: Cells): Cells {
  const subscriber: Cells = {}
  for (const column of COLUMNS) if (record[column]) subscriber[column] = record[column]
  return subscriber
}

export const CSV_HEADER = toCsvRow([...COLUMNS, 'createdAt'])

export const toCsv = ({ email, name = '', planId = '', status, createdAt }: Subscription) =>
  toCsvRow([email, name, planId, status, String(createdAt)])
