import type { Answer } from '@kontor/sdk'
import { Trans, useLingui } from '@lingui/react/macro'
import { Fragment } from 'react'
import { Money } from '../../ui/money.tsx'
import { useFigures } from './use-figures.ts'
import type { OrderView } from './view.ts'

type Props = { view: OrderView; quote: Answer<'quoteRefund'>; isPart: boolean }

/** What a refund comes to, line by line, closed like a ledger. The last part of a line is what makes it exact. */
export function RefundQuote({ view: { order }, quote, isPart }: Props) {
  const { t } = useLingui()
  const { percent } = useFigures(order.currency)
  const money = (amount: number) => <Money amount={amount} currency={order.currency} />
  const byLine = Map.groupBy(quote.lines, ({ lineId }) => lineId)
  return (
    <table className="table still">
      <tbody>
        {[...byLine].map(([lineId, parts]) => {
          const line = order.lines.find(({ id }) => id === lineId)
          const quantity = parts.reduce((sum, part) => sum + part.quantity, 0)
          const amount = parts.reduce((sum, part) => sum + part.amount, 0)
          if (!line) return null
          const goods = line.unitPrice * quantity
          const discount = Math.round((line.discount * quantity) / line.quantity)
          const rest = amount - goods + discount
          const isPlain = isPart || (discount === 0 && rest === 0)
          return (
            <Fragment key={lineId}>
              <tr>
                <td>
                  {quantity} × {line.name}
                </td>
                <td className="num">{money(isPlain ? amount : goods)}</td>
              </tr>
              {!isPlain && discount > 0 && (
                <tr>
                  <td>{order.promoCode ? t`Its share of ${order.promoCode}` : t`Its share of the discount`}</td>
                  <td className="num">{money(-discount)}</td>
                </tr>
              )}
              {!isPlain && rest !== 0 && (
                <tr>
                  <td>
                    {order.tax > 0 ? t`Tax on it` : t`Rounding`}{' '}
                    {order.tax > 0 && line.taxBps !== null && <span className="soft">{percent(line.taxBps)}</span>}
                  </td>
                  <td className="num">{money(rest)}</td>
                </tr>
              )}
            </Fragment>
          )
        })}
        {quote.shipping > 0 && (
          <tr>
            <td>{order.tax > 0 && order.shippingTax > 0 ? t`Shipping with its tax` : t`Shipping`}</td>
            <td className="num">{money(quote.shipping)}</td>
          </tr>
        )}
        <tr className="sum-row">
          <td>
            <Trans>Refund to the customer</Trans>
          </td>
          <td className="num">{money(quote.amount)}</td>
        </tr>
      </tbody>
    </table>
  )
}
