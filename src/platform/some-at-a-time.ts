/** For work that mostly waits for somebody else: so many at once, in their order, until all are done. */
export async function someAtATime<Item>(
  count: number,
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = Iterator.from(items)
  const lane = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: count }, lane))
}
