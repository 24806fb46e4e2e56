import type { NewSession, PaymentProvider } from '#platform/payments/provider.ts'

type Line = NewSession['items'][number]

/** The bill, line by line. `title` replaces the lines where they cannot be listed. */
export type SessionLines = {
  title: string
  lines?: readonly Line[]
  /** Shown after the lines, however many there are. */
  extras?: readonly Line[]
  discount?: NewSession['discount']
}

/** Reserved for extras, and for one line that sums up the rest. */
const SPARE_LINES = 10

/**
 * The lines that the session lists. They must add up to the payment's amount, and the provider must be able to charge
 * each; otherwise the session shows only the total.
 */
export function fitLines(
  { limits, isChargeable }: Pick<PaymentProvider, 'limits' | 'isChargeable'>,
  { amount: total, currency }: { amount: number; currency: string },
  { title, lines = [], extras = [], discount }: SessionLines,
): Pick<NewSession, 'items' | 'discount'> {
  const most = limits.lines - SPARE_LINES
  const shown = lines.length > most ? lines.slice(0, most - 1) : lines
  const rest = lines.slice(shown.length)
  const others = { name: `${rest.length} more products`, quantity: 1, amount: sumOf(rest) }
  const items = [...shown, ...(rest.length > 0 ? [others] : []), ...extras]
  const parts = [...items.map(({ amount }) => amount), discount?.amount ?? 0]
  const isExact = sumOf(items) - (discount?.amount ?? 0) === total
  const isListed = isExact && parts.every((amount) => isChargeable(amount, currency))
  const listed = isListed ? items : [{ name: title, quantity: 1, amount: total }]
  const nameOf = (name: string) => Array.from(name.trim()).slice(0, limits.nameLength).join('') || 'Item' // never empty
  return {
    items: listed.map((item) => ({ ...item, name: nameOf(item.name) })),
    ...(isListed && discount && { discount }),
  }
}

const sumOf = (lines: readonly Line[]) => lines.reduce((sum, { amount, quantity }) => sum + amount * quantity, 0)
