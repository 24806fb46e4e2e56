import { useId } from 'preact/hooks'
import { choose, useChoices } from '../state/cart.ts'
import { money } from '../state/catalog.ts'
import type { Market } from '../state/kontor.ts'
import { methodOf } from '../state/quote.ts'

export function ShippingChoice({ market }: { market: Market | undefined }) {
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
            {method.freeFrom != null && <small>free from {money(method.freeFrom, market.currency)}</small>}
          </span>
          <span>{method.price === 0 ? 'Free' : money(method.price, market.currency)}</span>
        </label>
      ))}
    </fieldset>
  )
}
