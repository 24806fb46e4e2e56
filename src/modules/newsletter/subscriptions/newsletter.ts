import { type Collection, findCollection } from '#modules/content/index.ts'
import type { Db } from '#platform/database/database.ts'
import { collectionNotFound, notANewsletter } from '../errors.ts'

/** A collection whose subscribers are asked for. */
export async function getNewsletter(db: Db, businessId: string, id: string): Promise<Collection> {
  const collection = await findCollection(db, businessId, id)
  if (!collection) throw collectionNotFound()
  if (collection.type !== 'NEWSLETTER') throw notANewsletter({ field: 'id' })
  return collection
}
