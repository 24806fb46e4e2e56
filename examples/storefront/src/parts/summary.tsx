import type { Order, Quote } from '@kontor/sdk'
import type { ComponentChildren } from 'preact'
import { money } from '../state/catalog.ts'

type Figures = Pick<
  Quote & Order,
  'subtotal' | 'discount' | 'shipping' | 'tax' | 'taxIncluded' | 'total' | 'currency'
> & {
  taxBps?: number
}

/** The figures of a quote or an order. Without them, the same lines without numbers. */
export function Summary({ figures, note }: { figures: Figures | undefined; note?: ComponentChildren }) {
  const show = (amount: number | undefined) =>
    figures && amount !== undefined ? money(amount, figures.currency) : <span class="bar" />
  const rate = figures?.taxBps ? ` (${figures.taxBps / 100}%)` : ''
  return (
    <dl class="figures" aria-busy={!figures}>
      <div>
        <dt>Goods</dt>
        <dd>{show(figures?.subtotal)}</dd>
      </div>
      {figures && figures.discount > 0 && (
        <div class="discount">
          <dt>Discount</dt>
          <dd>−{show(figures.discount)}</dd>
        </div>
      )}
      <div>
        <dt>Shipping</dt>
        <dd>{figures?.shipping === 0 ? 'Free' : show(figures?.shipping)}</dd>
      </div>
      {figures?.tax !== 0 && !figures?.taxIncluded && (
        <div>
          <dt>Tax{rate}</dt>
          <dd>{show(figures?.tax)}</dd>
        </div>
      )}
      <div class="total">
        <dt>Total</dt>
        <dd>{show(figures?.total)}</dd>
      </div>
      {figures && figures.taxIncluded > 0 && (
        <div class="inside">
          <dt>including VAT</dt>
          <dd>{show(figures.taxIncluded)}</dd>
        </div>
      )}
      {note && <div class="figures-note">{note}</div>}
    </dl>
  )
}
