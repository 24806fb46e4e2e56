import { EVER_PAID } from '#modules/orders/index.ts'
import { type Span, toSeconds } from './periods.ts'

/** What narrows a list of orders down, besides time and payment; undefined says nothing. */
export type Narrowed = {
  market?: string
  currency?: string
  customer?: string
  productId?: string
  variantId?: string
  promoCode?: string
}

const PAID = EVER_PAID.map((status) => `&paymentStatus=${status}`).join('')

/** The query of the list of exactly the orders that are counted in a span. A report has thousands: plain text is quickest. */
export function orderQueryOf({ from, to }: Span, narrowed: Narrowed): string {
  let query = `createdFrom=${toSeconds(from)}&createdTo=${toSeconds(to)}${PAID}`
  for (const [name, value] of Object.entries(narrowed))
    if (value !== undefined) query += `&${name}=${encodeURIComponent(value)}`
  return query
}
