import { nowMs } from '../clock.ts'

export type Count = { current: number; ttl: number }

/** The oldest go first: their time is nearly over anyway. */
const MAX_KEPT = 20_000

/** Counts in this process alone, each for a time that begins with its first. */
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
    count(key: string, windowMs: number): Count {
      const time = nowMs()
      const known = find(key)
      if (known) return { current: ++known.current, ttl: known.endsAt - time }
      keep(key, 1, time + windowMs)
      return { current: 1, ttl: windowMs }
    },
    /** It was not theirs after all. */
    giveBack(key: string): void {
      const known = find(key)
      if (known && known.current > 0) known.current--
    },
    close() {},
  }
}
