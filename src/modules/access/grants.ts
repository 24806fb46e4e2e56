import { now } from '#platform/clock.ts'
import type { ControlTx } from '#platform/database/database.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { cutDown, firstLacking, type Permission } from '#vocabulary/permissions.ts'
import { cannotGrant } from './errors.ts'
import { findPermissions } from './queries.ts'

/** The caller, and the business in which they act. */
export type Granter = { businessId: string; actor: Actor }

/**
 * Nobody may give, change or take a permission that they, or the API key they came with, lack. Read here, under the
 * business's lock where there is one: the caller may have lost permissions since the request came in.
 */
export async function mayGrant(
  tx: ControlTx,
  { businessId, actor }: Granter,
  wanted: readonly string[],
): Promise<void> {
  const held = cutDown(await findPermissions(tx, businessId, actor.userId), actor.onlyPermissions)
  const lacking = firstLacking(held, wanted as Permission[])
  if (lacking) throw cannotGrant({ permission: lacking })
}

export const insertMembership = (tx: ControlTx, membership: { businessId: string; userId: string; roleId: string }) =>
  tx
    .insertInto('access.memberships')
    .values({ ...membership, createdAt: now() })
    .onConflict((known) => known.doNothing())
    .execute()
