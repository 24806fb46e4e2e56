import type { Quote } from '@kontor/sdk'
import { useLingui } from '@lingui/react/macro'
import { X } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Money } from '../../ui/money.tsx'
import { Stepper } from '../../ui/stepper.tsx'
import { freeFromOf, isPercent, type Step, sortSteps } from '../order/steps.ts'
import { useFigures } from '../order/use-figures.ts'
import type { NewLine } from './draft.ts'

const MOST_PIECES = 10_000

type Props = {
  lines: readonly NewLine[]
  quote: Quote | undefined
  currency: string
  shippingName: string
  promoCode: string
  onChange: (lines: NewLine[]) => void
}

/** The goods with what the service says they cost, closed like a ledger. */
export function NewLines({ lines, quote, currency, shippingName, promoCode, onChange }: Props) {
  const { t } = useLingui()
  const { percent, bare } = useFigures(currency)
  const { promo, shipping } = sortSteps(quote?.steps ?? [])
  const freeFrom = shipping && freeFromOf(shipping)
  const discountHow = (step: Step) =>
    isPercent(step)
      ? t`${percent(step.rate ?? 0)} of ${bare(step.base)}`
      : t`${bare(step.rate ?? 0)} off, at most the goods`
  const figure = (amount: number | undefined) => (amount === undefined ? '' : <Money {...{ amount, currency }} />)
  const priced = (line: NewLine) =>
    quote?.lines.find(({ productId, variantId }) => productId === line.productId && variantId === line.variantId)
  const change = (index: number, quantity: number) =>
    onChange(lines.map((line, at) => (at === index ? { ...line, quantity } : line)))
  const sum = (name: string, how: string, amount: number) => (
    <tr>
      <td colSpan={3}>
        <span className="two">
          <span>{name}</span>
          <span className="how">{how}</span>
        </span>
      </td>
      <td className="num">{figure(amount)}</td>
      <td />
    </tr>
  )
  return (
    <table className="table lines new-lines">
      <thead>
        <tr>
          <th>{t`Line`}</th>
          <th className="num q">{t`Price`}</th>
          <th className="num q">{t`Pieces`}</th>
          <th className="num">{t`Total`}</th>
          <th>
            <span className="unseen">{t`Remove`}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line, index) => (
          <tr key={`${line.productId}/${line.variantId}`}>
            <td>
              <span className="strong">{line.name}</span>
              <br />
              <span className="note">{line.sku}</span>
            </td>
            <td className="num q">{figure(priced(line)?.unitPrice)}</td>
            <td className="num">
              <Stepper
                name={line.name}
                least={1}
                most={MOST_PIECES}
                value={line.quantity}
                isOpenEnded
                onChange={(quantity) => change(index, quantity)}
              />
            </td>
            <td className="num">{figure(priced(line)?.totalPrice)}</td>
            <td className="num">
              <Button
                look="quiet small"
                icon={X}
                only={t`Remove ${line.name}`}
                onClick={() => onChange(lines.filter((_, at) => at !== index))}
              />
            </td>
          </tr>
        ))}
      </tbody>
      {quote && (
        <tbody className="sums">
          {sum(t`Goods`, '', quote.subtotal)}
          {(quote.discount > 0 || promo) && sum(t`Code ${promoCode}`, promo ? discountHow(promo) : '', -quote.discount)}
          {sum(
            shippingName || t`Shipping`,
            freeFrom === undefined ? '' : t`free from ${bare(freeFrom)}`,
            quote.shipping,
          )}
          {quote.taxes
            .filter(({ included, amount }) => !included && amount > 0)
            .map(({ taxBps, base, amount }) => (
              <tr key={taxBps}>
                <td colSpan={3}>
                  <span className="two">
                    <span>{t`Tax`}</span>
                    <span className="how">{t`${percent(taxBps)} of ${bare(base)}`}</span>
                  </span>
                </td>
                <td className="num">{figure(amount)}</td>
                <td />
              </tr>
            ))}
          <tr className="sum-row">
            <td colSpan={3}>
              <span className="two">
                <span>{t`Total`}</span>
                <span className="how">{quote.taxIncluded > 0 ? t`${bare(quote.taxIncluded)} tax inside` : ''}</span>
              </span>
            </td>
            <td className="num">{figure(quote.total)}</td>
            <td />
          </tr>
        </tbody>
      )}
    </table>
  )
}
