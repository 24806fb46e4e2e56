import { etagOf, KontorError, paymentStatusOf, statusOf } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { Ban, CircleDot, CreditCard, Ellipsis, PackageOpen, Printer, Truck } from 'lucide-react'
import { useState } from 'react'
import { kontor } from '../../api/client.ts'
import { useAsk } from '../../outbox/use-outbox.ts'
import { usePermissions } from '../../session/permissions.ts'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem, MenuRule } from '../../ui/menu.tsx'
import { useProblem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { type OrderState, type PaymentState, useStatusWords } from '../words.tsx'
import { Confirm } from './confirm.tsx'
import type { OrderSearch } from './search.ts'
import { isAsked, type OrderView } from './view.ts'

type Props = { view: OrderView; onOpen: (sheet: OrderSearch['sheet']) => void }
type Wanted = { status: OrderState } | { payment: PaymentState }

const BY_HAND: OrderState[] = ['PROCESSING', 'SHIPPED', 'DELIVERED']
const PAPER_OF_LETTER = new Set(['US', 'CA', 'MX', 'PH', 'CL', 'CO', 'VE'])

/** What can be done with an order, with the reason beside what cannot. */
export function Acts({ view, onOpen }: Props) {
  const { t } = useLingui()
  const { order } = view
  const words = useStatusWords()
  const reasons = useReasons(view)
  const [wanted, setWanted] = useState<Wanted>()
  const set = useSetStatus(view)
  const print = usePrint(view)
  const status = statusOf(order)
  const isPart = view.shipments.length > 0
  const apply = (change: Wanted) => {
    setWanted(undefined)
    void set(change)
  }
  useCommands([
    {
      id: 'order-refund',
      label: t`Refund ${order.number}`,
      keys: 'r',
      icon: CreditCard,
      reason: reasons.refund,
      run: () => onOpen('refund'),
    },
    {
      id: 'order-ship',
      label: t`Ship ${order.number}`,
      keys: 's',
      icon: Truck,
      reason: reasons.ship,
      run: () => onOpen('ship'),
    },
    {
      id: 'order-return',
      label: t`Take goods of ${order.number} back`,
      icon: PackageOpen,
      reason: reasons.write,
      run: () => onOpen('return'),
    },
    {
      id: 'order-print',
      label: t`Print the packing slip of ${order.number}`,
      keys: 'p',
      icon: Printer,
      reason: reasons.read,
      run: () => void print(),
    },
  ])
  return (
    <div className="acts">
      <Menu align="end" trigger={<Button icon={Ellipsis} only={t`More`} />}>
        {BY_HAND.map((one) => (
          <MenuItem
            key={one}
            icon={CircleDot}
            reason={reasons.status ?? (status === one ? t`It is so` : undefined)}
            onClick={() => apply({ status: one })}
          >
            {t`Set to ${words.status(one)}`}
          </MenuItem>
        ))}
        <MenuRule />
        <MenuItem icon={CreditCard} reason={reasons.paid} onClick={() => setWanted({ payment: 'PAID' })}>
          {t`Mark as paid`}
        </MenuItem>
        <MenuItem icon={PackageOpen} reason={reasons.write} onClick={() => onOpen('return')}>
          {t`Take goods back`}
        </MenuItem>
        <MenuRule />
        <MenuItem icon={Ban} reason={reasons.status} onClick={() => setWanted({ status: 'CANCELLED' })}>
          {t`Cancel the order`}
        </MenuItem>
      </Menu>
      <Button icon={Printer} reason={reasons.read} onClick={() => void print()}>{t`Print`}</Button>
      <Button reason={reasons.refund} onClick={() => onOpen('refund')}>{t`Refund`}</Button>
      <Button look="main" icon={Truck} reason={reasons.ship} onClick={() => onOpen('ship')}>
        {isPart ? t`Ship the rest` : t`Ship`}
      </Button>
      <Confirm
        open={wanted !== undefined && 'status' in wanted}
        title={t`Cancel ${order.number}?`}
        action={t`Cancel the order`}
        isDestroying
        onDo={() => wanted && apply(wanted)}
        onClose={() => setWanted(undefined)}
      >
        {view.money.ours > 0
          ? t`What has not gone out is back in stock, and the order ends here. The money stays where it is: refund it besides.`
          : t`What has not gone out is back in stock, and the order ends here.`}
      </Confirm>
      <Confirm
        open={wanted !== undefined && 'payment' in wanted}
        title={t`Mark ${order.number} as paid?`}
        action={t`Mark as paid`}
        onDo={() => wanted && apply(wanted)}
        onClose={() => setWanted(undefined)}
      >
        {t`For money that came another way: cash, a transfer. Such money cannot be refunded from here.`}
      </Confirm>
    </div>
  )
}

/** Why each of them cannot be done now. */
function useReasons(view: OrderView) {
  const { t } = useLingui()
  const { order, money, pieces, reason: write } = view
  const read = usePermissions().reason('ORDERS_READ')
  const asked = t`Processing…`
  const status = statusOf(order)
  const isFinal = status === 'CANCELLED' || status === 'REFUNDED'
  const ended = isFinal ? t`The order has ended.` : undefined
  const left = [...pieces.values()].reduce((sum, { leftToShip }) => sum + leftToShip, 0)
  return {
    read,
    write,
    status: write ?? ended,
    ship:
      write ??
      ended ??
      (status === 'PENDING' ? t`It is not paid yet.` : undefined) ??
      (isAsked(view, 'shipOrder', 'shipOrders') ? asked : undefined) ??
      (left === 0 ? t`Everything has gone out.` : undefined),
    refund:
      write ??
      read ??
      (money.paid === 0 ? t`Nothing was paid yet.` : undefined) ??
      (money.ours === 0 ? t`All of it went back already.` : undefined),
    paid:
      write ??
      ended ??
      (paymentStatusOf(order) === 'PENDING' || paymentStatusOf(order) === 'FAILED' ? undefined : t`It is so`),
  }
}

function useSetStatus({ order }: OrderView) {
  const { t } = useLingui()
  const ask = useAsk()
  const wordsOf = useProblem()
  const words = useStatusWords()
  return async (change: Wanted) => {
    const common = { about: [order.id], ifMatch: etagOf(order) }
    const path = { id: order.id }
    try {
      if ('status' in change) {
        const label = t`Set ${order.number} to ${words.status(change.status)}`
        await ask({ operation: 'setOrderStatus', input: { path, body: { status: change.status } }, label, ...common })
      } else {
        const label = t`Set the payment of ${order.number} to ${words.payment(change.payment)}`
        await ask({
          operation: 'setPaymentStatus',
          input: { path, body: { status: change.payment } },
          label,
          ...common,
        })
      }
    } catch (error) {
      const isOlder = error instanceof KontorError && error.status === 412
      toast(
        isOlder
          ? t`Somebody changed the order just now. Look again, then do it.`
          : t`Couldn’t complete the action. ${wordsOf(error).what}`,
      )
    }
  }
}

/** The slip opens as a PDF, in the paper of where the order goes. */
function usePrint({ order }: OrderView) {
  const { t } = useLingui()
  const business = useBusiness()
  const format = useFormat()
  const wordsOf = useProblem()
  return async () => {
    // Opened before the answer: later, a browser would take it for an advertisement.
    const opened = window.open('', '_blank')
    try {
      const country = order.shippingAddress?.country ?? format.locale.split('-')[1] ?? ''
      const paper = PAPER_OF_LETTER.has(country) ? 'LETTER' : 'A4'
      const slip = await kontor.operations.getPackingSlips({
        path: { businessId: business.id },
        query: { ids: [order.id], paper },
      })
      const address = URL.createObjectURL(slip)
      if (opened) opened.location.href = address
      else location.assign(address)
    } catch (error) {
      opened?.close()
      toast(t`The packing slip could not be made. ${wordsOf(error).what}`)
    }
  }
}
