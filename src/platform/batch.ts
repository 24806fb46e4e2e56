export type BatchOptions = {
  /** Most items of one batch. In a larger one the first items would wait for the last. */
  maxItems: number
  /** How many batches of one key may be under way at a time. */
  lanes: number
}

/**
 * Request batching. The first call runs at once, alone; calls that arrive while it is under way are collected and run
 * next, as one batch: one round trip for many instead of one each, and no delay when nothing else is going on.
 */
export function createBatcher<Key, Item, Result>(
  run: (key: Key, items: Item[]) => Promise<PromiseSettledResult<Result>[]>,
  { maxItems, lanes }: BatchOptions,
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
