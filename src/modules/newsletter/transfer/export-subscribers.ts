import type { Db } from '#platform/database/database.ts'
import { writeFile } from '#platform/transfer/csv.ts'
import type { FileFormat } from '#platform/transfer/file.ts'
import { presentSubscription, type SubscriptionRow } from '../subscriptions/subscription.ts'
import { subscriberColumns, toCsvRow } from './csv.ts'

const BATCH = 1_000

/** All subscribers, oldest first. */
export const exportSubscribers = (
  db: Db,
  businessId: string,
  collectionId: string,
  format: FileFormat,
): AsyncGenerator<string> =>
  writeFile(readPages(db, businessId, collectionId), format, {
    columns: subscriberColumns,
    toRows: (subscriber) => [toCsvRow(subscriber)],
    toLine: (subscriber) => JSON.stringify(subscriber),
  })

async function* readPages(db: Db, businessId: string, collectionId: string) {
  for (let last = ''; ; ) {
    const rows = await nextSubscribers(db, businessId, collectionId, last)
    yield rows.map(presentSubscription)
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
