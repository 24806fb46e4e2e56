import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { now, nowMs } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { Db } from '#platform/database/database.ts'
import { type EventRow, readAfter, readAllAfter, readLastNumbers } from '#platform/events/feed.ts'
import { startLoop } from '#platform/jobs/loop.ts'
import type { Rest } from '#platform/jobs/rest.ts'
import type { Rules } from '#platform/outgoing/check-address.ts'
import { openLine } from '#platform/outgoing/line.ts'
import type { EndpointRow, PositionRow } from './endpoint.ts'
import { createRun, type Health, type Outcomes, type Receiver, type Run } from './endpoint-run.ts'
import { createMatcher } from './event-types.ts'
import {
  claimFeeds,
  hasDueFeeds,
  type Released,
  readLongestDue,
  releaseFeeds,
  renewFeeds,
  takeChanged,
  wakeForgotten,
} from './hold-feeds.ts'
import type { OperatorEndpoints } from './operator-endpoints.ts'
import type { Places } from './places.ts'
import { readPositions, readTold } from './queries.ts'
import { openSecrets } from './send.ts'
import { type Backlog, movePositions, readBacklogs } from './settle.ts'

const LOOK_MS = 200
const RENEW_MS = 4_000
/** How often all endpoints are looked at, for events that nobody told of; and after a worker has died, or could not tell. */
const FORGOTTEN_MS = 300_000
const SWEEP_MS = 2_000
/** Positions are written no more often than this: what was sent since is sent again after a crash. */
const FLUSH_MS = 10
/** Nothing more is begun while so many steps are unwritten: a crash repeats no more, however slow the database is. */
const MOST_UNWRITTEN = 128
/** A business in which nothing happens is held for this long, with its connections; shorter where there are many. */
const LINGER_MS = 5_000
const LINGER_OF_MANY_MS = 300
const MANY = 1_000
const CLAIM = 200
/** Events that are read at once, of one business. */
const BATCH = 100
const MOST_HELD = 5_000
/** Of one business, and of one endpoint; with more endpoints than fit, each has fewer, so that none waits for another. */
const MOST_OF_BUSINESS = 20
const MOST_OF_ENDPOINT = 4
/** A business whose endpoints are all disabled. */
const NOBODY_MS = 3_600_000
const AFTER_ERROR_MS = 2_000
/** How often it is looked whether businesses wait for a worker. */
const MEASURE_MS = 5_000
/** Its secret cannot be opened: the operator has to see to that. */
const SEALED_MS = 300_000

/** What is measured, in one place for all cells of a worker. */
export type WebhookMeter = {
  count: (outcome: Outcomes) => void
  /** `delaySeconds`: how long the oldest event waits that should have been delivered. */
  watch: (cell: string, delaySeconds: () => number) => void
}

export type DeliverOptions = {
  db: Db
  box: SecretBox
  rules: Rules
  places: Places
  operator: OperatorEndpoints
  log: FastifyBaseLogger
  meter: Pick<WebhookMeter, 'count'>
}

/** A business that this worker has. */
type Feed = {
  businessId: string
  runs: Run[]
  lastNumber: number
  recent: { after: number; events: EventRow[] } | undefined
  /** Since when nothing is to be done. */
  idleMs: number | undefined
  /** Its endpoints are read anew; or it begins nothing more, and is given back once nothing is under way. */
  ending: 'reload' | 'release' | undefined
  hasFailed: boolean
}

export type Delivering = {
  /** Events came of which nobody was told. */
  sweepSoon(): void
  /** One look; for tests. */
  look(signal?: AbortSignal): Promise<void>
  /** Nothing is held, and nothing is to be looked for: only what becomes due is to be done. */
  isIdle(): boolean
  /** How long the oldest event waits that should have been delivered. What waits because its receiver fails is not meant. */
  delaySeconds(): number
  stop(): Promise<void>
}

