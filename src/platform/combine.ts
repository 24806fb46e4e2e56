export type CombinerOptions = {
  /** More at once would keep the first of them waiting for the last. */
  maxItems: number
  /** How many batches of one key may be under way at a time. */
  lanes: number
}

/**
 * Does together what comes at the same time. What comes first goes at once, alone; what comes while it is under way gathers, and
 * goes next, as one: a round trip for many instead of one for each, and nobody waits when there is nothing to wait for.
 */
export function createCombiner<Key, Item, Result>(
  run: (key: Key, items: Item[]) => Promise<PromiseSettledResult<Result>[]>,
  { maxItems, lanes }: CombinerOptions,
) {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (reason: unknown) => void }
  type Queue = { waiting: Waiting[]; running: number }
  const queues = new Map<Key, Queue>()

  async function work(key: Key, queue: Queue) {
    queue.running++
    while (queue.waiting.length > 0) {
      const batch = queue.waiting.splice(0, maxItems)
      const results = await settle(key, batch)
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index]
        if (result?.status === 'fulfilled') resolve(result.value)
        else reject(result?.reason)
      }
    }
    queue.running--
    if (queue.running === 0) queues.delete(key)
  }

  async function settle(key: Key, batch: readonly Waiting[]): Promise<PromiseSettledResult<Result>[]> {
    try {
      return await run(
        key,
        batch.map(({ item }) => item),
      )
    } catch (reason) {
      return batch.map(() => ({ status: 'rejected', reason }))
    }
  }

  return (key: Key, item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(key) ?? { waiting: [], running: 0 }
      queues.set(key, queue)
      queue.waiting.push({ item, resolve, reject })
      if (queue.running < lanes) void work(key, queue)
    })
}
