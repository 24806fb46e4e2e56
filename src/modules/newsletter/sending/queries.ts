import type { Insertable } from 'kysely'
import type { NewsletterSends } from '#platform/database/cell-tables.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { sendNotFound } from '../errors.ts'
import { presentSend, type SendRow } from './send.ts'

/** All sends of an entry, newest first. */
export async function listSendsOfEntry(tx: Tx, businessId: string, entryId: string): Promise<SendRow[]> {
  const rows = await tx
    .selectFrom('newsletter.sends')
    .selectAll()
    .where((send) => send.and({ businessId, entryId }))
    .orderBy('id', 'desc')
    .limit(100)
    .execute()
  return rows as SendRow[]
}

/** Whether the entry goes out by itself. */
export async function isAutomated(tx: Tx, businessId: string, entryId: string): Promise<boolean> {
  const found = await tx
    .selectFrom('newsletter.automations')
    .select('id')
    .where((automation) => automation.and({ businessId, entryId }))
    .executeTakeFirst()
  return found !== undefined
}

/** For an operator, without the entry's id. */
export async function findSend(db: Db, businessId: string, id: string): Promise<SendRow> {
  const row = await db
    .selectFrom('newsletter.sends')
    .selectAll()
    .where((send) => send.and({ businessId, id }))
    .executeTakeFirst()
  if (!row) throw sendNotFound()
  return row as SendRow
}

/** The number of running and scheduled sends of a cell. */
export const countOpenSends = (db: Db) =>
  db
    .selectFrom('newsletter.sends')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere('status', '=', 'RUNNING').as('running'),
      fn.countAll<number>().filterWhere('status', '=', 'SCHEDULED').as('scheduled'),
    ])
    .where('status', 'in', ['RUNNING', 'SCHEDULED'])
    .executeTakeFirstOrThrow()

export async function getSend(db: Db, businessId: string, entryId: string, id: string): Promise<SendRow> {
  const row = await db
    .selectFrom('newsletter.sends')
    .selectAll()
    .where((send) => send.and({ businessId, entryId, id }))
    .executeTakeFirst()
  if (!row) throw sendNotFound()
  return row as SendRow
}

export async function listSends(
  db: Db,
  businessId: string,
  entryId: string,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<ReturnType<typeof presentSend>>> {
  const filters = { list: 'sends', businessId, entryId }
  const after = (decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined) ?? '~'
  const rows = await db
    .selectFrom('newsletter.sends')
    .selectAll()
    .where((send) => send.and({ businessId, entryId }))
    .where('id', '<', after)
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows as SendRow[], limit, filters, ({ id }) => [id], presentSend)
}

/** Undefined when the send has another status, or another process holds its lock. */
export async function lockSend(
  tx: Tx,
  businessId: string,
  id: string,
  status: SendRow['status'],
): Promise<SendRow | undefined> {
  const row = await tx
    .selectFrom('newsletter.sends')
    .selectAll()
    .where((send) => send.and({ businessId, id, status }))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  return row as SendRow | undefined
}

/** Undefined: a letter has one send under way, and another was faster. */
export async function insertSend(tx: Tx, row: Insertable<NewsletterSends>): Promise<SendRow | undefined> {
  const made = await tx
    .insertInto('newsletter.sends')
    .values(row)
    .onConflict((known) =>
      known.columns(['businessId', 'entryId']).where('status', 'in', ['SCHEDULED', 'RUNNING', 'PAUSED']).doNothing(),
    )
    .returningAll()
    .executeTakeFirst()
  return made as SendRow | undefined
}
