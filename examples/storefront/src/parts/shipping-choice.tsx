import type { Quote, ShippingMethod } from '@kontor/sdk'
import { useId } from 'preact/hooks'
import { choose, useChoices } from '../state/cart.ts'
import { money } from '../state/catalog.ts'
import type { Market } from '../state/kontor.ts'
import { methodOf } from '../state/quote.ts'

type ChoiceProps = { market: Market | undefined; quote: Quote | undefined }

export function ShippingChoice({ market, quote }: ChoiceProps) {
  const choices = useChoices()
  const name = useId()
  if (!market || market.shippingMethods.length === 0) return null
  const chosen = methodOf(market, choices)
  return (
    <fieldset class="methods">
      <legend>Shipping to {market.name}</legend>
      {market.shippingMethods.map((method) => (
        <label key={method.id}>
          <input
            type="radio"
            name={name}
            checked={method.id === chosen?.id}
            onChange={() => choose({ shippingMethodId: method.id })}
          />
          <span>
            {method.name}
            <FreeFrom method={method} market={market} quote={quote} />
          </span>
          <span>{costOf(method, quote) === 0 ? 'Free' : money(method.price, market.currency)}</span>
        </label>
      ))}
    </fieldset>
  )
}

/** The service counts what is left of the goods after the discount. */
const goodsOf = ({ subtotal, discount }: Quote) => subtotal - discount

const costOf = ({ price, freeFrom }: ShippingMethod, quote: Quote | undefined) =>
  freeFrom !== undefined && quote && goodsOf(quote) >= freeFrom ? 0 : price

function FreeFrom({ method, market, quote }: { method: ShippingMethod; market: Market; quote: Quote | undefined }) {
  const { freeFrom } = method
  if (freeFrom === undefined || method.price === 0 || costOf(method, quote) === 0) return null
  const missing = quote && freeFrom - goodsOf(quote)
  return (
    <small>
      {missing
        ? `${money(missing, market.currency)} more, and it is free`
        : `free from ${money(freeFrom, market.currency)}`}
    </small>
  )
}
