import { Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { useBusiness } from '../../session/use-business.ts'
import { Money } from '../../ui/money.tsx'
import { differencesAt, freeFromOf, isInside, isPercent, sortSteps } from './steps.ts'
import { useFigures } from './use-figures.ts'
import type { OrderView } from './view.ts'
import { Apart } from './why.tsx'

/** More figures than this are no sum that one reads. */
const MOST_TERMS = 6

/** Below the lines: each sum with the step that gave it, closed by the total and its proof. */
export function Sums({ view, columns }: { view: OrderView; columns: number }) {
  const { t } = useLingui()
  const { order, explanation } = view
  const { bare, percent, exact } = useFigures(order.currency)
  const how = useHow(view)
  const { taxes } = sortSteps(explanation?.steps ?? [])
  const onTop = taxes.filter((step) => !isInside(step) && step.rate !== undefined && step.result > 0)
  const inside = taxes.filter((step) => isInside(step) && step.rate !== undefined && step.result > 0)
  const row = (name: ReactNode, words: ReactNode, amount: number, fields: string[]) => (
    <Row {...{ name, amount, columns, view, fields }} how={words} />
  )
  const taxHow = (base: number, bps: number) => {
    const before = exact(base, bps)
    const parts = how.taxed(base)
    return `${t`${percent(bps)} of ${bare(base)}`}${parts}${before && ` = ${before}`}`
  }
  return (
    <tbody className="sums">
      {row(t`Goods`, how.goods, order.subtotal, ['subtotal'])}
      {(order.discount > 0 || order.promoCode !== null) &&
        row(how.discountName, how.discount, -order.discount, ['discount'])}
      {(order.shipping > 0 || order.shippingMethodId !== null) &&
        row(how.shippingName, how.shipping, order.shipping, ['shipping'])}
      {onTop.map(({ base, rate = 0, result }) => (
        <Row
          key={rate}
          name={t`Tax`}
          how={taxHow(base, rate)}
          amount={
            onTop.length === 1 ? order.tax : (order.taxes.find(({ taxBps }) => taxBps === rate)?.amount ?? result)
          }
          fields={['tax', 'shippingTax']}
          {...{ columns, view }}
        />
      ))}
      {onTop.length === 0 && order.tax > 0 && row(t`Tax`, how.byHand, order.tax, ['tax', 'shippingTax'])}
      <tr className="sum-row">
        <td colSpan={columns}>
          <span className="two">
            <span>{t`Total`}</span>
            <Proof view={view} />
          </span>
        </td>
        <td className="num">
          <Money amount={order.total} currency={order.currency} />
        </td>
      </tr>
      {inside.map(({ base, rate = 0, result }) => (
        <Row
          key={rate}
          name={t`Tax inside`}
          how={t`${percent(rate)}: ${bare(base)} is ${bare(base - result)} and ${bare(result)} tax`}
          amount={result}
          fields={['taxIncluded', 'shippingTax']}
          isSoft
          {...{ columns, view }}
        />
      ))}
    </tbody>
  )
}

type RowProps = {
  name: ReactNode
  how: ReactNode
  amount: number
  columns: number
  view: OrderView
  fields: string[]
  isSoft?: boolean
}

function Row({ name, how, amount, columns, view, fields, isSoft = false }: RowProps) {
  const { order, explanation } = view
  const { bare } = useFigures(order.currency)
  const apart = explanation ? differencesAt(explanation, (field) => fields.includes(field)) : []
  return (
    <tr className={isSoft ? 'soft' : ''}>
      <td colSpan={columns}>
        <span className="two">
          <span>{name}</span>
          <span className="how">
            {how}
            {apart.map((one) => (
              <Apart key={one.field} {...one} figure={bare} />
            ))}
          </span>
        </span>
      </td>
      <td className={`num ${apart.length > 0 ? 'alert-text' : ''}`}>
        <Money amount={amount} currency={order.currency} />
      </td>
    </tr>
  )
}

/** Beside the double rule: that it was added up, or where it is not so. */
function Proof({ view: { order, explanation } }: { view: OrderView }) {
  const { bare } = useFigures(order.currency)
  if (!explanation) return <span className="how" />
  if (explanation.addsUp)
    return (
      <span className="how good-text">
        {explanation.isByHand ? (
          <Trans>Entered by hand, added up again: the same to the cent</Trans>
        ) : (
          <Trans>Computed again: the same to the cent</Trans>
        )}
      </span>
    )
  const apart = explanation.differences.find(({ field }) => field === 'total')
  return (
    <span className="how">
      {apart ? (
        <Apart {...apart} figure={bare} />
      ) : (
        <span className="alert-text strong">
          <Trans>Does not add up: see the red figures</Trans>
        </span>
      )}
    </span>
  )
}

/** Each sum in words. */
function useHow({ order, explanation }: OrderView) {
  const { t } = useLingui()
  const { bare, percent } = useFigures(order.currency)
  const business = useBusiness()
  const market = business.markets.find(({ id }) => id === order.market)
  const method = market?.shippingMethods.find(({ id }) => id === order.shippingMethodId)
  const { promo, shipping } = sortSteps(explanation?.steps ?? [])
  const byHand = explanation?.isByHand ? t`entered by hand` : ''
  const count = order.lines.length
  const terms = order.lines.map(({ totalPrice }) => bare(totalPrice))
  const reduced = order.subtotal - order.discount

  const discountHow = () => {
    if (!promo?.rate) return byHand
    return isPercent(promo)
      ? t`${percent(promo.rate)} of ${bare(promo.base)}`
      : t`${bare(promo.rate)} off, at most the goods`
  }
  const shippingHow = () => {
    if (!shipping || byHand) return byHand
    const free = freeFromOf(shipping)
    if (free !== undefined) return t`free from ${bare(free)}; goods are ${bare(shipping.base)}`
    const today = method?.freeFrom
    // The method may have changed since: only what fits is said.
    if (today !== undefined && method?.price === order.shipping && shipping.base < today)
      return t`free from ${bare(today)}; goods are ${bare(shipping.base)}`
    return t`the price of this method`
  }
  return {
    byHand,
    goods: count > MOST_TERMS ? t`the sum of ${count} lines` : count > 1 ? terms.join(' + ') : '',
    discountName: order.promoCode ? t`Code ${order.promoCode}` : t`Discount`,
    discount: discountHow(),
    shippingName: method?.name ?? t`Shipping`,
    shipping: shippingHow(),
    /** What the base of a tax is made of, where it is goods and shipping. */
    taxed: (base: number) =>
      order.shipping > 0 && base === reduced + order.shipping
        ? ` (${t`goods ${bare(reduced)}, shipping ${bare(order.shipping)}`})`
        : '',
  }
}
