import { nowMs } from './clock.ts'

export type Cache<Value> = {
  /** What is known without asking, or undefined. */
  peek(key: string): Value | undefined
  get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined>
  drop(key: string): void
  dropWhere(matches: (key: string, value: Value) => boolean): void
  clear(): void
  /** How much it holds, what has expired and is not yet forgotten included. */
  size(): { entries: number; bytes: number }
}

type Entry<Value> = { value: Value; until: number; bytes: number }

type CacheOptions<Value> = {
  max: number
  ttlMs: number
  trusted?: () => boolean
  /** For values whose size others decide on: how many bytes all may have, and about how many one takes in memory. */
  weight?: { maxBytes: number; of: (value: Value) => number }
}

/**
 * A bounded cache that never keeps what was read before it was dropped: a value whose loading overlaps a `drop` or
 * `clear` is answered once and not stored. Absent values are not stored, nor those that alone would be too heavy. `trusted` says
 * whether drops can still be heard; while not, everything is loaded. What has expired is forgotten, also if nobody asks for it.
 */
export function createCache<Value>(options: CacheOptions<Value>): Cache<Value> {
  const { max, ttlMs, trusted = () => true, weight = { maxBytes: 0, of: () => 0 } } = options
  const entries = new Map<string, Entry<Value>>() // the oldest first, and so those that expire first
  const loading = new Map<string, Promise<Value | undefined>>()
  let drops = 0
  let bytes = 0
  let sweeping: NodeJS.Timeout | undefined

  function remove(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  function removeOldestWhile(isTooMuch: (oldest: Entry<Value>) => boolean): void {
    for (const [key, oldest] of entries) {
      if (!isTooMuch(oldest)) return
      remove(key)
    }
  }

  function sweep(): void {
    sweeping = undefined
    removeOldestWhile(({ until }) => until <= nowMs())
    if (entries.size > 0) sweepLater()
  }

  function sweepLater(): void {
    sweeping ??= setTimeout(sweep, ttlMs).unref()
  }

  function peek(key: string): Value | undefined {
    const entry = entries.get(key)
    if (entry === undefined || !trusted()) return undefined
    if (entry.until > nowMs()) return entry.value
    remove(key)
    return undefined
  }

  async function loadAndStore(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const before = drops
    const value = await load()
    if (value === undefined || drops !== before || !trusted()) return value
    const own = weight.of(value)
    if (own > weight.maxBytes) return value
    remove(key)
    removeOldestWhile(({ until }) => until <= nowMs() || entries.size >= max || bytes + own > weight.maxBytes)
    entries.set(key, { value, until: nowMs() + ttlMs, bytes: own })
    bytes += own
    sweepLater()
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
      remove(key)
      loading.delete(key) // who asks from now on must not join a load that began before
    },
    dropWhere(matches) {
      drops++
      loading.clear()
      for (const [key, { value }] of entries) if (matches(key, value)) remove(key)
    },
    clear() {
      drops++
      bytes = 0
      entries.clear()
      loading.clear()
    },
    size: () => ({ entries: entries.size, bytes }),
  }
}
