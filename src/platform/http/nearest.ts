/** The closest word within an edit distance of two, and of a third of its length. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((each) => ({ each, slips: distance(word.toLowerCase(), each.toLowerCase()) }))
    .filter(({ slips }) => slips <= Math.min(2, word.length / 3))
    .sort((a, b) => a.slips - b.slips)
  return best?.each
}

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
