import type { Selectable } from 'kysely'
import { listRolesOf, openPeople } from '#modules/access/index.ts'
import type { AccountsUsers } from '#platform/database/control-tables.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { unauthenticated } from '#vocabulary/errors.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { listApiKeys } from './api-keys.ts'
import type { User } from './schemas.ts'

export const emailKey = (email: string) => email.trim().toLowerCase()

/** A confirmed account, kept from being erased until `tx` ends. */
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

export const userExists = async (db: ControlDb, id: string) =>
  (await db.selectFrom('accounts.users').select('id').where('id', '=', id).executeTakeFirst()) !== undefined

/** A number that this user has confirmed, if any. */
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

/** Who these users are, to anybody: no more than their names, and of those whom the business only named not even that. */
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

/** One's own record: everything; to a key that is bound to a business, only what belongs there. */
export async function getOwnUser(db: ControlDb, userId: string, onlyBusinessId?: string): Promise<User> {
  const user = await db.selectFrom('accounts.users').selectAll().where('id', '=', userId).executeTakeFirst()
  if (!user) throw unauthenticated('This account no longer exists.') // erased while we worked for them
  const [roles, apiTokens, configs] = await Promise.all([
    listRolesOf(db, [userId], onlyBusinessId),
    listApiKeys(db, userId),
    db.selectFrom('accounts.businessConfigs').select(['businessId', 'settings']).where('userId', '=', userId).execute(),
  ])
  const isShown = ({ businessId }: { businessId?: string }) =>
    onlyBusinessId === undefined || businessId === onlyBusinessId
  return {
    ...presentUser(user, roles),
    ...presentPrivate(user),
    apiTokens: apiTokens.filter(isShown),
    businessUserConfigs: configs.filter(isShown),
  }
}

type RoleRow = { id: string; name: string; permissions: string[] }

/** What is nobody else's business. */
const presentPrivate = (user: Selectable<AccountsUsers>) => ({
  addresses: user.addresses as User['addresses'],
  lifecycle: {
    lastLoginAt: user.lastLoginAt && toSeconds(user.lastLoginAt),
    onboardingCompleted: user.onboardingCompleted,
  },
})

/** To another reader: without addresses, keys and settings, and with the roles of that reader's business only. */
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

/** A role that waits to be accepted is shown among the others, and said to wait. */
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

/** Whom a business only named: their id, and what it wrote itself. */
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
  roles: roles.map(({ id, name, permissions }) => ({ id, name, permissions: permissions as Permission[] })),
})

/** For the operator: the addresses of these users, by id. */
export async function readEmails(db: ControlDb, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('accounts.users').select(['id', 'email']).where('id', 'in', ids).execute()
  return new Map(rows.flatMap(({ id, email }) => (email === null ? [] : [[id, email]])))
}
