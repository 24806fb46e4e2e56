import { Plural, useLingui } from '@lingui/react/macro'
import { useFormat } from '../session/use-format.ts'
import { Money } from '../ui/money.tsx'
import { Delta } from './delta.tsx'
import { OrdersLink } from './orders-link.tsx'
import type { Interval } from './period.ts'
import { addUp, orderQueryOf, type Point, previousOf, type Row } from './sums.ts'
import { useSpanWords } from './use-span-words.ts'

type Props = { points: readonly Point<Row>[]; currency: string; interval: Interval }

/** What the columns show, in figures: the newest first, and their sum. */
export function SalesTable({ points, currency, interval }: Props) {
  const { t } = useLingui()
  const { nameOf } = useSpanWords()
  const rows = points.flatMap((point) => point.rows)
  return (
    <table className="table stack">
      <thead>
        <tr>
          <th>{t`Time`}</th>
          <th className="num">{t`Orders`}</th>
          <th className="num">{t`Pieces`}</th>
          <th className="num">{t`Total`}</th>
          <th className="num">{t`Refunded`}</th>
          <th className="num">{t`Net sales`}</th>
          <th className="num">{t`Before`}</th>
          <th className="num">{t`Change`}</th>
        </tr>
      </thead>
      <tbody>
        <Line name={t`All`} rows={rows} currency={currency} isSum />
        {points.toReversed().map((point) => (
          <Line key={point.from} name={nameOf(point, interval)} rows={point.rows} currency={currency} />
        ))}
      </tbody>
    </table>
  )
}

type LineProps = { name: string; rows: readonly Row[]; currency: string; isSum?: boolean }

function Line({ name, rows, currency, isSum = false }: LineProps) {
  const { number } = useFormat()
  const [now, before] = [addUp(rows), addUp(previousOf(rows))]
  return (
    <tr className={isSum ? 'sum-row' : ''}>
      <td className="p1">
        <OrdersLink orderQuery={orderQueryOf(rows)}>{name}</OrdersLink>
      </td>
      <td className="num">{number(now.orders)}</td>
      <td className="num soft">{number(now.units)}</td>
      <td className="num soft">
        <Money amount={now.total} currency={currency} />
      </td>
      <td className="num soft">{now.refunded === 0 ? '–' : <Money amount={now.refunded} currency={currency} />}</td>
      <td className="num p2">
        <Money amount={now.net} currency={currency} />
      </td>
      <td className="num soft">
        <Money amount={before.net} currency={currency} />
      </td>
      <td className="p3 only-phone">
        <Plural value={now.orders} one="# order" other="# orders" />
      </td>
      <td className="num p4">
        <Delta now={now.net} before={before.net} />
      </td>
    </tr>
  )
}
