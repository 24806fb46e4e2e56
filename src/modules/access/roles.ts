import { now } from '#platform/clock.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { notify } from '#platform/database/listener.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import { newId } from '#vocabulary/ids.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { audit } from './audit.ts'
import { MEMBERS_CHANGED } from './directory.ts'
import { adminNotAgreed, lastAdmin, roleGone, roleInUse, roleNameExists, roleNotFound } from './errors.ts'
import { memberRemoved, memberRoleGiven, roleCreated, roleDeleted, roleUpdated } from './events.ts'
import { type Granter, insertMembership, mayGrant } from './grants.ts'
import { dropOpenInvitations, offerRole } from './invitations.ts'
import { tell } from './outbox.ts'
import { countAdmins, findPermissions, findRole, lockBusiness, openPeople } from './queries.ts'
import type { NewRole, RoleChanges } from './schemas.ts'

export async function createRole(tx: ControlTx, granter: Granter, { name, permissions }: NewRole) {
  await mayGrant(tx, granter, permissions)
  const { businessId, actor } = granter
  const role = { businessId, id: newId('role'), name, permissions, version: 1, createdAt: now(), updatedAt: now() }
  try {
    await tx.insertInto('access.roles').values(role).execute()
  } catch (error) {
    throw violatedConstraint(error) === 'roles_name_key' ? roleNameExists({ name }) : error
  }
  await audit(tx, { businessId, action: 'role.created', subject: role.id, actor, data: { name, permissions } })
  await tell(tx, roleCreated({ businessId, subject: role.id, actor, data: { permissions } }))
  return role
}

export async function updateRole(
  tx: ControlTx,
  granter: Granter,
  id: string,
  expected: Expected,
  changes: RoleChanges,
) {
  const { businessId, actor } = granter
  await lockBusiness(tx, businessId)
  const before = await findRole(tx, businessId, id)
  if (!before) throw roleGone()
  checkExpected(expected, etagOf(before.version))
  await mayGrant(tx, granter, [...before.permissions, ...(changes.permissions ?? [])])
  const becomesAdmin = changes.permissions?.includes('ADMIN') && !before.permissions.includes('ADMIN')
  if (becomesAdmin && (await isHeldByOthers(tx, businessId, id, actor.userId))) throw adminNotAgreed()
  const after = { ...before, ...changes, version: before.version + 1, updatedAt: now() }
  try {
    await tx
      .updateTable('access.roles')
      .set({ name: after.name, permissions: after.permissions, version: after.version, updatedAt: after.updatedAt })
      .where((role) => role.and({ businessId, id }))
      .execute()
  } catch (error) {
    throw violatedConstraint(error) === 'roles_name_key' ? roleNameExists({ name: after.name }) : error
  }
  if ((await countAdmins(tx, businessId)) === 0) throw lastAdmin()
  await audit(tx, { businessId, action: 'role.updated', subject: id, actor, data: { ...changes } })
  const data = { fields: Object.keys(changes), permissions: after.permissions as Permission[] }
  await tell(tx, roleUpdated({ businessId, subject: id, actor, data }))
  await notify(tx, MEMBERS_CHANGED, businessId)
  return after
}

const isHeldByOthers = async (tx: ControlTx, businessId: string, roleId: string, userId: string) =>
  (await tx
    .selectFrom('access.memberships')
    .select('userId')
    .where((row) => row.and({ businessId, roleId }))
    .where('userId', '<>', userId)
    .limit(1)
    .executeTakeFirst()) !== undefined

export async function deleteRole(tx: ControlTx, granter: Granter, id: string, expected: Expected): Promise<void> {
  const { businessId, actor } = granter
  await lockBusiness(tx, businessId)
  const role = await findRole(tx, businessId, id)
  if (!role) throw roleGone()
  checkExpected(expected, etagOf(role.version))
  await mayGrant(tx, granter, role.permissions)
  try {
    await tx
      .deleteFrom('access.roles')
      .where((row) => row.and({ businessId, id }))
      .execute()
  } catch (error) {
    throw violatedConstraint(error) === 'memberships_role_fkey' ? roleInUse() : error
  }
  await audit(tx, { businessId, action: 'role.deleted', subject: id, actor, data: { name: role.name } })
  await tell(tx, roleDeleted({ businessId, subject: id, actor }))
}

/** `email` is that of the user's account, to find the invitations that go with their roles. */
type Setting = { userId: string; email: string | null; roleId: string | null }

/**
 * Gives the user a role there; null removes all of their roles there, and open invitations. A role for a stranger, and
 * ADMIN for anybody, must be accepted first: then the invitation is returned, to be mailed.
 */
export async function setRole(
  tx: ControlTx,
  granter: Granter & Setting,
): Promise<{ businessId: string; id: string } | undefined> {
  const { businessId, actor, userId, email, roleId } = granter
  await lockBusiness(tx, businessId)
  if (roleId === null) {
    await mayGrant(tx, granter, ['ADMIN'])
    await tx
      .deleteFrom('access.memberships')
      .where((row) => row.and({ businessId, userId }))
      .execute()
    if ((await countAdmins(tx, businessId)) === 0) throw lastAdmin()
    await dropOpenInvitations(tx, businessId, { userId, email })
  } else {
    const role = await findRole(tx, businessId, roleId)
    if (!role) throw roleNotFound({ id: roleId })
    await mayGrant(tx, granter, role.permissions)
    if (!(await takesEffectAtOnce(tx, businessId, userId, role.permissions)))
      return offerRole(tx, granter, { userId, roleId })
    await insertMembership(tx, { businessId, userId, roleId })
  }
  await audit(tx, { businessId, action: 'member.role-set', subject: userId, actor, data: { roleId } })
  const member = { businessId, subject: userId, actor }
  await tell(tx, roleId === null ? memberRemoved(member) : memberRoleGiven({ ...member, data: { roleId } }))
  await notify(tx, MEMBERS_CHANGED, businessId)
  return undefined
}

/** Members and customers get a role at once, except ADMIN, which they must accept: the last ADMIN cannot leave. */
async function takesEffectAtOnce(tx: ControlTx, businessId: string, userId: string, permissions: readonly string[]) {
  if (permissions.includes('ADMIN')) return (await findPermissions(tx, businessId, userId)).includes('ADMIN')
  return (await openPeople(tx, businessId, [userId]).execute()).length > 0
}

/** Gives any role of the business, by id or name; for the operator on the command line. */
export async function grantRole(
  tx: ControlTx,
  { businessId, userId, role: wanted }: { businessId: string; userId: string; role: string },
): Promise<{ id: string; name: string }> {
  await lockBusiness(tx, businessId)
  const roles = await tx
    .selectFrom('access.roles')
    .select(['id', 'name'])
    .where('businessId', '=', businessId)
    .orderBy('id')
    .execute()
  const role =
    roles.find(({ id, name }) => id === wanted || name === wanted) ??
    roles.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  if (!role) throw roleNotFound({ id: `${wanted}. It has: ${roles.map(({ name }) => name).join(', ')}` })
  await insertMembership(tx, { businessId, userId, roleId: role.id })
  await audit(tx, { businessId, action: 'member.role-set', subject: userId, data: { roleId: role.id } })
  await tell(tx, memberRoleGiven({ businessId, subject: userId, data: { roleId: role.id } }))
  await notify(tx, MEMBERS_CHANGED, businessId)
  return role
}
