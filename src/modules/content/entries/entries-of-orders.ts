import type { Db, Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { entryDeleted } from '../events.ts'
import { ENTRY } from '../queries.ts'
import { toAnswer } from '../viewer.ts'
import type { Entry } from './entry.ts'
import { removeEntry } from './write-entry.ts'

const ownersOf = (orderIds: readonly string[]) => orderIds.map((id) => `order:${id}`)

/** The customer of these orders is erased, and what was written for them goes with its versions. May run twice. */
export async function eraseEntriesOf(tx: Tx, businessId: string, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length === 0) return
  const rows = await tx
    .selectFrom('content.entries')
    .select(ENTRY)
    .where('businessId', '=', businessId)
    .where('owner', 'in', ownersOf(orderIds))
    .where('collectionId', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const entry of rows as Entry[]) {
    await removeEntry(tx, entry)
    await record(tx, entryDeleted({ businessId, subject: entry.id, data: { owner: entry.owner } }))
  }
}

/** By order, its entries as the customer reads them, as JSON. */
export async function exportEntriesOf(
  db: Db,
  businessId: string,
  orderIds: readonly string[],
): Promise<Map<string, string[]>> {
  if (orderIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('content.entries')
    .select(['owner', 'document'])
    .where('businessId', '=', businessId)
    .where('owner', 'in', ownersOf(orderIds))
    .where('collectionId', 'is', null)
    .orderBy('id')
    .execute()
  const found = new Map<string, string[]>()
  for (const { owner, document } of rows) {
    const orderId = owner.slice('order:'.length)
    found.set(orderId, [...(found.get(orderId) ?? []), toAnswer(document, { seesActors: false })])
  }
  return found
}
