import { fractionDigits } from '@kontor/sdk'
import type { OrderSearch } from './filters.ts'

type Market = { id: string; currency: string }

/** What one unit of money is in a filter by amount: of the currency or market that is filtered by, or else of the first market. */
export function unitFor(
  { currency, market }: Pick<OrderSearch, 'currency' | 'market'>,
  markets: readonly Market[],
): number {
  const meant = currency?.[0] ?? (markets.find(({ id }) => market?.includes(id)) ?? markets[0])?.currency
  return meant === undefined ? 100 : 10 ** fractionDigits(meant)
}

/** Undefined where no amount was typed. */
export function amountOf(text: string, unit: number): number | undefined {
  const amount = Number(text.trim().replace(',', '.'))
  return text.trim() !== '' && amount >= 0 ? Math.round(amount * unit) : undefined
}

/** What was typed as an amount, in minor units; undefined where it is none. */
export function readAmount(typed: string, currency: string): number | undefined {
  const plain = typed.trim().replaceAll(/\s/g, '').replace(',', '.')
  return /^\d+(\.\d+)?$/.test(plain) ? Math.round(Number(plain) * 10 ** fractionDigits(currency)) : undefined
}
