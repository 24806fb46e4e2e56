/** The next event after a number that one may read. */
type Next = (after: number) => Promise<{ number: number; timestamp: number } | undefined>

/**
 * The number after which everything happened at that moment or later. A feed is in the order of time, so it is found by halving:
 * some seventeen questions for a hundred thousand events.
 */
export async function numberBefore(moment: number, last: number, next: Next): Promise<number> {
  let low = 0
  let high = last
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const event = await next(middle)
    if (!event || event.number > high || event.timestamp >= moment) high = middle
    else low = event.number
  }
  return low
}
