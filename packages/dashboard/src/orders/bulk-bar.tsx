import { Plural, useLingui } from '@lingui/react/macro'
import { Printer, Truck, X } from 'lucide-react'
import { Fragment } from 'react'
import { usePermissions } from '../session/permissions.ts'
import { useCommands } from '../shell/commands.ts'
import { Button } from '../ui/button.tsx'
import { Money } from '../ui/money.tsx'
import type { Listed } from './listed.ts'
import { TagPopover } from './tag-popover.tsx'
import { MOST_SLIPS, usePrintSlips } from './use-print-slips.ts'

type Props = {
  orders: readonly Listed[]
  onShip: () => void
  onClear: () => void
  selectAll: { count: number; run: () => void } | undefined
}

/** What can be done with the picked orders. Two currencies are never added. */
export function BulkBar({ orders, onShip, onClear, selectAll }: Props) {
  const { t } = useLingui()
  const { reason } = usePermissions()
  const print = usePrintSlips()
  const sums = Map.groupBy(orders, ({ currency }) => currency)
  const count = orders.length
  const tooMany = count > MOST_SLIPS ? t`${MOST_SLIPS} slips at most at once.` : undefined
  const printReason = reason('ORDERS_READ') ?? tooMany
  const printAll = () => void print(orders.map(({ id }) => id))
  // The same keys as in an order.
  useCommands([
    {
      id: 'print-picked',
      label: t`Print slips of what is selected`,
      keys: 'p',
      icon: Printer,
      reason: printReason,
      run: printAll,
    },
    {
      id: 'ship-picked',
      label: t`Mark what is selected as shipped`,
      keys: 's',
      icon: Truck,
      reason: reason('ORDERS_WRITE'),
      run: onShip,
    },
  ])
  return (
    <div className="float bulk" role="toolbar" aria-label={t`${count} selected`}>
      <b>
        <Plural value={count} one="# selected" other="# selected" />
      </b>
      <span className="soft long">
        {[...sums].map(([currency, these], index) => (
          <Fragment key={currency}>
            {index > 0 && ' · '}
            <Money amount={these.reduce((sum, { total }) => sum + total, 0)} currency={currency} />
          </Fragment>
        ))}
      </span>
      <span className="rule" />
      <Button
        look="quiet"
        className="long"
        icon={Printer}
        reason={printReason}
        onClick={printAll}
      >{t`Print slips`}</Button>
      <Button look="main" icon={Truck} reason={reason('ORDERS_WRITE')} onClick={onShip}>{t`Mark shipped`}</Button>
      <TagPopover orders={orders} reason={reason('ORDERS_WRITE')} />
      {selectAll && (
        <>
          <span className="rule" />
          <Button look="quiet" className="long" onClick={selectAll.run}>{t`Select all ${selectAll.count}`}</Button>
        </>
      )}
      <Button look="quiet" icon={X} only={t`Clear the selection`} onClick={onClear} />
    </div>
  )
}
