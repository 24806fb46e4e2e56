import { Trans, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dayOf } from '../i18n/days.ts'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { Problem } from '../ui/problem.tsx'
import { SOLD, sumsOf, TO_PACK } from './queries.ts'
import { useDays, useToPack } from './use-days.ts'

const route = getRouteApi('/signed-in/$business/')

/** Today: what was sold, how many orders, how many wait. Each figure opens the list behind it. */
export function Sales({ now }: { now: number }) {
  const { t } = useLingui()
  const business = useBusiness()
  const { number } = useFormat()
  const { timeZone } = business
  const today = { from: dayOf(now * 1_000, timeZone) }
  const { error, retry, sold, orders, paid, before } = useDays(now)
  const toPack = useToPack()
  if (error && !sold && orders === undefined) return <Problem error={error} onRetry={retry} />
  const currencies = [...new Set(business.markets.map(({ currency }) => currency))]
  const sums = sold && sumsOf(sold, currencies)?.toSorted((a, b) => b.orders - a.orders)
  return (
    <section className="sales" aria-label={t`Today`}>
      <div className="hero">
        {sums?.map(({ currency, amount }) => (
          <Figure key={currency} name={t`Sales in ${currency}`} search={{ ...SOLD, ...today }}>
            <Amount amount={amount} currency={currency} />
          </Figure>
        ))}
        {sold && !sums && (
          <Figure
            name={t`Paid orders`}
            search={{ ...SOLD, ...today }}
            below={
              <span className="delta">
                <Trans>more than {number(sold.items.length)} orders, not added up here</Trans>
              </span>
            }
          >
            {paid && `${number(paid.count)}${paid.isExact ? '' : '+'}`}
          </Figure>
        )}
        {!sold && <Figure name={t`Sales`} search={today} />}
        <Figure
          name={t`Orders`}
          search={today}
          below={orders === undefined || before === undefined ? undefined : <Delta more={orders - before} />}
        >
          {orders === undefined ? undefined : number(orders)}
        </Figure>
        <Figure name={t`To pack`} search={TO_PACK}>
          {toPack.count === undefined ? undefined : number(toPack.count)}
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
function Delta({ more }: { more: number }) {
  const format = useFormat()
  const figure = `${more > 0 ? '+' : more < 0 ? '−' : '±'}${format.number(Math.abs(more))}`
  return (
    <span className={`delta ${more > 0 ? 'up' : more < 0 ? 'down' : ''}`}>
      <Trans>
        <b>{figure}</b> on yesterday by now
      </Trans>
    </span>
  )
}
