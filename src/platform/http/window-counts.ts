import { nowMs } from '../clock.ts'

export type Count = { current: number; ttl: number }

/** The oldest are evicted first: their window is nearly over anyway. */
const MAX_KEPT = 20_000

/** Fixed-window counters of this process; a window begins with its first count. */
export function createCounts() {
  const kept = new Map<string, { current: number; endsAt: number }>()

  const find = (key: string) => {
    const known = kept.get(key)
    return known && known.endsAt > nowMs() ? known : undefined
  }

  function keep(key: string, current: number, endsAt: number): void {
    kept.delete(key)
    kept.set(key, { current, endsAt })
    if (kept.size <= MAX_KEPT) return
    for (const oldest of kept.keys()) return void kept.delete(oldest)
  }

  return {
    find,
    keep,
    count(key: string, windowMs: number, _max = 0, by = 1): Count {
      const time = nowMs()
      const known = find(key)
      if (known) {
        known.current += by
        return { current: known.current, ttl: known.endsAt - time }
      }
      keep(key, by, time + windowMs)
      return { current: by, ttl: windowMs }
    },
    /** Undoes a count. */
    giveBack(key: string, _max = 0, by = 1): void {
      const known = find(key)
      if (known) known.current = Math.max(0, known.current - by)
    },
    close() {},
  }
}
