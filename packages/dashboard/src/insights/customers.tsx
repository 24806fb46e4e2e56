import { plural } from '@lingui/core/macro'
import { Plural, useLingui } from '@lingui/react/macro'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ordersPlace } from '../orders/place.ts'
import { useFormat } from '../session/use-format.ts'
import { Bones } from '../ui/bones.tsx'
import { type Column, Columns } from '../ui/columns.tsx'
import { Empty } from '../ui/empty.tsx'
import { Money } from '../ui/money.tsx'
import { Problem } from '../ui/problem.tsx'
import { Amount, unitsOf, useCompact } from './amount.tsx'
import { AsSwitch, SaveTable } from './as-switch.tsx'
import { Counted } from './counted.tsx'
import { CurrencySwitch } from './currency-switch.tsx'
import { Delta } from './delta.tsx'
import { OrdersLink } from './orders-link.tsx'
import { customersQuery } from './queries.ts'
import { addUp, begunBy, currenciesOf, orderQueryOf, pointsOf, previousOf } from './sums.ts'
import { useInsights } from './use-insights.ts'
import { useSpanWords } from './use-span-words.ts'

/** Orders of people who bought for the first time, and of those who came back. */
export function Customers() {
  const { t } = useLingui()
  const format = useFormat()
  const compact = useCompact()
  const { nameOf, shortOf } = useSpanWords()
  const { business, address, search, period, now, own, currency: usual } = useInsights()
  const { data, error, refetch } = useQuery({
    ...customersQuery(business.id, period, search),
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
        <Empty title={t`Nobody bought in this period`}>
          {t`Who buys for the first time counts as new with that order. Try another period.`}
        </Empty>
      </>
    )
  type One = (typeof rows)[number]
  const points = pointsOf(period.spans, rows)
  const shown = points.flatMap((point) => point.rows)
  const begun = begunBy(points, now).flatMap((point) => point.rows)
  const isNew = ({ customer }: One) => customer === 'NEW'
  const isBack = ({ customer }: One) => customer === 'RETURNING'
  const kinds = [
    { id: 'NEW', name: t`New customers`, rows: shown.filter(isNew), begun: begun.filter(isNew) },
    {
      id: 'RETURNING',
      name: t`Orders of returning customers`,
      rows: shown.filter(isBack),
      begun: begun.filter(isBack),
    },
  ]
  const share = (of: readonly One[]) => {
    const orders = addUp(of).orders
    return orders === 0 ? 0 : addUp(of.filter(isBack)).orders / orders
  }
  const columns = points.map((point): Column => {
    const [fresh, back] = [addUp(point.rows.filter(isNew)).orders, addUp(point.rows.filter(isBack)).orders]
    const orderQuery = orderQueryOf(point.rows)
    const count = t`${plural(fresh + back, { one: '# order', other: '# orders' })}`
    return {
      from: point.from,
      name: nameOf(point, period.interval),
      short: shortOf(point, period.interval),
      values: [fresh, back],
      said: t`${format.number(fresh)} new, ${format.number(back)} returning`,
      place: orderQuery === undefined ? undefined : ordersPlace(address, orderQuery),
      opens: t`Open ${count}`,
    }
  })
  return (
    <>
      {counted}
      <div className="figures still">
        {kinds.map(({ id, name, rows: of, begun: compared }) => (
          <OrdersLink key={id} className="figure" orderQuery={orderQueryOf(of)}>
            <span className="name">{name}</span>
            <span className="value">{format.number(addUp(of).orders)}</span>
            <Delta now={addUp(of).orders} before={addUp(previousOf(compared)).orders} />
          </OrdersLink>
        ))}
        {kinds.map(({ id, rows: of, begun: compared }) => (
          <OrdersLink key={`${id} net`} className="figure" orderQuery={orderQueryOf(of)}>
            <span className="name">{id === 'NEW' ? t`Net sales, new` : t`Net sales, returning`}</span>
            <span className="value">
              <Amount amount={addUp(of).net} currency={currency} />
            </span>
            <Delta now={addUp(of).net} before={addUp(previousOf(compared)).net} />
          </OrdersLink>
        ))}
      </div>
      <section>
        <div className="section-head">
          <h2>{t`New and returning`}</h2>
          <span className="note">{t`${format.percent(share(shown))} of orders are by returning customers`}</span>
          <div className="end insight-acts">
            <CurrencySwitch all={currencies} shown={currency} />
            <SaveTable
              name="customers"
              rows={() => [
                ['from', 'to', 'currency', 'newCustomers', 'returningOrders', 'netNew', 'netReturning'],
                ...points.map((point) => {
                  const [fresh, back] = [addUp(point.rows.filter(isNew)), addUp(point.rows.filter(isBack))]
                  const [from = '', to = ''] = [point.from, point.to].map((at) => new Date(at * 1_000).toISOString())
                  const nets = [unitsOf(fresh.net, currency), unitsOf(back.net, currency)]
                  return [from, to, currency, fresh.orders, back.orders, ...nets]
                }),
              ]}
            />
            <AsSwitch />
          </div>
        </div>
        {search.as === 'table' ? (
          <table className="table stack">
            <thead>
              <tr>
                <th>{t`Time`}</th>
                <th className="num">{t`New customers`}</th>
                <th className="num">{t`Net sales, new`}</th>
                <th className="num">{t`Orders of returning customers`}</th>
                <th className="num">{t`Net sales, returning`}</th>
              </tr>
            </thead>
            <tbody>
              {begunBy(points, now)
                .toReversed()
                .map((point) => {
                  const [fresh, back] = [point.rows.filter(isNew), point.rows.filter(isBack)]
                  const [ofNew, ofBack] = [addUp(fresh), addUp(back)]
                  return (
                    <tr key={point.from}>
                      <td className="p1">
                        <OrdersLink orderQuery={orderQueryOf(point.rows)}>{nameOf(point, period.interval)}</OrdersLink>
                      </td>
                      <td className="num">
                        <OrdersLink orderQuery={orderQueryOf(fresh)}>{format.number(ofNew.orders)}</OrdersLink>
                      </td>
                      <td className="num soft">
                        <Money amount={ofNew.net} currency={currency} />
                      </td>
                      <td className="num">
                        <OrdersLink orderQuery={orderQueryOf(back)}>{format.number(ofBack.orders)}</OrdersLink>
                      </td>
                      <td className="p2 only-phone">
                        <Money amount={ofNew.net + ofBack.net} currency={currency} />
                      </td>
                      <td className="p3 only-phone">
                        {t`${format.number(ofNew.orders)} new, ${format.number(ofBack.orders)} returning`}
                      </td>
                      <td className="p4 only-phone soft">
                        <Plural value={ofNew.orders + ofBack.orders} one="# order" other="# orders" />
                      </td>
                      <td className="num soft">
                        <Money amount={ofBack.net} currency={currency} />
                      </td>
                    </tr>
                  )
                })}
            </tbody>
          </table>
        ) : (
          <Columns
            label={t`New and returning customers over time. Arrow keys lead from one to the next, Enter opens its orders.`}
            columns={columns}
            legend={[t`new`, t`returning`]}
            axis={compact}
            isWhole
          >
            {t`Each column opens its orders.`}
          </Columns>
        )}
      </section>
    </>
  )
}
