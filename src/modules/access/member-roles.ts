import type { ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { audit } from './audit.ts'
import { MEMBERS_CHANGED } from './directory.ts'
import { lastAdmin, memberNotFound, memberRoleNotFound } from './errors.ts'
import { memberRemoved, memberRoleGiven, memberRoleTaken } from './events.ts'
import { type Granter, insertMembership, mayGrant } from './grants.ts'
import { dropOpenInvitations, offerRole } from './invitations.ts'
import { tell } from './outbox.ts'
import { countAdmins, findRole, listRolesOf, lockBusiness } from './queries.ts'

/** `email` is that of the member's account, to find the invitations that go with their roles. */
type Setting = { userId: string; email: string | null; roleIds: readonly string[] }

/**
 * Gives a member exactly these roles; without any they are no member any more. ADMIN must be accepted first: it is offered, and the
 * offers are returned, to be mailed. Until then nothing is taken from them. Earlier offers of other roles end.
 */
export async function setMemberRoles(
  tx: ControlTx,
  granter: Granter & Setting,
): Promise<{ businessId: string; id: string }[]> {
  const { businessId, actor, userId, email, roleIds } = granter
  await lockBusiness(tx, businessId)
  await mayGrant(tx, granter, ['ADMIN'])
  const held = await listRolesOf(tx, [userId], businessId)
  if (held.length === 0) throw memberNotFound()
  const isAdmin = held.some(({ permissions }) => permissions.includes('ADMIN'))
  const offered: string[] = []
  for (const roleId of roleIds.filter((id) => !held.some((role) => role.id === id))) {
    const role = await findRole(tx, businessId, roleId)
    if (!role) throw memberRoleNotFound({ id: roleId })
    if (role.permissions.includes('ADMIN') && !isAdmin) offered.push(roleId)
    else await give(tx, granter, roleId)
  }
  if (offered.length === 0) {
    for (const { id } of held) if (!roleIds.includes(id)) await take(tx, granter, id)
    if ((await countAdmins(tx, businessId)) === 0) throw lastAdmin()
  }
  // "These and no others" is also about what they could accept afterwards.
  await dropOpenInvitations(tx, businessId, { userId, email }, roleIds)
  if (roleIds.length === 0) {
    await audit(tx, { businessId, action: 'member.removed', subject: userId, actor })
    await tell(tx, memberRemoved({ businessId, subject: userId, actor }))
  }
  await notify(tx, MEMBERS_CHANGED, businessId)
  const offers = []
  for (const roleId of offered) {
    const offer = await offerRole(tx, granter, { userId, roleId })
    if (offer) offers.push(offer)
  }
  return offers
}

async function give(tx: ControlTx, { businessId, actor, userId }: Granter & Setting, roleId: string) {
  await insertMembership(tx, { businessId, userId, roleId })
  await audit(tx, { businessId, action: 'member.role-set', subject: userId, actor, data: { roleId } })
  await tell(tx, memberRoleGiven({ businessId, subject: userId, actor, data: { roleId } }))
}

async function take(tx: ControlTx, { businessId, actor, userId, roleIds }: Granter & Setting, roleId: string) {
  await tx
    .deleteFrom('access.memberships')
    .where((row) => row.and({ businessId, userId, roleId }))
    .execute()
  if (roleIds.length === 0) return // told once, as a whole
  await audit(tx, { businessId, action: 'member.role-taken', subject: userId, actor, data: { roleId } })
  await tell(tx, memberRoleTaken({ businessId, subject: userId, actor, data: { roleId } }))
}
