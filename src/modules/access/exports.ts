import type { Selectable } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { AccessBusinessExports } from '#platform/database/control-tables.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { auditOperator } from './audit.ts'
import { lockBusiness } from './queries.ts'

export const EXPORT_STATES = ['PENDING', 'RUNNING', 'READY', 'FAILED'] as const
export type BusinessExport = Omit<Selectable<AccessBusinessExports>, 'status'> & {
  status: (typeof EXPORT_STATES)[number]
}

/** An archive holds all customers of a business: it lies in the store no longer than somebody needs to fetch it. */
const KEPT_MS = 3 * 86_400_000
const MOST_LISTED = 20

/** Undefined: one is being made already. */
export async function askForExport(
  tx: ControlTx,
  businessId: string,
  { hasFiles, actor }: { hasFiles: boolean; actor: Actor },
): Promise<BusinessExport | undefined> {
  await lockBusiness(tx, businessId)
  const id = newId('exp')
  const made = await tx
    .insertInto('access.businessExports')
    .values({ businessId, id, hasFiles, createdAt: now(), expiresAt: new Date(nowMs() + KEPT_MS) })
    .onConflict((live) => live.column('businessId').where('status', 'in', ['PENDING', 'RUNNING']).doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!made) return undefined
  await auditOperator(tx, {
    businessId,
    action: 'business.export-asked',
    subject: businessId,
    actor,
    data: { hasFiles },
  })
  return made as BusinessExport
}

/** Newest first. */
export const listExports = (db: ControlDb, businessId: string): Promise<BusinessExport[]> =>
  db
    .selectFrom('access.businessExports')
    .selectAll()
    .where('businessId', '=', businessId)
    .where('expiresAt', '>', now())
    .orderBy('id', 'desc')
    .limit(MOST_LISTED)
    .execute() as Promise<BusinessExport[]>

export const findExport = (db: ControlDb, businessId: string, id: string): Promise<BusinessExport | undefined> =>
  db
    .selectFrom('access.businessExports')
    .selectAll()
    .where((one) => one.and({ businessId, id }))
    .where('expiresAt', '>', now())
    .executeTakeFirst() as Promise<BusinessExport | undefined>

type Progress = { status: 'RUNNING' | 'FAILED'; rows?: number } | { status: 'READY'; rows: number; bytes: number }

/**
 * False if it is over already, or gone with its business: whoever comes late changes nothing. While it is heard of, its time does
 * not run out.
 */
export async function noteExport(db: ControlDb, businessId: string, id: string, progress: Progress): Promise<boolean> {
  const isOver = progress.status !== 'RUNNING'
  const { numUpdatedRows } = await db
    .updateTable('access.businessExports')
    .set({
      ...progress,
      ...(isOver && { finishedAt: now() }),
      // From when it is ready somebody can fetch it.
      ...(progress.status !== 'FAILED' && { expiresAt: new Date(nowMs() + KEPT_MS) }),
    })
    .where((one) => one.and({ businessId, id }))
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Ends what is being made of a business if nobody is at it any more. Nobody asks for another one while that is looked up. */
export async function giveUpExports(
  tx: ControlTx,
  businessId: string,
  isLost: () => Promise<boolean>,
): Promise<boolean> {
  await lockBusiness(tx, businessId)
  if (!(await isLost())) return false
  await tx
    .updateTable('access.businessExports')
    .set({ status: 'FAILED', finishedAt: now() })
    .where('businessId', '=', businessId)
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .execute()
  return true
}

/** Businesses of which an archive is being made, or was when its worker died. */
export async function listExporting(db: ControlDb): Promise<string[]> {
  const rows = await db
    .selectFrom('access.businessExports')
    .select('businessId')
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .orderBy('businessId')
    .execute()
  return rows.map(({ businessId }) => businessId)
}

/** One that ever had a row may have its archive in the store. */
export async function hasExports(db: ControlDb, businessId: string): Promise<boolean> {
  const rows = await db
    .selectFrom('access.businessExports')
    .select('id')
    .where('businessId', '=', businessId)
    .limit(1)
    .execute()
  return rows.length > 0
}

const BATCH = 100

export const listExpiredExports = (db: ControlDb): Promise<Pick<BusinessExport, 'businessId' | 'id'>[]> =>
  db
    .selectFrom('access.businessExports')
    .select(['businessId', 'id'])
    .where('expiresAt', '<=', now())
    .orderBy('expiresAt')
    .limit(BATCH)
    .execute()

export async function forgetExport(db: ControlDb, businessId: string, id: string): Promise<void> {
  await db
    .deleteFrom('access.businessExports')
    .where((one) => one.and({ businessId, id }))
    .execute()
}
