import { offsetMs } from '#vocabulary/time-zones.ts'
import type { Interval } from './schemas.ts'

/** A time from one quarter of an hour to another, in quarters since 1970; the end is not in it. */
export type Span = { from: number; to: number }

const QUARTER_MS = 900_000
const QUARTER_SECONDS = 900
const HOUR = 4
const DAY = 96
const DAY_MS = 86_400_000
/** Further than any clock is from UTC, and further than a clock change reaches. */
const AROUND_MS = 27 * 3_600_000

export const quarterOf = (at: Date): number => Math.floor(at.getTime() / QUARTER_MS)
export const quarterOfSeconds = (seconds: number): number => Math.floor(seconds / QUARTER_SECONDS)
export const toSeconds = (quarter: number): number => quarter * QUARTER_SECONDS

const msOf = (quarter: number) => quarter * QUARTER_MS
/** What the clocks show, as if they showed UTC. */
const localMs = (timeZone: string, quarter: number) => msOf(quarter) + offsetMs(timeZone, msOf(quarter))

/** The first quarter of an hour in which the clocks show this time or a later one: midnight may be skipped, or come twice. */
function firstAt(timeZone: string, local: number): number {
  const [before, after] = [local - AROUND_MS, local + AROUND_MS].map((at) => offsetMs(timeZone, at)) as [number, number]
  const earliest = Math.floor((local - Math.max(before, after)) / QUARTER_MS)
  if (before === after) return earliest
  let quarter = earliest
  while (localMs(timeZone, quarter) < local) quarter++
  return quarter
}

/** The beginning of the day, week or month in which a local time is, moved by so many of them. */
function beginningOf(interval: Exclude<Interval, 'hour'>, local: number, moved: number): number {
  const date = new Date(local)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (interval === 'month') return Date.UTC(year, month + moved, 1)
  if (interval === 'day') return Date.UTC(year, month, day + moved)
  const sinceMonday = (date.getUTCDay() + 6) % 7
  return Date.UTC(year, month, day - sinceMonday + 7 * moved)
}

/** A local hour begins where the clocks show a full hour, or jump into another one. */
function isHourStart(timeZone: string, quarter: number): boolean {
  const [local, before] = [localMs(timeZone, quarter), localMs(timeZone, quarter - 1)]
  const hourOf = (ms: number) => Math.floor(ms / 3_600_000)
  return local % 3_600_000 === 0 || hourOf(local) !== hourOf(before)
}

function hourStart(timeZone: string, quarter: number): number {
  let start = quarter
  while (!isHourStart(timeZone, start)) start--
  return start
}

function nextHour(timeZone: string, start: number): number {
  const next = start + HOUR
  const isPlain = offsetMs(timeZone, msOf(start)) === offsetMs(timeZone, msOf(next)) && isOnHour(timeZone, start)
  if (isPlain) return next
  let quarter = start + 1
  while (!isHourStart(timeZone, quarter)) quarter++
  return quarter
}
const isOnHour = (timeZone: string, quarter: number) => localMs(timeZone, quarter) % 3_600_000 === 0

/**
 * The intervals of a time, in a time zone: the first is the one in which `from` lies, the last the one that is under way just
 * before `to`. Undefined where there are more than `most`.
 */
export function intervalsOf(
  timeZone: string,
  interval: Interval,
  { from, to }: { from: number; to: number },
  most: number,
): Span[] | undefined {
  const end = Math.max(Math.ceil(to / QUARTER_SECONDS), quarterOfSeconds(from) + 1)
  const spans: Span[] = []
  let start = startOf(timeZone, interval, quarterOfSeconds(from))
  while (start < end) {
    if (spans.length === most) return undefined
    const next = nextOf(timeZone, interval, start)
    spans.push({ from: start, to: next })
    start = next
  }
  return spans
}

function startOf(timeZone: string, interval: Interval, quarter: number): number {
  if (interval === 'hour') return hourStart(timeZone, quarter)
  return firstAt(timeZone, beginningOf(interval, localMs(timeZone, quarter), 0))
}

function nextOf(timeZone: string, interval: Interval, start: number): number {
  if (interval === 'hour') return nextHour(timeZone, start)
  // A day that the clocks have skipped altogether is no interval.
  for (let moved = 1; ; moved++) {
    const next = firstAt(timeZone, beginningOf(interval, localMs(timeZone, start), moved))
    if (next > start) return next
  }
}

/** As many intervals right before these, in the same order; fewer where a clock change leaves no room. */
export function intervalsBefore(timeZone: string, interval: Interval, spans: readonly Span[]): Span[] {
  const [first] = spans
  if (!first) return []
  const begin =
    interval === 'hour'
      ? hourStart(timeZone, first.from - spans.length * HOUR - DAY)
      : firstAt(timeZone, beginningOf(interval, localMs(timeZone, first.from), -spans.length))
  const before: Span[] = []
  for (let start = begin; start < first.from; ) {
    const next = nextOf(timeZone, interval, start)
    before.push({ from: start, to: Math.min(next, first.from) })
    start = next
  }
  return before.slice(-spans.length)
}

/** The whole days of a time zone that a time touches, as one span. */
export function daysOf(timeZone: string, { from, to }: { from: number; to: number }): Span {
  const first = startOf(timeZone, 'day', quarterOfSeconds(from))
  const end = Math.max(Math.ceil(to / QUARTER_SECONDS), first + 1)
  return { from: first, to: nextOf(timeZone, 'day', startOf(timeZone, 'day', end - 1)) }
}

/** As many days right before these. */
export function daysBefore(timeZone: string, { from, to }: Span): Span {
  const days = Math.round((localMs(timeZone, to) - localMs(timeZone, from)) / DAY_MS)
  return { from: firstAt(timeZone, beginningOf('day', localMs(timeZone, from), -days)), to: from }
}

/** The same time of the day a week ago. */
export function weekBefore(timeZone: string, quarter: number): number {
  return firstAt(timeZone, localMs(timeZone, quarter) - 7 * DAY_MS)
}

export type Piece = Span & { grain: number }

/**
 * Puts a span together of the longest pieces that begin at a multiple of their length: `grains` from short to long, each a
 * multiple of the one before, the first 1. At most two runs of each length.
 */
export function piecesOf({ from, to }: Span, grains: readonly number[]): Piece[] {
  const [grain, ...longer] = grains as [number, ...number[]]
  const [next] = longer
  if (from >= to) return []
  if (next === undefined) return [{ grain, from, to }]
  const [first, last] = [Math.ceil(from / next) * next, Math.floor(to / next) * next]
  if (first >= last) return [{ grain, from, to }]
  return [
    ...(from < first ? [{ grain, from, to: first }] : []),
    ...piecesOf({ from: first, to: last }, longer),
    ...(last < to ? [{ grain, from: last, to }] : []),
  ]
}
