import type { Answer } from '@kontor/sdk'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { dayOf, nextDay, startOfDay } from '../i18n/days.ts'
import { Amount, unitsOf, useCompact } from '../insights/amount.tsx'
import { useDelta } from '../insights/delta.tsx'
import { addDays } from '../insights/period.ts'
import { addUp, averageOf, orderQueryOf, pointsOf, previousOf } from '../insights/sums.ts'
import { ordersPlace } from '../orders/place.ts'
import { useBusiness } from '../session/use-business.ts'
import { useFormat } from '../session/use-format.ts'
import { type Column, Columns } from '../ui/columns.tsx'
import { Problem } from '../ui/problem.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { hoursQuery } from './queries.ts'
import { useFreshReport, useReport } from './use-report.ts'

const route = getRouteApi('/signed-in/$business/')
type SalesRow = Answer<'readSalesReport'>['items'][number]

/** More currencies than these stand in the insights. */
const MOST_CURRENCIES = 3
const HOUR = 3_600

/** Did we sell? Today against the same weekday last week up to now, in every currency. Each figure opens its orders. */
export function Today({ now, isNew }: { now: number; isNew: boolean }) {
  const { t } = useLingui()
  const { markets } = useBusiness()
  const { number } = useFormat()
  const { data, error, refetch } = useReport()
  const { isRebuilding } = useFreshReport()
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />
  const own = [...new Set(markets.map(({ currency }) => currency))]
  const all = data && currencySums(data.today, own)
  const [main] = all ?? []
  const rows = data?.today ?? []
  const [sums, past] = [addUp(rows), addUp(previousOf(rows))]
  return (
    <section className="sales" aria-label={t`Today`}>
      <div className="hero">
        {all?.slice(0, MOST_CURRENCIES).map(({ currency, rows: of }, index) => (
          <Figure
            key={currency}
            name={t`Sales in ${currency}`}
            rows={of}
            below={<Than rows={of} now={now} isShort={index > 0} />}
          >
            <Amount amount={addUp(of).net} currency={currency} />
          </Figure>
        ))}
        {!all && <Figure name={t`Sales`} rows={[]} />}
        <Figure name={t`Orders`} rows={rows} below={data && <More now={sums.orders} before={past.orders} />}>
          {data && number(sums.orders)}
        </Figure>
        <Figure name={t`Average order`} rows={main?.rows ?? []}>
          {main &&
            (addUp(main.rows).orders === 0 ? (
              '–'
            ) : (
              <Amount amount={averageOf(addUp(main.rows))} currency={main.currency} />
            ))}
        </Figure>
      </div>
      {isRebuilding && <p className="note">{t`Reports are being rebuilt. Figures are incomplete until then.`}</p>}
      {!isNew && main && <Hours now={now} currency={main.currency} />}
    </section>
  )
}

type Sums = { currency: string; rows: SalesRow[] }

/** What sold most today first; the shop's own currency also where nothing was sold. */
function currencySums(today: readonly SalesRow[], own: readonly string[]): Sums[] {
  const found = [...new Set([...own, ...today.map(({ currency }) => currency)])].map((currency) => ({
    currency,
    rows: today.filter((row) => row.currency === currency),
  }))
  const sold = found.filter(({ rows }) => rows.length > 0)
  const ranked = sold.toSorted((a, b) => addUp(b.rows).orders - addUp(a.rows).orders)
  return ranked.length > 0 ? ranked : [{ currency: own[0] ?? 'USD', rows: [] }]
}

/** Without content yet: the shape of what comes. Without orders it opens nothing. */
function Figure(props: { name: string; rows: readonly SalesRow[]; below?: ReactNode; children?: ReactNode }) {
  const { business } = route.useParams()
  const orderQuery = orderQueryOf(props.rows)
  const inside = (
    <>
      <span className="name">{props.name}</span>
      <span className="value">{props.children ?? <span className="bone" />}</span>
      {props.below}
    </>
  )
  if (orderQuery === undefined) return <div className="figure">{inside}</div>
  return (
    <RowLink className="figure" {...ordersPlace(business, orderQuery)}>
      {inside}
    </RowLink>
  )
}