/** Delivers the events of a cell. Several workers share its businesses: each has some, and the endpoints of one are with one worker. */
export function createDelivering({ db, box, rules, places, operator, log, meter }: DeliverOptions): Delivering {
  const lease = randomUUID()
  const held = new Map<string, Feed>()
  const moved = new Set<Run>()
  const heldUp = new Set<Run>()
  let unwritten = 0
  let flushing: Promise<void> | undefined
  let writing: Promise<void> = Promise.resolve()
  let renewedMs = nowMs()
  let sweptMs = 0
  let isSweepDue = false
  let measuredMs = 0
  let longestDue: Date | null = null
  let isStopping = false
  let operatorIds = ''

  function flushSoon(run: Run): void {
    moved.add(run)
    unwritten++
    flushing ??= flush().finally(() => {
      flushing = undefined
    })
  }

  async function flush(): Promise<void> {
    await sleep(FLUSH_MS)
    while (moved.size > 0) {
      const runs = [...moved]
      const steps = unwritten
      moved.clear()
      try {
        await write(runs)
        unwritten -= steps
        goOn()
      } catch (error) {
        log.warn({ err: error }, 'positions of webhooks could not be written; trying again')
        for (const run of runs) moved.add(run)
        await sleep(LOOK_MS)
        if (isStopping) return
      }
      if (moved.size > 0) await sleep(FLUSH_MS)
    }
  }

  function mayBegin(run: Run): boolean {
    if (unwritten < MOST_UNWRITTEN) return true
    heldUp.add(run)
    return false
  }

  function goOn(): void {
    const runs = [...heldUp]
    heldUp.clear()
    for (const run of runs) run.pump()
  }

  /** One after another: what is newer must not be overtaken. */
  function write(runs: readonly Run[]): Promise<void> {
    if (runs.length === 0) return writing
    const written = writing.then(() =>
      movePositions(
        db,
        lease,
        runs.filter((run) => !run.isOver()).map((run) => run.moved()),
      ),
    )
    writing = written.catch(() => undefined)
    return written
  }

  /** Endpoints that are equally far share what was read. */
  async function readFeed(feed: Feed, after: number): Promise<EventRow[]> {
    const { recent } = feed
    const known = recent && recent.after <= after ? recent.events.filter(({ number }) => number > after) : []
    if (known.length > 0) return known
    const events = await readAfter(db, feed.businessId, after, BATCH)
    feed.recent = { after, events }
    return events
  }

  /** Events of businesses in which something happened, in one statement, for those endpoints that have seen all the rest. */
  async function readNews(news: readonly { feed: Feed; after: number }[]): Promise<void> {
    if (news.length === 0) return
    const positions = news.map(({ feed, after }) => ({ businessId: feed.businessId, number: after }))
    const events = Map.groupBy(await readAllAfter(db, positions, BATCH), ({ businessId }) => businessId)
    for (const { feed, after } of news) feed.recent = { after, events: events.get(feed.businessId) ?? [] }
  }

  async function load(businessIds: readonly string[]): Promise<void> {
    if (businessIds.length === 0) return
    const [rows, positions, backlogs, lastNumbers] = await Promise.all([
      readTold(db, businessIds),
      readPositions(db, businessIds),
      readBacklogs(db, businessIds),
      readLastNumbers(db, businessIds),
    ])
    const endpointsOf = Map.groupBy(rows, ({ businessId }) => businessId)
    const positionOf = new Map(positions.map((position) => [`${position.businessId} ${position.endpointId}`, position]))
    const backlogOf = new Map(backlogs.map((backlog) => [`${backlog.businessId} ${backlog.endpointId}`, backlog]))
    const loaded: Feed[] = []
    for (const businessId of businessIds) {
      const feed = held.get(businessId) ?? newFeed(businessId)
      feed.lastNumber = Math.max(feed.lastNumber, lastNumbers.get(businessId) ?? 0)
      feed.idleMs = undefined
      if (feed.ending === 'reload') feed.ending = undefined
      const own = endpointsOf.get(businessId) ?? []
      const receivers = [
        ...own.map((row) => ({
          id: row.id,
          isReadable: isReadable(row),
          open: (position: PositionRow) => receiverOf(row, own.length, position),
        })),
        ...operator.list().map((each) => ({
          id: each.id,
          isReadable: true,
          open: () => operator.open(businessId, each),
        })),
      ]
      const runs: Run[] = []
      for (const { id, isReadable, open } of receivers) {
        const key = `${businessId} ${id}`
        const position = positionOf.get(key) ?? (await operator.begin(db, businessId, id))
        if (!position) continue
        const known = feed.runs.find(({ receiver }) => receiver.endpointId === id)
        if (known?.isOver() && known.isBusy()) {
          feed.ending ??= 'reload' // it is enabled again, while requests of before are under way
          continue
        }
        const run = known?.isOver() ? undefined : known
        run?.change(open(position), position, backlogOf.get(key))
        const told = run ?? newRun(feed, open(position), position, backlogOf.get(key))
        if (!isReadable) told.receiver.health.pausedUntil = new Date(nowMs() + SEALED_MS)
        runs.push(told)
      }
      const gone = feed.runs.filter((run) => !runs.includes(run))
      for (const run of gone) run.leave()
      feed.runs = [...runs, ...gone.filter((run) => run.isBusy())]
      held.set(businessId, feed)
      loaded.push(feed)
    }
    const behind = loaded.flatMap((feed) => {
      const after = Math.max(0, ...feed.runs.map((run) => run.moved().number))
      return after < feed.lastNumber ? [{ feed, after }] : []
    })
    await readNews(behind)
    for (const { runs } of loaded) for (const run of runs) run.pump()
  }

  const newFeed = (businessId: string): Feed => ({
    businessId,
    runs: [],
    lastNumber: 0,
    recent: undefined,
    idleMs: undefined,
    ending: undefined,
    hasFailed: false,
  })

  const newRun = (feed: Feed, receiver: Receiver, position: PositionRow, backlog: Backlog | undefined): Run =>
    createRun(receiver, {
      db,
      log,
      places,
      position,
      backlog,
      lastNumber: () => feed.lastNumber,
      read: (after) => readFeed(feed, after),
      count: meter.count,
      mayBegin,
      moved: flushSoon,
      failed: (error) => {
        const { businessId } = feed
        if (!feed.hasFailed) log.warn({ err: error, businessId }, 'webhooks of a business have to begin anew')
        feed.hasFailed = true
        feed.ending = 'release'
      },
    })

  function receiverOf(row: EndpointRow, count: number, position: PositionRow): Receiver {
    const { failures, failingSince, pausedUntil } = position
    const health: Health = { failures, failingSince, pausedUntil, inFlight: 0, isSlow: failures > 0, bestMs: Infinity }
    const share = Math.max(1, Math.min(MOST_OF_ENDPOINT, Math.floor(MOST_OF_BUSINESS / count)))
    return {
      businessId: row.businessId,
      endpointId: row.id,
      url: row.url,
      line: openLine(row.url, rules),
      secrets: () => openSecrets(box, row),
      matches: createMatcher(row.types),
      health,
      most: { run: share, health: share },
      isOperator: false,
    }
  }

  function isReadable(row: EndpointRow): boolean {
    try {
      return openSecrets(box, row).length > 0
    } catch (error) {
      log.error({ err: error, businessId: row.businessId, endpointId: row.id }, 'a webhook endpoint is left out')
      return false
    }
  }

  function close(feed: Feed | undefined): void {
    for (const { receiver } of feed?.runs ?? []) if (!receiver.isOperator) receiver.line.close()
  }

  async function release(feeds: readonly Feed[]): Promise<void> {
    if (feeds.length === 0) return
    const released = feeds.map(releasedOf)
    const runs = feeds.flatMap((feed) => feed.runs)
    for (const run of runs) run.end()
    await write(runs) // before somebody else reads them
    await releaseFeeds(db, lease, released)
    for (const feed of feeds) {
      close(feed)
      held.delete(feed.businessId)
    }
  }

  function releasedOf({ businessId, runs, hasFailed }: Feed): Released {
    const soonest = (times: (Date | null)[]) =>
      times.reduce((first, time) => (!first || (time && time < first) ? time : first), null)
    if (isStopping) return { businessId, dueAt: now(), quietUntil: null }
    if (hasFailed) return { businessId, dueAt: new Date(nowMs() + AFTER_ERROR_MS), quietUntil: null }
    if (runs.length === 0) return { businessId, dueAt: null, quietUntil: new Date(nowMs() + NOBODY_MS) }
    const dueAt = soonest(runs.map((run) => run.wakeAt()))
    return { businessId, dueAt, quietUntil: runs.every((run) => run.isPaused()) ? dueAt : null }
  }

  async function reload(feeds: readonly Feed[]): Promise<void> {
    if (feeds.length === 0) return
    await write(feeds.flatMap(({ runs }) => runs)) // before somebody else reads them
    await load(feeds.map(({ businessId }) => businessId))
  }

  /** Whatever is held: news are begun, changes read, and what has nothing to do is given back. */
  async function lookAtHeld(): Promise<void> {
    if (held.size === 0) return
    const lastNumbers = await readLastNumbers(db, [...held.keys()])
    const lingerMs = held.size < MANY ? LINGER_MS : LINGER_OF_MANY_MS
    const over: Feed[] = []
    const changed: Feed[] = []
    const news = [...held.values()]
      .map((feed) => ({ feed, after: feed.lastNumber }))
      .filter(({ feed, after }) => (lastNumbers.get(feed.businessId) ?? 0) > after)
    await readNews(news)
    for (const feed of held.values()) {
      feed.lastNumber = lastNumbers.get(feed.businessId) ?? feed.lastNumber
      if (feed.ending === 'release') {
        for (const run of feed.runs) run.end()
        if (!feed.runs.some((run) => run.isBusy())) over.push(feed)
        continue
      }
      if (feed.ending === 'reload') {
        changed.push(feed)
        continue
      }
      for (const run of feed.runs) run.pump()
      if (!feed.runs.every((run) => run.isIdle())) feed.idleMs = undefined
      else if (nowMs() - (feed.idleMs ??= nowMs()) >= lingerMs) over.push(feed)
    }
    await reload(changed)
    await release(over)
  }

  async function renew(): Promise<void> {
    if (nowMs() - renewedMs < RENEW_MS || held.size === 0) return
    const ours = await renewFeeds(db, lease, [...held.keys()])
    renewedMs = nowMs()
    for (const [businessId, feed] of held) {
      if (ours.has(businessId)) continue
      log.warn({ businessId }, 'another worker has taken over the webhooks of a business')
      for (const run of feed.runs) run.end()
      held.delete(businessId)
    }
  }

  /** Endpoints of the operator that are gone are told nothing more, and new ones are, also where something always happens. */
  function reloadForOperator(): void {
    const ids = operator
      .list()
      .map(({ id }) => id)
      .join()
    if (ids === operatorIds) return
    operatorIds = ids
    for (const feed of held.values()) feed.ending ??= 'reload'
  }

  async function look(signal?: AbortSignal): Promise<void> {
    await renew()
    for (const businessId of await takeChanged(db, lease)) {
      const feed = held.get(businessId)
      if (feed && !feed.ending) feed.ending = 'reload'
    }
    reloadForOperator()
    await lookAtHeld()
    if (nowMs() - sweptMs > (isSweepDue ? SWEEP_MS : FORGOTTEN_MS)) {
      isSweepDue = false
      sweptMs = nowMs()
      await wakeForgotten(db, operator.list().length > 0)
    }
    for (let claimed = CLAIM; claimed === CLAIM && held.size < MOST_HELD && !signal?.aborted; ) {
      const due = await claimFeeds(db, lease, CLAIM)
      // After a long pause of this process its own may be due: nobody else has taken them, so they go on.
      const ids = due.map(({ businessId }) => businessId).filter((id) => !held.has(id))
      await load(ids)
      if (due.some(({ wasHeld }) => wasHeld)) isSweepDue = true // it may have died before it told of events
      claimed = due.length
    }
    if (nowMs() - measuredMs < MEASURE_MS) return
    measuredMs = nowMs()
    longestDue = await readLongestDue(db)
  }

  function delaySeconds(): number {
    const times = [...held.values()].flatMap(({ runs }) => runs.flatMap((run) => run.waitingSince()?.getTime() ?? []))
    const oldest = times.reduce((least, time) => Math.min(least, time), longestDue?.getTime() ?? nowMs())
    return Math.max(0, nowMs() - oldest) / 1_000
  }

  return {
    look,
    delaySeconds,
    isIdle: () => held.size === 0 && !isSweepDue && longestDue === null,
    sweepSoon() {
      isSweepDue = true
    },
    async stop() {
      isStopping = true
      for (const { runs } of held.values()) for (const run of runs) run.end()
      while ([...held.values()].some(({ runs }) => runs.some((run) => run.isBusy()))) {
        await sleep(50)
        await renew()
      }
      await release([...held.values()])
    },
  }
}

/** Delivers until it is stopped. */
export function startDelivering(
  name: string,
  options: DeliverOptions & { meter: WebhookMeter; rest?: Rest | undefined },
): Pick<Delivering, 'sweepSoon' | 'stop'> & { lookSoon(): void } {
  const delivering = createDelivering(options)
  options.meter.watch(name, delivering.delaySeconds)
  const bell = options.rest?.bell(LOOK_MS, hasDueFeeds, delivering.isIdle)
  const loop = startLoop(`webhooks of ${name}`, LOOK_MS, (signal) => delivering.look(signal), options.log, bell)
  return {
    lookSoon: () => bell?.ring(),
    sweepSoon() {
      delivering.sweepSoon()
      bell?.ring()
    },
    async stop() {
      await loop.stop()
      await delivering.stop().catch((error: unknown) => {
        options.log.warn({ err: error }, 'businesses could not be given back; others take them over in some seconds')
      })
    },
  }
}
