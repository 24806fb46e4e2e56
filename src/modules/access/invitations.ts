import { now, nowMs } from '#platform/clock.ts'
import { hashToken, newToken } from '#platform/crypto/secret-box.ts'
import type { ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { notify } from '#platform/database/listener.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { notFound } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { firstLacking, type Permission } from '#vocabulary/permissions.ts'
import { audit } from './audit.ts'
import { MEMBERS_CHANGED } from './directory.ts'
import { invitationExpired, invitationInvalid, roleNotFound } from './errors.ts'
import { findPermissions, findRole } from './queries.ts'
import { type Granter, insertMembership, mayGrant } from './roles.ts'
import type { NewInvitation } from './schemas.ts'

const VALID_MS = 7 * 24 * 3_600_000

/** The token is not made here: the worker that mails it mints it, and only its hash is stored. */
export async function createInvitation(tx: ControlTx, granter: Granter, { email, roleId }: NewInvitation) {
  const { businessId, actor } = granter
  const role = await findRole(tx, businessId, roleId)
  if (!role) throw roleNotFound(roleId)
  await mayGrant(tx, granter, role.permissions)
  const invitation = {
    businessId,
    id: newId('inv'),
    email,
    userId: null,
    roleId,
    invitedBy: actor.userId,
    expiresAt: new Date(nowMs() + VALID_MS),
    acceptedAt: null,
    createdAt: now(),
  }
  try {
    await tx.insertInto('access.invitations').values(invitation).execute()
  } catch (error) {
    throw violatedConstraint(error) === 'invitations_role_fkey' ? roleNotFound(roleId) : error // deleted this moment
  }
  await audit(tx, { businessId, action: 'invitation.created', subject: invitation.id, actor, data: { roleId } })
  return invitation
}

/** A fresh token for the mail; an earlier one stops working. Undefined when there is nothing left to accept. */
export async function mintInvitationToken(tx: ControlTx, businessId: string, id: string): Promise<string | undefined> {
  const token = newToken()
  const { numUpdatedRows } = await tx
    .updateTable('access.invitations')
    .set({ tokenHash: hashToken(token) })
    .where((row) => row.and({ businessId, id }))
    .where('acceptedAt', 'is', null)
    .where('expiresAt', '>', now())
    .executeTakeFirst()
  return numUpdatedRows > 0n ? token : undefined
}

export async function revokeInvitation(tx: ControlTx, { businessId, actor }: Granter, id: string): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('access.invitations')
    .where((row) => row.and({ businessId, id }))
    .where('acceptedAt', 'is', null)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('invitation')
  await audit(tx, { businessId, action: 'invitation.revoked', subject: id, actor })
}

/** Makes the membership, once, for an account of the invited address. To anybody else the token is worth nothing. */
export async function acceptInvitation(tx: ControlTx, actor: Actor, token: string): Promise<void> {
  const invitation = await tx
    .selectFrom('access.invitations')
    .selectAll()
    .where('tokenHash', '=', hashToken(token))
    .forUpdate()
    .executeTakeFirst()
  if (!invitation || invitation.acceptedAt || !isSameEmail(invitation.email, actor.email)) throw invitationInvalid()
  if (invitation.expiresAt <= now()) throw invitationExpired()
  const { businessId, id, roleId } = invitation
  // Who invited must still be able to: an invitation does not outlive its inviter's power.
  const inviter = await findPermissions(tx, businessId, invitation.invitedBy)
  const role = await findRole(tx, businessId, roleId)
  if (!role || firstLacking(inviter, role.permissions as Permission[])) throw invitationInvalid()
  await tx
    .updateTable('access.invitations')
    .set({ acceptedAt: now() })
    .where((row) => row.and({ businessId, id }))
    .execute()
  await insertMembership(tx, { businessId, userId: actor.userId, roleId })
  await audit(tx, { businessId, action: 'invitation.accepted', subject: id, actor, data: { roleId } })
  await notify(tx, MEMBERS_CHANGED, businessId)
}

const isSameEmail = (invited: string | null, email: string | undefined) =>
  invited !== null && invited.toLowerCase() === email?.toLowerCase()
