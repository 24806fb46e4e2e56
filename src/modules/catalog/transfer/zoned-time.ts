import { offsetMs } from '#vocabulary/time-zones.ts'

const DAY_MS = 86_400_000
const DAY_OR_TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2})?)?/

/** Seconds since 1970 of a local time in a time zone; of a day without a time, its start or its end. */
export function secondsIn(timeZone: string, text: string, edge: 'start' | 'end'): number | undefined {
  const [, day, time] = DAY_OR_TIME.exec(text) ?? []
  const local = Date.parse(`${day}T${time ?? '00:00'}:00Z`)
  if (Number.isNaN(local)) return undefined
  const wanted = time === undefined && edge === 'end' ? local + DAY_MS : local
  // The offset at the guess may be that of the other side of a clock change: the second look is right.
  const guess = wanted - offsetMs(timeZone, wanted)
  return (wanted - offsetMs(timeZone, guess)) / 1_000
}
