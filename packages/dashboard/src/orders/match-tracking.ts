type Numbered = { id: string; number: string }
/** Two lines give one order different numbers: a person has to say which. */
export type TrackingConflict = { number: string; given: string[] }
export type Matched = { numbers: Map<string, string>; left: string[]; conflicts: TrackingConflict[] }

/** As orders are numbered: such a word names an order, also one that was not picked. */
const LIKE_ORDER = /^[0-9A-Z]{4}-[0-9A-Z]{4}$/i

const bare = (text: string) => text.replaceAll(/[^0-9a-z]/gi, '').toUpperCase()

/** `0034 0434`, `RR 123 DE`; a header, a carrier and a name are none. */
const isTracking = (text: string) =>
  /\d/.test(text) && text.split(/\s+/).every((word) => /\d/.test(word) || word.length <= 2)

/**
 * Tracking numbers as they are pasted, one a line. A line that names an order (`V8RM-2TQ6 <tab> 00340…`, in either order) goes to it.
 * Only a bare list, of nothing but numbers without a gap, goes to the orders from the top: whoever gets a wrong number is
 * mailed about a stranger's parcel. All the rest is answered as left.
 */
export function matchTracking(pasted: string, orders: readonly Numbered[]): Matched {
  const byNumber = new Map(orders.map(({ id, number }) => [bare(number), id]))
  const isName = (word: string) => byNumber.has(bare(word)) || LIKE_ORDER.test(word)
  const lines = pasted.trim() === '' ? [] : pasted.trim().split(/\r?\n/).map(cellsOf)
  const wordsOf = (cells: string[]) => (cells.length > 1 ? cells : (cells[0] ?? '').split(/\s+/))
  const isBare = lines.every(
    (cells) => cells.length === 1 && isTracking(cells[0] ?? '') && !wordsOf(cells).some(isName),
  )
  if (isBare) {
    const all = lines.flat()
    const placed = orders.slice(0, all.length).map(({ id }, index) => [id, all[index] ?? ''] as const)
    return { numbers: new Map(placed), left: all.slice(orders.length), conflicts: [] }
  }
  const given = new Map<string, Set<string>>()
  const left: string[] = []
  for (const cells of lines.filter(({ length }) => length > 0)) {
    const words = wordsOf(cells)
    const names = words.filter(isName)
    const rest = words.filter((word) => !isName(word))
    const orderId = names.length === 1 ? byNumber.get(bare(names[0] ?? '')) : undefined
    const isOne = cells.length === 1 || rest.length === 1
    if (orderId === undefined || !isOne || !isTracking(rest.join(' '))) left.push(cells.join(' '))
    else given.set(orderId, (given.get(orderId) ?? new Set()).add(rest.join(' ')))
  }
  const numbers = new Map<string, string>()
  const conflicts: TrackingConflict[] = []
  for (const { id, number } of orders) {
    const [first, ...more] = given.get(id) ?? []
    if (first !== undefined && more.length > 0) conflicts.push({ number, given: [first, ...more] })
    else if (first !== undefined) numbers.set(id, first)
  }
  return { numbers, left, conflicts }
}

/** A line of a table as it is copied, or of a CSV file. */
const cellsOf = (line: string) =>
  line
    .split(/[\t;,]|\s{2,}/)
    .map((cell) => cell.trim().replaceAll(/^"|"$/g, ''))
    .filter(Boolean)
