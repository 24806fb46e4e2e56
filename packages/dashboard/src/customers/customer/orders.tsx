import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FulfilmentStatus, PaymentStatus } from '../../orders/words.tsx'
import { useBusiness } from '../../session/use-business.ts'
import { Bones } from '../../ui/bones.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Money } from '../../ui/money.tsx'
import { Problem } from '../../ui/problem.tsx'
import { When } from '../../ui/time.tsx'
import { ordersQuery } from '../queries.ts'
import type { CustomerDetails } from '../types.ts'

const route = getRouteApi('/signed-in/$business/customers/$customer')

export function Orders({ customer }: { customer: CustomerDetails }) {
  const { t } = useLingui()
  const business = useBusiness()
  const list = useInfiniteQuery(ordersQuery(business.id, customer.id))
  const orders = list.data?.pages.flatMap(({ items }) => items) ?? []
  const asGuest = list.data && !list.hasNextPage ? customer.orders - orders.length : 0
  return (
    <section className="section">
      <div className="section-head">
        <h2>{t`Orders`}</h2>
        <span className="note">
          <Plural value={customer.orders} one="# in all" other="# in all" />
        </span>
      </div>
      {list.isPending ? (
        <Bones rows={4} columns={5} bleed={false} />
      ) : list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : orders.length === 0 ? (
        <Empty title={t`No orders`}>{t`Their orders stand here as soon as there are any.`}</Empty>
      ) : (
        <table className="table stack">
          <thead>
            <tr>
              <th>{t`Order`}</th>
              <th>{t`Placed`}</th>
              <th className="num">{t`Pieces`}</th>
              <th>{t`Payment`}</th>
              <th>{t`Fulfilment`}</th>
              <th className="num">{t`Total`}</th>
            </tr>
          </thead>
          <tbody>
            {orders.map((order) => (
              <tr key={order.id}>
                <td className="p1">
                  <route.Link
                    to="/$business/orders/$order"
                    params={(now) => ({ ...now, order: order.id })}
                    className="strong"
                  >
                    {order.number}
                  </route.Link>
                </td>
                <td className="soft p3">
                  <When at={order.createdAt} />
                </td>
                <td className="num soft">{order.lines.reduce((sum, { quantity }) => sum + quantity, 0)}</td>
                <td>
                  <PaymentStatus order={order} />
                </td>
                <td className="p4">
                  <FulfilmentStatus order={order} />
                </td>
                <td className="num p2">
                  <Money amount={order.total} currency={order.currency} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {list.hasNextPage && (
        <p className="after">
          <Button
            look="small"
            reason={list.isFetchingNextPage ? t`Loading…` : undefined}
            onClick={() => void list.fetchNextPage()}
          >{t`Show older ones`}</Button>
        </p>
      )}
      {asGuest > 0 && (
        <p className="note after">
          <Trans>
            <Plural value={asGuest} one="# more was" other="# more were" /> placed as a guest, before there was this
            account.
          </Trans>
        </p>
      )}
    </section>
  )
}
