import type { Price as MarketPrice } from '@kontor/sdk'
import { money, usualPrice } from '../state/catalog.ts'
import type { Market } from '../state/kontor.ts'

/** Every price has to say whether the tax is in it. */
export function taxText({ taxBps, taxRates, pricesIncludeTax }: Market): string {
  if (taxBps === 0 && taxRates.length === 0) return 'no tax is added'
  const rate = taxRates.length > 0 ? '' : `${taxBps / 100}% `
  return pricesIncludeTax ? `incl. ${rate}VAT` : `plus ${rate}tax`
}

type PriceProps = { price: MarketPrice; isFrom?: boolean }

/** A reduced price stands beside the lowest of the last 30 days, and says so: in the European Union it has to. */
export function Price({ price, isFrom }: PriceProps) {
  const { currency, lowestOf30Days } = price
  const usual = usualPrice(price)
  return (
    <span class="price">
      {isFrom && <small>from </small>}
      <span class={usual === undefined ? undefined : 'sale'}>
        {usual !== undefined && <span class="unseen">Now </span>}
        {money(price.price, currency)}
      </span>
      {usual !== undefined && (
        <>
          {' '}
          <s>
            <span class="unseen">instead of </span>
            {money(usual, currency)}
          </s>
        </>
      )}
      {usual !== undefined && lowestOf30Days !== undefined && (
        <small class="lowest">Lowest price of the last 30 days: {money(lowestOf30Days, currency)}</small>
      )}
    </span>
  )
}
