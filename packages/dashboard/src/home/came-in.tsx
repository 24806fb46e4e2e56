import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { PaymentStatus } from '../orders/words.tsx'
import { useBusiness } from '../session/use-business.ts'
import { Bones } from '../ui/bones.tsx'
import { Empty } from '../ui/empty.tsx'
import { Problem } from '../ui/problem.tsx'
import { OrderRows } from './order-row.tsx'
import { newestQuery } from './queries.ts'

const route = getRouteApi('/signed-in/$business/')

/** The newest orders, whatever became of them. */
export function CameIn() {
  const { t } = useLingui()
  const list = useQuery(newestQuery(useBusiness().id))
  return (
    <section>
      <div className="section-head">
        <h2>{t`Came in last`}</h2>
        <route.Link className="link end note" to="/$business/orders" params={(now) => now}>{t`All orders`}</route.Link>
      </div>
      {list.isPending ? (
        <Bones rows={5} columns={5} bleed={false} />
      ) : list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : list.data.items.length === 0 ? (
        <Empty title={t`No orders yet`}>{t`The first one stands here as soon as it comes.`}</Empty>
      ) : (
        <OrderRows orders={list.data.items} head={t`Payment`} state={(order) => <PaymentStatus order={order} />} />
      )}
    </section>
  )
}
