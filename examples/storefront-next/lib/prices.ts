import { formatPrice, fractionDigits, type PublicProduct, type PublicVariant } from '@kontor/sdk'

/** Of one market, as the service was asked for one. */
export const priceOf = ({ pricing }: PublicVariant) => pricing.markets[0]

/** The lowest, and whether others cost more. */
export function lowestPrice({ variants }: PublicProduct) {
  const prices = variants.flatMap((variant) => priceOf(variant) ?? [])
  const [lowest] = prices.toSorted((one, other) => one.price - other.price)
  return lowest && { ...lowest, isFrom: prices.some(({ price }) => price > lowest.price) }
}

/** How many minor units one whole has: 100 cents, but one yen. */
export const minorUnits = (currency: string) => 10 ** fractionDigits(currency)

/** For machines: `19.99`. */
export const decimal = (amount: number, currency: string) =>
  (amount / minorUnits(currency)).toFixed(fractionDigits(currency))

export { formatPrice }
