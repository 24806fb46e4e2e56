import { sql } from 'kysely'
import { auditOperator } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'

/** Makes somebody an operator of the whole service. False: they are one already. */
export async function addOperator(tx: ControlTx, userId: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('accounts.operators')
    .values({ userId, createdAt: now() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows === 0n) return false
  await auditOperator(tx, { action: 'operator.added', subject: userId })
  await tellSessions(tx, userId)
  return true
}

/** From the next request on, in every process. False: they are none. */
export async function removeOperator(tx: ControlTx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('accounts.operators').where('userId', '=', userId).executeTakeFirst()
  if (numDeletedRows === 0n) return false
  await auditOperator(tx, { action: 'operator.removed', subject: userId })
  await tellSessions(tx, userId)
  return true
}

/** What processes remember of their sessions is out of date. */
async function tellSessions(tx: ControlTx, userId: string): Promise<void> {
  const sessions = await tx
    .selectFrom('accounts.sessions')
    .select('id')
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .execute()
  for (const { id } of sessions) await notify(tx, 'session', id)
}

export type Operator = { userId: string; email: string | null; createdAt: Date; hasSecondFactor: boolean }

export async function listOperators(db: ControlDb): Promise<Operator[]> {
  const { rows } = await sql<Operator>`
    select operator.user_id, users.email, operator.created_at,
           exists (select from accounts.second_factors where user_id = users.id and confirmed_at is not null)
             or exists (select from accounts.passkeys where user_id = users.id) as has_second_factor
      from accounts.operators as operator
      join accounts.users on users.id = operator.user_id
     order by users.email_key`.execute(db)
  return rows
}

const MOST_FOUND = 50

/** Whose address begins with this; the first 50. */
export async function findByEmailPrefix(db: ControlDb, prefix: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts.users
     where email_key >= ${prefix.toLowerCase()} and email_key < ${prefix.toLowerCase()} || chr(1114111) and not is_guest
     order by email_key
     limit ${MOST_FOUND}`.execute(db)
  return rows.map(({ id }) => id)
}
