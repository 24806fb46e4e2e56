import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useFormat } from '../session/use-format.ts'
import { Button } from '../ui/button.tsx'
import { Money } from '../ui/money.tsx'
import { Delta } from './delta.tsx'
import { OrdersLink } from './orders-link.tsx'
import type { Row } from './sums.ts'
import { useInsights } from './use-insights.ts'

export type Ranked = Row & { key: string; shown: string; currency: string }

type Props = {
  /** What a row is of. */
  head: string
  rows: readonly Ranked[]
  /** By what they are ranked, and so how long the bars are. */
  by: 'net' | 'units'
  hasDiscount?: boolean
  more: { has: boolean; isLoading: boolean; load: () => void }
}

/** What brought most: a bar and its figures on one line. Each opens the orders behind it. */
export function Ranking({ head, rows, by, hasDiscount = false, more }: Props) {
  const { t } = useLingui()
  const { number } = useFormat()
  const { isComparable } = useInsights()
  const highest = Math.max(1, ...rows.map((row) => row[by]))
  return (
    <>
      <table className="table stack ranking">
        <thead>
          <tr>
            <th>{head}</th>
            <th aria-hidden="true" className="hide-tablet" />
            <th className="num">{t`Orders`}</th>
            <th className="num">{t`Pieces`}</th>
            <th className="num hide-tablet">{hasDiscount ? t`Discount` : t`Refunded`}</th>
            <th className="num">{t`Net sales`}</th>
            <th className="num hide-tablet">{t`Before`}</th>
            {isComparable && <th className="num">{t`Change`}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key}>
              <td className="p1 cut">
                <OrdersLink orderQuery={row.orderQuery} className="plain">
                  {row.shown}
                </OrdersLink>
              </td>
              <td aria-hidden="true" className="hide-tablet bar">
                <span className="meter">
                  <i style={{ width: `${Math.max((row[by] / highest) * 100, 0)}%` }} />
                </span>
              </td>
              <td className="num soft">{number(row.orders)}</td>
              <td className="num">{number(row.units)}</td>
              <td className="num soft hide-tablet">
                <Dash amount={hasDiscount ? row.discount : row.refunded} currency={row.currency} />
              </td>
              <td className="num p2">
                <Money amount={row.net} currency={row.currency} />
              </td>
              <td className="num soft hide-tablet">
                <Dash amount={row.previous?.net ?? 0} currency={row.currency} />
              </td>
              <td className="p3 only-phone">
                {hasDiscount ? (
                  <Plural value={row.orders} one="# order" other="# orders" />
                ) : (
                  <Trans>
                    <Plural value={row.units} one="# piece" other="# pieces" /> in{' '}
                    <Plural value={row.orders} one="# order" other="# orders" />
                  </Trans>
                )}
              </td>
              {isComparable && (
                <td className="num p4">
                  <Delta now={row[by]} before={row.previous?.[by] ?? 0} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {more.has && (
        <p className="pt-4">
          <Button reason={more.isLoading ? t`Loading…` : undefined} onClick={more.load}>{t`Show more`}</Button>
        </p>
      )}
    </>
  )
}

const Dash = ({ amount, currency }: { amount: number; currency: string }) =>
  amount === 0 ? '–' : <Money amount={amount} currency={currency} />
