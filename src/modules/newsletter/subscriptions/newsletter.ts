import { type Collection, findCollection } from '#modules/content/index.ts'
import type { Db } from '#platform/database/database.ts'
import { collectionNotFound, notANewsletter } from '../errors.ts'

/** The collection that a path names; `field` is its name there. */
export async function getNewsletter(
  db: Db,
  businessId: string,
  id: string,
  field: 'id' | 'collectionId' = 'id',
): Promise<Collection> {
  const collection = await findCollection(db, businessId, id)
  if (!collection) throw collectionNotFound()
  if (collection.type !== 'NEWSLETTER') throw notANewsletter({ field })
  return collection
}
