/**
 * The closest word within an edit distance of two, and of a third of its length. If there is none, the only word that it
 * begins or ends with, whether singular or plural: `lines` for `lineItems`.
 */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((each) => ({ each, slips: distance(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ slips }) => slips <= Math.min(2, word.length / 3))
    .sort((a, b) => a.slips - b.slips)
  if (best) return best.each
  const parts = words.filter((each) => isPart(singular(each), singular(word)))
  return parts.length === 1 ? parts[0] : undefined
}

const MIN_PART = 4

const isPart = (part: string, whole: string) =>
  part.length >= MIN_PART && (whole.startsWith(part) || whole.endsWith(part))

const singular = (word: string) => word.toLowerCase().replace(/s$/, '')

/** The Levenshtein distance. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const above = row
    row = [i]
    for (let j = 1; j <= to.length; j++) {
      const changed = (above[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      row.push(Math.min(changed, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
  }
  return row[to.length] ?? 0
}
