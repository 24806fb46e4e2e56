import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import { hashToken, newToken } from '#platform/crypto/secret-box.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { notify } from '#platform/database/listener.ts'
import { BrokenArchive } from '#platform/portable/tar.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { decodeCursor } from '#vocabulary/paging.ts'
import { firstLacking, type Permission } from '#vocabulary/permissions.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { audit } from './audit.ts'
import { MEMBERS_CHANGED } from './directory.ts'
import { invitationExpired, invitationInvalid, invitationNotFound, roleNotFound } from './errors.ts'
import { memberInvitationDeclined, memberInvitationRevoked, memberInvited, memberRoleGiven } from './events.ts'
import { type Granter, insertMembership, mayGrant } from './grants.ts'
import { tell } from './outbox.ts'
import { findPermissions, findRole, lockBusiness } from './queries.ts'
import type { NewInvitation } from './schemas.ts'

const VALID_MS = 7 * 24 * 3_600_000

/** Invites an address. Replaces an open invitation to the same address, so that the role named last counts. */
export async function createInvitation(tx: ControlTx, granter: Granter, { email, roleId }: NewInvitation) {
  const { businessId, actor } = granter
  await lockBusiness(tx, businessId)
  const role = await findRole(tx, businessId, roleId)
  if (!role) throw roleNotFound({ id: roleId })
  const replaced = await listOpenTo(tx, businessId, email)
  await mayGrant(tx, granter, [...role.permissions, ...replaced.flatMap(({ permissions }) => permissions)])
  for (const { id } of replaced) await deleteInvitation(tx, businessId, id)
  const invitation = await insertInvitation(tx, granter, { email, userId: null, roleId })
  const data = { roleId, ...(replaced.length > 0 ? { replaces: replaced.map(({ id }) => id) } : {}) }
  await audit(tx, { businessId, action: 'invitation.created', subject: invitation.id, actor, data })
  const told = { roleId, userId: null }
  await tell(tx, memberInvited({ businessId, subject: invitation.id, actor, data: told }))
  return invitation
}

/** Offers a role to an account that has not joined. Undefined when the same offer is open already. */
export async function offerRole(
  tx: ControlTx,
  granter: Granter,
  { userId, roleId }: { userId: string; roleId: string },
) {
  const { businessId, actor } = granter
  const earlier = await tx
    .selectFrom('access.invitations')
    .select(['id', 'expiresAt'])
    .where((row) => row.and({ businessId, userId, roleId }))
    .where('acceptedAt', 'is', null)
    .execute()
  if (earlier.some(({ expiresAt }) => expiresAt > now())) return undefined
  for (const { id } of earlier) await deleteInvitation(tx, businessId, id)
  const invitation = await insertInvitation(tx, granter, { email: null, userId, roleId })
  await audit(tx, { businessId, action: 'member.role-offered', subject: userId, actor, data: { roleId } })
  await tell(tx, memberInvited({ businessId, subject: invitation.id, actor, data: { roleId, userId } }))
  return invitation
}

type Addressee = { email: string; userId: null } | { email: null; userId: string }

/** The worker that mails the invitation makes its token; only the hash is stored. */
async function insertInvitation(
  tx: ControlTx,
  { businessId, actor }: Granter,
  { roleId, ...addressee }: Addressee & { roleId: string },
) {
  const invitation = {
    businessId,
    id: newId('inv'),
    ...addressee,
    roleId,
    invitedBy: actor.userId,
    expiresAt: new Date(nowMs() + VALID_MS),
    acceptedAt: null,
    createdAt: now(),
  }
  try {
    await tx.insertInto('access.invitations').values(invitation).execute()
  } catch (error) {
    throw violatedConstraint(error) === 'invitations_role_fkey' ? roleNotFound({ id: roleId }) : error // deleted this moment
  }
  return invitation
}

/** Each is an email, to an address that only the archive vouches for. */
const MAX_IMPORTED = 1_000

/**
 * Invites members whom an archive names. The operator who imports it vouches for them; each one is invited to a role once. Mailed
 * when the business opens.
 */
