import type { AddressFormat, KontorError } from '@kontor/sdk'
import type { CartLine, Choices } from './cart.ts'
import { kontor, type Market } from './kontor.ts'
import { itemsOf, methodOf } from './quote.ts'
import { keep, readKept } from './storage.ts'
import { useLoad } from './use-load.ts'

const ADDRESS = ['name', 'street', 'street2', 'city', 'state', 'zip', 'country', 'phone'] as const
type AddressField = (typeof ADDRESS)[number]
export type Details = Record<AddressField | 'email', string>

/** How addresses are written in each country. Asked for once; the checkout waits for it. */
export const useAddressFormats = () => useLoad('address-formats', () => kontor.addressFormats())

/** Until the formats are here, and where they cannot be had. */
const PLAIN = { fields: ['name', 'street', 'zip', 'city'], required: ['name', 'street', 'zip', 'city'] }

export type Asked = { name: keyof Details; isRequired: boolean }

/** What a form asks for, in the order of that country; the country comes first, because the rest follows from it. */
export function askedIn(country: string, formats: readonly AddressFormat[] | undefined): Asked[] {
  const { fields, required } = formats?.find((format) => format.country === country) ?? PLAIN
  const inOrder = fields.filter((field): field is AddressField => ADDRESS.includes(field as AddressField))
  const rest = inOrder.filter((field) => field !== 'country')
  return [
    { name: 'email', isRequired: true },
    { name: 'country', isRequired: true },
    ...rest.map((name) => ({ name, isRequired: required.includes(name) })),
  ]
}

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

/** What was asked for and typed; what another country had asked for before is left out. */
function addressOf({ country, ...details }: Details, asked: readonly Asked[]) {
  const typed = asked.flatMap(({ name }) => {
    if (name === 'email' || name === 'country') return []
    const text = details[name].trim()
    return text ? [[name, text] as const] : []
  })
  return { ...Object.fromEntries(typed), country }
}

/** Makes the order and answers where to go: to the payment page, or to the order if there was nothing to pay. */
export async function checkOut(
  cart: readonly CartLine[],
  choices: Choices,
  market: Market,
  details: Details,
  asked: readonly Asked[],
) {
  const { origin } = window.location
  const body = {
    market: market.id,
    items: itemsOf(cart),
    shippingMethodId: methodOf(market, choices)?.id,
    promoCode: choices.promoCode || undefined,
    email: details.email.trim(),
    shippingAddress: addressOf(details, asked),
    returnUrl: `${origin}/orders/paid`,
    cancelUrl: `${origin}/cart`,
  }
  try {
    const { orderId, checkoutUrl } = await kontor.checkout(body, { idempotencyKey: keyFor(JSON.stringify(body)) })
    keep('placed', orderId)
    return checkoutUrl ?? `/orders/paid?orderId=${orderId}`
  } catch (error) {
    // The order of that key is over: the next try is another one.
    if ((error as KontorError).has('ORDER_CANCELLED')) keep('attempt', null)
    throw error
  }
}
