/** Runs `work` for all items in order, with limited concurrency: for work that mostly waits for another server. */
export async function forEachLimit<Item>(
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
