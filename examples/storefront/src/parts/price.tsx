import { money } from '../state/catalog.ts'
import type { Market } from '../state/kontor.ts'

/** Prices of the service never hold the tax. Where there is one, every price has to say so. */
export const taxText = ({ taxBps }: Market) => (taxBps > 0 ? `plus ${taxBps / 100}% tax` : 'no tax is added')

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
