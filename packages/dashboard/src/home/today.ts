const DAY_MS = 86_400_000

/** `2026-11-16`, in this time zone; as the address of the list of orders takes it. */
export const dayOf = (ms: number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(ms)

/** When the day began there, in Unix seconds. */
export function startOfDay(ms: number, timeZone: string): number {
  const midnight = Date.parse(`${dayOf(ms, timeZone)}T00:00:00Z`)
  // The distance from UTC is asked at the moment that it gives, as it changes twice a year.
  const first = midnight - distanceMs(midnight, timeZone)
  return (midnight - distanceMs(first, timeZone)) / 1_000
}

/** Yesterday, from its beginning to the same time of the day, in Unix seconds. */
export function yesterday(ms: number, timeZone: string): { from: number; to: number } {
  const from = startOfDay(startOfDay(ms, timeZone) * 1_000 - DAY_MS / 2, timeZone)
  return { from, to: from + Math.trunc(ms / 1_000) - startOfDay(ms, timeZone) }
}

function distanceMs(ms: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(ms)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const there = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return there - Math.trunc(ms / 1_000) * 1_000
}
