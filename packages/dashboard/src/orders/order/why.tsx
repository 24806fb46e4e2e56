import type { OrderLine } from '@kontor/sdk'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { useBusiness } from '../../session/use-business.ts'
import { useFormat } from '../../session/use-format.ts'
import { Money } from '../../ui/money.tsx'
import { differencesAt } from './steps.ts'
import { useFigures } from './use-figures.ts'
import type { OrderView } from './view.ts'

/** Why this price: the steps of a line, in words, to the cent. */
export function Why({ view, line, index }: { view: OrderView; line: OrderLine; index: number }) {
  const { order, explanation } = view
  const business = useBusiness()
  const format = useFormat()
  const { bare, percent } = useFigures(order.currency)
  const { currency } = order
  const market = business.markets.find(({ id }) => id === order.market)?.name ?? order.market
  const isInside = order.taxIncluded > 0
  const paid = line.totalPrice - line.discount + (isInside ? 0 : line.tax)
  const taxed = line.totalPrice - line.discount
  const code = order.promoCode
  const rate = line.taxBps === null ? '' : percent(line.taxBps)
  return (
    <div className="why-box">
      <p>
        {explanation?.isByHand ? (
          <Trans>
            <Money amount={line.unitPrice} currency={currency} /> was entered by hand on {format.date(order.createdAt)}.
          </Trans>
        ) : (
          <Trans>
            <Money amount={line.unitPrice} currency={currency} /> was the price for {market} when it was ordered,{' '}
            {format.full(order.createdAt)}.
          </Trans>
        )}
      </p>
      <p>
        <Plural value={line.quantity} one="# piece:" other="# pieces:" /> {line.quantity} × {bare(line.unitPrice)} ={' '}
        {bare(line.totalPrice)}.
      </p>
      {line.discount > 0 && (
        <p>
          {code ? (
            <Trans>
              Its share of the {bare(order.discount)} off by {code}, in proportion {bare(line.totalPrice)} of{' '}
              {bare(order.subtotal)}: −{bare(line.discount)}.
            </Trans>
          ) : (
            <Trans>
              Its share of the discount of {bare(order.discount)}, in proportion {bare(line.totalPrice)} of{' '}
              {bare(order.subtotal)}: −{bare(line.discount)}.
            </Trans>
          )}
        </p>
      )}
      {line.tax > 0 && (
        <p>
          {isInside ? (
            <Trans>
              Of the {bare(taxed)}, {bare(line.tax)} is tax {rate}, inside the price.
            </Trans>
          ) : (
            <Trans>
              Its share of the tax, {rate} on {bare(taxed)}: {bare(line.tax)}.
            </Trans>
          )}
        </p>
      )}
      <p className="strong">
        <Trans>
          So this line cost <Money amount={paid} currency={currency} />.
        </Trans>
      </p>
      {explanation &&
        differencesAt(explanation, (field) => field.startsWith(`lines.${index}.`)).map((apart) => (
          <Apart key={apart.field} {...apart} figure={bare} />
        ))}
    </div>
  )
}

type ApartProps = { field: string; order: number; computed: number; figure: (amount: number) => string }

/** Red, where the order says something else than its own steps. */
export function Apart({ field, order, computed, figure }: ApartProps) {
  const { t } = useLingui()
  const name = field.split('.').at(-1)
  const show = name === 'quantity' ? String : figure
  const words: Record<string, string> = {
    quantity: t`Pieces`,
    unitPrice: t`Price`,
    totalPrice: t`Total`,
    discount: t`Discount`,
    tax: t`Tax`,
    taxIncluded: t`Tax inside`,
    shippingTax: t`Tax on shipping`,
    shipping: t`Shipping`,
    subtotal: t`Goods`,
    total: t`Total`,
  }
  const word = words[name ?? ''] ?? field
  return (
    <p className="alert-text strong">
      <Trans>
        {word} does not add up: the order says {show(order)}, computed again it is {show(computed)}.
      </Trans>
    </p>
  )
}
