import type { Db } from '#platform/database/database.ts'
import { CSV_HEADER, toCsv } from './subscriber-csv.ts'
import type { FileFormat } from './subscriber-file.ts'
import { presentSubscription, type SubscriptionRow } from './subscription.ts'

const BATCH = 1_000

/** All subscribers, oldest first: some at a time, so neither side ever holds them all. */
export async function* exportSubscribers(
  db: Db,
  businessId: string,
  collectionId: string,
  format: FileFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield CSV_HEADER
  for (let last = ''; ; ) {
    const rows = await nextSubscribers(db, businessId, collectionId, last)
    const subscribers = rows.map(presentSubscription)
    yield subscribers.map((one) => (format === 'csv' ? toCsv(one) : `${JSON.stringify(one)}\n`)).join('')
    if (rows.length < BATCH) return
    last = rows.at(-1)?.id ?? ''
  }
}

const nextSubscribers = (db: Db, businessId: string, collectionId: string, after: string) =>
  db
    .selectFrom('newsletter.subscriptions')
    .selectAll()
    .where((row) => row.and({ businessId, collectionId }))
    .where('id', '>', after)
    .orderBy('id')
    .limit(BATCH)
    .execute() as Promise<SubscriptionRow[]>
