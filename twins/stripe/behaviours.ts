export type Behaviour = {
  /**
   * `timeout`: no response ever. `reset`: the connection breaks. `refuse`: a definite refusal (400). `error500`,
   * `rate-limit`: these responses. `slow`: the right response, after `delayMs`.
   */
  next: 'timeout' | 'reset' | 'refuse' | 'error500' | 'rate-limit' | 'slow'
  /** Only calls whose method and path (`POST /v1/refunds`) contain this text or match it. */
  path?: string | RegExp
  /** How many calls; 1 by default. */
  times?: number
  /** The call takes effect, and only the response is lost. */
  afterEffect?: boolean
  delayMs?: number
}

/** Network and server faults that a test injects in advance. */
export function createBehaviours() {
  const waiting: (Behaviour & { times: number })[] = []
  return {
    /** Returns a function that cancels it. */
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
