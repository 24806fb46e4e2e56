import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { query } from '../../api/query.ts'
import { useAsk, useAsked } from '../../outbox/use-outbox.ts'
import { useBusiness } from '../../session/use-business.ts'
import { Button } from '../../ui/button.tsx'
import { Sheet } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { useNameOf } from '../name.ts'
import type { CustomerDetails } from '../types.ts'

const IN_WORK = ['PENDING', 'PROCESSING', 'SHIPPED']

/** Says in words what goes and what stays, before somebody is erased for good. */
export function EraseSheet({ customer, onClose }: { customer: CustomerDetails; onClose: () => void }) {
  const { t } = useLingui()
  const { id: businessId } = useBusiness()
  const ask = useAsk()
  const name = useNameOf()(customer)
  const isAsked = useAsked(customer.id).some(({ operation }) => operation === 'eraseCustomer')
  const [error, setError] = useState<unknown>()
  const [isSure, setSure] = useState(false)
  const counts = useQuery(query(businessId, 'countOrders', { query: { customerId: [customer.id], by: 'status' } })).data
  const inWork = counts?.items.filter(({ value }) => IN_WORK.includes(value)).reduce((sum, one) => sum + one.count, 0)
  const erase = async () => {
    setError(undefined)
    try {
      const askOnce = () =>
        ask({
          operation: 'eraseCustomer',
          input: { path: { userId: customer.id } },
          label: t`Erase a customer`,
          about: [customer.id],
        })
      let answer = await askOnce()
      // Somebody with thousands of orders is erased by several calls.
      while (!answer.isComplete && answer.erasedOrders > 0 && answer.keptOrders.length === 0) answer = await askOnce()
      toast(answer.isComplete ? t`Customer data erased` : t`Customer data erased, except for open orders`)
      onClose()
    } catch (cause) {
      setError(cause)
    }
  }
  const reason = isAsked ? t`Processing…` : isSure ? undefined : t`Confirm the deletion first.`
  const foot = (
    <div className="flex gap-2 justify-end">
      <Button look="quiet" onClick={onClose}>{t`Leave it`}</Button>
      <Button look="destroy main" reason={reason} onClick={() => void erase()}>{t`Erase for good`}</Button>
    </div>
  )
  return (
    <Sheet open onClose={onClose} title={customer.isErased ? t`Erase the rest` : t`Erase ${name}`} foot={foot}>
      <div className="erase">
        {error !== undefined && <Problem error={error} />}
        <h3>{t`What goes`}</h3>
        <ul>
          <li>{t`Name, email address, phone numbers and addresses of this customer`}</li>
          <li>{t`Tags and comments about them`}</li>
          <li>{t`Addresses, email, phone, note and comments of their orders that are delivered, cancelled or refunded`}</li>
          <li>{t`Their email address with payments, and what the payment provider told about them`}</li>
        </ul>
        <h3>{t`What stays`}</h3>
        <ul>
          <li>{t`Orders with their goods, money, parcels and history: the books stay right`}</li>
          <li>{t`Their account, if they have one, and newsletters that they read: those are their own`}</li>
          {inWork !== undefined && inWork > 0 && (
            <li>
              <Plural
                value={inWork}
                one="# order in work, with what is needed to finish it. Erase the rest here once it has ended."
                other="# orders in work, with what is needed to finish them. Erase the rest here once they have ended."
              />
            </li>
          )}
        </ul>
        <label className="choice">
          <input
            type="checkbox"
            className="check"
            checked={isSure}
            onChange={({ target }) => setSure(target.checked)}
          />
          <span>
            <Trans>This cannot be undone. I mean it.</Trans>
          </span>
        </label>
      </div>
    </Sheet>
  )
}