/** Against the same weekday last week, up to the same time. */
function Than({ rows, now, isShort }: { rows: readonly SalesRow[]; now: number; isShort: boolean }) {
  const format = useFormat()
  const say = useDelta()
  const { net } = addUp(rows)
  const { net: before } = addUp(previousOf(rows))
  const weekday = new Intl.DateTimeFormat(format.locale, { weekday: 'long', timeZone: format.timeZone }).format(
    now * 1_000,
  )
  const look = net > before ? 'up' : net < before ? 'down' : ''
  if (before === 0)
    return (
      <span className="delta">
        {net === 0 ? (
          <Trans>nothing yet, as last {weekday} by now</Trans>
        ) : (
          <Trans>nothing last {weekday} by now</Trans>
        )}
      </span>
    )
  const figure = say(net, before)
  return (
    <span className={`delta ${look}`}>
      {isShort ? (
        <b>{figure}</b>
      ) : (
        <Trans>
          <b>{figure}</b> on last {weekday} by {format.time(now)}
        </Trans>
      )}
    </span>
  )
}

function More({ now, before }: { now: number; before: number }) {
  const { number } = useFormat()
  const more = now - before
  if (now === 0 && before === 0) return null
  const look = more > 0 ? 'up' : more < 0 ? 'down' : ''
  return (
    <span className={`delta ${look}`}>
      <b>{`${more > 0 ? '+' : more < 0 ? '−' : '±'}${number(Math.abs(more))}`}</b>
    </span>
  )
}

/** The day by the hour, beside the same weekday last week. */
function Hours({ now, currency }: { now: number; currency: string }) {
  const { t } = useLingui()
  const { id, timeZone } = useBusiness()
  const { business } = route.useParams()
  const format = useFormat()
  const compact = useCompact()
  const today = dayOf(now * 1_000, timeZone)
  const past = addDays(today, -7)
  const [from, to] = [startOfDay(today, timeZone), startOfDay(nextDay(today), timeZone)]
  const wasFrom = startOfDay(past, timeZone)
  const sold = useQuery(hoursQuery(id, from, to))
  const was = useQuery(hoursQuery(id, wasFrom, startOfDay(nextDay(past), timeZone)))
  const spans = (start: number) =>
    Array.from({ length: Math.round((to - from) / HOUR) }, (_, hour) => ({
      from: start + hour * HOUR,
      to: start + (hour + 1) * HOUR,
    }))
  const ofCurrency = (rows: readonly SalesRow[] = []) => rows.filter((row) => row.currency === currency)
  const points = pointsOf(spans(from), ofCurrency(sold.data?.items))
  const before = pointsOf(spans(wasFrom), ofCurrency(was.data?.items))
  if (sold.data && was.data && ofCurrency([...sold.data.items, ...was.data.items]).length === 0) return null
  const columns = points.map((point, index): Column => {
    const sums = addUp(point.rows)
    const past = addUp(before[index]?.rows ?? [])
    const orderQuery = orderQueryOf(point.rows)
    const count = t`${plural(sums.orders, { one: '# order', other: '# orders' })}`
    return {
      from: point.from,
      name: `${format.time(point.from)}–${format.time(point.to)}`,
      short: format.time(point.from),
      values: [unitsOf(sums.net, currency)],
      before: unitsOf(past.net, currency),
      said: point.from > now ? t`not yet` : `${format.money(sums.net, currency)}, ${count}`,
      saidBefore: t`last week: ${format.money(past.net, currency)}`,
      place: orderQuery === undefined ? undefined : ordersPlace(business, orderQuery),
      opens: t`Open ${count}`,
    }
  })
  return (
    <Columns
      label={t`Sales today by the hour, in ${currency}. Arrow keys lead from one to the next, Enter opens its orders.`}
      columns={columns}
      legend={[t`today`]}
      before={t`a week ago`}
      axis={compact}
    >
      <route.Link className="link" to="/$business/insights" params={(now) => now}>{t`All insights`}</route.Link>
    </Columns>
  )
}
