/** A name of the IANA database, such as Europe/Berlin or UTC. A distance such as +02:00 is no zone: it knows no summer. */
export function isTimeZone(name: string): boolean {
  if (/^[+-]/.test(name)) return false
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/** Making one takes longer than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>()
const MAX_FORMATS = 1_000

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  if (formats.size < MAX_FORMATS) formats.set(timeZone, format)
  return format
}

const DAY_MS = 86_400_000
const MAX_DAYS = 100_000

/** Offsets on whole days of UTC, by their number since 1970; undefined on a day in which the clocks change. */
const offsets = new Map<string, Map<number, number | undefined>>()
let daysKnown = 0

/** How far the clocks of a time zone (IANA) are ahead of UTC at a moment; both in milliseconds. */
export function offsetMs(timeZone: string, at: number): number {
  return offsetOfDay(timeZone, Math.floor(at / DAY_MS)) ?? readOffset(timeZone, at)
}

function offsetOfDay(timeZone: string, day: number): number | undefined {
  const known = offsets.get(timeZone)
  if (known?.has(day)) return known.get(day)
  const [first, last] = [day, day + 1].map((each) => readOffset(timeZone, each * DAY_MS)) as [number, number]
  const offset = first === last ? first : undefined
  if (daysKnown >= MAX_DAYS) {
    offsets.clear()
    daysKnown = 0
  }
  daysKnown++
  const days = offsets.get(timeZone) ?? new Map<number, number | undefined>()
  offsets.set(timeZone, days.set(day, offset))
  return offset
}

function readOffset(timeZone: string, at: number): number {
  const name =
    formatOf(timeZone)
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
