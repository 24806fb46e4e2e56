const MAX_WAIT_MS = 20_000
/** What one tab writes to localStorage, another sees a moment later, lock or not. */
const SETTLE_MS = 50

type Locks = {
  request<Result>(name: string, options: { signal: AbortSignal }, work: () => Promise<Result>): Promise<Result>
}

/** Runs works one after the other; where tabs share the store, across tabs. */
export function createTurns(name: string, isShared: () => boolean) {
  let last: Promise<unknown> = Promise.resolve()

  async function acrossTabs<Result>(work: () => Promise<Result>): Promise<Result> {
    const { locks } = (globalThis.navigator ?? {}) as { locks?: Locks }
    if (!locks || !isShared()) return work()
    let begun = false
    const asked = Date.now()
    const begin = async () => {
      begun = true
      if (Date.now() - asked > 5) await new Promise((resolve) => setTimeout(resolve, SETTLE_MS)) // another tab was at it
      return work()
    }
    try {
      return await locks.request(name, { signal: AbortSignal.timeout(MAX_WAIT_MS) }, begin)
    } catch (error) {
      // No turn (a tab that hangs, a page that may not lock). The service forgives two refreshes at once.
      if (begun) throw error
      return work()
    }
  }

  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    const turn = last.then(() => acrossTabs(work))
    last = turn.catch(() => {})
    return turn
  }
}
