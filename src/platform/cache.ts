import { nowMs } from './clock.ts'

export type Cache<Value> = {
  /** What is known without asking, or undefined. */
  peek(key: string): Value | undefined
  get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined>
  drop(key: string): void
  dropWhere(matches: (key: string, value: Value) => boolean): void
  clear(): void
}

type Entry<Value> = { value: Value; until: number }

/**
 * A bounded cache that never keeps what was read before it was dropped: a value whose loading overlaps a `drop` or
 * `clear` is answered once and not stored. Absent values are not stored. `trusted` says whether drops can still be heard;
 * while not, everything is loaded.
 */
export function createCache<Value>(options: { max: number; ttlMs: number; trusted?: () => boolean }): Cache<Value> {
  const { max, ttlMs, trusted = () => true } = options
  const entries = new Map<string, Entry<Value>>()
  const loading = new Map<string, Promise<Value | undefined>>()
  let drops = 0

  function peek(key: string): Value | undefined {
    const entry = entries.get(key)
    if (entry === undefined || !trusted()) return undefined
    if (entry.until > nowMs()) return entry.value
    entries.delete(key)
    return undefined
  }

  async function loadAndStore(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const before = drops
    const value = await load()
    if (value === undefined || drops !== before || !trusted()) return value
    if (entries.size >= max) for (const oldest of entries.keys()) if (entries.delete(oldest)) break
    entries.set(key, { value, until: nowMs() + ttlMs })
    return value
  }

  return {
    peek,
    async get(key, load) {
      const known = peek(key)
      if (known !== undefined) return known
      const running = loading.get(key)
      if (running) return running
      const started = loadAndStore(key, load)
      loading.set(key, started)
      const finished = () => {
        if (loading.get(key) === started) loading.delete(key)
      }
      started.then(finished, finished)
      return started
    },
    drop(key) {
      drops++
      entries.delete(key)
      loading.delete(key) // who asks from now on must not join a load that began before
    },
    dropWhere(matches) {
      drops++
      loading.clear()
      for (const [key, { value }] of entries) if (matches(key, value)) entries.delete(key)
    },
    clear() {
      drops++
      entries.clear()
      loading.clear()
    },
  }
}