export async function inviteImported(
  tx: ControlTx,
  businessId: string,
  members: readonly { userId: string; email: string; roleId: string }[],
): Promise<void> {
  const known = await listImported(tx, businessId)
  const keyOf = ({ email, roleId }: { email: string | null; roleId: string }) => `${roleId} ${email?.toLowerCase()}`
  const invited = new Set(known.map(keyOf))
  for (const { userId, ...invitation } of members) {
    if (invited.has(keyOf(invitation))) continue
    invited.add(keyOf(invitation))
    if (invited.size > MAX_IMPORTED)
      throw new BrokenArchive(`it has more than ${MAX_IMPORTED} roles for members without an account here`)
    const id = newId('inv')
    const times = { expiresAt: new Date(nowMs() + VALID_MS), createdAt: now() }
    await tx
      .insertInto('access.invitations')
      .values({ businessId, id, ...invitation, invitedBy: userId, byOperator: true, ...times })
      .execute()
    await audit(tx, { businessId, action: 'invitation.created', subject: id, data: { roleId: invitation.roleId } })
  }
}

/** Open invitations to members whom an archive has named. */
export const listImported = (db: ControlDb, businessId: string) =>
  db
    .selectFrom('access.invitations')
    .select(['id', 'email', 'roleId'])
    .where('businessId', '=', businessId)
    .where('byOperator', '=', true)
    .where('acceptedAt', 'is', null)
    .orderBy('id')
    .execute()

