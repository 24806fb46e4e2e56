import { type Selectable, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { now } from '#platform/clock.ts'
import type { NewsletterImports } from '#platform/database/cell-tables.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { countFitting, fittingRows, isFitting } from '#platform/database/page-bytes.ts'
import { type FileLine, SEEN_LINE_LENGTH, shortenLine } from '#platform/http/uploads.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Detail } from '#vocabulary/errors.ts'
import { notFound } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { idOf, Nullable, OneOf, UnixSeconds } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'

const Count = (description: string) => Type.Integer({ minimum: 0, description, examples: [0] })

export const SubscriberImport = Type.Object(
  {
    id: idOf('imp', '01jcq3v7k8f5t9x2m4n6p8r0sw'),
    status: OneOf(['RECEIVING', 'RUNNING', 'DONE']),
    total: Count('Rows of the file.'),
    done: Count('Created, updated or skipped.'),
    created: Count('New addresses.'),
    updated: Count('Addresses that were subscribed already.'),
    skipped: Count('Left alone: whoever has left, or pays.'),
    failed: Count('Their errors can be listed.'),
    createdAt: UnixSeconds,
    finishedAt: Nullable(UnixSeconds),
  },
  { title: 'SubscriberImport' },
)
export type SubscriberImport = Static<typeof SubscriberImport>

export const SubscriberImportError = Type.Object(
  {
    number: Type.Integer({ minimum: 1, description: 'The line of the file.', examples: [17] }),
    line: Type.String({ description: 'The line, shortened.', examples: ['{"email":"ada"}'] }),
    details: Type.Array(
      Type.Object({
        field: Type.String({ examples: ['email'] }),
        error: Type.String({ examples: ['INVALID'] }),
        message: Type.String({ examples: ['email must match format "email".'] }),
      }),
    ),
  },
  { title: 'SubscriberImportError' },
)
export type SubscriberImportError = Static<typeof SubscriberImportError>

type Place = { businessId: string; collectionId: string }

export async function beginImport(
  db: Db,
  { businessId, collectionId }: Place,
  actor: Actor | undefined,
): Promise<string> {
  const id = newId('imp')
  const row = { businessId, id, collectionId, status: 'RECEIVING', actor: actor ? JSON.stringify(actor) : null }
  await db
    .insertInto('newsletter.imports')
    .values({ ...row, createdAt: now(), updatedAt: now() })
    .execute()
  return id
}

export async function stageRows(db: Db, businessId: string, importId: string, rows: readonly FileLine[]) {
  if (rows.length === 0) return
  await sql`
    insert into newsletter.import_rows (business_id, import_id, number, line, details)
    select ${businessId}, ${importId}, *
      from unnest(${rows.map(({ number }) => number)}::integer[],
                  ${rows.map(({ line, details }) => (details ? shortenLine(line) : line))}::text[],
                  ${rows.map(({ details }) => (details ? JSON.stringify(details) : null))}::jsonb[])`.execute(db)
}

/** Everything has arrived. From here on it finishes, whatever happens to whom. */
export async function sealImport(tx: Tx, businessId: string, id: string, total: number): Promise<SubscriberImport> {
  const row = await tx
    .updateTable('newsletter.imports')
    .set({ status: total === 0 ? 'DONE' : 'RUNNING', total, updatedAt: now(), finishedAt: total === 0 ? now() : null })
    .where((known) => known.and({ businessId, id }))
    .returningAll()
    .executeTakeFirstOrThrow()
  return presentImport(row)
}

const DROP_ROWS = 20_000

/** The rows go in slices: there may be more of them than one statement has time for. */
export async function dropImport(db: Db, businessId: string, id: string): Promise<void> {
  for (let gone = DROP_ROWS; gone === DROP_ROWS; ) {
    const { numAffectedRows } = await sql`
      delete from newsletter.import_rows
       where business_id = ${businessId} and import_id = ${id}
         and number = any (array(select number from newsletter.import_rows
                                  where business_id = ${businessId} and import_id = ${id} limit ${DROP_ROWS}))`.execute(
      db,
    )
    gone = Number(numAffectedRows)
  }
  await db.deleteFrom('newsletter.imports').where((row) => row.and({ businessId, id })).execute() // biome-ignore format: one line
}

export async function getImport(db: Db, { businessId, collectionId }: Place, id: string): Promise<SubscriberImport> {
  const row = await db
    .selectFrom('newsletter.imports')
    .selectAll()
    .where((known) => known.and({ businessId, collectionId, id }))
    .executeTakeFirst()
  if (!row) throw notFound('import')
  return presentImport(row)
}

export const presentImport = (row: Selectable<NewsletterImports>): SubscriberImport => ({
  id: row.id,
  status: row.status as SubscriberImport['status'],
  total: row.total,
  done: row.created + row.updated + row.skipped,
  created: row.created,
  updated: row.updated,
  skipped: row.skipped,
  failed: row.failed,
  createdAt: toSeconds(row.createdAt),
  finishedAt: row.finishedAt && toSeconds(row.finishedAt),
})

type FailedRow = { number: number; line: string; details: Detail[] }

/** The lines that could not be imported, in the order of the file. */
export async function listImportErrors(
  db: Db,
  place: Place,
  importId: string,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<SubscriberImportError>> {
  const { businessId } = place
  await getImport(db, place, importId)
  const filters = { list: 'subscriber-import-errors', businessId, importId }
  const [after = 0] = (decodeCursor(filters, cursor, ['number']) ?? []) as number[]
  const page = sql`
    select number, left(line, ${SEEN_LINE_LENGTH}) as line, details
      from newsletter.import_rows
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
