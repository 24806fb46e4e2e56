import type { Readable } from 'node:stream'
import { byName, type Columns, namesOf, readCells, readNames, TEXT, writeCells } from '#platform/transfer/columns.ts'
import { readCsv } from '#platform/transfer/csv.ts'
import type { FileLine } from '#platform/transfer/file.ts'
import { columnsMissing } from '../errors.ts'
import type { Subscription } from '../schemas.ts'

/** One row per subscriber. */
const COLUMNS: Columns<Pick<Subscription, 'email' | 'name' | 'planId' | 'status' | 'createdAt'>> = {
  email: ['email', TEXT],
  name: ['name', TEXT],
  planId: ['planId', TEXT],
  status: ['status', TEXT],
  createdAt: ['createdAt', { write: String }],
}
const MAX_ROW_BYTES = 1024 * 1024 // other columns may hold anything

export async function* readSubscriberCsv(file: Readable): AsyncGenerator<FileLine> {
  let last = 0
  const rows = readCsv(file, { readHeader, maxRowBytes: MAX_ROW_BYTES, whenEmpty: refuseHeader })
  for await (const { record, info } of rows) {
    last = Math.max(info.lines, last + 1)
    yield { number: last, line: JSON.stringify(readCells(COLUMNS, record)) }
  }
}

function refuseHeader(): never {
  throw columnsMissing()
}

const findColumn = byName(COLUMNS)

function readHeader(names: string[]): (string | false)[] {
  const columns = readNames(names, findColumn)
  return columns.includes('email') ? columns : refuseHeader()
}

export const subscriberColumns = namesOf(COLUMNS)

export const toCsvRow = (subscriber: Subscription) => writeCells(COLUMNS, subscriber)