/** Renews invitations from an import that were never mailed, and returns their ids. */
export async function renewImported(tx: ControlTx, businessId: string): Promise<string[]> {
  const rows = await tx
    .updateTable('access.invitations')
    .set({ expiresAt: new Date(nowMs() + VALID_MS) })
    .where('businessId', '=', businessId)
    .where('byOperator', '=', true)
    .where('acceptedAt', 'is', null)
    .where('tokenHash', 'is', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

const listOpenTo = (tx: ControlTx, businessId: string, email: string) =>
  tx
    .selectFrom('access.invitations as invitation')
    .innerJoin('access.roles as role', (join) =>
      join.onRef('role.businessId', '=', 'invitation.businessId').onRef('role.id', '=', 'invitation.roleId'),
    )
    .select(['invitation.id', 'role.permissions'])
    .where('invitation.businessId', '=', businessId)
    .where(sql<string>`lower(invitation.email)`, '=', email.toLowerCase())
    .where('invitation.acceptedAt', 'is', null)
    .execute()

const deleteInvitation = (tx: ControlTx, businessId: string, id: string) =>
  tx
    .deleteFrom('access.invitations')
    .where((row) => row.and({ businessId, id }))
    .execute()

/** A new token for the mail; it replaces earlier ones. Undefined when there is nothing left to accept. */
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

/** Revoking needs the same permissions as giving the role. */
export async function revokeInvitation(tx: ControlTx, granter: Granter, id: string): Promise<void> {
  const { businessId, actor } = granter
  await lockBusiness(tx, businessId)
  const invitation = await findOpen(tx, businessId, id)
  if (!invitation) throw invitationNotFound()
  const role = await findRole(tx, businessId, invitation.roleId)
  await mayGrant(tx, granter, role?.permissions ?? [])
  await deleteInvitation(tx, businessId, id)
  await audit(tx, { businessId, action: 'invitation.revoked', subject: id, actor })
  await tell(tx, memberInvitationRevoked({ businessId, subject: id, actor }))
}

const findOpen = (tx: ControlTx, businessId: string, id: string) =>
  tx
    .selectFrom('access.invitations')
    .selectAll()
    .where((row) => row.and({ businessId, id }))
    .where('acceptedAt', 'is', null)
    .forUpdate()
    .executeTakeFirst()

/** Identified by the mailed token, or by the id that the user's list of invitations shows. */
export type Accepted = { token: string } | { id: string }

/** Creates the membership, once, for the invited user only. */
export async function acceptInvitation(tx: ControlTx, actor: Actor, accepted: Accepted): Promise<void> {
  const field = 'token' in accepted ? 'token' : 'id'
  const named = await ('token' in accepted
    ? tx.selectFrom('access.invitations').selectAll().where('tokenHash', '=', hashToken(accepted.token))
    : ownInvitations(tx, actor).selectAll().where('id', '=', accepted.id)
  ).executeTakeFirst()
  if (!named || !isFor(named, actor)) throw invitationInvalid({ field })
  const { businessId, id, roleId } = named
  await lockBusiness(tx, businessId) // before its rows, as everywhere
  const invitation = await findOpen(tx, businessId, id)
  if (!invitation) throw invitationInvalid({ field })
  if (invitation.expiresAt <= now()) throw invitationExpired({ field })
  const role = await findRole(tx, businessId, roleId)
  if (!role || !(await isVouchedFor(tx, invitation, role.permissions))) throw invitationInvalid({ field })
  await tx
    .updateTable('access.invitations')
    .set({ acceptedAt: now() })
    .where((row) => row.and({ businessId, id }))
    .execute()
  await insertMembership(tx, { businessId, userId: actor.userId, roleId })
  await audit(tx, { businessId, action: 'invitation.accepted', subject: id, actor, data: { roleId } })
  await tell(tx, memberRoleGiven({ businessId, subject: actor.userId, actor, data: { roleId } }))
  await notify(tx, MEMBERS_CHANGED, businessId)
}

/** The inviter must still be able to give the role: an invitation does not outlive its inviter's permissions. */
async function isVouchedFor(
  tx: ControlTx,
  { businessId, invitedBy, byOperator }: { businessId: string; invitedBy: string; byOperator: boolean },
  permissions: readonly string[],
): Promise<boolean> {
  return byOperator || !firstLacking(await findPermissions(tx, businessId, invitedBy), permissions as Permission[])
}

export async function declineInvitation(tx: ControlTx, actor: Actor, id: string): Promise<void> {
  const named = await ownInvitations(tx, actor)
    .select('businessId')
    .where('id', '=', id)
    .where('acceptedAt', 'is', null)
    .executeTakeFirst()
  if (!named) throw invitationNotFound()
  await deleteInvitation(tx, named.businessId, id)
  await audit(tx, { businessId: named.businessId, action: 'invitation.declined', subject: id, actor })
  await tell(tx, memberInvitationDeclined({ businessId: named.businessId, subject: id, actor }))
}

/** The caller's open invitations, with what they need to know before they accept. */
export async function listOwnInvitations(db: ControlDb, actor: Actor, { limit = 20, cursor }: PageOnly) {
  const filters = { list: 'own-invitations', userId: actor.userId }
  const position = decodeCursor(filters, cursor, ['string'])?.[0] as string | undefined
  const rows = await ownInvitations(db, actor)
    .innerJoin('access.businesses as business', 'business.id', 'access.invitations.businessId')
    .innerJoin('access.roles as role', (join) =>
      join
        .onRef('role.businessId', '=', 'access.invitations.businessId')
        .onRef('role.id', '=', 'access.invitations.roleId'),
    )
    .select([
      'access.invitations.id',
      'access.invitations.businessId',
      'business.name as businessName',
      'access.invitations.roleId',
      'role.name as roleName',
      'role.permissions',
      'access.invitations.expiresAt',
      'access.invitations.createdAt',
    ])
    .where('access.invitations.acceptedAt', 'is', null)
    .where('access.invitations.expiresAt', '>', now())
    .$if(position !== undefined, (query) => query.where('access.invitations.id', '<', position ?? ''))
    .orderBy('access.invitations.id', 'desc')
    .limit(limit + 1)
    .execute()
  return { rows, filters }
}

/** Invitations to the caller's account, and to its confirmed address. */
const ownInvitations = (db: ControlDb, { userId, email }: Actor) =>
  db
    .selectFrom('access.invitations')
    .where((row) =>
      row.or([
        row('access.invitations.userId', '=', userId),
        ...(email === undefined ? [] : [row(sql<string>`lower(access.invitations.email)`, '=', email.toLowerCase())]),
      ]),
    )

const isFor = (invited: { email: string | null; userId: string | null }, { userId, email }: Actor) =>
  invited.email === null ? invited.userId === userId : invited.email.toLowerCase() === email?.toLowerCase()

/** A member who was removed cannot come back with an earlier invitation, nor to a role that is not among those to be kept. */
export const dropOpenInvitations = (
  tx: ControlTx,
  businessId: string,
  { userId, email }: Addressed,
  kept: readonly string[] = [],
) =>
  tx
    .deleteFrom('access.invitations')
    .where('businessId', '=', businessId)
    .where('acceptedAt', 'is', null)
    .where('roleId', '<>', sql<string>`all(${[...kept]}::text[])`)
    .where((row) =>
      row.or([row('userId', '=', userId), row(sql<string>`lower(email)`, '=', (email ?? '').toLowerCase())]),
    )
    .execute()

type Addressed = { userId: string; email: string | null }
