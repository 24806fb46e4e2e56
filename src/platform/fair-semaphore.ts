import type { SemaphoreOptions } from './semaphore.ts'

type Waiting = { go: () => void; giveUp: (error: Error) => void }

/**
 * A semaphore whose queues take turns, one for each name, so that nobody waits behind all that another has asked for. When no more
 * may wait, the name with the most gives up its last for one with fewer.
 */
export function createFairSemaphore({ atOnce, maxWaiting, refuse }: SemaphoreOptions) {
  let running = 0
  let waiting = 0
  /** In the order of their turns. */
  const queues = new Map<string, Waiting[]>()

  function makeRoom(own: number): void {
    if (waiting < maxWaiting) return
    let longest: Waiting[] = []
    for (const queue of queues.values()) if (queue.length > longest.length) longest = queue
    if (longest.length <= own + 1) throw refuse()
    waiting--
    longest.pop()?.giveUp(refuse())
  }

  function takeTurn(name: string): Promise<void> {
    makeRoom(queues.get(name)?.length ?? 0)
    const queue = queues.get(name) ?? []
    queues.set(name, queue)
    waiting++
    return new Promise((go, giveUp) => void queue.push({ go, giveUp }))
  }

  /** The next one runs in the place of the one that is done, so `running` stays the same. */
  function handOver(): void {
    const [first] = queues
    if (!first) return void running--
    const [name, queue] = first
    queues.delete(name)
    if (queue.length > 1) queues.set(name, queue) // behind all others
    waiting--
    queue.shift()?.go()
  }

  return async function inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    if (running >= atOnce) await takeTurn(name)
    else running++
    try {
      return await work()
    } finally {
      handOver()
    }
  }
}
