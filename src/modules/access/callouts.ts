import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import type { Callouts } from '#vocabulary/business.ts'
import { BUSINESS_CHANGED } from './directory.ts'
import { lockBusiness } from './queries.ts'

/**
 * Changes the callouts of a business under its lock. They are no part of its version: whoever edits its settings neither
 * sees nor sends them.
 */
export async function keepCallouts(
  tx: ControlTx,
  businessId: string,
  change: (callouts: Callouts) => Callouts,
): Promise<Callouts> {
  const before = await lockBusiness(tx, businessId)
  const after = change(before.callouts ?? {})
  const callouts = Object.keys(after).length > 0 ? JSON.stringify(after) : null
  await tx.updateTable('access.businesses').set({ callouts }).where('id', '=', businessId).execute()
  await notify(tx, BUSINESS_CHANGED, businessId)
  return after
}

/** The businesses that have any. */
export async function listCallouts(db: ControlDb): Promise<{ id: string; callouts: Callouts }[]> {
  const rows = await db
    .selectFrom('access.businesses')
    .select(['id', 'callouts'])
    .where('callouts', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id, callouts }) => ({ id, callouts: callouts as Callouts }))
}
