import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { countFitting, fittingRows, isFitting } from '#platform/database/page-bytes.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import { lineNotFound } from '../errors.ts'
import type { Change, Warning } from '../products/changes.ts'
import { getImport } from './read-imports.ts'
import { type ImportLine, type ImportLineDetails, LINE_STATUSES, type LineQuery, type LineStatus } from './schemas.ts'

type LineRow = {
  number: number
  status: LineStatus
  productId: string | null
  name: string | null
  changes: Change[]
  warnings: Warning[]
  details: Detail[]
  line: string | null
}

const KEPT = sql`number, status, product_id, name, changes, warnings, '[]'::jsonb as details, null as line`
/** Of a line that failed the name is read from what was sent, if that is not too long. */
const FAILED = sql`
  number, 'FAILED' as status, null as product_id, null as name, '[]'::json as changes, '{}'::text[] as warnings, details,
  case when octet_length(line) <= 20000 then line end as line`

/** The report, in the order of the file: lines that failed are kept apart from the others. */
export async function listLines(
  db: Db,
  businessId: string,
  importId: string,
  { limit = 20, cursor, status = [...LINE_STATUSES], warning }: LineQuery,
): Promise<Page<ImportLine>> {
  await getImport(db, businessId, importId)
  const filters = { list: 'import-lines', businessId, importId, status, warning }
  const [last = 0] = (decodeCursor(filters, cursor, ['number']) ?? []) as number[]
  const after = sql`business_id = ${businessId} and import_id = ${importId}
    and number > ${Math.max(0, Math.min(last, 2_147_483_647))}`
  const wanted = status.filter((one) => one !== 'FAILED')
  const isWarned = warning === undefined ? sql`` : sql`and warnings <> '{}' and ${warning} = any (warnings)`
  // One range of the index for each status, merged: with a list PostgreSQL would sort all of them.
  const kept = wanted.map(
    (one) => sql`
      (select ${KEPT} from catalog.import_items
        where ${after} and status = ${one} ${isWarned} order by number limit ${limit + 1})`,
  )
  const failed = sql`
      (select ${FAILED} from catalog.import_rows
        where ${after} and details is not null order by number limit ${limit + 1})`
  const parts = [...kept, ...(status.includes('FAILED') && warning === undefined ? [failed] : [])]
  if (parts.length === 0) return { items: [], cursor: null }
  const page = sql`select * from (${sql.join(parts, sql` union all `)}) as line order by number limit ${limit + 1}`
  const { rows } = await fittingRows<LineRow>(page, ['changes', 'details'], sql`number`).execute(db)
  return toPage(rows, countFitting(rows, limit, isFitting), filters, (row) => [row.number], present)
}

const present = ({ number, status, productId, name, changes, warnings, details, line }: LineRow): ImportLine => ({
  number,
  status,
  productId,
  name: name ?? nameIn(line),
  changes,
  warnings,
  details,
})

/** One line, with what was sent while that is kept: until it is imported, or for good if it failed. */
export async function getLine(
  db: Db,
  businessId: string,
  importId: string,
  number: number,
): Promise<ImportLineDetails> {
  await getImport(db, businessId, importId)
  const there = sql`business_id = ${businessId} and import_id = ${importId} and number = ${number}`
  const { rows } = await sql<LineRow & { sent: string | null }>`
    select kept.*, (select line from catalog.import_rows where ${there}) as sent
      from (select ${KEPT} from catalog.import_items where ${there}
             union all
            select ${FAILED} from catalog.import_rows where ${there} and details is not null) as kept`.execute(db)
  const [found] = rows
  if (!found) throw lineNotFound()
  return { ...present(found), product: toProduct(found.sent) }
}

function nameIn(line: string | null): string | null {
  const name = line === null ? undefined : toProduct(line)?.name
  return typeof name === 'string' ? name.slice(0, 200).toWellFormed() : null
}

function toProduct(line: string | null): ImportLineDetails['product'] {
  try {
    const value: unknown = JSON.parse(line ?? '')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
