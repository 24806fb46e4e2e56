import type { Selectable } from 'kysely'
import { listRolesOf } from '#modules/access/index.ts'
import type { AccountsUsers } from '#platform/database/control-tables.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { notFound } from '#vocabulary/errors.ts'
import type { Permission } from '#vocabulary/permissions.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { listApiKeys } from './api-keys.ts'
import type { User } from './schemas.ts'

export const emailKey = (email: string) => email.trim().toLowerCase()

export const findUser = (db: ControlDb, id: string) =>
  db.selectFrom('accounts.users').select(['id', 'email', 'isGuest']).where('id', '=', id).executeTakeFirst()

export const findUserByEmail = (db: ControlDb, email: string) =>
  db.selectFrom('accounts.users').select(['id', 'email']).where('emailKey', '=', emailKey(email)).executeTakeFirst()

/** One's own record: everything. */
export async function getOwnUser(db: ControlDb, userId: string): Promise<User> {
  const user = await db.selectFrom('accounts.users').selectAll().where('id', '=', userId).executeTakeFirst()
  if (!user) throw notFound('user')
  const [roles, apiTokens, configs] = await Promise.all([
    listRolesOf(db, [userId]),
    listApiKeys(db, userId),
    db.selectFrom('accounts.businessConfigs').select(['businessId', 'settings']).where('userId', '=', userId).execute(),
  ])
  return { ...presentUser(user, roles), apiTokens, businessUserConfigs: configs }
}

type RoleRow = { id: string; name: string; permissions: string[] }

/** To another reader: without keys and settings, and with the roles of that reader's business only. */
export function presentUser(user: Selectable<AccountsUsers>, roles: readonly RoleRow[]): User {
  return {
    id: user.id,
    name: user.name,
    ...(user.email ? { email: user.email } : {}),
    isConfirmed: user.confirmedAt !== null,
    phoneNumbers: user.phoneNumbers,
    addresses: user.addresses as User['addresses'],
    roleIds: roles.map(({ id }) => id),
    roles: roles.map(({ id, name, permissions }) => ({ id, name, permissions: permissions as Permission[] })),
    apiTokens: [],
    businessUserConfigs: [],
    lifecycle: {
      lastLoginAt: user.lastLoginAt && toSeconds(user.lastLoginAt),
      onboardingCompleted: user.onboardingCompleted,
    },
  }
}
