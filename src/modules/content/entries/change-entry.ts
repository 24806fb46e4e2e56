import { type HoldMedia, knownMedia } from '#modules/media/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { record } from '#platform/events/record.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { mediaIdsInBlocks, mediaItemsOf } from '#vocabulary/blocks.ts'
import type { Business } from '#vocabulary/business.ts'
import type { Media } from '#vocabulary/media.ts'
import { checkReferences, type Resolvers } from '#vocabulary/references.ts'
import { statusOf } from '../collections/collection.ts'
import { type Schema, schemaOf } from '../collections/schema-cache.ts'
import { entryNotFound, ordersAreHidden, ownerNotFound, ownerRequired, ownersDiffer } from '../errors.ts'
import { entryCreated, entryDeleted, entryPublished, entryUpdated } from '../events.ts'
import { findPlace, lockCollection, lockEntry } from '../queries.ts'
import type { EntryChanges } from '../schemas.ts'
import { type Entry, mergeEntry, newReferences } from './entry.ts'
import { removeEntry, writeEntry } from './write-entry.ts'

export type Writer = {
  business: Pick<Business, 'id' | 'defaultLocale'>
  /** Undefined when the service itself acts. */
  actor: Actor | undefined
  /** Whether the writer may see entries of orders and reservations. */
  seesOrders: boolean
  /** Resolvers by the target types that blocks may reference. */
  resolvers: Resolvers<Db>
  /** Files that MEDIA may name; undefined: none but those that an entry has already. */
  media?: HoldMedia | undefined
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
  if (place.collectionId === null && !seesOrders) throw entryNotFound()
  const owner = ownerOf(sent) ?? place.owner
  if (!collectionIdOf(owner) && !seesOrders) throw ordersAreHidden()
  // Locks the collection before the entry, in the same order as a change of the schema.
  const schema = await readSchema(tx, writer, owner, sent)
  const before = await lockEntry(tx, business.id, id)
  if (before.owner !== place.owner) return updateEntry(tx, writer, id, expected, sent) // moved in the meantime
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
  if (entry.collectionId === null && !seesOrders) throw entryNotFound()
  checkExpected(expected, etagOf(entry.version))
  await removeEntry(tx, entry)
  await record(tx, entryDeleted({ businessId: business.id, subject: id, actor, data: { owner: entry.owner } }))
}

/** `collectionId` is an alias for an owner. */
export function ownerOf({ collectionId, owner }: Pick<EntryChanges, 'collectionId' | 'owner'>): string | undefined {
  if (collectionId === undefined) return owner
  const collection = `collection:${collectionId}`
  if (owner !== undefined && owner !== collection) throw ownersDiffer()
  return collection
}

export const collectionIdOf = (owner: string) => /^collection:(.+)$/.exec(owner)?.[1]
export const orderIdOf = (owner: string) => /^order:(.+)$/.exec(owner)?.[1]

/** The schema of the owning collection, locked against changes until the transaction ends. */
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
    if (!collection) throw ownerNotFound({ field, owner: owner.replace(':', ' ') })
    return schemaOf(collection)
  }
  const orderId = sent.owner === undefined ? undefined : orderIdOf(owner)
  if (orderId && !(await resolvers.ORDER?.(tx, business.id, [orderId]))?.has(orderId))
    throw ownerNotFound({ field, owner: owner.replace(':', ' ') })
  return undefined
}

type Saving = { owner: string; schema: Schema | undefined; before: Entry | undefined; sent: EntryChanges }

async function save(tx: Tx, writer: Writer, { owner, schema, before, sent }: Saving): Promise<Entry> {
  const { business, actor, resolvers, media } = writer
  const known = await knownMedia(tx, business.id, media, {
    sent: mediaIdsInBlocks(sent.blocks ?? []),
    stored: mediaItemsOf(before?.blocks ?? []).filter(Boolean) as Media[],
  })
  const entry = mergeEntry(before, sent, { business, owner, schema, actor, at: now(), known })
  await checkReferences(newReferences(entry, before), resolvers, tx, business.id)
  await writeEntry(tx, { entry, before, userId: actor?.userId ?? null })
  const status = statusOf(entry)
  const event = { businessId: business.id, subject: entry.id, actor, data: { owner, status } }
  const isPublished = status === 'PUBLISHED' && !(before && statusOf(before) === 'PUBLISHED')
  const saved = before ? entryUpdated(event) : entryCreated(event)
  await record(tx, saved, ...(isPublished ? [entryPublished(event)] : []))
  return entry
}
