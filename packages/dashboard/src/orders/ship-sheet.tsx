import { type Answer, statusOf } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useRef, useState } from 'react'
import { useAsk, useOutbox } from '../outbox/use-outbox.ts'
import { useCommands } from '../shell/commands.ts'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/dialog.tsx'
import { Field, TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { useProblem } from '../ui/problem.tsx'
import { toast } from '../ui/toast.tsx'
import { useIsShown } from '../ui/use-is-shown.ts'
import type { Listed } from './listed.ts'
import { type Matched, matchTracking } from './match-tracking.ts'
import { Confirm } from './order/confirm.tsx'
import type { States } from './words.tsx'

const MOST = 200
const SHIPPABLE = new Set(['PROCESSING', 'SHIPPED', 'DELIVERED'])
export const canShip = (order: States) => SHIPPABLE.has(statusOf(order)) && order.fulfillment !== 'FULFILLED'

type Props = { orders: readonly Listed[]; onClose: () => void; onShipped: (orderIds: string[]) => void }
const NOTHING: Matched = { numbers: new Map(), left: [], conflicts: [] }

/** Marks orders as shipped, with tracking numbers pasted from the carrier’s list. Each order by itself. */
export function ShipSheet({ orders, onClose, onShipped }: Props) {
  const { t } = useLingui()
  const ready = orders.filter(canShip).slice(0, MOST)
  const [pasted, setPasted] = useState('')
  const [matched, setMatched] = useState(NOTHING)
  // What was typed beside an order counts, whatever is pasted afterwards.
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map())
  const numbers = new Map([...matched.numbers, ...typed])
  const [carrier, setCarrier] = useState('')
  const [notify, setNotify] = useState(true)
  const paste = (text: string) => {
    setPasted(text)
    setMatched(matchTracking(text, ready))
  }
  const type = (id: string, text: string) => setTyped((before) => new Map(before).set(id, text))
  const settle = (shipped: string[]) => {
    // The places of a pasted list were those of all orders: those that are left keep what they had.
    setTyped(numbers)
    setPasted('')
    setMatched(NOTHING)
    onShipped(shipped)
  }
  const ship = useShip({ ready, numbers, carrier, notify, onClose, onShipped: settle })
  const untracked = ready.filter(({ id }) => !numbers.get(id)?.trim()).map(({ number }) => number)
  const namesOf = useOrderNames()
  const [isConfirming, setConfirming] = useState(false)
  const isConfirmed = useRef(false)
  const start = () => {
    if (notify && untracked.length > 0 && !isConfirmed.current) return setConfirming(true)
    void ship.run()
  }
  const confirm = () => {
    isConfirmed.current = true
    setConfirming(false)
    void ship.run()
  }
  const count = ready.length
  const isAsked = useOutbox().some(
    ({ operation, about }) =>
      (operation === 'shipOrders' || operation === 'shipOrder') && ready.some(({ id }) => about.includes(id)),
  )
  const reason = ship.isBusy || isAsked ? t`Processing…` : count === 0 ? t`None of these can be shipped.` : undefined
  const field = useRef<HTMLTextAreaElement>(null)
  useCommands([
    {
      id: 'ship-these',
      label: t`Mark these orders shipped`,
      keys: 'mod+Enter',
      inPalette: false,
      reason,
      run: start,
    },
  ])
  const foot = (
    <Button look="main" reason={reason} onClick={start}>
      <Plural value={count} one="Mark # order shipped" other="Mark # orders shipped" />
    </Button>
  )
  return (
    <Sheet open wide onClose={onClose} title={t`Mark shipped`} foot={foot} initialFocus={() => field.current}>
      {ship.problem && (
        <Notice tone="alert" title={t`Nothing was shipped.`}>
          {ship.problem}
        </Notice>
      )}
      {orders.length > count && (
        <Notice
          title={<Plural value={orders.length - count} one="# order is left out." other="# orders are left out." />}
        >
          <Trans>Only paid orders with something left to send can be shipped.</Trans>
        </Notice>
      )}
      <div className="ship-form">
        <TextField
          ref={field}
          label={t`Tracking numbers`}
          hint={t`Paste them, one a line. Lines that name their order go to it; a bare list goes from the top.`}
          rows={4}
          value={pasted}
          onChange={(event) => paste(event.target.value)}
        />
        <Field
          label={t`Carrier`}
          value={carrier}
          onChange={(event) => setCarrier(event.target.value)}
          autoComplete="off"
        />
        <label className="choice">
          <input
            type="checkbox"
            className="check"
            checked={notify}
            onChange={(event) => setNotify(event.target.checked)}
          />
          <Trans>Mail each customer that it is on its way</Trans>
        </label>
      </div>
      {matched.left.length > 0 && (
        <Notice
          title={<Plural value={matched.left.length} one="# line is not matched." other="# lines are not matched." />}
        >
          {matched.left.join(', ')}
        </Notice>
      )}
      {matched.conflicts.map(({ number, given }) => (
        <Notice key={number} tone="alert" title={t`${number} has several numbers; none was taken.`}>
          {given.join(', ')}
        </Notice>
      ))}
      <Confirm
        open={isConfirming}
        title={t`Ship without tracking numbers?`}
        action={count === 1 ? t`Mark 1 order shipped` : t`Mark ${count} orders shipped`}
        onDo={confirm}
        onClose={() => setConfirming(false)}
      >
        <Plural
          value={untracked.length}
          one="# order has no tracking number. Its customer gets an email without one."
          other="# orders have no tracking number. Their customers get an email without one."
        />
        <b className="block strong mt-2">{namesOf(untracked)}</b>
      </Confirm>
      <table className="table still ship-rows">
        <thead>
          <tr>
            <th>{t`Order`}</th>
            <th className="hide-phone">{t`Customer`}</th>
            <th>{t`Tracking number`}</th>
          </tr>
        </thead>
        <tbody>
          {ready.map((order) => (
            <tr key={order.id}>
              <td className="strong nowrap">{order.number}</td>
              <td className="hide-phone">{order.name}</td>
              <td>
                <input
                  className="input"
                  aria-label={t`Tracking number of ${order.number}`}
                  value={numbers.get(order.id) ?? ''}
                  onChange={(event) => type(order.id, event.target.value)}
                />
                {ship.errors.has(order.id) && <p className="problem">{ship.errors.get(order.id)}</p>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Sheet>
  )
}

const MAX_NAMED = 12

/** The numbers of the first orders, and how many more there are. */
function useOrderNames() {
  const { t } = useLingui()
  return (numbers: readonly string[]) => {
    const named = numbers.slice(0, MAX_NAMED).join(', ')
    const more = numbers.length - MAX_NAMED
    return more > 0 ? t`${named}, and ${more} more` : named
  }
}

type Shipping = Props & {
  ready: readonly Listed[]
  numbers: ReadonlyMap<string, string>
  carrier: string
  notify: boolean
}

function useShip({ ready, numbers, carrier, notify, onClose, onShipped }: Omit<Shipping, 'orders'>) {
  const { t } = useLingui()
  const ask = useAsk()
  const wordsOf = useProblem()
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [errors, setErrors] = useState<ReadonlyMap<string, string>>(new Map())
  const isShown = useIsShown()
  const finish = ({ items }: Answer<'shipOrders'>) => {
    const failed = items.filter(({ error }) => error)
    const shipped = items.filter(({ error }) => !error).map(({ orderId }) => orderId)
    setErrors(new Map(failed.map(({ orderId, error }) => [orderId, error?.message ?? ''])))
    const count = shipped.length
    const refused = failed.length
    if (count > 0) toast(count === 1 ? t`1 order marked shipped.` : t`${count} orders marked shipped.`)
    if (refused > 0)
      toast(refused === 1 ? t`1 order was refused.` : t`${refused} orders were refused.`, { fill: 'ring' })
    onShipped(shipped)
    // Whoever has closed the sheet meanwhile may be somewhere else by now.
    if (refused === 0 && isShown.current) onClose()
  }
  const run = async () => {
    const items = ready.map(({ id }) => ({
      orderId: id,
      carrier: carrier.trim() || null,
      trackingNumber: numbers.get(id)?.trim() || null,
    }))
    const count = items.length
    setBusy(true)
    setProblem(undefined)
    try {
      const label = count === 1 ? t`Mark 1 order shipped` : t`Mark ${count} orders shipped`
      finish(
        await ask({
          operation: 'shipOrders',
          input: { body: { items, notify } },
          label,
          about: items.map(({ orderId }) => orderId),
        }),
      )
    } catch (error) {
      setProblem(wordsOf(error).what)
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy, problem, errors }
}
