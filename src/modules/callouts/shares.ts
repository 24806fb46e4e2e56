/** How many of one business are asked at a time, and how many wait for that. */
const OF_ONE = 32
const MAX_WAITING = 256
/** Of all businesses, in this process. */
const IN_ALL = 512

type Queue = { running: number; waiting: (() => void)[] }

/** Bulkheads: each business has places of its own, so that a slow service takes none from the others. */
export function createShares() {
  const queues = new Map<string, Queue>()
  let inAll = 0

  /** Answers how to leave; undefined: there is no place before the deadline. */
  return async function enter(businessId: string, deadline: AbortSignal): Promise<(() => void) | undefined> {
    if (inAll >= IN_ALL || deadline.aborted) return undefined
    const queue = queues.get(businessId) ?? { running: 0, waiting: [] }
    queues.set(businessId, queue)
    if (queue.running >= OF_ONE) {
      if (queue.waiting.length >= MAX_WAITING || !(await takeTurn(queue, deadline))) return undefined
    } else {
      queue.running++
      inAll++
    }
    return () => {
      const next = queue.waiting.shift()
      if (next) return next() // the place is handed over
      queue.running--
      inAll--
      if (queue.running === 0) queues.delete(businessId)
    }
  }
}

const takeTurn = ({ waiting }: Queue, deadline: AbortSignal) =>
  new Promise<boolean>((resolve) => {
    const settle = (isIn: boolean) => {
      deadline.removeEventListener('abort', late)
      resolve(isIn)
    }
    const turn = () => settle(true)
    const late = () => {
      waiting.splice(waiting.indexOf(turn), 1)
      settle(false)
    }
    deadline.addEventListener('abort', late, { once: true })
    waiting.push(turn)
  })
