import { now } from '#platform/clock.ts'
import type { JsonObject } from '#platform/database/control-tables.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import type { PartitionedLog } from '#platform/database/partitions.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { decodeCursor, toPage } from '#vocabulary/paging.ts'
import { type PageOnly } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'

export const AUDIT_LOG: PartitionedLog = { table: 'access.audit_log', keepMonths: 25 }

export type NewAuditEntry = {
  businessId?: string
  /** What was done, as `noun.verb-in-the-past`: `role.updated`. */
  action: string
  /** The id of what it was done to. */
  subject: string
  /** Who did it; undefined when it was the service itself, or its operator on the command line. */
  actor?: Actor | undefined
  data?: JsonObject
}

/** Changes to businesses, roles, members and accounts are written down in the transaction that makes them. */
export async function audit(
  tx: ControlTx,
  { businessId, action, subject, actor, data = {} }: NewAuditEntry,
): Promise<void> {
  await tx
    .insertInto('access.auditLog')
    .values({
      businessId: businessId ?? null,
      id: newId('aud'),
      action,
      subject,
      actorId: actor?.userId ?? null,
      actorKind: actor?.kind ?? 'system',
      data: JSON.stringify(data),
      occurredAt: now(),
    })
    .execute()
}

export async function listAudit(db: ControlDb, businessId: string, { limit = 20, cursor }: PageOnly) {
  const filters = { list: 'audit', businessId }
  const position = decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined
  const rows = await db
    .selectFrom('access.auditLog')
    .selectAll()
    .where('businessId', '=', businessId)
    .$if(position !== undefined, (query) => query.where('id', '<', position ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(
    rows,
    limit,
    filters,
    (row) => [row.id],
    (row) => ({
      id: row.id,
      action: row.action,
      subject: row.subject,
      actorId: row.actorId,
      actorKind: row.actorKind,
      data: row.data,
      timestamp: toSeconds(row.occurredAt),
    }),
  )
}
