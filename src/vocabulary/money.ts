import { stepOf } from './currencies.ts'
import { amountTooLarge } from './refusals.ts'

const MAX = BigInt(Number.MAX_SAFE_INTEGER)

/** Converts minor units to a number, or throws 422 beyond 2^53: no sum is ever computed in floating point. */
export function toMinorUnits(value: bigint, field: string): number {
  if (value < 0n || value > MAX) throw amountTooLarge({ field })
  return Number(value)
}

/** What is wrong with an amount that is not a multiple of the currency's step, and the next valid ones; undefined if it is. */
export function findOffStep(amount: number, currency: string) {
  const step = stepOf(currency)
  const rest = amount % step
  if (rest === 0) return undefined
  const valid = [amount - rest, amount - rest + step].filter((each) => each > 0 && Number.isSafeInteger(each))
  return { amount, step, valid: valid.join(' or ') }
}

/** amount × bps / 10,000, rounded to a multiple of `step`, halves up. */
export const shareOf = (amount: bigint, bps: number, step = 1n): bigint =>
  ((amount * BigInt(bps) + 5_000n * step) / (10_000n * step)) * step

/** The tax inside an amount that includes it. The amount without tax is rounded to a multiple of `step`, halves up. */
export function taxInside(gross: bigint, bps: number, step = 1n): bigint {
  const whole = (10_000n + BigInt(bps)) * step
  return gross - ((2n * gross * 10_000n + whole) / (2n * whole)) * step
}

/**
 * Splits a multiple of `step` into shares in proportion to the weights. The shares are multiples as well, and add up to it:
 * the largest remainders get the steps that rounding down leaves over, ties in the order of position. Without any weight,
 * nothing is split.
 */
export function spread(whole: bigint, weights: readonly bigint[], step = 1n): bigint[] {
  const sum = weights.reduce((total, weight) => total + weight, 0n)
  if (sum === 0n || whole === 0n) return weights.map(() => 0n)
  const unit = sum * step
  const shares = weights.map((weight) => ((whole * weight) / unit) * step)
  const left = shares.reduce((rest, share) => rest - share, whole)
  if (left === 0n) return shares
  const remainders = weights.map((weight, index) => ({ index, remainder: (whole * weight) % unit }))
  remainders.sort((a, b) => (a.remainder === b.remainder ? a.index - b.index : a.remainder < b.remainder ? 1 : -1))
  for (const { index } of remainders.slice(0, Number(left / step))) shares[index] = (shares[index] as bigint) + step
  return shares
}
