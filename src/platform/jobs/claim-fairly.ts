/**
 * Claims the next rows that are due, of all businesses: half of them as they come, the others of businesses that were not among
 * these. So one with thousands that are due leaves room to the others. `claim` gets how many, and whose not.
 */
export async function claimFairly<Row extends { businessId: string }>(
  limit: number,
  claim: (limit: number, except: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const half = Math.ceil(limit / 2)
  const first = await claim(half, [])
  if (first.length < half) return first
  const ofOthers = await claim(limit - half, [...new Set(first.map(({ businessId }) => businessId))])
  const claimed = [...first, ...ofOthers]
  return claimed.length < limit ? [...claimed, ...(await claim(limit - claimed.length, []))] : claimed
}
