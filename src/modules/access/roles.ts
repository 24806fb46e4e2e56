import { now } from '#platform/clock.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { notify } from '#platform/database/listener.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { notFound } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { firstLacking, type Permission } from '#vocabulary/permissions.ts'
import { audit } from './audit.ts'
import { MEMBERS_CHANGED } from './directory.ts'
import { cannotGrant, lastAdmin, roleInUse, roleNameExists, roleNotFound } from './errors.ts'
import { countAdmins, findPermissions, findRole, lockBusiness } from './queries.ts'
import type { NewRole, RoleChanges } from './schemas.ts'

/** Who acts, and in which business. */
export type Granter = { businessId: string; actor: Actor }

/**
 * Nobody gives, changes or takes a permission that they lack. Read here, under the business's lock where there is one: what the
 * caller held when the request came in may have been taken from them since.
 */
export async function mayGrant(
  tx: ControlTx,
  { businessId, actor }: Granter,
  wanted: readonly string[],
): Promise<void> {
  const held = await findPermissions(tx, businessId, actor.userId)
  const lacking = firstLacking(held, wanted as Permission[])
  if (lacking) throw cannotGrant(lacking)
}

export async function createRole(tx: ControlTx, granter: Granter, { name, permissions }: NewRole) {
  await mayGrant(tx, granter, permissions)
  const { businessId, actor } = granter
  const role = { businessId, id: newId('role'), name, permissions, version: 1, createdAt: now(), updatedAt: now() }
  try {
    await tx.insertInto('access.roles').values(role).execute()
  } catch (error) {
    throw violatedConstraint(error) === 'roles_name_key' ? roleNameExists(name) : error
  }
  await audit(tx, { businessId, action: 'role.created', subject: role.id, actor, data: { name, permissions } })
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
  if (!before) throw notFound('role')
  checkExpected(expected, etagOf(before.version))
  await mayGrant(tx, granter, [...before.permissions, ...(changes.permissions ?? [])])
  const after = { ...before, ...changes, version: before.version + 1, updatedAt: now() }
  try {
    await tx
      .updateTable('access.roles')
      .set({ name: after.name, permissions: after.permissions, version: after.version, updatedAt: after.updatedAt })
      .where((role) => role.and({ businessId, id }))
      .execute()
  } catch (error) {
    throw violatedConstraint(error) === 'roles_name_key' ? roleNameExists(after.name) : error
  }
  if ((await countAdmins(tx, businessId)) === 0) throw lastAdmin()
  await audit(tx, { businessId, action: 'role.updated', subject: id, actor, data: { ...changes } })
  await notify(tx, MEMBERS_CHANGED, businessId)
  return after
}

export async function deleteRole(tx: ControlTx, granter: Granter, id: string, expected: Expected): Promise<void> {
  const { businessId, actor } = granter
  await lockBusiness(tx, businessId)
  const role = await findRole(tx, businessId, id)
  if (!role) throw notFound('role')
  checkExpected(expected, etagOf(role.version))
  await mayGrant(tx, granter, role.permissions)
  try {
    await tx.deleteFrom('access.roles').where((row) => row.and({ businessId, id })).execute() // biome-ignore format: one line
  } catch (error) {
    throw violatedConstraint(error) === 'memberships_role_fkey' ? roleInUse() : error
  }
  await audit(tx, { businessId, action: 'role.deleted', subject: id, actor, data: { name: role.name } })
}

/** Adds the role to the user there; null takes all of the user's roles there away. */
export async function setRole(
  tx: ControlTx,
  granter: Granter & { userId: string; roleId: string | null },
): Promise<void> {
  const { businessId, actor, userId, roleId } = granter
  await lockBusiness(tx, businessId)
  if (roleId === null) {
    await mayGrant(tx, granter, ['ADMIN'])
    await tx.deleteFrom('access.memberships').where((row) => row.and({ businessId, userId })).execute() // biome-ignore format: one line
    if ((await countAdmins(tx, businessId)) === 0) throw lastAdmin()
  } else {
    const role = await findRole(tx, businessId, roleId)
    if (!role) throw roleNotFound(roleId)
    await mayGrant(tx, granter, role.permissions)
    await insertMembership(tx, { businessId, userId, roleId })
  }
  await audit(tx, { businessId, action: 'member.role-set', subject: userId, actor, data: { roleId } })
  await notify(tx, MEMBERS_CHANGED, businessId)
}

/** The operator on the command line gives any role of the business, by its id or name. */
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
  if (!role) throw roleNotFound(`${wanted}. It has: ${roles.map(({ name }) => name).join(', ')}`)
  await insertMembership(tx, { businessId, userId, roleId: role.id })
  await audit(tx, { businessId, action: 'member.role-set', subject: userId, data: { roleId: role.id } })
  await notify(tx, MEMBERS_CHANGED, businessId)
  return role
}

export const insertMembership = (tx: ControlTx, membership: { businessId: string; userId: string; roleId: string }) =>
  tx
    .insertInto('access.memberships')
    .values({ ...membership, createdAt: now() })
    .onConflict((known) => known.doNothing())
    .execute()
