import type { Order } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { useColleagues } from '../../session/use-colleagues.ts'
import { nameOfOrder } from '../words.tsx'

/** Who did it: somebody of the team by name, the customer, or the service itself. */
export function useNames(order: Order) {
  const { t } = useLingui()
  const colleague = useColleagues()
  return (id: string | null | undefined): string => {
    if (!id) return t`Kontor`
    if (id === order.customerId) return colleague(id) ?? (nameOfOrder(order) || t`The customer`)
    return colleague(id) ?? t`Somebody of the team`
  }
}
