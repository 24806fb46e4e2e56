import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { record } from '#platform/events/record.ts'
import { checkExpected, type Expected, etagOf } from '#platform/http/etag.ts'
import { enqueue } from '#platform/jobs/define.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { notFound } from '#vocabulary/errors.ts'
import { slugOf } from '#vocabulary/slugs.ts'
import { checkAllEntries, checkSomeEntries } from './check-entries.ts'
import { type Collection, isPaidPlan, mergeCollection, statusOf, toDocument } from './collection.ts'
import { hasEntries, slugExists, tooManyCollections } from './errors.ts'
import { lockCollection } from './queries.ts'
import type { CollectionChanges, NewCollection } from './schemas.ts'

/** A list across collections looks into each of them. */
const MAX_COLLECTIONS = 1_000

export type Writer = {
  businessId: string
  actor: Actor
  /** Refuses what would take from subscribers what they are subscribed to; `after` is undefined when the collection goes. */
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
  if (count >= MAX_COLLECTIONS) throw tooManyCollections(MAX_COLLECTIONS)

  const collection = await insertWithSlug(tx, merged)
  await rememberSchema(tx, collection)
  await record(tx, {
    businessId,
    type: 'collection.created',
    subject: collection.id,
    actor,
    data: { name: collection.name },
  })
  return collection
}

/** A slug that was sent must be free; one made from the name gives way to one that is taken. */
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
  throw slugExists(slugs[0] ?? '')
}

export async function updateCollection(
  tx: Tx,
  { businessId, actor, guard }: Writer,
  id: string,
  expected: Expected,
  sent: CollectionChanges,
): Promise<Collection> {
  const before = await lockCollection(tx, businessId, id)
  if (!before) throw notFound('collection')
  checkExpected(expected, etagOf(before.version))
  const collection = mergeCollection(before, sent, { businessId, actor, at: now() })
  await guard(tx, before, collection)
  await save(tx, collection)
  if (collection.schemaVersion !== before.schemaVersion) await changeSchema(tx, collection)
  const fields = Object.keys(sent)
  await record(tx, { businessId, type: 'collection.updated', subject: id, actor, data: { fields } })
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
    throw violatedConstraint(error) === 'collections_slug_key' ? slugExists(collection.slug) : error
  }
}

/** Most collections are small: what no longer fits is known at once. The rest of a large one is for a job to look at. */
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
  if (!found) throw notFound('collection')
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
  await record(tx, { businessId, type: 'collection.deleted', subject: id, actor, data: { name: found.name } })
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
