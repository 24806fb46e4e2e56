import { dayOf, nextDay, startOfDay } from '../i18n/days.ts'

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const
export type Interval = (typeof INTERVALS)[number]
export const PRESETS = ['today', 'yesterday', '7d', '30d', '90d', '12m'] as const
export type Preset = (typeof PRESETS)[number]

/** A time from one moment to another, in Unix seconds; the end is not in it. */
export type Span = { from: number; to: number }
/** Whole intervals, as reports count them: the first and the last may reach further than the days that were asked for. */
export type Period = Span & { first: string; last: string; interval: Interval; spans: Span[] }

const DAY_MS = 86_400_000
const HOUR_SECONDS = 3_600
const DEFAULT_DAYS = 30
/** Longer than this is not asked for: two years of days are as many columns as can be told apart. */
const MOST_DAYS: Record<Interval, number> = { hour: 31, day: 731, week: 3_650, month: 7_300 }

const dateOf = (day: string) => new Date(`${day}T00:00:00Z`)
const textOf = (date: Date) => date.toISOString().slice(0, 10)
export const addDays = (day: string, count: number) => textOf(new Date(dateOf(day).getTime() + count * DAY_MS))
export const daysIn = (first: string, last: string) =>
  Math.round((dateOf(last).getTime() - dateOf(first).getTime()) / DAY_MS) + 1

type Asked = { time?: Preset | undefined; from?: string | undefined; to?: string | undefined }

/** The first and the last day that are asked for. */
export function daysAsked({ time, from, to }: Asked, today: string): { first: string; last: string } {
  if (from !== undefined || to !== undefined) {
    const last = to ?? (from !== undefined && from > today ? from : today)
    const first = from ?? addDays(last, 1 - DEFAULT_DAYS)
    const [one, other] = first <= last ? [first, last] : [last, first]
    return { first: daysIn(one, other) > MOST_DAYS.month ? addDays(other, 1 - MOST_DAYS.month) : one, last: other }
  }
  switch (time) {
    case 'today':
      return { first: today, last: today }
    case 'yesterday':
      return { first: addDays(today, -1), last: addDays(today, -1) }
    case '7d':
      return { first: addDays(today, -6), last: today }
    case '90d':
      return { first: addDays(today, -89), last: today }
    case '12m':
      return { first: monthStart(today, -11), last: today }
    default:
      return { first: addDays(today, 1 - DEFAULT_DAYS), last: today }
  }
}

/** Those that a time can be divided into: at least one of them, and not too many. */
export function intervalsFor(days: number): Interval[] {
  const shortest: Record<Interval, number> = { hour: 1, day: 2, week: 8, month: 32 }
  return INTERVALS.filter((interval) => days >= shortest[interval] && days <= MOST_DAYS[interval])
}

function usualInterval(days: number): Interval {
  if (days <= 2) return 'hour'
  if (days <= 92) return 'day'
  return days <= 200 ? 'week' : 'month'
}

function monthStart(day: string, moved = 0): string {
  const date = dateOf(day)
  return textOf(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + moved, 1)))
}
const weekStart = (day: string) => addDays(day, -((dateOf(day).getUTCDay() + 6) % 7))

/** What the address asks for, in the time zone of the business. */
export function periodOf(search: Asked & { by?: Interval | undefined }, timeZone: string, nowMs: number): Period {
  const { first, last } = daysAsked(search, dayOf(nowMs, timeZone))
  const days = daysIn(first, last)
  const interval = search.by && intervalsFor(days).includes(search.by) ? search.by : usualInterval(days)
  const spans = spansOf(first, last, interval, timeZone)
  return { first, last, interval, spans, from: spans[0]?.from ?? 0, to: spans.at(-1)?.to ?? 0 }
}

function spansOf(first: string, last: string, interval: Interval, timeZone: string): Span[] {
  if (interval === 'hour') return hoursOf(startOfDay(first, timeZone), startOfDay(nextDay(last), timeZone))
  const next = (day: string) =>
    interval === 'day' ? nextDay(day) : interval === 'week' ? addDays(day, 7) : monthStart(day, 1)
  const starts: string[] = []
  const begin = interval === 'day' ? first : interval === 'week' ? weekStart(first) : monthStart(first)
  for (let day = begin; day <= last; day = next(day)) starts.push(day)
  const moments = [...starts, next(starts.at(-1) ?? first)].map((day) => startOfDay(day, timeZone))
  return starts.map((_, index) => ({ from: moments[index] ?? 0, to: moments[index + 1] ?? 0 }))
}

/** Hours of a day in which the clocks change are 23 or 25, or end between two. */
function hoursOf(from: number, to: number): Span[] {
  const count = Math.ceil((to - from) / HOUR_SECONDS)
  return Array.from({ length: count }, (_, hour) => ({
    from: from + hour * HOUR_SECONDS,
    to: Math.min(from + (hour + 1) * HOUR_SECONDS, to),
  }))
}
