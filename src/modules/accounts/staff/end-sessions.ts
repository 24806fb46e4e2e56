import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'

/**
 * Ends the sessions by the provider of a business that could not begin now: their account is of none of its proven domains.
 * Called after the provider or a domain has changed. Returns how many ended.
 */
export async function endStaffSessions(tx: ControlTx, businessId: string): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    update accounts.sessions as session
       set revoked_at = ${now()}
      from accounts.users as account
     where session.staff_of = ${businessId} and session.revoked_at is null and account.id = session.user_id
       and not exists (
             select from accounts.sign_in_domains as domain
              where domain.business_id = ${businessId} and domain.proven_at is not null
                and domain.domain = lower(substring(account.email from '[^@]*$')))
    returning session.id`.execute(tx)
  for (const { id } of rows) await notify(tx, 'session', id)
  return rows.length
}
