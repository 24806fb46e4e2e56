import type { Shares } from './shares.ts'

/** While jobs are passed over: the shortest and the longest time between two looks for others. */
const SHORTEST_MS = 100
const LONGEST_MS = 1_000
/** A look that passes over many jobs reads them: between two of them is so many times what the last one took. */
const PAUSE = 10

/**
 * The places of a queue look for jobs one after another, so that each knows what the others run. While jobs are passed over, a
 * place that found nothing is told of new jobs now and then only: its look reads all that it passes over.
 */
export function createTurns(shares: Pick<Shares, 'passedOver'>, wake: (places: number) => void) {
  const waiting: (() => void)[] = []
  let isTaken = false
  let since = 0
  let passesOver = false
  let tookMs = 0
  let timer: NodeJS.Timeout | undefined
  let wokenAt = Number.NEGATIVE_INFINITY

  function next(): void {
    isTaken = false
    waiting.shift()?.()
  }

  function wakeLater(): void {
    if (timer) return
    const pause = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, PAUSE * tookMs))
    timer = setTimeout(
      () => {
        timer = undefined
        wokenAt = performance.now()
        wake(1)
      },
      Math.max(0, wokenAt + pause - performance.now()),
    )
  }

  return {
    /** Waits until it is this place's turn to look. Returns the flags of the jobs that it must pass over. */
    async take(): Promise<string[]> {
      while (isTaken) await new Promise<void>((resolve) => void waiting.push(resolve))
      isTaken = true
      since = performance.now()
      const over = shares.passedOver()
      passesOver = over.length > 0
      return over
    },
    found(): void {
      next()
      if (passesOver) wakeLater() // there may be more of others
    },
    foundNone(): void {
      if (passesOver) tookMs = performance.now() - since
      next()
    },
    /** Somebody says that there are jobs. True: they will be looked for, but not at once. */
    delays(): boolean {
      if (!passesOver && shares.passedOver().length === 0) return false
      wakeLater()
      return true
    },
    stop(): void {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
