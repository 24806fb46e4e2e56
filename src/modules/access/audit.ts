import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { JsonObject } from '#platform/database/control-tables.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import type { PartitionedLog } from '#platform/database/partitions.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { decodeCursor, toPage } from '#vocabulary/paging.ts'
import { fromSeconds, toSeconds } from '#vocabulary/time.ts'
import type { AuditQuery } from './schemas.ts'

export const AUDIT_LOG: PartitionedLog = { table: 'access.audit_log', keepMonths: 25 }

export type NewAuditEntry = {
  businessId?: string
  /** `noun.verb-in-the-past`, such as `role.updated`. */
  action: string
  /** Id of the changed record. */
  subject: string
  /** Undefined for the service itself, or for its operator on the command line. */
  actor?: Actor | undefined
  data?: JsonObject
  isOperator?: true
}

/** Records a change of businesses, roles, members or accounts in the transaction that makes it. */
export async function audit(
  tx: ControlTx,
  { businessId, action, subject, actor, data = {}, isOperator }: NewAuditEntry,
): Promise<void> {
  await tx
    .insertInto('access.auditLog')
    .values({
      businessId: businessId ?? null,
      id: newId('aud'),
      action,
      subject,
      actorId: actor?.userId ?? null,
      actorKind: actor ? (isOperator ? 'operator' : actor.kind) : 'system',
      data: JSON.stringify(data),
      occurredAt: now(),
    })
    .execute()
}

const MAX_MEMBERSHIPS = 200

/** Records a change of a person's account in the audit log of each business where they are a member, up to 200. */
export async function auditMemberships(
  tx: ControlTx,
  userId: string,
  entryFor: (businessId: string) => Pick<NewAuditEntry, 'action' | 'data'>,
): Promise<void> {
  const memberships = await tx
    .selectFrom('access.memberships')
    .select('businessId')
    .distinct()
    .where('userId', '=', userId)
    .orderBy('businessId')
    .limit(MAX_MEMBERSHIPS)
    .execute()
  for (const { businessId } of memberships) await audit(tx, { businessId, subject: userId, ...entryFor(businessId) })
}

export const OPERATOR_LOG: PartitionedLog = { table: 'access.operator_log', keepMonths: 25 }

/** Records what an operator changes, in the transaction that changes it; what concerns a business, in its log as well. */
export async function auditOperator(tx: ControlTx, entry: NewAuditEntry): Promise<string> {
  const { businessId, action, subject, actor, data = {} } = entry
  const id = newId('aud')
  await tx
    .insertInto('access.operatorLog')
    .values({
      id,
      action,
      subject,
      businessId: businessId ?? null,
      actorId: actor?.userId ?? null,
      data: JSON.stringify(data),
      occurredAt: now(),
    })
    .execute()
  if (businessId !== undefined) await audit(tx, { ...entry, isOperator: true })
  return id
}

/** What came of it, where that is known only afterwards. */
export async function addToOperatorLog(db: ControlDb, id: string, data: JsonObject): Promise<void> {
  await sql`update access.operator_log set data = data || ${JSON.stringify(data)}::jsonb where id = ${id}`.execute(db)
}

export async function listOperatorLog(
  db: ControlDb,
  query: { limit?: number; cursor?: string; businessId?: string; actorId?: string; action?: string[] },
) {
  const { limit = 20, cursor, businessId, actorId, action } = query
  const filters = { list: 'operator-audit', businessId, actorId, action }
  const position = decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined
  const rows = await db
    .selectFrom('access.operatorLog')
    .selectAll()
    .$if(businessId !== undefined, (rows) => rows.where('businessId', '=', businessId ?? ''))
    .$if(actorId !== undefined, (rows) => rows.where('actorId', '=', actorId ?? ''))
    .$if(action !== undefined, (rows) => rows.where('action', 'in', action ?? []))
    .$if(position !== undefined, (rows) => rows.where('id', '<', position ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return { rows, limit, filters }
}

const FORGOTTEN_AT_ONCE = 1_000

/** From where somebody logged in whose account was deleted. That they did stays. */
export async function forgetAddresses(db: ControlDb, userIds: readonly string[]): Promise<void> {
  for (let left = FORGOTTEN_AT_ONCE; left === FORGOTTEN_AT_ONCE; ) {
    const { numAffectedRows = 0n } = await sql`
      update access.audit_log set data = data - 'address'
       where (id, occurred_at) in (
               select id, occurred_at
                 from access.audit_log
                where subject = any (${userIds}::text[]) and business_id is null and data ? 'address'
                limit ${FORGOTTEN_AT_ONCE})`.execute(db)
    left = Number(numAffectedRows)
  }
}

export async function listAudit(db: ControlDb, businessId: string, query: AuditQuery) {
  const { limit = 20, cursor, actorId, action, subject, from, to } = query
  const filters = { list: 'audit', businessId, actorId, action, subject, from, to }
  const position = decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined
  const rows = await db
    .selectFrom('access.auditLog')
    .selectAll()
    .where('businessId', '=', businessId)
    .$if(actorId !== undefined, (rows) => rows.where('actorId', '=', actorId ?? ''))
    .$if(action !== undefined, (rows) => rows.where('action', 'in', action ?? []))
    .$if(subject !== undefined, (rows) => rows.where('subject', '=', subject ?? ''))
    .$if(from !== undefined, (rows) => rows.where('occurredAt', '>=', fromSeconds(from ?? 0)))
    .$if(to !== undefined, (rows) => rows.where('occurredAt', '<', fromSeconds(to ?? 0)))
    .$if(position !== undefined, (rows) => rows.where('id', '<', position ?? ''))
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
