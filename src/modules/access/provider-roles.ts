import { now } from '#platform/clock.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { audit } from './audit.ts'
import { MEMBERS_CHANGED } from './directory.ts'
import { memberRemoved, memberRoleGiven } from './events.ts'
import { tell } from './outbox.ts'
import { countAdmins, findRolesOf, lockBusiness } from './queries.ts'

type Told = { businessId: string; userId: string; roleIds: readonly string[] }

/**
 * Gives a person the roles that the sign-in provider of a business says they have, and takes those that it said before.
 * Roles that people gave stay, and so does the last ADMIN. Answers whether they have any role there now.
 */
export async function setProviderRoles(tx: ControlTx, { businessId, userId, roleIds }: Told): Promise<boolean> {
  await lockBusiness(tx, businessId)
  const held = await tx
    .selectFrom('access.memberships')
    .select(['roleId', 'fromProvider'])
    .where((row) => row.and({ businessId, userId }))
    .execute()
  // One that was deleted since is left out.
  const wanted = await findRolesOf(tx, businessId, roleIds)
  const given = [...wanted].filter((id) => !held.some(({ roleId }) => roleId === id))
  const over = held.filter(({ roleId, fromProvider }) => fromProvider && !wanted.has(roleId))
  for (const roleId of given) {
    await tx
      .insertInto('access.memberships')
      .values({ businessId, userId, roleId, fromProvider: true, createdAt: now() })
      .execute()
    await audit(tx, {
      businessId,
      action: 'member.role-set',
      subject: userId,
      data: { roleId, by: 'sign-in provider' },
    })
    await tell(tx, memberRoleGiven({ businessId, subject: userId, data: { roleId } }))
  }
  let taken = 0
  for (const { roleId } of over) if (await take(tx, { businessId, userId, roleId })) taken++
  const isMember = held.length + given.length - taken > 0
  if (taken > 0 && !isMember) await tell(tx, memberRemoved({ businessId, subject: userId }))
  if (given.length + taken > 0) await notify(tx, MEMBERS_CHANGED, businessId)
  return isMember
}

async function take(tx: ControlTx, membership: { businessId: string; userId: string; roleId: string }) {
  const { businessId, userId, roleId } = membership
  await tx
    .deleteFrom('access.memberships')
    .where((row) => row.and(membership))
    .execute()
  if ((await countAdmins(tx, businessId)) === 0) {
    await tx
      .insertInto('access.memberships')
      .values({ ...membership, fromProvider: true, createdAt: now() })
      .execute()
    return false
  }
  await audit(tx, {
    businessId,
    action: 'member.role-taken',
    subject: userId,
    data: { roleId, by: 'sign-in provider' },
  })
  return true
}

/** From now on these roles are like those that people gave: nobody says any more who has them. */
export const keepProviderRoles = (tx: ControlTx, businessId: string) =>
  tx
    .updateTable('access.memberships')
    .set({ fromProvider: false })
    .where((row) => row.and({ businessId, fromProvider: true }))
    .execute()
