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

/** Making one takes longer than using it a hundred times; a file has one time zone. */
const formats = new Map<string, Intl.DateTimeFormat>()
const MAX_FORMATS = 1_000

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  if (formats.size < MAX_FORMATS) formats.set(timeZone, format)
  return format
}

function offsetMs(timeZone: string, at: number): number {
  const name =
    formatOf(timeZone)
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
