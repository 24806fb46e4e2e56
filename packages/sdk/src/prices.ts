import type { Price, Variant } from './generated/types.gen.ts'

export type { Price }

/** What the variant costs in that market; undefined if it is not sold there. */
export const priceOf = (variant: Pick<Variant, 'pricing'>, market: string): Price | undefined =>
  variant.pricing.markets.find(({ marketId }) => marketId === market)

// ISO 4217, where it is not 2. Not from Intl: it shows what is customary, such as whole forints, and amounts would be
// wrong by a hundred.
const NO_MINOR_UNITS = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ')
const THREE_DIGITS = 'BHD IQD JOD KWD LYD OMR TND'.split(' ')

/** How many digits a currency has behind the point: 2 for USD and HUF, 0 for JPY. */
export function fractionDigits(currency: string): number {
  const code = currency.toUpperCase()
  return NO_MINOR_UNITS.includes(code) ? 0 : THREE_DIGITS.includes(code) ? 3 : 2
}

/** Every amount that is charged is a multiple of this many minor units: 10 for KWD, 1 for USD. */
export function amountStep(currency: string): number {
  const code = currency.toUpperCase()
  return THREE_DIGITS.includes(code) ? 10 : code === 'MGA' ? 100 : 1
}

/** For people: 1999 USD is $19.99. Without a locale it is that of the machine. */
export function formatPrice(amount: number, currency: string, locale?: string): string {
  const digits = fractionDigits(currency)
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  // As text: dividing would lose the last digits of large amounts.
  const text = Math.abs(amount)
    .toString()
    .padStart(digits + 1, '0')
  const [whole, rest] = [text.slice(0, text.length - digits), text.slice(text.length - digits)]
  return format.format(`${amount < 0 ? '-' : ''}${whole}${digits > 0 ? `.${rest}` : ''}` as `${number}`)
}
