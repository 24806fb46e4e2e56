export type Behaviour = {
  /**
   * `timeout`: no answer ever. `reset`: the connection breaks. `refuse`: a definite no (400). `error500`, `rate-limit`:
   * those answers. `slow`: the right answer, after `delayMs`.
   */
  next: 'timeout' | 'reset' | 'refuse' | 'error500' | 'rate-limit' | 'slow'
  /** Only calls whose `POST /v1/refunds` contains this text or matches it. */
  path?: string | RegExp
  /** How many calls; 1 unless told. */
  times?: number
  /** What was asked for happens all the same, and only the answer is lost. */
  afterEffect?: boolean
  delayMs?: number
}

/** Network and server trouble that a test orders in advance. */
export function createBehaviours() {
  const waiting: (Behaviour & { times: number })[] = []
  return {
    /** Answers a function that takes the order back. */
    behave(behaviour: Behaviour): () => void {
      const order = { times: 1, ...behaviour }
      waiting.push(order)
      return () => {
        order.times = 0
      }
    },
    take(call: string): Behaviour | undefined {
      const order = waiting.find(({ times, path = '' }) => {
        return times > 0 && (typeof path === 'string' ? call.includes(path) : path.test(call))
      })
      if (order) order.times--
      return order
    },
  }
}
