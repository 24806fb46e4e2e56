import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { FulfilmentStatus } from '../orders/words.tsx'
import { Bones } from '../ui/bones.tsx'
import { Problem } from '../ui/problem.tsx'
import { OrderRows } from './order-row.tsx'
import { TO_PACK } from './queries.ts'
import { useToPack } from './use-days.ts'

const route = getRouteApi('/signed-in/$business/')

/** Paid and not yet sent, whoever waits longest first. */
export function ToPack() {
  const { t } = useLingui()
  const { list, count } = useToPack()
  const orders = list.data?.items ?? []
  return (
    <section>
      <div className="section-head">
        <h2>{t`To pack`}</h2>
        {orders.length > 0 && <span className="note">{t`the oldest first`}</span>}
        {count !== undefined && count > orders.length && (
          <route.Link className="link end note" to="/$business/orders" params={(now) => now} search={TO_PACK}>
            <Trans>All {count}</Trans>
          </route.Link>
        )}
      </div>
      {list.isPending ? (
        <Bones rows={5} columns={5} bleed={false} />
      ) : list.isError ? (
        <Problem error={list.error} onRetry={() => void list.refetch()} />
      ) : orders.length === 0 ? (
        <p className="calm">{t`Everything that was paid is on its way.`}</p>
      ) : (
        <OrderRows orders={orders} head={t`Fulfilment`} state={(order) => <FulfilmentStatus order={order} />} />
      )}
    </section>
  )
}
