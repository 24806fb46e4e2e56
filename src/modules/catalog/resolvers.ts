import { findPeople } from '#modules/access/index.ts'
import type { ControlDb, Db } from '#platform/database/database.ts'
import type { Resolvers } from '#vocabulary/references.ts'

/** What a block of a product may point at. */
export const catalogResolvers = (control: ControlDb): Resolvers<Db> => ({
  PRODUCT: findProducts,
  USER: (_cell, businessId, ids) => findPeople(control, businessId, ids),
})

/** Which of these products there are. */
export async function findProducts(db: Db, businessId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('catalog.products')
    .select('id')
    .where('businessId', '=', businessId)
    .where('id', 'in', ids)
    .where('status', '<>', 'DELETED')
    .execute()
  return new Set(rows.map(({ id }) => id))
}
