import { nowMs } from './clock.ts'

export type Cache<Value> = {
  /** The cached value, without loading it. */
  peek(key: string): Value | undefined
  /** While invalidations do not arrive: the value, if it was good when that began. */
  kept(key: string): Value | undefined
  get(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined>
  drop(key: string): void
  dropWhere(matches: (key: string, value: Value) => boolean): void
  clear(): void
  /** Counts expired entries that have not been swept yet. */
  size(): { entries: number; bytes: number }
}

type Entry<Value> = { value: Value; until: number; bytes: number }

type CacheOptions<Value> = {
  max: number
  ttlMs: number
  trusted?: () => boolean
  /** Since when invalidations do not arrive; undefined while they do. */
  lostAtMs?: () => number | undefined
  /** How long after its time a value counts as good for `kept`, if nobody has dropped it. */
  keepMs?: number
  /**
   * For values whose size callers decide: the most bytes in all, and roughly how many bytes one value takes in memory.
   */
  weight?: { maxBytes: number; of: (value: Value) => number }
}

/**
 * A bounded cache with a TTL. What was not asked for the longest goes first. It never keeps a stale read: a value whose load
 * overlaps a `drop` or `clear` is returned once and not stored. Absent values are not stored, nor is a value larger than the
 * whole cache may be. `trusted` says whether this process still receives invalidations; while it does not, everything is loaded. Expired entries are swept
 * even if nobody asks for them.
 */
export function createCache<Value>(options: CacheOptions<Value>): Cache<Value> {
  const { max, ttlMs, trusted = () => true, weight = { maxBytes: 0, of: () => 0 } } = options
  const { lostAtMs = () => undefined, keepMs = 0 } = options
  const entries = new Map<string, Entry<Value>>() // least recently used first
  const loading = new Map<string, Promise<Value | undefined>>()
  let drops = 0
  let bytes = 0
  let sweeping: NodeJS.Timeout | undefined

  function remove(key: string): void {
    bytes -= entries.get(key)?.bytes ?? 0
    entries.delete(key)
  }

  function makeRoom(own: number): void {
    for (const key of entries.keys()) {
      if (entries.size < max && bytes + own <= weight.maxBytes) return
      remove(key)
    }
  }

  function sweep(): void {
    sweeping = undefined
    const at = nowMs()
    if (trusted()) for (const [key, { until }] of entries) if (until + keepMs <= at) remove(key)
    if (entries.size > 0) sweepLater()
  }

  function sweepLater(): void {
    sweeping ??= setTimeout(sweep, ttlMs).unref()
  }

  function peek(key: string): Value | undefined {
    const entry = entries.get(key)
    if (entry === undefined || !trusted()) return undefined
    if (entry.until <= nowMs()) {
      if (keepMs === 0) remove(key)
      return undefined
    }
    entries.delete(key)
    entries.set(key, entry)
    return entry.value
  }

  async function loadAndStore(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    const before = drops
    const value = await load()
    if (value === undefined || drops !== before || !trusted()) return value
    const own = weight.of(value)
    if (own > weight.maxBytes) return value
    remove(key)
    makeRoom(own)
    entries.set(key, { value, until: nowMs() + ttlMs, bytes: own })
    bytes += own
    sweepLater()
    return value
  }

  return {
    peek,
    kept(key) {
      const lostAt = lostAtMs()
      const entry = entries.get(key)
      return entry && lostAt !== undefined && entry.until + keepMs > lostAt ? entry.value : undefined
    },
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
      loading.delete(key) // later calls must not join a load that began before
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
