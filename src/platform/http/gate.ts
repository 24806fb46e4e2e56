// Why it works like this: docs/decisions/0020-overload.md, and 0065-fair-shares.md for the shares of businesses.
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

/**
 * The share of one business while others are about, of requests that use our processor and database: fewer than there
 * are connections, so that one is free for others, whatever these requests wait for. Those that wait for other servers
 * have a quarter of all places.
 */
const shareOf = (connections: number) => Math.max(FEW, Math.ceil(0.75 * connections))
const FEW = 4
/** For so long after the requests of two businesses met, they share. */
const MEETING_MS = 10_000
/** A business that is alone leaves this many of those who may wait to the first of another. */
const MAX_WAITING_ALONE = 1_500
/**
 * Requests over the share of their business are kept waiting rather than refused at once: a refusal costs, and is
 * followed by the next request. So many are refused in a millisecond, and so many are kept; but none for longer than
 * MAX_HELD_MS, which is well before the deadline answers them.
 */
const REFUSED_IN_MS = 1
const MAX_HELD_MS = 3_000
const MAX_HELD = 8_000
const MAX_HELD_OF_ONE = MAX_HELD / 2
/** Ids and slugs of the businesses found last are kept: at least so many, and at most twice as many. */
const MAX_NAMES = 20_000

/** One kind of work (a route), with its own queue, so that a kind without room blocks no other kind. */
export type Kind = {
  inside: number
  waiting: Visit[]
  /** When a request of this kind last finished. */
  doneAt: number
  /** Whether its latency reflects our load. */
  timed: boolean
}
/** `over`: the business has used up its share; `full`: there is no room, whoever asks. */
export type Outcome = 'in' | 'full' | 'over' | 'gone'
/** A request, while it waits or has a place. */
export type Visit = {
  kind: Kind
  /** The business as the request names it, which nobody has looked up: its id, its slug, or an invention. */
  name: string | undefined
  isGone: () => boolean
  settle: (outcome: Outcome) => void
  /** Set by the gate. */
  party: Party | undefined
  since: number
}

/** The requests of one business, either those whose latency reflects our load or the others. */
type Party = {
  /** Its id; undefined: all whose names are not known. */
  business: string | undefined
  timed: boolean
  /** Those inside, and those that wait for room in their kind. */
  inside: number
  /** Those that wait for their business's share. */
  waiting: Visit[]
  isLettingOn: boolean
}

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
 * rest. One business gets its share, as soon as there is another: requests beyond it wait before the queues of the
 * kinds, where all businesses meet, so that nobody stands behind them. Callers can invent names: only a business that was
 * found counts as another and has a share of its own. All other names have one together, until `found`.
 */
