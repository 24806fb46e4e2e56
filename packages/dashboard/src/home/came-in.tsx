import { useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { PaymentStatus } from '../orders/words.tsx'
import { Bones } from '../ui/bones.tsx'
import { Empty } from '../ui/empty.tsx'
import { Problem } from '../ui/problem.tsx'
import { OrderRows } from './order-row.tsx'
import { useNewest } from './use-days.ts'

const route = getRouteApi('/signed-in/$business/')

/** The newest orders, whatever became of them. */
export function CameIn({ now }: { now: number }) {
  const { t } = useLingui()
  const { orders, error, retry } = useNewest(now)
  return (
    <section>
      <div className="section-head">
        <h2>{t`Came in last`}</h2>
        <route.Link className="link end note" to="/$business/orders" params={(now) => now}>{t`All orders`}</route.Link>
      </div>
      {!orders ? (
        error ? (
          <Problem error={error} onRetry={retry} />
        ) : (
          <Bones rows={5} columns={5} bleed={false} />
        )
      ) : orders.length === 0 ? (
        <Empty title={t`No orders yet`}>{t`The first one stands here as soon as it comes.`}</Empty>
      ) : (
        <OrderRows orders={orders} head={t`Payment`} state={(order) => <PaymentStatus order={order} />} />
      )}
    </section>
  )
}
