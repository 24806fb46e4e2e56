import { Plural, useLingui } from '@lingui/react/macro'
import { getRouteApi } from '@tanstack/react-router'
import { ordersPlace } from '../orders/place.ts'
import { useFormat } from '../session/use-format.ts'
import { Bones } from '../ui/bones.tsx'
import { Money } from '../ui/money.tsx'
import { RowLink } from '../ui/row-link.tsx'
import { useReport } from './use-report.ts'

const route = getRouteApi('/signed-in/$business/')

/** What brought most in the last days, each with the orders behind it. */
export function Sells() {
  const { t } = useLingui()
  const { number } = useFormat()
  const { business } = route.useParams()
  const { data, isPending } = useReport()
  const rows = data?.selling ?? []
  if (data && rows.length === 0) return null
  const isOneCurrency = new Set(rows.map(({ currency }) => currency)).size === 1
  const highest = Math.max(1, ...rows.map(({ net }) => net))
  return (
    <section>
      <div className="section-head">
        <h2>{t`What sells`}</h2>
        <span className="note">{t`last 7 days and today`}</span>
        <route.Link
          className="link end note"
          to="/$business/insights"
          params={(now) => now}
          search={{ report: 'products', time: '7d' }}
        >{t`All that sells`}</route.Link>
      </div>
      {isPending ? (
        <Bones rows={5} columns={4} bleed={false} />
      ) : (
        <table className="table stack sells">
          <thead>
            <tr>
              <th>{t`Product`}</th>
              {isOneCurrency && <th aria-hidden="true" />}
              <th className="num">{t`Pieces`}</th>
              <th className="num">{t`Sales`}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.productId} ${row.variantId} ${row.market} ${row.currency}`}>
                <td className="p1">
                  <RowLink {...ordersPlace(business, row.orderQuery)}>{row.name}</RowLink>
                </td>
                {isOneCurrency && (
                  <td aria-hidden="true" className="bar">
                    <span className="meter">
                      <i style={{ width: `${(Math.max(row.net, 0) / highest) * 100}%` }} />
                    </span>
                  </td>
                )}
                <td className="num soft">{number(row.units)}</td>
                <td className="p3 only-phone">
                  <Plural value={row.units} one="# piece" other="# pieces" />
                </td>
                <td className="num p2">
                  <Money amount={row.net} currency={row.currency} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
