import type { Flaw } from './flaw.ts'
import type { KnownTable } from './rows.ts'
import type { ArchivedRow } from './tables.ts'

const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+([+-][0-9:]+|Z))?$/
const MAX_SHOWN = 100
const WHOLE = ['bigint', 'integer', 'smallint']

/**
 * Finds what this service could not read in a row of any table. PostgreSQL stores times and numbers that JavaScript does
 * not have, and whoever reads them, with the rows of other businesses, would fail. The database passes over fields that are no
 * columns, so a check must not meet any: it could take one for the column.
 */
export function checkRow(table: KnownTable, line: string, businessId: string): Flaw | undefined {
  const row = parseRow(line)
  if (!row) return { field: '', says: 'is not a JSON object' }
  const other = Object.keys(row).find((name) => !table.columns.some((column) => column.name === name))
  if (other !== undefined)
    return { field: '', says: `has a field ${JSON.stringify(other.slice(0, MAX_SHOWN))}, which is no column` }
  for (const { name, type } of table.columns) {
    const says = findMisfit(row[name], type, table.endless.includes(name))
    if (says) return { field: name, says }
  }
  if (line.includes('\\u0000')) {
    const [field] = Object.entries(row).find(([, value]) => hasNul(value)) ?? []
    if (field !== undefined) return { field, says: 'contains a NUL character' }
  }
  return table.check?.(row, businessId)
}

function parseRow(line: string): ArchivedRow | undefined {
  try {
    const row: unknown = JSON.parse(line)
    return typeof row === 'object' && row !== null && !Array.isArray(row) ? (row as ArchivedRow) : undefined
  } catch {
    return undefined
  }
}

function findMisfit(value: unknown, type: string, isEndless: boolean): string | undefined {
  if (value === undefined || value === null) return undefined
  if (WHOLE.includes(type) && !Number.isSafeInteger(value)) return 'is not a whole number up to 2^53'
  if (type !== 'date' && !type.startsWith('timestamp')) return undefined
  if (isEndless && value === 'infinity') return undefined
  const isTime = typeof value === 'string' && TIME.test(value) && !Number.isNaN(Date.parse(value))
  return isTime ? undefined : 'is not a time'
}

const hasNul = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes('\0')
    : typeof value === 'object' && value !== null && Object.entries(value).some((each) => each.some(hasNul))
