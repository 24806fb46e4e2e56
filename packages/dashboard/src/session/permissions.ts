import type { Role } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useSuspenseQuery } from '@tanstack/react-query'
import { mayIn } from './may-in.ts'
import { meQuery } from './queries.ts'
import { useSeenAs } from './see-as.ts'
import { useBusiness } from './use-business.ts'

export type Permission = Role['permissions'][number]

/** What this person may do in this business. `reason` is for the button that stays, disabled. */
export function usePermissions() {
  const { t } = useLingui()
  const business = useBusiness()
  const { data: me } = useSuspenseQuery(meQuery())
  const seen = useSeenAs()
  const held = mayIn(me, business.id)
  const may = (permission: Permission) => !business.isShut && held(permission)
  return {
    may,
    mayAny: (...permissions: Permission[]) => permissions.some(may),
    reason: (permission: Permission) => {
      if (may(permission)) return undefined
      if (seen?.businessId === business.id) return t`${seen.name} has no ${permission}.`
      return t`Needs ${permission}. An admin of ${business.name} can give it.`
    },
  }
}
