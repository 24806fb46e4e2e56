import type { FastifyBaseLogger } from 'fastify'
import { now, nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { type EventRow, presentEvent, readNumbered } from '#platform/events/feed.ts'
import { fault } from '#platform/faults.ts'
import type { Line } from '#platform/outgoing/line.ts'
import type { PositionRow } from './endpoint.ts'
import { MAX_WAITING } from './limits.ts'
import { type Places, SLOW_MS, type Taken } from './places.ts'
import { FAILING_AFTER, isToBeDisabled, isToBeWarned, pauseMs } from './retry-policy.ts'
import { type Outcome, sendEvent } from './send.ts'
import * as settle from './settle.ts'
import { createTrack, type Track } from './track.ts'

const RETRIES = 20
/** What is sent again for somebody may fail again: it leaves so much room for what fails anew. */
const MAX_WAITING_FOR_REPLAY = MAX_WAITING / 2
/** While so much waits to be tried again that new events wait, too. */
const FULL_PAUSE_MS = 60_000

/** How a receiver fares. One of the operator has the same in all businesses of a worker. */
export type Health = {
  failures: number
  failingSince: Date | null
  pausedUntil: Date | null
  inFlight: number
  isSlow: boolean
  /** The quickest answer so far. */
  bestMs: number
}

/** Whom to tell. */
export type Receiver = settle.Target & {
  url: string
  line: Line
  secrets: () => readonly string[]
  matches: (type: string) => boolean
  health: Health
  /** Requests at once: of this run, and of all with the same health. */
  most: { run: number; health: number }
  /** One of the operator is never disabled by itself. */
  isOperator: boolean
}

type OwnBacklog = Pick<settle.Backlog, 'count' | 'nextAt' | 'again'>

/** Parked: not tried again, until somebody wants it. */
export type Outcomes = 'delivered' | 'failed' | 'parked'

export type RunOptions = {
  db: Db
  log: FastifyBaseLogger
  places: Places
  position: PositionRow
  backlog: OwnBacklog | undefined
  lastNumber: () => number
  read: (after: number) => Promise<EventRow[]>
  /** What became of an attempt. */
  count: (outcome: Outcomes) => void
  /** If not, it is pumped again once it may. */
  mayBegin: (run: Run) => boolean
  /** Its position has to be written. */
  moved: (run: Run) => void
  /** Something could not be written: what is under way counts as not sent. */
  failed: (error: unknown) => void
}

export type Run = {
  receiver: Receiver
  pump(): void
  /** Nothing more is begun. */
  end(): void
  /** The endpoint is told nothing more. What is under way is cut off, and how it fares is not written any more. */
  leave(): void
  /**
   * Somebody has changed the endpoint: from now on it is told like this. Requests under way are not waited for; those to an
   * address that is not its own any more are cut off, and their events go to the new one.
   */
  change(to: Omit<Receiver, 'health'>, position: PositionRow, backlog?: OwnBacklog): void
  isBusy(): boolean
  /** It has disabled its endpoint: how that fares is for whoever enables it to say. */
  isOver(): boolean
  isPaused(): boolean
  /** Whether there is nothing to do now; then `wakeAt` says when there will be, if nothing happens. */
  isIdle(): boolean
  /** When the oldest event happened that this endpoint was not told of, though it answers. */
  waitingSince(): Date | undefined
  wakeAt(): Date | null
  moved(): settle.Moved
}

type Work = { event: EventRow; settled: () => void; before?: settle.Waiting }

/** Tells one endpoint: new events in the order of the feed, what failed when it is due, and then what is to be sent once more. */
export function createRun(receiver: Receiver, options: RunOptions): Run {
  const { db, log, places, position, lastNumber, read } = options
  const { health } = receiver
  let live = createSource(createTrack(position.number), () => lastNumber() + 1)
  let replay = replayOf(position)
  let { replayStartedAt } = position
  let isReplayDone = false
  let retries: Work[] = []
  let again: Work[] = []
  let waiting = 0
  let nextRetryAt: Date | null = null
  let waitingAgain = 0
  let inFlight = 0
  let retrying = 0
  let isLoading = false
  let hasEnded = false
  let isOver = false
  let hasWarned = position.warnedAt !== null
  let turn = 0

  know(options.backlog)
  if (waiting >= MAX_WAITING) health.pausedUntil ??= nextRetryAt
  const isFailing = () => health.failures >= FAILING_AFTER
  const isPaused = () => health.pausedUntil !== null && health.pausedUntil.getTime() > nowMs()
  const hasDueRetries = () => nextRetryAt !== null && nextRetryAt.getTime() <= nowMs()
  const isFull = () => waiting >= MAX_WAITING
  const isUpToDate = () => live.track.lookedTo() >= lastNumber()
  const mayReplay = () => isUpToDate() && waiting < MAX_WAITING_FOR_REPLAY

  function know(backlog: OwnBacklog | undefined): void {
    waiting = backlog?.count ?? 0
    nextRetryAt = backlog?.nextAt ?? null
    waitingAgain = backlog?.again ?? 0
  }

  /** The next event of a way along the feed; undefined: there is none, or it has to be read first. */
  function nextOf(source: Source): Work | undefined {
    // Whatever takes long is overtaken by three others at most.
    if (source.track.length() >= receiver.most.run) return undefined
    for (let event = source.buffer[0]; event; event = source.buffer[0]) {
      if (event.number >= source.before()) {
        source.buffer.length = 0
        return undefined
      }
      source.buffer.shift()
      if (receiver.matches(event.type)) return { event, settled: source.track.begin(event.number, event.occurredAt) }
      source.track.pass(event.number)
      options.moved(run)
    }
    if (source.track.lookedTo() < source.before() - 1) load(() => fill(source))
    return undefined
  }

  async function fill(source: Source): Promise<void> {
    const end = source.before() - 1
    const events = await read(source.track.lookedTo())
    source.buffer.push(...events)
    if (events.length > 0) return
    source.track.pass(end) // older events are gone
    options.moved(run)
  }

  /** What failed before and is due. */
  async function loadRetries(): Promise<void> {
    const due = await settle.readWaiting(db, receiver, RETRIES)
    retries = await toWork(due)
    if (due.length === 0) await countBacklog()
  }

  /** What somebody wants to be tried again. */
  async function loadAgain(): Promise<void> {
    const due = await settle.readAgain(db, receiver, RETRIES)
    again = await toWork(due)
    if (due.length === 0) await countBacklog()
  }

  async function toWork(due: readonly settle.Waiting[]): Promise<Work[]> {
    const numbers = due.map(({ number }) => number)
    const events = await readNumbered(db, receiver.businessId, numbers)
    const byNumber = new Map(events.map((event) => [event.number, event]))
    // Types may have been taken away since: whoever did, perhaps with the address, may not be able to read them.
    const wanted = due.flatMap((before) => {
      const event = byNumber.get(before.number)
      return event && receiver.matches(event.type) ? [{ event, before, settled: () => undefined }] : []
    })
    const gone = due.filter((before) => !wanted.some((work) => work.before === before))
    if (gone.length > 0) {
      await settle.giveUp(
        db,
        receiver,
        gone.map(({ number }) => number),
      )
    }
    for (const each of gone) noLonger(each)
    return wanted
  }

  async function countBacklog(): Promise<void> {
    const backlogs = await settle.readBacklogs(db, [receiver.businessId])
    know(backlogs.find(({ endpointId }) => endpointId === receiver.endpointId))
  }

  function load(task: () => Promise<void>): void {
    if (isLoading) return
    isLoading = true
    task().then(
      () => {
        isLoading = false
        pump()
      },
      (error: unknown) => {
        isLoading = false
        hasEnded = true
        options.failed(error)
      },
    )
  }

  function nextRetry(): Work | undefined {
    const next = takeFrom(retries)
    // Those under way are due as well until they are settled: the next ones are read when they are.
    if (!next && hasDueRetries() && retrying === 0) load(loadRetries)
    return next
  }

  /** They were read a moment ago: types may have been taken away since. */
  function takeFrom(works: Work[]): Work | undefined {
    let work = works.shift()
    while (work && !receiver.matches(work.event.type)) work = works.shift()
    return work
  }

  function next(): Work | undefined {
    if (isFailing() || turn % 4 === 3) {
      const retry = nextRetry()
      if (retry || (isFailing() && isLoading)) return retry
    }
    const found = isFull() ? undefined : nextOf(live)
    if (found) return found
    const retry = nextRetry()
    if (retry) return retry
    if (!mayReplay()) return undefined
    const asked = nextAgain() ?? (replay && nextOf(replay))
    if (!asked) endReplay()
    return asked
  }

  function nextAgain(): Work | undefined {
    const next = takeFrom(again)
    if (!next && waitingAgain > 0 && retrying === 0) load(loadAgain)
    return next
  }

  function pump(): void {
    while (!hasEnded && !isPaused() && inFlight < mostAtOnce() && health.inFlight < receiver.most.health) {
      if (!hasWork() || !options.mayBegin(run)) return
      const leave = places.take(health.isSlow, pump)
      if (!leave) return
      const work = next()
      if (!work) return leave()
      turn++
      void deliver(work, leave)
    }
  }

  const mostAtOnce = () => (isFailing() ? 1 : receiver.most.run)

  /** A guess, before a place is taken. */
  const hasWork = () =>
    (!isFull() && live.hasMore()) ||
    retries.length > 0 ||
    hasDueRetries() ||
    (mayReplay() && (again.length > 0 || waitingAgain > 0 || (replay?.hasMore() ?? false)))

  async function deliver(work: Work, leave: (taken?: Taken) => void): Promise<void> {
    inFlight++
    if (work.before) retrying++
    health.inFlight++
    const { line } = receiver
    const outcome = await sendEvent(line, receiver.secrets(), presentEvent(work.event))
    const isCutOff = isOver || line !== receiver.line
    health.isSlow = outcome.milliseconds > SLOW_MS || outcome.problem !== null
    health.inFlight--
    const { milliseconds: ms, problem } = outcome
    if (problem === null) health.bestMs = Math.min(health.bestMs, ms)
    leave(problem === null ? { ms, bestMs: health.bestMs } : undefined)
    try {
      await fault('webhooks.sent')
      if (isCutOff) return
      if (outcome.problem === null) await succeed(work, outcome)
      else await fail(work, outcome)
      work.settled()
      endReplay()
      options.moved(run)
    } catch (error) {
      hasEnded = true
      options.failed(error)
    } finally {
      inFlight--
      if (work.before) retrying--
      pump()
    }
  }

  function endReplay(): void {
    if (!replay || replay.track.position() < replay.before() - 1) return
    replay = undefined
    isReplayDone = true
    options.moved(run)
  }

  async function succeed({ event, before }: Work, outcome: Outcome): Promise<void> {
    const wasFailing = isFailing()
    options.count('delivered')
    Object.assign(health, { failures: 0, failingSince: null, pausedUntil: null })
    hasWarned = false
    if (before) {
      await settle.writeDelivered(db, receiver, event.number, outcome)
      noLonger(before)
    }
    if (!wasFailing || waiting === 0) return
    await settle.hurry(db, receiver)
    nextRetryAt = now()
  }

  /** It does not wait any more, whether to be tried again by itself or because somebody wants it. */
  function noLonger({ attempts }: settle.Waiting): void {
    if (attempts > 0) waiting--
    else waitingAgain = Math.max(0, waitingAgain - 1)
  }

  async function fail({ event, before }: Work, outcome: Outcome): Promise<void> {
    health.failures++
    health.failingSince ??= outcome.at
    const pause = pauseMs(settle.failureOf(outcome), health.failures, nowMs(), Math.random())
    if (pause > 0) health.pausedUntil = new Date(nowMs() + pause)
    const nextAt = await settle.writeFailure(db, receiver, presentEvent(event), outcome, before)
    options.count(nextAt ? 'failed' : 'parked')
    if (before) noLonger(before)
    if (nextAt) waiting++
    if (nextAt && (!nextRetryAt || nextAt < nextRetryAt)) nextRetryAt = nextAt
    if (isFull() && !isPaused()) health.pausedUntil = new Date(nowMs() + FULL_PAUSE_MS)
    await look(outcome)
  }

  /** Whether somebody has to be told, or it has to end. */
  async function look(outcome: Outcome): Promise<void> {
    const { failingSince } = health
    const { businessId, endpointId } = receiver
    if (receiver.isOperator) {
      if (health.failures === FAILING_AFTER) log.warn({ endpointId }, 'an endpoint of the operator fails')
      return
    }
    const isGone = outcome.status === 410
    if (isGone || (failingSince && isToBeDisabled(failingSince.getTime(), nowMs()))) {
      hasEnded = true
      isOver = true
      await settle.disable(db, receiver, isGone ? 'GONE' : 'FAILING', failingSince)
      log.info({ businessId, endpointId, isGone }, 'a webhook endpoint is disabled')
    } else if (!hasWarned && failingSince && isToBeWarned(failingSince.getTime(), nowMs())) {
      hasWarned = true
      await settle.warn(db, receiver)
    }
  }

  /** The operator's line is that of all businesses. */
  function cutOff(): void {
    if (!receiver.isOperator) receiver.line.close()
  }

  const run: Run = {
    receiver,
    pump,
    isPaused,
    end() {
      hasEnded = true
    },
    leave() {
      hasEnded = true
      isOver = true
      cutOff()
    },
    change({ url, line, secrets, matches, most }, position, backlog) {
      if (url !== receiver.url) {
        cutOff()
        Object.assign(receiver, { url, line })
        live = createSource(createTrack(live.track.position()), () => lastNumber() + 1)
        if (replay) replay = createSource(createTrack(replay.track.position()), replay.before)
      }
      Object.assign(receiver, { secrets, matches, most })
      retries = []
      again = []
      // It was disabled and enabled again: it begins anew.
      if (position.number > live.track.lookedTo())
        live = createSource(createTrack(position.number), () => lastNumber() + 1)
      if (position.failures === 0 && !receiver.isOperator) {
        Object.assign(health, { failures: 0, failingSince: null, pausedUntil: null })
        hasWarned = false
      }
      if (position.replayStartedAt && position.replayStartedAt.getTime() !== replayStartedAt?.getTime()) {
        replay = replayOf(position)
        replayStartedAt = position.replayStartedAt
        isReplayDone = false
      }
      // What fails meanwhile is known here before it is read. Too many: they are counted anew once none is found.
      waitingAgain = backlog?.again ?? 0
    },
    isBusy: () => inFlight > 0 || isLoading,
    isOver: () => isOver,
    waitingSince: () =>
      isOver || isFailing() || isPaused() ? undefined : (live.track.waitingSince() ?? live.buffer[0]?.occurredAt),
    isIdle: () => inFlight === 0 && !isLoading && (hasEnded || isPaused() || !hasWork()),
    wakeAt() {
      if (hasEnded) return null
      if (!isPaused()) return nextRetryAt
      const hasNews = live.hasMore() || replay !== undefined || waitingAgain > 0
      const due = hasNews || !nextRetryAt ? health.pausedUntil : nextRetryAt
      if (!hasNews && !nextRetryAt) return null
      return due && health.pausedUntil && due < health.pausedUntil ? health.pausedUntil : due
    },
    moved: () => ({
      businessId: receiver.businessId,
      endpointId: receiver.endpointId,
      number: live.track.position(),
      failures: receiver.isOperator ? 0 : health.failures,
      failingSince: receiver.isOperator ? null : health.failingSince,
      pausedUntil: health.pausedUntil,
      replayNumber: replay ? replay.track.position() : null,
      replayStartedAt,
      isReplayDone,
    }),
  }
  return run
}

/** A part of the feed that is to be sent: up to before a number, which moves for new events. */
type Source = { track: Track; buffer: EventRow[]; before: () => number; hasMore: () => boolean }

const createSource = (track: Track, before: () => number): Source => {
  const buffer: EventRow[] = []
  return { track, buffer, before, hasMore: () => buffer.length > 0 || track.lookedTo() < before() - 1 }
}

function replayOf({ replayNumber, replayBefore }: PositionRow): Source | undefined {
  if (replayNumber === null || replayBefore === null) return undefined
  return createSource(createTrack(replayNumber), () => replayBefore)
}
