import { type Order, statusOf } from '@kontor/sdk'
import { FormProblem, Notice, Problem, wordsOf } from '../parts/notices.tsx'
import { useTitle } from '../parts/title.ts'
import { money } from '../state/catalog.ts'
import { dayOf } from '../state/content.ts'
import { kontor, useSession } from '../state/kontor.ts'
import { stateText } from '../state/orders.ts'
import { usePages } from '../state/use-pages.ts'

export function OrdersPage() {
  useTitle('Your orders')
  const session = useSession()
  const list = usePages<Order>(`orders:${session?.userId}`, (cursor) => kontor.orders.list({ limit: 20, cursor }))
  const { items, error } = list
  if (error && !items) return <Problem error={error} retry={list.reload} />
  if (items?.length === 0) {
    return (
      <Notice title="No orders yet" action={{ href: '/shop', label: 'Look around' }}>
        What you order shows up here, also without an account.
      </Notice>
    )
  }
  return (
    <div class="wrap section narrow">
      <h1>Your orders</h1>
      {items && session?.isGuest && (
        <p class="remark">
          These orders are known on this device only. <a href="/account">Make an account</a> to keep them.
        </p>
      )}
      <ul class="orders" aria-busy={!items}>
        {items?.map((order) => (
          <li key={order.id}>
            <a href={`/orders/${order.id}`}>
              <span>
                <strong>{order.number}</strong>
                <small>{dayOf(order.createdAt)}</small>
              </span>
              <span class="order-lines">{order.lines.map(({ name }) => name).join(', ')}</span>
              <span class={`state ${statusOf(order).toLowerCase()}`}>{stateText(order)}</span>
              <span class="order-total">{money(order.total, order.currency)}</span>
            </a>
          </li>
        )) ??
          [1, 2, 3].map((each) => (
            <li key={each} aria-hidden="true">
              <span class="bar tall" />
            </li>
          ))}
      </ul>
      {list.growError && <FormProblem>{wordsOf(list.growError)}</FormProblem>}
      {items && list.hasMore && (
        <p class="more">
          <button class="button quiet" type="button" disabled={list.isGrowing} onClick={() => void list.more()}>
            Show more
          </button>
        </p>
      )}
    </div>
  )
}
