import type { Readable } from 'node:stream'
import {
  bareName,
  byName,
  type Columns,
  namesOf,
  readCells,
  readNames,
  suggestColumn,
  TEXT,
  writeCells,
} from '#platform/transfer/columns.ts'
import { readCsv } from '#platform/transfer/csv.ts'
import type { FileLine } from '#platform/transfer/file.ts'
import type { OnUnknown, UnknownColumn } from '#platform/transfer/kind.ts'
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

export async function* readSubscriberCsv(file: Readable, onUnknown: OnUnknown): AsyncGenerator<FileLine> {
  const onUnread = (names: string[]) => onUnknown(names.filter(isUnknown).map(withSuggestions))
  let last = 0
  const rows = readCsv(file, { readHeader, onUnread, maxRowBytes: MAX_ROW_BYTES, whenEmpty: refuseHeader })
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

/** Columns of an export are known, including those that the import does not read. */
const isUnknown = (name: string) => !UNREAD.has(bareName(name))
const UNREAD = new Set(Object.values(COLUMNS).flatMap(([name, { read }]) => (read ? [] : [bareName(name)])))

const OTHER_NAMES = {
  email: ['mail', 'email address', 'address'],
  name: ['full name', 'first name', 'last name', 'Vorname', 'Nachname'],
  planId: ['plan'],
  status: ['state'],
}

function withSuggestions(name: string): UnknownColumn {
  const column = suggestColumn(name, subscriberColumns, OTHER_NAMES)
  return { name, suggestions: column === undefined ? [] : [column] }
}

export const subscriberColumns = namesOf(COLUMNS)

export const toCsvRow = (subscriber: Subscription) => writeCells(COLUMNS, subscriber)
