import { money } from '../state/catalog.ts'
import type { Market } from '../state/kontor.ts'

/** Every price has to say whether the tax is in it. */
export function taxText({ taxBps, taxRates, pricesIncludeTax }: Market): string {
  if (taxBps === 0 && taxRates.length === 0) return 'no tax is added'
  const rate = taxRates.length > 0 ? '' : `${taxBps / 100}% `
  return pricesIncludeTax ? `incl. ${rate}VAT` : `plus ${rate}tax`
}

type PriceProps = { price: number; currency: string; compareAtPrice?: number | null; isFrom?: boolean }

export function Price({ price, currency, compareAtPrice, isFrom }: PriceProps) {
  const isSale = compareAtPrice != null && compareAtPrice > price
  return (
    <span class="price">
      {isFrom && <small>from </small>}
      <span class={isSale ? 'sale' : undefined}>
        {isSale && <span class="unseen">Now </span>}
        {money(price, currency)}
      </span>
      {isSale && (
        <>
          {' '}
          <s>
            <span class="unseen">instead of </span>
            {money(compareAtPrice, currency)}
          </s>
        </>
      )}
    </span>
  )
}
