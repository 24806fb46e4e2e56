import type { Answer, Role } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { meQuery } from './queries.ts'
import { useBusiness } from './use-business.ts'

export type Permission = Role['permissions'][number]

export function mayIn({ roles }: Answer<'getMe'>, businessId: string) {
  const here = roles.filter((role) => role.businessId === businessId)
  const held = new Set(here.flatMap(({ permissions }) => permissions))
  return (permission: Permission) => held.has('ADMIN') || held.has(permission)
}

/** What this person may do in this business. `reason` is for the button that stays, disabled. */
export function usePermissions() {
  const { t } = useLingui()
  const business = useBusiness()
  const { data: me } = useSuspenseQuery(meQuery())
  const held = mayIn(me, business.id)
  const may = (permission: Permission) => !business.isShut && held(permission)
  return {
    may,
    mayAny: (...permissions: Permission[]) => permissions.some(may),
    reason: (permission: Permission) =>
      may(permission) ? undefined : t`Needs ${permission}. An admin of ${business.name} can give it.`,
  }
}
