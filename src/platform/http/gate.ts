// Why it is so: docs/decisions/0020-overload.md.
/** Places for each connection to the database: at least so many, to begin with, and at most. */
const MIN = 4
const START = 16
const MAX = 128
/** Looked at so often: were those who were let in answered in time? */
const ROUND_MS = 100
/** If more than a tenth of them take longer, there are too many. */
const SLOW_MS = 350
const SHRINK = 0.85
const GROW = 1.1
/** How long somebody waits at the gate. Waiting costs nothing; a refusal costs as much as a cached read, and is asked again. */
const PATIENCE_MS = 350
const LONG_MS = 100
const MAX_WAITING = 2_000
const SWEEP_MS = 10

/** One kind of work (a route), with its own queue: those of a kind that has no room stand in nobody's way. */
export type Kind = {
  inside: number
  waiting: Waiter[]
  /** When one was last done. */
  doneAt: number
  /** Does the time that it takes tell how much there is to do? */
  timed: boolean
}
export type Outcome = 'in' | 'full' | 'gone'
type Waiter = { since: number; isGone: () => boolean; settle: (outcome: Outcome) => void }

export type Gate = ReturnType<typeof createGate>

/**
 * Lets in as many requests as are answered in time, and keeps the others waiting for a moment. One kind has at most half of the
 * places: what is slow by nature, or asked for in a storm, leaves the other half to the rest.
 */
export function createGate(connections: number, now: () => number = () => performance.now()) {
  const [min, max] = [MIN * connections, MAX * connections]
  let limit = START * connections
  let inside = 0
  let waiting = 0
  let peak = 0
  /** Does somebody wait for places of a kind that gets done? More places for what is stuck would only be lost, too. */
  let isWanted = false
  let answered = 0
  let slow = 0
  let roundSince = now()
  const queues = new Set<Kind>() // those with somebody waiting
  let sweeper: NodeJS.Timeout | undefined

  const hasRoom = (kind: Kind) => inside < limit && kind.inside < limit >> 1

  const getsDone = (kind: Kind, time: number) => time - kind.doneAt < ROUND_MS

  function admit(kind: Kind) {
    kind.inside++
    inside++
    if (inside > peak) peak = inside
  }

  /** Answers at once, mostly; else `settle` is told later. */
  function enter(kind: Kind, isGone: () => boolean, settle: (outcome: Outcome) => void): Outcome | undefined {
    const time = now()
    if (time - roundSince >= ROUND_MS) adapt(time)
    if (kind.waiting.length === 0 && hasRoom(kind)) {
      admit(kind)
      return 'in'
    }
    if (getsDone(kind, time)) isWanted = true
    if (waiting >= MAX_WAITING) return 'full'
    waiting++
    kind.waiting.push({ since: time, isGone, settle })
    queues.add(kind)
    sweeper ??= setInterval(sweep, SWEEP_MS)
    return undefined
  }

  /** `tookMs` since it was let in; undefined: it says nothing about us. */
  function leave(kind: Kind, tookMs: number | undefined) {
    const time = now()
    kind.inside--
    kind.doneAt = time
    inside--
    if (kind.timed && tookMs !== undefined) {
      answered++
      if (tookMs > SLOW_MS) slow++
    }
    if (time - roundSince >= ROUND_MS) adapt(time)
    if (waiting > 0) letIn(time)
  }

  /**
   * Who is next: who came first. Unless somebody has waited for long, so that not all can be served in time: then who came last,
   * and is answered soon, while those who are sent away have waited anyway.
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

  /** As many as there is room for. */
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

  /** Who has waited too long is sent away. */
  function sweep() {
    const time = now()
    if (time - roundSince >= ROUND_MS) adapt(time)
    for (const kind of queues) {
      if (getsDone(kind, time)) isWanted = true
      let late = 0
      while (late < kind.waiting.length && time - (kind.waiting[late] as Waiter).since > PATIENCE_MS) late++
      if (late === 0) continue
      waiting -= late
      for (const { settle } of kind.waiting.splice(0, late)) settle('full')
      if (kind.waiting.length === 0) queues.delete(kind)
    }
    if (waiting > 0) return letIn(time)
    clearInterval(sweeper)
    sweeper = undefined
  }

  function adapt(time: number) {
    if (peak > min && slow * 10 > answered) limit = Math.max(min, Math.floor(Math.min(limit, peak) * SHRINK))
    else if (isWanted && answered > 0 && slow * 10 <= answered) limit = Math.min(max, Math.ceil(limit * GROW))
    roundSince = time
    peak = inside
    isWanted = false
    answered = 0
    slow = 0
  }

  return {
    enter,
    leave,
    limit: () => limit,
    state: () => ({ limit, inside, waiting }),
    close: () => clearInterval(sweeper),
  }
}

const firstOf = (kind: Kind) => kind.waiting[0] as Waiter
const lastOf = (kind: Kind) => kind.waiting.at(-1) as Waiter

export const createKind = (timed: boolean): Kind => ({ inside: 0, waiting: [], doneAt: 0, timed })
