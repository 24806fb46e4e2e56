import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ordersPlace } from '../orders/place.ts'
import { useFormat } from '../session/use-format.ts'
import { Bones } from '../ui/bones.tsx'
import { type Column, Columns } from '../ui/columns.tsx'
import { Empty } from '../ui/empty.tsx'
import { Problem } from '../ui/problem.tsx'
import { Amount, unitsOf, useCompact } from './amount.tsx'
import { AsSwitch, SaveTable } from './as-switch.tsx'
import { Counted } from './counted.tsx'
import { CurrencySwitch } from './currency-switch.tsx'
import { FigureLinks, type Shown } from './figure-links.tsx'
import { OrdersLink } from './orders-link.tsx'
import { salesQuery } from './queries.ts'
import { SalesTable } from './sales-table.tsx'
import type { Figure } from './search.ts'
import { addUp, averageOf, begunBy, currenciesOf, type Figures, orderQueryOf, pointsOf, previousOf } from './sums.ts'
import { useInsights } from './use-insights.ts'
import { useSpanWords } from './use-span-words.ts'

const SHOWN = ['net', 'orders', 'average', 'units', 'refunded'] as const satisfies Figure[]
type Drawn = (typeof SHOWN)[number]
const isMoney = (figure: Drawn) => figure !== 'orders' && figure !== 'units'
const figureOf = (figures: Figures, figure: Drawn) => (figure === 'average' ? averageOf(figures) : figures[figure])

/** Revenue over time, against the time before. */
export function Sales() {
  const { t } = useLingui()
  const format = useFormat()
  const compact = useCompact()
  const { nameOf, shortOf } = useSpanWords()
  const { business, address, search, period, now, own, currency: usual } = useInsights()
  const { data, error, refetch } = useQuery({
    ...salesQuery(business.id, period, search),
    placeholderData: keepPreviousData,
  })
  if (!data) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Bones rows={9} bleed={false} />
  const currencies = currenciesOf(data.items, own)
  const currency = currencies.length === 0 || currencies.includes(usual) ? usual : (currencies[0] ?? usual)
  const rows = data.items.filter((row) => row.currency === currency)
  const counted = <Counted upToEvent={data.upToEvent} readAgain={refetch} />
  if (rows.length === 0)
    return (
      <>
        {counted}
        <Empty title={t`Nothing was sold in this period`}>
          {t`Paid orders stand here within seconds. Try another period.`}
        </Empty>
      </>
    )
  const points = pointsOf(period.spans, rows)
  const shown = points.flatMap((point) => point.rows)
  const begun = begunBy(points, now).flatMap((point) => point.rows)
  const [all, before] = [addUp(shown), addUp(previousOf(begun))]
  const money = (amount: number) => format.money(amount, currency)
  const say = (figure: Drawn, value: number) => (isMoney(figure) ? money(value) : format.number(value))
  const names: Record<Drawn, string> = {
    net: t`Net sales`,
    orders: t`Orders`,
    average: t`Average order`,
    units: t`Pieces`,
    refunded: t`Refunded`,
  }
  const chosen = SHOWN.find((figure) => figure === search.figure) ?? 'net'
  const figures = SHOWN.map((id): Shown => {
    const [value, past] = [figureOf(all, id), figureOf(before, id)]
    const said = isMoney(id) ? <Amount amount={value} currency={currency} /> : format.number(value)
    return { id, name: names[id], value: said, now: value, before: past, isBad: id === 'refunded' }
  })
  const columns = points.map((point): Column => {
    const [sums, past] = [addUp(point.rows), addUp(previousOf(point.rows))]
    const [value, was] = [figureOf(sums, chosen), figureOf(past, chosen)]
    const orderQuery = orderQueryOf(point.rows)
    const count = t`${plural(sums.orders, { one: '# order', other: '# orders' })}`
    const drawn = (amount: number) => (isMoney(chosen) ? unitsOf(amount, currency) : amount)
    return {
      from: point.from,
      name: nameOf(point, period.interval),
      short: shortOf(point, period.interval),
      values: [drawn(value)],
      before: drawn(was),
      said: chosen === 'orders' ? count : `${say(chosen, value)}, ${count}`,
      saidBefore: t`before: ${say(chosen, was)}`,
      place: orderQuery === undefined ? undefined : ordersPlace(address, orderQuery),
      opens: t`Open ${count}`,
    }
  })
  const allOrders = t`${plural(all.orders, { one: '# order', other: '# orders' })}`
  return (
    <>
      {counted}
      <FigureLinks label={t`Figures`} figures={figures} chosen={chosen} />
      <section>
        <div className="section-head">
          <h2>{names[chosen]}</h2>
          <OrdersLink orderQuery={orderQueryOf(shown)} className="link note">
            {allOrders}
          </OrdersLink>
          <div className="end insight-acts">
            <CurrencySwitch all={currencies} shown={currency} />
            <SaveTable
              name="revenue"
              rows={() => [
                ['from', 'to', 'currency', 'orders', 'pieces', 'total', 'refunded', 'net', 'netBefore'],
                ...points.map((point) => {
                  const sums = addUp(point.rows)
                  const [total, refunded, net, past] = [
                    sums.total,
                    sums.refunded,
                    sums.net,
                    addUp(previousOf(point.rows)).net,
                  ].map((amount) => unitsOf(amount, currency))
                  const [from, to] = [point.from, point.to].map((at) => new Date(at * 1_000).toISOString())
                  return [
                    from ?? '',
                    to ?? '',
                    currency,
                    sums.orders,
                    sums.units,
                    total ?? 0,
                    refunded ?? 0,
                    net ?? 0,
                    past ?? 0,
                  ]
                }),
              ]}
            />
            <AsSwitch />
          </div>
        </div>
        {search.as === 'table' ? (
          <SalesTable points={begunBy(points, now)} currency={currency} interval={period.interval} />
        ) : (
          <Columns
            label={t`${names[chosen]} over time. Arrow keys lead from one to the next, Enter opens its orders.`}
            columns={columns}
            legend={[t`this period`]}
            before={t`the period before`}
            axis={compact}
            isWhole={!isMoney(chosen)}
          >
            {t`Each column opens its orders.`}
          </Columns>
        )}
      </section>
    </>
  )
}
