import type { Answer } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dayOf } from '../i18n/days.ts'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Problem } from '../ui/problem.tsx'
import { countQuery, SOLD, soldQuery, sumsOf, TO_PACK, toPackCountQuery, totalOf } from './queries.ts'
import { startOfToday, yesterday } from './today.ts'

const route = getRouteApi('/signed-in/$business/')

/** Today: what was sold, how many orders, how many wait. Each figure opens the list behind it. */
export function Sales({ now }: { now: number }) {
  const { t } = useLingui()
  const business = useBusiness()
  const { number } = useFormat()
  const { timeZone } = business
  const from = startOfToday(now * 1_000, timeZone)
  const today = { from: dayOf(now * 1_000, timeZone) }
  const sold = useQuery(soldQuery(business.id, from))
  const count = useQuery(countQuery(business.id, from))
  const toPack = useQuery(toPackCountQuery(business.id))
  const error = sold.error ?? count.error ?? toPack.error
  if (error && !sold.data && !count.data) return <Problem error={error} onRetry={() => void sold.refetch()} />
  const currencies = [...new Set(business.markets.map(({ currency }) => currency))]
  const sums = sold.data && sumsOf(sold.data, currencies)?.toSorted((a, b) => b.orders - a.orders)
  const orders = count.data && totalOf(count.data)
  const soldCount = ({ items, isExact }: Answer<'countOrders'>) => {
    const paid = items.filter(({ value }) => SOLD.paymentStatus.some((status) => status === value))
    return `${number(paid.reduce((sum, one) => sum + one.count, 0))}${isExact ? '' : '+'}`
  }
  return (
    <section className="sales" aria-label={t`Today`}>
      <div className="hero">
        {sums?.map(({ currency, amount }) => (
          <Figure key={currency} name={t`Sales in ${currency}`} search={{ ...SOLD, ...today }}>
            <Amount amount={amount} currency={currency} />
          </Figure>
        ))}
        {sold.data && !sums && (
          <Figure
            name={t`Paid orders`}
            search={{ ...SOLD, ...today }}
            below={
              <span className="delta">
                <Trans>more than {number(sold.data.items.length)} orders, not added up here</Trans>
              </span>
            }
          >
            {count.data && soldCount(count.data)}
          </Figure>
        )}
        {sold.isPending && <Figure name={t`Sales`} search={today} />}
        <Figure
          name={t`Orders`}
          search={today}
          below={orders === undefined ? undefined : <Delta now={now} orders={orders} timeZone={timeZone} />}
        >
          {orders === undefined ? undefined : number(orders)}
        </Figure>
        <Figure name={t`To pack`} search={TO_PACK}>
          {toPack.data && number(totalOf(toPack.data))}
        </Figure>
      </div>
    </section>
  )
}

/** Without content yet: the shape of what comes. */
function Figure(props: { name: string; search: object; below?: ReactNode; children?: ReactNode }) {
  return (
    <route.Link className="figure" to="/$business/orders" params={(now) => now} search={props.search}>
      <span className="name">{props.name}</span>
      <span className="value">{props.children ?? <span className="bone" />}</span>
      {props.below}
    </route.Link>
  )
}

function Amount({ amount, currency }: { amount: number; currency: string }) {
  const { currency: sign, figure } = useFormat().moneyParts(amount, currency)
  return (
    <>
      <span className="cur">{sign}</span>
      {figure}
    </>
  )
}

/** Against yesterday, up to the same time. */
function Delta({ now, orders, timeZone }: { now: number; orders: number; timeZone: string }) {
  const { id } = useBusiness()
  const format = useFormat()
  const { from, to } = yesterday(now * 1_000, timeZone)
  // To the quarter of an hour: otherwise each minute would be another question.
  const { data } = useQuery(countQuery(id, from, Math.trunc(to / 900) * 900))
  if (!data) return null
  const more = orders - totalOf(data)
  const figure = `${more > 0 ? '+' : more < 0 ? '−' : '±'}${format.number(Math.abs(more))}`
  return (
    <span className={`delta ${more > 0 ? 'up' : more < 0 ? 'down' : ''}`}>
      <Trans>
        <b>{figure}</b> on yesterday by now
      </Trans>
    </span>
  )
}
