import type { KontorError, Quote } from '@kontor/sdk'
import { type CartLine, type Choices, useCart, useChoices } from './cart.ts'
import { kontor, type Market, useMarket } from './kontor.ts'
import { type Loaded, useLoad } from './use-load.ts'

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

/** What the cart costs. A promo code that does not count is said, and the rest is quoted without it. */
export function useQuote(): Loaded<Quoted> & { market: Market | undefined } {
  const cart = useCart()
  const choices = useChoices()
  const market = useMarket()
  const asked = market &&
    cart.length > 0 && {
      market: market.id,
      items: itemsOf(cart),
      shippingMethodId: methodOf(market, choices)?.id,
      promoCode: choices.promoCode || undefined,
    }
  const loaded = useLoad(asked ? `quote:${JSON.stringify(asked)}` : undefined, async (): Promise<Quoted> => {
    const { promoCode, ...rest } = asked as Exclude<typeof asked, false | undefined>
    if (!promoCode) return { quote: await kontor.quote(rest), promoProblem: '' }
    try {
      return { quote: await kontor.quote({ ...rest, promoCode }), promoProblem: '' }
    } catch (error) {
      const promoProblem = detailOf(error as KontorError, 'promoCode')
      if (!promoProblem) throw error
      return { quote: await kontor.quote(rest), promoProblem }
    }
  })
  return { ...loaded, market }
}
