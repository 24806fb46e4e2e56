import { exponentOf } from './currencies.ts'

const toDecimal = (amount: number, digits: number) => {
  const whole = (BigInt(amount) / 10n ** BigInt(digits)).toString()
  const rest = (BigInt(amount) % 10n ** BigInt(digits)).toString().padStart(digits, '0')
  return (digits > 0 ? `${whole}.${rest}` : whole) as `${number}`
}

const formatOf = (currency: string, locale: string, digits: number) =>
  new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })

/** `1999` USD is `$19.99`. */
export function formatMoney(amount: number, currency: string, locale: string): string {
  const digits = exponentOf(currency)
  return formatOf(currency, locale, digits).format(toDecimal(amount, digits))
}

/** `1999` to `2499` USD is `$19.99 – $24.99`; one amount if both are the same. */
export function formatMoneyRange(from: number, to: number, currency: string, locale: string): string {
  if (from === to) return formatMoney(from, currency, locale)
  const digits = exponentOf(currency)
  return formatOf(currency, locale, digits).formatRange(toDecimal(from, digits), toDecimal(to, digits))
}
