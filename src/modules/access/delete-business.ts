import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { audit, auditOperator } from './audit.ts'
import { BUSINESS_CHANGED, MEMBERS_CHANGED } from './directory.ts'
import { businessNotFound } from './errors.ts'

/** For how long somebody can still have it back. */
export const GRACE_DAYS = 30
const DAY_MS = 86_400_000
export const graceEnd = (): Date => new Date(nowMs() + GRACE_DAYS * DAY_MS)

/** What deletion, import and lists of operators need of a business. Its settings may be damaged. */
export type Marks = {
  cell: string
  name: string
  slug: string
  deleteAt: Date | null
  deleteAskedAt: Date | null
  importOf: string | null
  importedFrom: string | null
  suspendedAt: Date | null
}

const selectMarks = (db: ControlDb, id: string) =>
  db
    .selectFrom('access.businesses')
    .select(['cell', 'name', 'slug', 'deleteAt', 'deleteAskedAt', 'importOf', 'importedFrom', 'suspendedAt'])
    .where('id', '=', id)

/** Undefined if there is no such business. */
export const readMarks = (db: ControlDb, id: string): Promise<Marks | undefined> =>
  selectMarks(db, id).executeTakeFirst()

async function lockMarks(tx: ControlTx, id: string): Promise<Marks> {
  const marks = await selectMarks(tx, id).forUpdate().executeTakeFirst()
  if (!marks) throw businessNotFound()
  return marks
}

/**
 * From now on nobody gets at it; from `deleteAt` on it may be removed. Asking again changes nothing. `actor` is undefined on the
 * command line.
 */
export async function askDeletion(
  tx: ControlTx,
  id: string,
  deleteAt: Date,
  actor?: Actor,
): Promise<{ marks: Marks; isNew: boolean }> {
  const before = await lockMarks(tx, id)
  if (before.deleteAt) return { marks: before, isNew: false }
  const at = now()
  const marks = { deleteAt, deleteAskedAt: at, suspendedAt: before.suspendedAt ?? at }
  await tx.updateTable('access.businesses').set(marks).where('id', '=', id).execute()
  await auditOperator(tx, {
    businessId: id,
    action: 'business.deletion-asked',
    subject: id,
    actor,
    data: { deleteAt: deleteAt.toISOString() },
  })
  await notify(tx, BUSINESS_CHANGED, id)
  return { marks: { ...before, ...marks }, isNew: true }
}

/** Its time is up, however much was left: whoever removes it begins, and nobody gets it back. False if it is to stay. */
export async function endGrace(db: ControlDb, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('access.businesses')
    .set({ deleteAt: sql<Date>`least(delete_at, ${now()})` })
    .where('id', '=', id)
    .where('deleteAt', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * It is as it was before: open, unless it was suspended already. `NOT_ASKED`: nobody wanted it deleted. `TOO_LATE`: its time
 * is up, and some of it may be gone.
 */
export async function undoDeletion(
  tx: ControlTx,
  id: string,
  actor?: Actor,
): Promise<'UNDONE' | 'NOT_ASKED' | 'TOO_LATE'> {
  const { deleteAt, deleteAskedAt, suspendedAt } = await lockMarks(tx, id)
  if (!deleteAt) return 'NOT_ASKED'
  if (deleteAt <= now()) return 'TOO_LATE'
  const wasOpen = suspendedAt?.getTime() === deleteAskedAt?.getTime()
  await tx
    .updateTable('access.businesses')
    .set({ deleteAt: null, deleteAskedAt: null, suspendedAt: wasOpen ? null : suspendedAt })
    .where('id', '=', id)
    .execute()
  await auditOperator(tx, { businessId: id, action: 'business.deletion-undone', subject: id, actor })
  await notify(tx, BUSINESS_CHANGED, id)
  return 'UNDONE'
}

const BATCH = 100

/** Businesses whose time is up. */
export async function listToDelete(db: ControlDb): Promise<string[]> {
  const rows = await db
    .selectFrom('access.businesses')
    .select('id')
    .where('deleteAt', '<=', now())
    .orderBy('deleteAt')
    .limit(BATCH)
    .execute()
  return rows.map(({ id }) => id)
}

/** The last row of it. That it was deleted is noted under no business: nothing is found by its id any more. */
export async function forgetBusiness(tx: ControlTx, id: string): Promise<void> {
  const { numDeletedRows } = await tx.deleteFrom('access.businesses').where('id', '=', id).executeTakeFirstOrThrow()
  if (numDeletedRows > 0n) await audit(tx, { action: 'business.deleted', subject: id })
  await notify(tx, BUSINESS_CHANGED, id)
  await notify(tx, MEMBERS_CHANGED, id)
}

/** An import is whole. The business stays suspended: whoever runs the service opens it. */
export async function finishImport(tx: ControlTx, id: string, suspendedAt: Date): Promise<void> {
  await tx
    .updateTable('access.businesses')
    .set({ deleteAt: null, deleteAskedAt: null, importOf: null, importedFrom: sql.ref('import_of'), suspendedAt })
    .where('id', '=', id)
    .execute()
  await audit(tx, { businessId: id, action: 'business.imported', subject: id })
  await notify(tx, BUSINESS_CHANGED, id)
  await notify(tx, MEMBERS_CHANGED, id)
}

export async function listMemberIds(db: ControlDb, businessId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('access.memberships')
    .select('userId')
    .distinct()
    .where('businessId', '=', businessId)
    .orderBy('userId')
    .execute()
  return rows.map(({ userId }) => userId)
}

/** Who came to it, of these ids: an import makes guests of those whom this deployment does not know. */
export async function listCustomerIds(
  db: ControlDb,
  businessId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ userId: string }>`
    select user_id from access.customers
     where business_id = ${businessId} and user_id > ${after}
     order by user_id
     limit ${limit}`.execute(db)
  return rows.map(({ userId }) => userId)
}
