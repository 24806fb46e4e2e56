import type { KontorError } from '@kontor/sdk'
import type { CartLine, Choices } from './cart.ts'
import { kontor, type Market } from './kontor.ts'
import { itemsOf, methodOf } from './quote.ts'
import { keep, readKept } from './storage.ts'

const AMERICAN = ['email', 'name', 'country', 'street', 'city', 'state', 'zip'] as const
const OTHERS = ['email', 'name', 'country', 'street', 'zip', 'city'] as const
export type Details = Record<(typeof AMERICAN)[number], string>

/** What an address in that country has. They are sent in this order, and errors name them by their place. */
export const detailsOf = (country: string): readonly (keyof Details)[] => (country === 'US' ? AMERICAN : OTHERS)

/** Well within the hour for which a payment page is open. */
const SAME_ORDER_MS = 45 * 60_000

/**
 * The key of this checkout. Whoever comes back from the payment page and pays again with the same cart gets the same
 * order and page, instead of a second order that takes stock, too.
 */
function keyFor(body: string): string {
  const before = readKept<{ key: string; body: string; at: number } | null>('attempt', null)
  if (before?.body === body && Date.now() - before.at < SAME_ORDER_MS) return before.key
  // Not `crypto.randomUUID`: phones that look at a development server have no secure context.
  const key = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
  keep('attempt', { key, body, at: Date.now() })
  return key
}

/** Whether the cart is what that order was made from. Who goes back to the thanks for an older one keeps the cart. */
export const isOfCart = (orderId: string) => readKept('placed', '') === orderId

/** What was typed is nobody else's business once somebody logs out. */
export function forgetDetails() {
  keep('details', null)
  keep('attempt', null)
}

/** Makes the order and answers where to go: to the payment page, or to the order if there was nothing to pay. */
export async function checkOut(cart: readonly CartLine[], choices: Choices, market: Market, details: Details) {
  const { origin } = window.location
  const asked = {
    market: market.id,
    items: itemsOf(cart),
    shippingMethodId: methodOf(market, choices)?.id,
    promoCode: choices.promoCode || undefined,
    blocks: detailsOf(details.country).map((id) => ({ id, type: 'TEXT' as const, value: details[id].trim() })),
    returnUrl: `${origin}/orders/paid`,
    cancelUrl: `${origin}/cart`,
  }
  try {
    const { orderId, checkoutUrl } = await kontor.checkout(asked, { idempotencyKey: keyFor(JSON.stringify(asked)) })
    keep('placed', orderId)
    return checkoutUrl ?? `/orders/paid?orderId=${orderId}`
  } catch (error) {
    // The order of that key is over: the next try is another one.
    if ((error as KontorError).has('ORDER_CANCELLED')) keep('attempt', null)
    throw error
  }
}
