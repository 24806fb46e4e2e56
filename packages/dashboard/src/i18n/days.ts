const DAY_MS = 86_400_000

/** `2026-11-13` as it is written in addresses, in this time zone. */
export function dayOf(ms: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
  return parts.format(ms)
}

export const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))

/** When that day begins there, in Unix seconds. */
export const startOfDay = (day: string, timeZone: string): number => secondsAt(`${day}T00:00`, timeZone)

/** `2026-11-13T08:30`, as fields for times have it, at the clock of this time zone. */
export const wallClockOf = (seconds: number, timeZone: string): string =>
  new Date(seconds * 1_000 + distanceMs(seconds * 1_000, timeZone)).toISOString().slice(0, 16)

/** The moment at which that clock shows this, in Unix seconds. */
export function secondsAt(wallClock: string, timeZone: string): number {
  const asUtc = Date.parse(`${wallClock}:00Z`)
  // The distance from UTC is asked at the moment that it gives, as it changes twice a year.
  const first = asUtc - distanceMs(asUtc, timeZone)
  const second = asUtc - distanceMs(first, timeZone)
  const isShown = first === second || second + distanceMs(second, timeZone) === asUtc
  // What the clocks skip is taken for after the leap: a day without a midnight would begin in the one before.
  return (isShown ? second : Math.max(first, second)) / 1_000
}

export const nextDay = (day: string) => new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10)
export const daysAgo = (count: number, timeZone: string, nowMs = Date.now()) => dayOf(nowMs - count * DAY_MS, timeZone)

function distanceMs(ms: number, timeZone: string): number {
  const options = {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  } as const
  const parts = new Intl.DateTimeFormat('en', options).formatToParts(ms)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  return (
    Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')) -
    Math.trunc(ms / 1_000) * 1_000
  )
}
