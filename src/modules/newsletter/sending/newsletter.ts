import { type Collection, type Entry, findCollection } from '#modules/content/index.ts'
import type { Db } from '#platform/database/database.ts'

/** The newsletter that an entry belongs to, if it is one. */
export async function findNewsletter(db: Db, { businessId, collectionId }: Entry): Promise<Collection | undefined> {
  const collection = collectionId === null ? undefined : await findCollection(db, businessId, collectionId)
  return collection?.type === 'NEWSLETTER' ? collection : undefined
}
