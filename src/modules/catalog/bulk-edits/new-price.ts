/** A price × (1 + bps / 10,000) in minor units, halves up. */
export const raisePrice = (price: bigint, bps: number): bigint =>
  (2n * price * BigInt(10_000 + bps) + 10_000n) / 20_000n

/** The nearest n × `to` + `ending`, of two that are as near the higher one; never below `ending`, so never below zero. */
export function roundPrice(price: bigint, { to, ending }: { to: number; ending: number }): bigint {
  const [step, end] = [BigInt(to), BigInt(ending)]
  if (price <= end) return end
  return ((2n * (price - end) + step) / (2n * step)) * step + end
}
