import { amountTooLarge } from './refusals.ts'

const MAX = BigInt(Number.MAX_SAFE_INTEGER)

/** Converts minor units to a number, or throws 422 beyond 2^53: no sum is ever computed in floating point. */
export function toMinorUnits(value: bigint, field: string): number {
  if (value < 0n || value > MAX) throw amountTooLarge({ field })
  return Number(value)
}

/** amount × bps / 10,000, halves rounded up. */
export const shareOf = (amount: bigint, bps: number): bigint => (amount * BigInt(bps) + 5_000n) / 10_000n

/** The tax inside an amount that includes it. The amount without tax is what is rounded, halves up. */
export function taxInside(gross: bigint, bps: number): bigint {
  const whole = 10_000n + BigInt(bps)
  return gross - (2n * gross * 10_000n + whole) / (2n * whole)
}

/**
 * Splits a whole into shares in proportion to the weights, so that the shares add up to it: the largest remainders get
 * the minor units that rounding down leaves over, ties in the order of position. Without any weight, nothing is split.
 */
export function spread(whole: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n)
  if (sum === 0n || whole === 0n) return weights.map(() => 0n)
  const shares = weights.map((weight) => (whole * weight) / sum)
  const left = shares.reduce((rest, share) => rest - share, whole)
  if (left === 0n) return shares
  const remainders = weights.map((weight, index) => ({ index, remainder: (whole * weight) % sum }))
  remainders.sort((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder < b.remainder ? 1 : -1))
  for (const { index } of remainders.slice(0, Number(left))) shares[index] = (shares[index] as bigint) + 1n
  return shares
}
