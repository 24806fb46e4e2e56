type Numbered = { id: string; number: string }
export type Matched = { numbers: Map<string, string>; left: string[] }

const bare = (text: string) => text.replaceAll(/[^0-9a-z]/gi, '').toUpperCase()

/**
 * Tracking numbers as they are pasted, one a line. A line that names an order (`V8RM-2TQ6 <tab> 00340…`, in either order) goes to it;
 * the others go to the orders that are left, from the top. What nothing is left for is answered as well.
 */
export function matchTracking(pasted: string, orders: readonly Numbered[]): Matched {
  const lines = pasted
    .split(/\r?\n/)
    .map((line) =>
      line
        .split(/[\t;,]|\s{2,}/)
        .map((cell) => cell.trim())
        .filter(Boolean),
    )
    .filter((cells) => cells.length > 0)
  const byNumber = new Map(orders.map((order) => [bare(order.number), order.id]))
  const numbers = new Map<string, string>()
  const unnamed: string[] = []
  for (const cells of lines) {
    const words = cells.length > 1 ? cells : (cells[0] ?? '').split(/\s+/)
    const named = words.find((word) => byNumber.has(bare(word)))
    const rest = words.filter((word) => word !== named).join(' ')
    const orderId = named === undefined ? undefined : byNumber.get(bare(named))
    if (orderId !== undefined && rest !== '') numbers.set(orderId, rest)
    else if (named === undefined) unnamed.push(cells.join(' '))
  }
  const free = orders.filter(({ id }) => !numbers.has(id))
  for (const [index, { id }] of free.entries()) {
    const number = unnamed[index]
    if (number !== undefined) numbers.set(id, number)
  }
  return { numbers, left: unnamed.slice(free.length) }
}
