import { shareOf } from '#vocabulary/money.ts'

/** A price × (1 + bps / 10,000), rounded to a multiple of the currency's `step`, halves up. */
export const raisePrice = (price: bigint, bps: number, step = 1n): bigint => shareOf(price, 10_000 + bps, step)

/** The nearest n × `to` + `ending`, of two that are as near the higher one; never below `ending`, so never below zero. */
export function roundPrice(price: bigint, { to, ending }: { to: number; ending: number }): bigint {
  const [step, end] = [BigInt(to), BigInt(ending)]
  if (price <= end) return end
  return ((2n * (price - end) + step) / (2n * step)) * step + end
}
