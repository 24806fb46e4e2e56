import type { ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { MEMBERS_CHANGED } from './directory.ts'
import { lastAdmin } from './errors.ts'
import { memberRemoved } from './events.ts'
import { tell } from './outbox.ts'
import { countAdmins, lockBusiness } from './queries.ts'

/** Removes a user from every business, and says from which. The last ADMIN of one must hand it over first. */
export async function removeFromBusinesses(tx: ControlTx, userId: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('access.memberships')
    .select('businessId')
    .distinct()
    .where('userId', '=', userId)
    .orderBy('businessId')
    .execute()
  for (const { businessId } of rows) {
    await lockBusiness(tx, businessId)
    await tx
      .deleteFrom('access.memberships')
      .where((row) => row.and({ businessId, userId }))
      .execute()
    if ((await countAdmins(tx, businessId)) === 0) throw lastAdmin()
    await tell(tx, memberRemoved({ businessId, subject: userId }))
    await notify(tx, MEMBERS_CHANGED, businessId)
  }
  return rows.map(({ businessId }) => businessId)
}
