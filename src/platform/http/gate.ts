// Why it works like this: docs/decisions/0020-overload.md.
/**
 * Concurrency limit for each database connection: the minimum, and the start. Work that only waits for other servers
 * does not change it.
 */
const MIN = 4
const START = 16
/**
 * The latency target: admitted requests should be answered, and waiting ones refused, within this time. A refusal costs
 * as much as a cached read.
 */
const IN_TIME_MS = 350
/**
 * How often the limit adapts to the latency; also the age of the oldest waiting request at which the queue turns from
 * FIFO to LIFO.
 */
const LONG_MS = 100
const SHRINK = 0.85
const GROW = 1.1
const MAX_WAITING = 2_000
const SWEEP_MS = 10

/** One kind of work (a route), with its own queue, so that a kind without room blocks no other kind. */
export type Kind = {
  inside: number
  waiting: Waiter[]
  /** When a request of this kind last finished. */
  doneAt: number
  /** Whether its latency reflects our load. */
  timed: boolean
}
export type Outcome = 'in' | 'full' | 'gone'
type Waiter = { since: number; isGone: () => boolean; settle: (outcome: Outcome) => void }

export type Gate = ReturnType<typeof createGate>

/** The source of time, replaced in simulations. */
export type Clock = {
  now(): number
  /** Runs `work` at an interval; returns a function that stops it. */
  every(ms: number, work: () => void): () => void
}

const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  every(ms, work) {
    const timer = setInterval(work, ms)
    return () => clearInterval(timer)
  },
}

/**
 * Load shedding with an adaptive concurrency limit: admits as many requests as are answered in time, and queues the
 * others briefly. One kind gets at most half of the limit, so that slow or flooded routes leave the other half to the
 * rest.
 */
export function createGate(connections: number, { now, every }: Clock = REAL_CLOCK) {
  const min = MIN * connections
  let limit = START * connections
  let inside = 0
  let waiting = 0
  let peak = 0
  /**
   * Whether a kind that makes progress has waiting requests. A kind that is stuck would only use up a higher limit,
   * too.
   */
  let isWanted = false
  let answered = 0
  let slow = 0
  let roundSince = now()
  const queues = new Set<Kind>() // the kinds with waiting requests
  let stopSweeping: (() => void) | undefined

  const hasRoom = (kind: Kind) => inside < limit && kind.inside < limit >> 1

  const getsDone = (kind: Kind, time: number) => time - kind.doneAt < LONG_MS

  function admit(kind: Kind) {
    kind.inside++
    inside++
    if (inside > peak) peak = inside
  }

  /** Returns the outcome, or undefined if the request has to wait: then `settle` is called later. */
  function enter(kind: Kind, isGone: () => boolean, settle: (outcome: Outcome) => void): Outcome | undefined {
    const time = now()
    if (time - roundSince >= LONG_MS) adapt(time)
    if (kind.waiting.length === 0 && hasRoom(kind)) {
      admit(kind)
      return 'in'
    }
    if (getsDone(kind, time)) isWanted = true
    if (waiting >= MAX_WAITING) return 'full'
    waiting++
    kind.waiting.push({ since: time, isGone, settle })
    queues.add(kind)
    stopSweeping ??= every(SWEEP_MS, sweep)
    return undefined
  }

  /** `tookMs` since it was admitted; undefined if its latency does not reflect our load. */
  function leave(kind: Kind, tookMs: number | undefined) {
    const time = now()
    kind.inside--
    kind.doneAt = time
    inside--
    if (kind.timed && tookMs !== undefined) {
      answered++
      if (tookMs > IN_TIME_MS) slow++
    }
    if (time - roundSince >= LONG_MS) adapt(time)
    if (waiting > 0) letIn(time)
  }

  /**
   * FIFO; once the oldest request has waited over LONG_MS, LIFO: then not all can be served in time, the newest still
   * can, and those that will be refused have waited too long already.
   */
  function takeNext(time: number): [Kind, Waiter] | undefined {
    let oldest: Kind | undefined
    let newest: Kind | undefined
    for (const kind of queues) {
      if (!hasRoom(kind)) continue
      if (!oldest || firstOf(kind).since < firstOf(oldest).since) oldest = kind
      if (!newest || lastOf(kind).since > lastOf(newest).since) newest = kind
    }
    if (!oldest || !newest) return undefined
    const isLate = time - firstOf(oldest).since > LONG_MS
    const kind = isLate ? newest : oldest
    const waiter = (isLate ? kind.waiting.pop() : kind.waiting.shift()) as Waiter
    if (kind.waiting.length === 0) queues.delete(kind)
    waiting--
    return [kind, waiter]
  }

  function letIn(time: number) {
    while (inside < limit) {
      const next = takeNext(time)
      if (!next) return
      const [kind, { isGone, settle }] = next
      if (isGone()) {
        settle('gone')
        continue
      }
      admit(kind)
      settle('in')
    }
  }

  /** Refuses requests that have waited too long. */
  function sweep() {
    const time = now()
    if (time - roundSince >= LONG_MS) adapt(time)
    for (const kind of queues) {
      if (getsDone(kind, time)) isWanted = true
      let late = 0
      while (late < kind.waiting.length && time - (kind.waiting[late] as Waiter).since > IN_TIME_MS) late++
      if (late === 0) continue
      waiting -= late
      for (const { settle } of kind.waiting.splice(0, late)) settle('full')
      if (kind.waiting.length === 0) queues.delete(kind)
    }
    if (waiting > 0) return letIn(time)
    stopSweeping?.()
    stopSweeping = undefined
  }

  function adapt(time: number) {
    if (peak > min && slow * 10 > answered) limit = Math.max(min, Math.floor(Math.min(limit, peak) * SHRINK))
    else if (isWanted && answered > 0 && slow * 10 <= answered) limit = Math.ceil(limit * GROW)
    roundSince = time
    peak = inside
    isWanted = false
    answered = 0
    slow = 0
  }

  return {
    enter,
    /** For one who was inside before, and only waited for somebody else meanwhile: what is left of it is little. */
    readmit: admit,
    leave,
    limit: () => limit,
    state: () => ({ limit, inside, waiting }),
    close: () => stopSweeping?.(),
  }
}

const firstOf = (kind: Kind) => kind.waiting[0] as Waiter
const lastOf = (kind: Kind) => kind.waiting.at(-1) as Waiter

export const createKind = (timed: boolean): Kind => ({ inside: 0, waiting: [], doneAt: 0, timed })
