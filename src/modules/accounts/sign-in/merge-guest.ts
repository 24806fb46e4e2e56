import { sql } from 'kysely'
import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { revokeSessionsOf } from '../credentials/sessions.ts'
import { tellMerged } from '../tell-cells.ts'

/**
 * From now on the guest's id stands for the user, in orders and in filters by customer. No rows are rewritten but those
 * that count for a customer, by a job. The guest's sessions end. Guests merged into this guest before come along.
 */
export async function mergeGuest(tx: ControlTx, guestId: string, userId: string): Promise<void> {
  if (guestId === userId) return
  const { numAffectedRows = 0n } = await sql`
    insert into accounts.guest_aliases (guest_id, user_id, created_at)
    select id, ${userId}, ${now()} from accounts.users where id = ${guestId} and is_guest
    on conflict (guest_id) do nothing`.execute(tx)
  if (numAffectedRows === 0n) return // merged already, or not a guest
  await tx.updateTable('accounts.guestAliases').set({ userId }).where('userId', '=', guestId).execute()
  // The guest's verified phone numbers become the user's.
  await sql`
    with moved as (
      update accounts.verified_phones set user_id = ${userId} where user_id = ${guestId} returning number
    )
    update accounts.users
       set phone_numbers = phone_numbers || array(select number from moved where number <> all(phone_numbers))
     where id = ${userId} and exists (select from moved)`.execute(tx)
  await revokeSessionsOf(tx, guestId)
  await audit(tx, { action: 'guest.merged', subject: userId, data: { guestId } })
  await enqueue(tx, tellMerged(), { guestId, userId })
}

/** The user and every guest who became them. */
export async function idsOf(db: ControlDb, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('accounts.guestAliases').select('guestId').where('userId', '=', userId).execute()
  return [userId, ...rows.map(({ guestId }) => guestId)]
}

/** By guest, the users whom they became. */
export async function findAliases(db: ControlDb, guestIds: readonly string[]): Promise<Map<string, string>> {
  if (guestIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('accounts.guestAliases')
    .select(['guestId', 'userId'])
    .where('guestId', 'in', guestIds)
    .execute()
  return new Map(rows.map(({ guestId, userId }) => [guestId, userId]))
}
