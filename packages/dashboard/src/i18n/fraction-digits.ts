const known = new Map<string, number>()

/** How many digits a currency has behind the point: two, as a rule. */
export function fractionDigits(currency: string): number {
  const digits = known.get(currency) ?? read(currency)
  known.set(currency, digits)
  return digits
}

const read = (currency: string) =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
