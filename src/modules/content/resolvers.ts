import type { Db } from '#platform/database/database.ts'
import type { Resolvers } from '#vocabulary/references.ts'

/** The ids of entries and collections among these that exist. */
export const contentResolvers: Resolvers<Db> = {
  ENTRY: (db, businessId, ids) => findIds(db, 'content.entries', businessId, ids),
  COLLECTION: (db, businessId, ids) => findIds(db, 'content.collections', businessId, ids),
}

async function findIds(
  db: Db,
  table: 'content.entries' | 'content.collections',
  businessId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom(table)
    .select('id')
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .execute()
  return new Set(rows.map(({ id }) => id))
}
