import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { PaymentStatus } from '../orders/words.tsx'
import { useBusiness } from '../session/use-business.ts'
import { Bones } from '../ui/bones.tsx'
import { Problem } from '../ui/problem.tsx'
import { OrderRows } from './order-row.tsx'
import { newestQuery } from './queries.ts'

const route = getRouteApi('/signed-in/$business/')

/** The newest orders, whatever became of them. */
export function CameIn() {
  const { t } = useLingui()
  const { id } = useBusiness()
  const { data, error, refetch } = useQuery(newestQuery(id))
  return (
    <section>
      <div className="section-head">
        <h2>{t`Came in last`}</h2>
        <route.Link className="link end note" to="/$business/orders" params={(now) => now}>{t`All orders`}</route.Link>
      </div>
      {data ? (
        <OrderRows orders={data.items} head={t`Payment`} state={(order) => <PaymentStatus order={order} />} />
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <Bones rows={5} columns={5} bleed={false} />
      )}
    </section>
  )
}
