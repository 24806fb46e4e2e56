import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { countFitting, fittingRows, isFitting } from '#platform/database/page-bytes.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type FileLine, SEEN_LINE_LENGTH, shortenLine } from '#platform/http/uploads.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { notFound } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { idOf, Nullable, OneOf, UnixSeconds } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'

const Count = Type.Integer({ minimum: 0, examples: [1200] })

export const Import = Type.Object(
  {
    id: idOf('imp', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    status: OneOf(['RECEIVING', 'RUNNING', 'DONE']),
    total: Type.Integer({ ...Count, description: 'Products in the file.' }),
    done: Type.Integer({ ...Count, description: 'Created or updated.' }),
    created: Count,
    updated: Count,
    failed: Type.Integer({ ...Count, description: 'Their errors can be listed.', examples: [0] }),
    createdAt: UnixSeconds,
    finishedAt: Nullable(UnixSeconds),
  },
  { title: 'Import' },
)
export type Import = Static<typeof Import>

export const ImportError = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'The line of the file.', examples: [17] }),
    line: Type.String({ description: 'The line, shortened.', examples: ['{"name":""}'] }),
    details: Type.Array(
      Type.Object({
        field: Type.String({ examples: ['name'] }),
        error: Type.String({ examples: ['TOO_SHORT'] }),
        message: Type.String({ examples: ['name must NOT have fewer than 1 characters.'] }),
      }),
    ),
  },
  { title: 'ImportError' },
)
export type ImportError = Static<typeof ImportError>

export async function beginImport(db: Db, businessId: string, actor: Actor | undefined): Promise<string> {
  const id = newId('imp')
  const row = { businessId, id, status: 'RECEIVING', actor: actor ? JSON.stringify(actor) : null }
  await db
    .insertInto('catalog.imports')
    .values({ ...row, createdAt: now(), updatedAt: now() })
    .execute()
  return id
}

export async function stageRows(
  db: Db,
  businessId: string,
  importId: string,
  rows: readonly FileLine[],
): Promise<void> {
  if (rows.length === 0) return
  const staged = rows.map(({ number, line, details }) => ({
    businessId,
    importId,
    number,
    line: details ? shortenLine(line) : line,
    details: details ? JSON.stringify(details) : null,
  }))
  await db.insertInto('catalog.importRows').values(staged).execute()
}

/** Everything has arrived. From here on it finishes, whatever happens to whom. */
export async function sealImport(tx: Tx, businessId: string, id: string, total: number): Promise<Import> {
  const row = await tx
    .updateTable('catalog.imports')
    .set({ status: total === 0 ? 'DONE' : 'RUNNING', total, updatedAt: now(), finishedAt: total === 0 ? now() : null })
    .where((known) => known.and({ businessId, id }))
    .returningAll()
    .executeTakeFirstOrThrow()
  return presentImport(row)
}

/** What arrived only in part is not imported at all. */
export const dropImport = (db: Db, businessId: string, id: string) =>
  transaction(db, async (tx) => {
    await tx.deleteFrom('catalog.importRows').where((row) => row.and({ businessId, importId: id })).execute() // biome-ignore format: one line
    await tx.deleteFrom('catalog.imports').where((row) => row.and({ businessId, id })).execute() // biome-ignore format: one line
  })

export async function getImport(db: Db, businessId: string, id: string): Promise<Import> {
  const row = await db
    .selectFrom('catalog.imports')
    .selectAll()
    .where((known) => known.and({ businessId, id }))
    .executeTakeFirst()
  if (!row) throw notFound('import')
  return presentImport(row)
}

type ImportRow = Omit<Import, 'done' | 'createdAt' | 'finishedAt' | 'status'> & {
  status: string
  createdAt: Date
  finishedAt: Date | null
}

export const presentImport = (row: ImportRow): Import => ({
  id: row.id,
  status: row.status as Import['status'],
  total: row.total,
  done: row.created + row.updated,
  created: row.created,
  updated: row.updated,
  failed: row.failed,
  createdAt: toSeconds(row.createdAt),
  finishedAt: row.finishedAt && toSeconds(row.finishedAt),
})

type FailedRow = { number: number; line: string; details: Detail[] }

/** The lines that could not be imported, in the order of the file. */
export async function listImportErrors(
  db: Db,
  businessId: string,
  importId: string,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<ImportError>> {
  const { id } = await getImport(db, businessId, importId)
  const filters = { list: 'import-errors', businessId, importId: id }
  const [after = 0] = (decodeCursor(filters, cursor, ['number']) ?? []) as number[]
  const page = sql`
    select number, left(line, ${SEEN_LINE_LENGTH}) as line, details
      from catalog.import_rows
     where business_id = ${businessId} and import_id = ${importId} and details is not null
       and number > ${Math.max(0, Math.min(after, 2_147_483_647))}
     order by number
     limit ${limit + 1}`
  const { rows } = await fittingRows<FailedRow>(page, ['details'], sql`number`).execute(db)
  return toPage(
    rows,
    countFitting(rows, limit, isFitting),
    filters,
    (row) => [row.number],
    ({ number, line, details }) => ({ number, line: shortenLine(line), details }),
  )
}
