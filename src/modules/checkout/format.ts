import { exponentOf } from '#vocabulary/currencies.ts'

/** `1999` USD is `$19.99`. */
export function formatMoney(amount: number, currency: string, locale: string): string {
  const digits = exponentOf(currency)
  const whole = (BigInt(amount) / 10n ** BigInt(digits)).toString()
  const rest = (BigInt(amount) % 10n ** BigInt(digits)).toString().padStart(digits, '0')
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return format.format((digits > 0 ? `${whole}.${rest}` : whole) as `${number}`)
}
