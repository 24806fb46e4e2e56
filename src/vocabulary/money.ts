import { invalid } from './errors.ts'

const MAX = BigInt(Number.MAX_SAFE_INTEGER)

/** Minor units back as a number, or 422: no sum ever passes through floating point. */
export function toMinorUnits(value: bigint, field: string): number {
  if (value < 0n || value > MAX) throw invalid(field, 'AMOUNT_OUT_OF_RANGE', `${field} is larger than can be handled.`)
  return Number(value)
}

/** amount × bps / 10,000, halves rounded up. */
export const shareOf = (amount: bigint, bps: number): bigint => (amount * BigInt(bps) + 5_000n) / 10_000n
