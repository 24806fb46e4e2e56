import type { Answer } from '@kontor/sdk'
import type { Permission } from './permissions.ts'
import { seenAs } from './see-as.ts'

const holds = (held: readonly Permission[], permission: Permission) =>
  held.includes('ADMIN') || held.includes(permission)

/** What this person may do there; while they see it as a role does, what that role may do as well, never more. */
export function mayIn({ roles }: Pick<Answer<'getMe'>, 'roles'>, businessId: string) {
  const held = roles.filter((role) => role.businessId === businessId).flatMap(({ permissions }) => permissions)
  const seen = seenAs()
  const isSeen = (permission: Permission) => seen?.businessId !== businessId || holds(seen.permissions, permission)
  return (permission: Permission) => holds(held, permission) && isSeen(permission)
}