export function createGate(connections: number, { now, every }: Clock = REAL_CLOCK) {
  const min = MIN * connections
  const share = shareOf(connections)
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
  const timedParties = new Map<string, Party>() // of the businesses that have a request here now
  const otherParties = new Map<string, Party>()
  const shares = new Map<string, number>() // set for single businesses
  const strangers = { timed: createParty(undefined, true), others: createParty(undefined, false) }
  let names = new Map<string, string>() // ids and slugs that are known, to the id
  let olderNames = new Map<string, string>()
  const pressed = new Set<Party>() // those that wait for their share
  /** Of these, the one with the most requests; between two sweeps perhaps no longer. */
  let largest: Party | undefined
  let held = 0
  let sweptAt = 0
  /** How many of those held may be refused by now. */
  let refusable = 0
  let lastBusiness: string | undefined
  let metAt = Number.NEGATIVE_INFINITY

  const hasRoom = (kind: Kind) => inside < limit && kind.inside < limit >> 1

  const getsDone = (kind: Kind, time: number) => time - kind.doneAt < LONG_MS

  function admit(kind: Kind) {
    kind.inside++
    inside++
    if (inside > peak) peak = inside
  }

  function know(name: string, id: string) {
    if (names.size >= MAX_NAMES) {
      olderNames = names
      names = new Map()
    }
    names.set(name, id)
  }

  function idOf(name: string): string | undefined {
    const id = names.get(name)
    if (id !== undefined) return id
    const older = olderNames.get(name)
    if (older !== undefined) know(name, older)
    return older
  }

  function partyOf(id: string | undefined, timed: boolean): Party {
    if (id === undefined) return timed ? strangers.timed : strangers.others
    const parties = timed ? timedParties : otherParties
    let party = parties.get(id)
    if (!party) {
      party = createParty(id, timed)
      parties.set(id, party)
    }
    return party
  }

  /** A business that was found is asked for something. */
  function meet(id: string, time: number) {
    if (id === lastBusiness) return
    if (lastBusiness !== undefined) metAt = time
    lastBusiness = id
  }

  const isAlone = (time: number) => time - metAt >= MEETING_MS

  function hasShare({ business, inside, timed }: Party, time: number): boolean {
    const set = shares.size > 0 && business !== undefined ? shares.get(business) : undefined
    if (set !== undefined) return inside < set
    return (business !== undefined && isAlone(time)) || inside < (timed ? share : limit >> 2)
  }

  const forget = (party: Party) => {
    if (party.business !== undefined && party.inside === 0 && party.waiting.length === 0)
      (party.timed ? timedParties : otherParties).delete(party.business)
  }

  /** One of this business has left: the next may take its share. */
  function release(party: Party | undefined, time: number) {
    if (!party) return
    party.inside--
    if (party.waiting.length > 0) letOn(party, time)
    else forget(party)
  }

  /**
   * From the queue of a business to that of a kind, if it has to wait there. Who is let in may be `found` at once, which
   * frees a place of the strangers: the loop goes on with it, rather than one loop inside another for each of them.
   */
  function letOn(party: Party, time: number) {
    if (party.isLettingOn) return
    party.isLettingOn = true
    try {
      while (party.waiting.length > 0 && hasShare(party, time)) {
        const isLate = time - (party.waiting[0] as Visit).since > LONG_MS
        const visit = (isLate ? party.waiting.pop() : party.waiting.shift()) as Visit
        held--
        if (visit.isGone()) {
          visit.settle('gone')
          continue
        }
        const id = party.business ?? idOf(visit.name as string) // known by now, perhaps
        const outcome =
          id === party.business ? enterWithin(party, visit, time) : join(partyOf(id, party.timed), visit, time)
        if (outcome) visit.settle(outcome)
      }
    } finally {
      party.isLettingOn = false
    }
    if (party.waiting.length > 0) return
    pressed.delete(party)
    forget(party)
  }

  /** Returns the outcome, or undefined if the request has to wait: then `settle` is called later. */
  function enter(visit: Visit): Outcome | undefined {
    const time = now()
    if (time - roundSince >= LONG_MS) adapt(time)
    visit.since = time
    if (visit.name === undefined) return enterKind(visit, time)
    const id = idOf(visit.name)
    if (id !== undefined) meet(id, time)
    return join(partyOf(id, visit.kind.timed), visit, time)
  }

  function join(party: Party, visit: Visit, time: number): Outcome | undefined {
    visit.party = party
    if (party.waiting.length > 0 || !hasShare(party, time)) return hold(party, visit)
    if (party.inside >= limit + MAX_WAITING_ALONE) return 'full'
    const outcome = enterWithin(party, visit, time)
    if (outcome === 'full') forget(party)
    return outcome
  }

  function enterWithin(party: Party, visit: Visit, time: number): Outcome | undefined {
    party.inside++
    const outcome = enterKind(visit, time)
    if (outcome === 'full') party.inside--
    return outcome
  }

  /** When all that may be kept are, the one with the most loses its oldest, not who has fewer the newest. */
  function hold(party: Party, visit: Visit): 'over' | undefined {
    if (party.waiting.length >= MAX_HELD_OF_ONE) return 'over'
    if (held >= MAX_HELD) {
      if (!largest || largest.waiting.length <= party.waiting.length + 1) return 'over'
      held--
      refuseHeld(largest.waiting.shift() as Visit)
    }
    held++
    party.waiting.push(visit)
    pressed.add(party)
    if (!largest || party.waiting.length > largest.waiting.length) largest = party
    startSweeping()
    return undefined
  }

  const refuseHeld = (visit: Visit) => visit.settle(visit.isGone() ? 'gone' : 'over')

  /** Once a request's business was looked up: it counts as one of that business from here on. */
  function found(visit: Visit, { id, slug }: { id: string; slug: string }) {
    const { party, kind } = visit
    if (!party || party.business === id) return
    const time = now()
    know(id, id)
    know(slug, id)
    meet(id, time)
    visit.party = partyOf(id, kind.timed)
    visit.party.inside++
    release(party, time)
  }

  function enterKind(visit: Visit, time: number): 'in' | 'full' | undefined {
    const { kind } = visit
    if (kind.waiting.length === 0 && hasRoom(kind)) {
      admit(kind)
      return 'in'
    }
    if (getsDone(kind, time)) isWanted = true
    if (waiting >= MAX_WAITING) return 'full'
    waiting++
    kind.waiting.push(visit)
    queues.add(kind)
    startSweeping()
    return undefined
  }

  /** `tookMs` since it was admitted; undefined if its latency does not reflect our load. */
  function leave({ kind, party }: Visit, tookMs: number | undefined) {
    const time = now()
    kind.inside--
    kind.doneAt = time
    inside--
    if (kind.timed && tookMs !== undefined) {
      answered++
      if (tookMs > IN_TIME_MS) slow++
    }
    if (time - roundSince >= LONG_MS) adapt(time)
    release(party, time)
    if (waiting > 0) letIn(time)
  }

  /**
   * FIFO; once the oldest request has waited over LONG_MS, LIFO: then not all can be served in time, the newest still
   * can, and those that will be refused have waited too long already.
   */
  function takeNext(time: number): Visit | undefined {
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
    const visit = isLate ? kind.waiting.pop() : kind.waiting.shift()
    if (kind.waiting.length === 0) queues.delete(kind)
    waiting--
    return visit
  }

  function letIn(time: number) {
    while (inside < limit) {
      const next = takeNext(time)
      if (!next) return
      if (next.isGone()) {
        next.settle('gone')
        release(next.party, time)
        continue
      }
      admit(next.kind)
      next.settle('in')
    }
  }

  function startSweeping() {
    if (stopSweeping) return
    sweptAt = now()
    stopSweeping = every(SWEEP_MS, sweep)
  }

  /** Refuses requests that have waited too long. */
  function sweep() {
    const time = now()
    const passedMs = time - sweptAt // more than SWEEP_MS if the event loop was late
    sweptAt = time
    if (time - roundSince >= LONG_MS) adapt(time)
    for (const kind of queues) {
      if (getsDone(kind, time)) isWanted = true
      let late = 0
      while (late < kind.waiting.length && time - (kind.waiting[late] as Visit).since > IN_TIME_MS) late++
      if (late === 0) continue
      waiting -= late
      const refused = kind.waiting.splice(0, late)
      if (kind.waiting.length === 0) queues.delete(kind)
      for (const { settle, party } of refused) {
        settle('full')
        release(party, time)
      }
    }
    if (held > 0) sweepHeld(time, passedMs)
    if (waiting > 0) letIn(time)
    if (waiting > 0 || held > 0) return
    stopSweeping?.()
    stopSweeping = undefined
  }

  /** Those that wait for their share: so many of each business, and all that have waited too long by far. */
  function sweepHeld(time: number, passedMs: number) {
    refusable += passedMs * REFUSED_IN_MS
    const most = Math.floor(refusable / pressed.size)
    refusable -= most * pressed.size // what is not used is not kept
    largest = undefined
    for (const party of pressed) {
      letOn(party, time) // it may be alone by now
      let late = 0
      while (late < party.waiting.length) {
        const waitedMs = time - (party.waiting[late] as Visit).since
        if (waitedMs <= IN_TIME_MS || (late >= most && waitedMs <= MAX_HELD_MS)) break
        late++
      }
      held -= late
      if (late > 0) for (const visit of party.waiting.splice(0, late)) refuseHeld(visit)
      if (!largest || party.waiting.length > largest.waiting.length) largest = party
      if (party.waiting.length > 0) continue
      pressed.delete(party)
      forget(party)
    }
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
    readmit(visit: Visit) {
      const { kind, party } = visit
      admit(kind)
      if (!party) return
      visit.party = partyOf(party.business, kind.timed)
      visit.party.inside++
    },
    found,
    leave,
    /** How many requests of this business may be inside at once, alone or not; undefined: as many as of any other. */
    setShare(business: string, places: number | undefined) {
      if (places !== undefined) shares.set(business, places)
      else if (shares.size > 0) shares.delete(business)
    },
    limit: () => limit,
    state: () => ({ limit, inside, waiting: waiting + held }),
    close: () => stopSweeping?.(),
  }
}

const firstOf = (kind: Kind) => kind.waiting[0] as Visit
const lastOf = (kind: Kind) => kind.waiting.at(-1) as Visit
const createParty = (business: string | undefined, timed: boolean): Party => ({
  business,
  timed,
  inside: 0,
  waiting: [],
  isLettingOn: false,
})

export const createKind = (timed: boolean): Kind => ({ inside: 0, waiting: [], doneAt: 0, timed })

export const createVisit = (
  kind: Kind,
  isGone: () => boolean,
  settle: (outcome: Outcome) => void,
  name?: string,
): Visit => ({ kind, name, isGone, settle, party: undefined, since: 0 })
