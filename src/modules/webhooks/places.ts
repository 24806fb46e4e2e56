/** Requests that a worker has under way at most: to receivers that answer at once, and to those that are slow or fail. */
const MOST = { quick: 1_000, slow: 500 }
const FEWEST = 32
/** An answer that took so much longer than this receiver needs was held up by us: by our processor, or our line. */
const HELD_UP = 4
/** Below this nobody can say what held it up. */
const NOTHING_MS = 10

/** An answer that takes longer makes a receiver a slow one. */
export const SLOW_MS = 1_000

/** Something that sends, and is told when it may go on. */
export type Waiter = () => void
/** How long an answer took, and how long this receiver took at best. */
export type Taken = { ms: number; bestMs: number }

type Kind = { busy: number; limit: number; waiters: Set<Waiter> }

export type Places = {
  /** Undefined: there is no place; `waiter` is called when one is free. The answer gives the place back. */
  take(isSlow: boolean, waiter: Waiter): ((taken?: Taken) => void) | undefined
  limit(): number
}

/**
 * Places for requests, of all businesses together. Slow receivers have places of their own, and so has
 * whoever turns out to be slow while it is waited for: however many hang, nobody else waits.
 * The number of quick ones follows what this process can do: one more with each answer that came as fast as its receiver can,
 * one less with each that took several times as long. More under way than that would make nothing faster, and all of it is sent again
 * when the process dies. Whoever has had nothing to do begins with few again: what it could do then says nothing about now.
 */
export function createPlaces(most = MOST): Places {
  const kinds: Record<'quick' | 'slow', Kind> = {
    quick: { busy: 0, limit: FEWEST, waiters: new Set() },
    slow: { busy: 0, limit: most.slow, waiters: new Set() },
  }

  function adapt({ ms, bestMs }: Taken): void {
    const { quick } = kinds
    const isFull = quick.busy + 1 >= quick.limit
    if (ms > HELD_UP * Math.max(bestMs, NOTHING_MS)) quick.limit = Math.max(FEWEST, quick.limit - 1)
    else if (isFull) quick.limit = Math.min(most.quick, quick.limit + 1)
  }

  function free(kind: Kind): void {
    kind.busy--
    if (kind === kinds.quick && kind.busy === 0) kind.limit = FEWEST
    for (const next of kind.waiters) {
      if (kind.busy >= kind.limit) return
      kind.waiters.delete(next)
      next()
    }
  }

  return {
    limit: () => kinds.quick.limit,
    take(isSlow, waiter) {
      const kind = isSlow ? kinds.slow : kinds.quick
      if (kind.busy >= kind.limit) {
        kind.waiters.add(waiter)
        return undefined
      }
      kind.busy++
      let place = kind
      const move = () => {
        place = kinds.slow
        place.busy++ // even if there are too many: it is under way
        free(kind)
      }
      const timer = isSlow ? undefined : setTimeout(move, SLOW_MS)
      return (taken) => {
        clearTimeout(timer)
        if (taken && place === kinds.quick) adapt(taken)
        free(place)
      }
    },
  }
}
