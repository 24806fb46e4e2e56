import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { record } from '#platform/events/record.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { slugOf } from '#vocabulary/slugs.ts'
import { collectionNotFound, hasEntries, slugExists, tooManyCollections } from '../errors.ts'
import { collectionCreated, collectionDeleted, collectionUpdated } from '../events.ts'
import { lockCollection } from '../queries.ts'
import type { CollectionChanges, NewCollection } from '../schemas.ts'
import { checkAllEntries, checkSomeEntries } from './check-entries.ts'
import { type Collection, isPaidPlan, mergeCollection, statusOf, toDocument } from './collection.ts'

/** Limited because a list across collections scans each of them. */
const MAX_COLLECTIONS = 1_000

export type Writer = {
  businessId: string
  actor: Actor
  /**
   * Refuses changes that would take away what subscribers are subscribed to; `after` is undefined when the collection
   * is deleted.
   */
  guard: (tx: Tx, before: Collection, after: Collection | undefined) => Promise<void>
}

export async function createCollection(
  tx: Tx,
  { businessId, actor }: Writer,
  sent: NewCollection,
): Promise<Collection> {
  const merged = mergeCollection(undefined, sent, { businessId, actor, at: now() })
  const { count } = await tx
    .selectFrom('content.collections')
    .select((all) => all.fn.countAll<number>().as('count'))
    .where('businessId', '=', businessId)
    .executeTakeFirstOrThrow()
  if (count >= MAX_COLLECTIONS) throw tooManyCollections({ limit: MAX_COLLECTIONS })

  const collection = await insertWithSlug(tx, merged)
  await rememberSchema(tx, collection)
  await record(tx, collectionCreated({ businessId, subject: collection.id, actor }))
  return collection
}

/** A slug that was sent must be free. A slug made from the name gets a suffix when it is taken. */
async function insertWithSlug(tx: Tx, merged: Collection): Promise<Collection> {
  const slug = slugOf(merged.name, 'collection')
  const slugs = merged.slug ? [merged.slug] : [slug, `${slug}-${merged.id.slice(-6)}`]
  for (const slug of slugs) {
    const collection = { ...merged, slug }
    const inserted = await tx
      .insertInto('content.collections')
      .values(toRow(collection))
      .onConflict((taken) => taken.constraint('collections_slug_key').doNothing())
      .returning('id')
      .execute()
    if (inserted.length > 0) return collection
  }
  throw slugExists({ slug: slugs[0] ?? '' })
}

export async function updateCollection(
  tx: Tx,
  { businessId, actor, guard }: Writer,
  id: string,
  expected: Expected,
  sent: CollectionChanges,
): Promise<Collection> {
  const before = await lockCollection(tx, businessId, id)
  if (!before) throw collectionNotFound()
  checkExpected(expected, etagOf(before.version))
  const collection = mergeCollection(before, sent, { businessId, actor, at: now() })
  await guard(tx, before, collection)
  await save(tx, collection)
  if (collection.schemaVersion !== before.schemaVersion) await changeSchema(tx, collection)
  const fields = Object.keys(sent)
  await record(tx, collectionUpdated({ businessId, subject: id, actor, data: { fields } }))
  return collection
}

async function save(tx: Tx, collection: Collection): Promise<void> {
  const { businessId, id, ...values } = toRow(collection)
  try {
    await tx
      .updateTable('content.collections')
      .set(values)
      .where((row) => row.and({ businessId, id }))
      .execute()
  } catch (error) {
    throw violatedConstraint(error) === 'collections_slug_key' ? slugExists({ slug: collection.slug }) : error
  }
}

/** Most collections are small, and are checked against the new schema at once. A job checks the rest of a large one. */
async function changeSchema(tx: Tx, collection: Collection): Promise<void> {
  await rememberSchema(tx, collection)
  const { businessId, id: collectionId } = collection
  const next = await checkSomeEntries(tx, collection, undefined)
  if (next) await enqueue(tx, checkAllEntries, { businessId, collectionId }, { key: `content.check:${collectionId}` })
}

const rememberSchema = (tx: Tx, { businessId, id, schemaVersion, blocks, updatedAt }: Collection) =>
  tx
    .insertInto('content.collectionSchemas')
    .values({
      businessId,
      collectionId: id,
      version: schemaVersion,
      blocks: JSON.stringify(blocks),
      createdAt: updatedAt,
    })
    .execute()

export async function deleteCollection(
  tx: Tx,
  { businessId, actor, guard }: Writer,
  id: string,
  expected: Expected,
): Promise<void> {
  const found = await lockCollection(tx, businessId, id)
  if (!found) throw collectionNotFound()
  checkExpected(expected, etagOf(found.version))
  await guard(tx, found, undefined)
  try {
    await tx
      .deleteFrom('content.collections')
      .where((row) => row.and({ businessId, id }))
      .execute()
  } catch (error) {
    throw violatedConstraint(error) === 'entries_collection_fkey' ? hasEntries() : error
  }
  await record(tx, collectionDeleted({ businessId, subject: id, actor }))
}

const toRow = (collection: Collection) => ({
  ...collection,
  blocks: JSON.stringify(collection.blocks),
  statuses: JSON.stringify(collection.statuses),
  status: statusOf(collection),
  plans: JSON.stringify(collection.plans),
  isPaid: collection.plans.some(isPaidPlan),
  document: toDocument(collection),
})
