import { fractionDigits } from '../i18n/fraction-digits.ts'
import type { OrderSearch } from './filters.ts'

type Market = { id: string; currency: string }

/** What one unit of money is in a filter by amount: of the currency or market that is filtered by, or else of the first market. */
export function unitFor(
  { currency, market }: Pick<OrderSearch, 'currency' | 'market'>,
  markets: readonly Market[],
): number {
  const meant = currency?.[0] ?? (markets.find(({ id }) => market?.includes(id)) ?? markets[0])?.currency
  return meant === undefined || !/^[A-Z]{3}$/.test(meant) ? 100 : 10 ** fractionDigits(meant)
}

/** Undefined where no amount was typed. */
export function amountOf(text: string, unit: number): number | undefined {
  const amount = Number(text.trim().replace(',', '.'))
  return text.trim() !== '' && amount >= 0 ? Math.round(amount * unit) : undefined
}
