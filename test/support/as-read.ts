type Entry = { userId?: string }

const withoutIds = (history: Entry[]) =>
  history.map((entry) => {
    const { userId: _, ...rest } = entry
    return rest
  })

/** A record as it is told to those who may not change it: without who has changed its status, and without staff's tags. */
export const asRead = <Read extends { statuses: Entry[]; paymentStatus?: Entry[]; tags?: unknown }>({
  tags: _tags,
  ...record
}: Read) => ({
  ...record,
  statuses: withoutIds(record.statuses),
  ...(record.paymentStatus && { paymentStatus: withoutIds(record.paymentStatus) }),
})
