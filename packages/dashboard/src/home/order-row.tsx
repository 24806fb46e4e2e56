import { blockText, type Order } from '@kontor/sdk'
import { Plural, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Money } from '../ui/money.tsx'
import { When } from '../ui/time.tsx'

const route = getRouteApi('/signed-in/$business/')

/** A few orders. `state` is what matters there. */
export function OrderRows({
  orders,
  head,
  state,
}: {
  orders: readonly Order[]
  head: string
  state: (order: Order) => ReactNode
}) {
  const { t } = useLingui()
  return (
    <table className="table stack few">
      <thead>
        <tr>
          <th>{t`Order`}</th>
          <th>{t`Placed`}</th>
          <th>{t`Customer`}</th>
          <th>{head}</th>
          <th className="num">{t`Total`}</th>
        </tr>
      </thead>
      <tbody>
        {orders.map((order) => (
          <Row key={order.id} order={order} state={state(order)} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ order, state }: { order: Order; state: ReactNode }) {
  const pieces = order.lines.reduce((sum, { quantity }) => sum + quantity, 0)
  const name = nameOf(order)
  return (
    <tr>
      <td>
        <OrderLink order={order}>{order.number}</OrderLink>
      </td>
      <td className="soft">
        <When at={order.createdAt} />
      </td>
      <td className="p1">
        <span className="only-phone">
          <OrderLink order={order}>{name || order.number}</OrderLink>
        </span>
        <span className="hide-phone">{name || '–'}</span>
      </td>
      <td className="p4">{state}</td>
      <td className="p3 only-phone">
        {order.number} · <Plural value={pieces} one="# piece" other="# pieces" />
      </td>
      <td className="num p2">
        <Money amount={order.total} currency={order.currency} />
      </td>
    </tr>
  )
}

const OrderLink = ({ order, children }: { order: Order; children: string }) => (
  <route.Link className="strong" to="/$business/orders/$order" params={(now) => ({ ...now, order: order.id })}>
    {children}
  </route.Link>
)

/** Whose order it is, as far as the order says it. */
export const nameOf = (order: Order): string =>
  order.shippingAddress?.name ||
  order.billingAddress?.name ||
  blockText(order.blocks, 'name') ||
  order.contactEmail ||
  ''
