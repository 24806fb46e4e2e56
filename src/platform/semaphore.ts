export type SemaphoreOptions = {
  atOnce: number
  maxWaiting: number
  /** The error for callers who arrive when the queue is full. */
  refuse: () => Error
}

/** A semaphore with a bounded FIFO queue. */
export function createSemaphore({ atOnce, maxWaiting, refuse }: SemaphoreOptions) {
  let running = 0
  const waiting: (() => void)[] = []

  return async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) throw refuse()
      // The finished one hands its slot over, so `running` stays the same.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
