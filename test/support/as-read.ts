type Entry = { userId?: string }

const withoutIds = (history: Entry[]) =>
  history.map((entry) => {
    const { userId: _, ...rest } = entry
    return rest
  })

/** A record as it is told to those who may not change it: without who has changed its status; of an order, without staff's tags. */
export function asRead<Read extends { statuses: Entry[]; paymentStatus?: Entry[]; tags?: unknown }>(read: Read) {
  const { tags, ...record } = read
  return {
    ...record,
    statuses: withoutIds(record.statuses),
    ...(record.paymentStatus
      ? { paymentStatus: withoutIds(record.paymentStatus) }
      : { ...(tags !== undefined && { tags }) }),
  }
}
