import type { KontorError, Quote, QuoteRequest } from '@kontor/sdk'
import { type CartLine, type Choices, choose, useCart, useChoices } from './cart.ts'
import { kontor, type Market, useMarket } from './kontor.ts'
import { type Loaded, remember, useLoad } from './use-load.ts'

export type Quoted = { quote: Quote; promoProblem: string }

export const itemsOf = (cart: readonly CartLine[]) =>
  cart.map(({ productId, variantId, quantity }) => ({ productId, variantId, quantity }))

/** The one that was chosen, if this market has it; else its first. */
export const methodOf = (market: Market | undefined, { shippingMethodId }: Choices) =>
  market?.shippingMethods.find(({ id }) => id === shippingMethodId) ?? market?.shippingMethods[0]

export const detailOf = (error: KontorError | undefined, field: string) =>
  error?.details.find((detail) => detail.field === field)?.message ?? ''

/** Which line of the cart an error is about, if it is about one. */
export const lineProblem = (error: KontorError | undefined, index: number) =>
  error?.details.find(({ field }) => new RegExp(`^(items|lines)\\.${index}(\\.|$)`).test(field))?.message ?? ''

/**
 * What the cart costs. A promo code that no longer counts (the cart has become smaller, its time is over) is said, and
 * the rest is quoted without it.
 */
export function useQuote(): Loaded<Quoted> & { market: Market | undefined; request: QuoteRequest | undefined } {
  const cart = useCart()
  const choices = useChoices()
  const market = useMarket()
  const { promoCode } = choices
  const request =
    market && cart.length > 0
      ? { market: market.id, items: itemsOf(cart), shippingMethodId: methodOf(market, choices)?.id }
      : undefined
  const loaded = useLoad(request && keyOf(request, promoCode), async (): Promise<Quoted> => {
    const rest = request as QuoteRequest
    if (!promoCode) return { quote: await kontor.quote(rest), promoProblem: '' }
    try {
      return { quote: await kontor.quote({ ...rest, promoCode }), promoProblem: '' }
    } catch (error) {
      const promoProblem = detailOf(error as KontorError, 'promoCode')
      if (!promoProblem) throw error
      return { quote: await kontor.quote(rest), promoProblem }
    }
  })
  return { ...loaded, market, request }
}

const keyOf = (request: QuoteRequest, promoCode: string) => `quote:${JSON.stringify([request, promoCode])}`

/** Takes a code that counts, and keeps none that does not: that fails, and goes no further than the field. */
export async function takePromoCode(request: QuoteRequest, promoCode: string): Promise<void> {
  const quote = await kontor.quote({ ...request, promoCode })
  remember(keyOf(request, promoCode), { quote, promoProblem: '' })
  choose({ promoCode })
}
