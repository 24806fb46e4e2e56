import type { Order } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { query } from '../../api/query.ts'
import { usePermissions } from '../../session/permissions.ts'
import { meQuery } from '../../session/queries.ts'
import { useBusiness } from '../../session/use-business.ts'
import { nameOfOrder } from '../words.tsx'

/** Who did it, as far as this person may know: admins see names, others themselves and the customer. */
export function useNames(order: Order, actorIds: readonly (string | null | undefined)[]) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const { may } = usePermissions()
  const { data: me } = useSuspenseQuery(meQuery())
  const hasOthers = actorIds.some((id) => id && id !== me.id && id !== order.customerId)
  const { data: people } = useQuery({
    ...query('-', 'searchUsers', { query: { businessId, limit: 100 } }),
    enabled: hasOthers && may('ADMIN'),
    staleTime: 5 * 60_000,
  })
  return (id: string | null | undefined): string => {
    if (!id) return t`Kontor`
    if (id === me.id) return me.name || me.email || t`You`
    if (id === order.customerId) return nameOfOrder(order) || t`The customer`
    const found = people?.items.find((person) => person.id === id)
    return found?.name || found?.email || t`Somebody of the team`
  }
}
