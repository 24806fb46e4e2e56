/**
 * Finds those with the most among any number of names, in bounded memory: Misra and Gries' summary, pruned in batches (as in
 * Agarwal and others, “Mergeable summaries”). A name's sum is never told too high, and too low by at most `total / (capacity +
 * 1)`; so whoever has more than that share is in it. Nobody is blamed for what others did.
 */
export function createHeavyHitters(capacity: number) {
  let sums = new Map<string, number>()
  let total = 0

  /** What is taken off here is taken off `capacity + 1` names at least, which is why so little of each is lost. */
  function prune() {
    const cut = [...sums.values()].sort((a, b) => b - a)[capacity] ?? 0
    for (const [name, sum] of sums) {
      if (sum > cut) sums.set(name, sum - cut)
      else sums.delete(name)
    }
  }

  return {
    add(name: string, amount: number): void {
      if (amount <= 0) return
      total += amount
      sums.set(name, (sums.get(name) ?? 0) + amount)
      if (sums.size > 2 * capacity) prune()
    },
    /** The first `count`, the most first, and what the others have together; then it begins anew. */
    take(count: number): { first: [name: string, sum: number][]; other: number } {
      const first = [...sums].sort((a, b) => b[1] - a[1]).slice(0, count)
      const other = Math.max(0, total - first.reduce((sum, [, each]) => sum + each, 0))
      sums = new Map()
      total = 0
      return { first, other }
    },
    /** How many names it holds now. */
    size: () => sums.size,
  }
}
