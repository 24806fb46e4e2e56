import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business } from '#vocabulary/business.ts'
import { notFound } from '#vocabulary/errors.ts'
import { checkReferences, type Resolvers } from '#vocabulary/references.ts'
import { statusOf } from './collection.ts'
import { type Entry, mergeEntry, newReferences } from './entry.ts'
import { ordersAreHidden, ownerNotFound, ownerRequired, ownersDiffer } from './errors.ts'
import { findPlace, lockCollection, lockEntry } from './queries.ts'
import { type Schema, schemaOf } from './schema-cache.ts'
import type { EntryChanges } from './schemas.ts'
import { removeEntry, writeEntry } from './write-entry.ts'

export type Writer = {
  business: Pick<Business, 'id' | 'defaultLocale'>
  /** Nobody: the service itself. */
  actor: Actor | undefined
  /** What belongs to orders and reservations is there for the writer. */
  seesOrders: boolean
  /** What blocks may point at. */
  resolvers: Resolvers<Db>
}

export async function createEntry(tx: Tx, writer: Writer, sent: EntryChanges): Promise<Entry> {
  const owner = ownerOf(sent)
  if (owner === undefined) throw ownerRequired()
  if (!collectionIdOf(owner) && !writer.seesOrders) throw ordersAreHidden()
  const schema = await readSchema(tx, writer, owner, sent)
  return save(tx, writer, { owner, schema, before: undefined, sent })
}

export async function updateEntry(
  tx: Tx,
  writer: Writer,
  id: string,
  expected: Expected,
  sent: EntryChanges,
): Promise<Entry> {
  const { business, seesOrders } = writer
  const place = await findPlace(tx, business.id, id)
  if (place.collectionId === null && !seesOrders) throw notFound('entry')
  const owner = ownerOf(sent) ?? place.owner
  if (!collectionIdOf(owner) && !seesOrders) throw ordersAreHidden()
  // First the collection, then the entry: a change of the schema takes them in the same order.
  const schema = await readSchema(tx, writer, owner, sent)
  const before = await lockEntry(tx, business.id, id)
  if (before.owner !== place.owner) return updateEntry(tx, writer, id, expected, sent) // moved just now
  checkExpected(expected, etagOf(before.version))
  return save(tx, writer, { owner, schema, before, sent })
}

export async function deleteEntry(
  tx: Tx,
  { business, actor, seesOrders }: Omit<Writer, 'resolvers'>,
  id: string,
  expected: Expected,
): Promise<void> {
  const entry = await lockEntry(tx, business.id, id)
  if (entry.collectionId === null && !seesOrders) throw notFound('entry')
  checkExpected(expected, etagOf(entry.version))
  await removeEntry(tx, entry)
  await record(tx, {
    businessId: business.id,
    type: 'entry.deleted',
    subject: id,
    actor,
    data: { owner: entry.owner },
  })
}

/** `collectionId` is another way to name the owner. */
export function ownerOf({ collectionId, owner }: Pick<EntryChanges, 'collectionId' | 'owner'>): string | undefined {
  if (collectionId === undefined) return owner
  const collection = `collection:${collectionId}`
  if (owner !== undefined && owner !== collection) throw ownersDiffer()
  return collection
}

export const collectionIdOf = (owner: string) => /^collection:(.+)$/.exec(owner)?.[1]
export const orderIdOf = (owner: string) => /^order:(.+)$/.exec(owner)?.[1]

/** The schema of the collection that an entry belongs to, which then stays what it is until the transaction ends. */
async function readSchema(
  tx: Tx,
  { business, resolvers }: Writer,
  owner: string,
  sent: EntryChanges,
): Promise<Schema | undefined> {
  const field = sent.collectionId === undefined ? 'owner' : 'collectionId'
  const collectionId = collectionIdOf(owner)
  if (collectionId) {
    const collection = await lockCollection(tx, business.id, collectionId, 'share')
    if (!collection) throw ownerNotFound(field, owner)
    return schemaOf(collection)
  }
  const orderId = sent.owner === undefined ? undefined : orderIdOf(owner)
  if (orderId && !(await resolvers.ORDER?.(tx, business.id, [orderId]))?.has(orderId)) throw ownerNotFound(field, owner)
  return undefined
}

type Saving = { owner: string; schema: Schema | undefined; before: Entry | undefined; sent: EntryChanges }

async function save(tx: Tx, writer: Writer, { owner, schema, before, sent }: Saving): Promise<Entry> {
  const { business, actor, resolvers } = writer
  const entry = mergeEntry(before, sent, { business, owner, schema, actor, at: now() })
  await checkReferences(newReferences(entry, before), resolvers, tx, business.id)
  await writeEntry(tx, { entry, before, userId: actor?.userId ?? null })
  const status = statusOf(entry)
  const event = { businessId: business.id, subject: entry.id, actor, data: { owner, status } }
  const isPublished = status === 'PUBLISHED' && !(before && statusOf(before) === 'PUBLISHED')
  await record(
    tx,
    { ...event, type: before ? 'entry.updated' : 'entry.created' },
    ...(isPublished ? [{ ...event, type: 'entry.published' }] : []),
  )
  return entry
}
