import { formatPrice, type PublicProduct, type PublicVariant } from '@kontor/sdk'

/** Of one market, as the service was asked for one. */
export const priceOf = ({ pricing }: PublicVariant) => pricing.markets[0]

/** The lowest, and whether others cost more. */
export function lowestPrice({ variants }: PublicProduct) {
  const prices = variants.flatMap((variant) => priceOf(variant) ?? [])
  const [lowest] = prices.toSorted((one, other) => one.price - other.price)
  return lowest && { ...lowest, isFrom: prices.some(({ price }) => price > lowest.price) }
}

/** How many minor units one whole has: 100 cents, but one yen. */
export const minorUnits = (currency: string) =>
  10 ** (new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2)

/** For machines: `19.99`. */
export const decimal = (amount: number, currency: string) => {
  const units = minorUnits(currency)
  return (amount / units).toFixed(Math.log10(units))
}

export { formatPrice }
