export type Used = 'requests' | 'mails' | 'jobs'
type Day = { day: string } & Record<Used, number>

const DAY_MS = 86_400_000

/** Each of the last days of UTC, oldest first; the service leaves out those on which there was nothing. */
export function usageByDay(items: readonly Day[], count: number, nowMs: number): Day[] {
  const known = new Map(items.map((item) => [item.day, item]))
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(nowMs - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10)
    const { requests = 0, mails = 0, jobs = 0 } = known.get(day) ?? {}
    return { day, requests, mails, jobs }
  })
}
