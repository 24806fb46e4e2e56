import type { Selectable } from 'kysely'
import { listRolesOf, openPeople } from '#modules/access/index.ts'
import type { AccountsUsers } from '#platform/database/control-tables.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { cutDown, type Permission } from '#vocabulary/permissions.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { listApiKeys } from '../credentials/api-keys.ts'
import { userGone } from '../errors.ts'
import type { ApiKey, User } from '../schemas.ts'

export const emailKey = (email: string) => email.trim().toLowerCase()

/** Locks a confirmed account, so that it is not erased until `tx` ends. */
export const holdUser = (tx: ControlTx, id: string) =>
  tx
    .selectFrom('accounts.users')
    .select(['id', 'email'])
    .where('id', '=', id)
    .where('isGuest', '=', false)
    .where('confirmedAt', 'is not', null)
    .forKeyShare()
    .executeTakeFirst()

export const findConfirmedByEmail = (db: ControlDb, email: string) =>
  db
    .selectFrom('accounts.users')
    .select(['id', 'email'])
    .where('emailKey', '=', emailKey(email))
    .where('confirmedAt', 'is not', null)
    .executeTakeFirst()

export async function findConfirmedEmail(db: ControlDb, id: string): Promise<string | null> {
  const users = db.selectFrom('accounts.users').select('email')
  const row = await users.where('id', '=', id).where('confirmedAt', 'is not', null).executeTakeFirst()
  return row?.email ?? null
}

export const userExists = async (db: ControlDb, id: string) =>
  (await db.selectFrom('accounts.users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

/** A phone number that this user has confirmed, if any. */
export async function findContact(db: ControlDb, userId: string): Promise<{ phone: string | undefined }> {
  const row = await db
    .selectFrom('accounts.verifiedPhones')
    .select('number')
    .where('userId', '=', userId)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst()
  return { phone: row?.number }
}

/** Public names of users; without a name for those whom the business only named. */
export async function readNames(
  db: ControlDb,
  businessId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('accounts.users')
    .select((user) => [
      'id',
      user
        .case()
        .when('id', 'in', openPeople(db, businessId, ids))
        .then(user.ref('name'))
        .else('')
        .end()
        .as('name'),
    ])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, JSON.stringify({ id, name })]))
}

/** The session or API key that asks for its user's record. */
type Asking = Pick<Actor, 'kind' | 'keyId' | 'onlyBusinessId' | 'onlyPermissions' | 'isOperator'>

/**
 * The user's own record, in full; for a caller who is limited to a business, only what belongs there: no addresses or phone
 * numbers of the account, which the business could read by its sign-in provider. A key with some of its user's permissions
 * sees roles with these alone, and no other key.
 */
export async function getOwnUser(
  db: ControlDb,
  userId: string,
  { kind, keyId, onlyBusinessId, onlyPermissions, isOperator = false }: Asking = {
    kind: 'user',
    onlyBusinessId: undefined,
  },
): Promise<User> {
  const user = await db.selectFrom('accounts.users').selectAll().where('id', '=', userId).executeTakeFirst()
  if (!user) throw userGone() // erased in the meantime
  const [roles, apiTokens, configs] = await Promise.all([
    listRolesOf(db, [userId], onlyBusinessId),
    listApiKeys(db, userId, onlyBusinessId),
    db.selectFrom('accounts.businessConfigs').select(['businessId', 'settings']).where('userId', '=', userId).execute(),
  ])
  const counting = roles.map((role) => ({
    ...role,
    permissions: [...cutDown(role.permissions as Permission[], onlyPermissions)],
  }))
  return {
    ...presentUser(user, counting),
    ...presentPrivate(user),
    ...(onlyBusinessId !== undefined && { phoneNumbers: [], addresses: [] }),
    apiTokens: apiTokens.filter(({ id }) => onlyPermissions === undefined || id === keyId).map(presentToken),
    businessUserConfigs: configs.filter(
      ({ businessId }) => onlyBusinessId === undefined || businessId === onlyBusinessId,
    ),
    ...(isOperator && { isOperator }),
    ...(kind === 'user' && onlyBusinessId !== undefined && { needsConfirmation: true }),
  }
}

const presentToken = ({ id, name, value, businessId }: ApiKey) => ({
  id,
  name,
  value,
  provider: 'API' as const,
  ...(businessId ? { businessId } : {}),
})

type RoleRow = { id: string; name: string; permissions: string[]; businessId: string }

/** Fields that only the user sees. */
const presentPrivate = (user: Selectable<AccountsUsers>) => ({
  addresses: user.addresses as User['addresses'],
  lifecycle: {
    lastLoginAt: user.lastLoginAt && toSeconds(user.lastLoginAt),
    onboardingCompleted: user.onboardingCompleted,
  },
})

/**
 * A user as another reader sees them: without addresses, keys and settings, and with the roles of that reader's
 * business only.
 */
export function presentUser(user: Selectable<AccountsUsers>, roles: readonly RoleRow[]): User {
  return {
    id: user.id,
    name: user.name,
    ...(user.email ? { email: user.email } : {}),
    isConfirmed: user.confirmedAt !== null,
    phoneNumbers: user.phoneNumbers,
    addresses: [],
    ...presentRoles(roles),
    apiTokens: [],
    businessUserConfigs: [],
    lifecycle: { lastLoginAt: null, onboardingCompleted: user.onboardingCompleted },
  }
}

/** Adds offered roles that are not accepted yet, marked as pending. */
export function presentOffered(user: User, offered: readonly RoleRow[]): User {
  const waiting = offered.filter(({ id }) => !user.roleIds.includes(id))
  if (waiting.length === 0) return user
  const { roleIds, roles } = presentRoles(waiting)
  return {
    ...user,
    roleIds: [...user.roleIds, ...roleIds],
    roles: [...user.roles, ...roles],
    pendingRoleIds: roleIds,
  }
}

/** A user whom the business only named: the id, and what the business itself wrote. */
export const presentNamed = (id: string, roles: readonly RoleRow[]): User => ({
  id,
  name: '',
  isConfirmed: false,
  phoneNumbers: [],
  addresses: [],
  ...presentRoles(roles),
  apiTokens: [],
  businessUserConfigs: [],
  lifecycle: { lastLoginAt: null, onboardingCompleted: false },
})

const presentRoles = (roles: readonly RoleRow[]) => ({
  roleIds: roles.map(({ id }) => id),
  roles: roles.map(({ id, name, permissions, businessId }) => ({
    id,
    name,
    permissions: permissions as Permission[],
    businessId,
  })),
})

/** The addresses of these users by id, for the operator. */
export async function readEmails(db: ControlDb, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('accounts.users').select(['id', 'email']).where('id', 'in', ids).execute()
  return new Map(rows.flatMap(({ id, email }) => (email === null ? [] : [[id, email]])))
}

/** Whether each of these users is a guest, and of which business if one has made them up. */
export async function findGuests(
  db: ControlDb,
  ids: readonly string[],
): Promise<Map<string, { isGuest: boolean; guestOf: string | null }>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('accounts.users')
    .select(['id', 'isGuest', 'guestOf'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, isGuest, guestOf }) => [id, { isGuest, guestOf }]))
}
