import { findPeople } from '#modules/access/index.ts'
import type { ControlDb, Db } from '#platform/database/database.ts'
import type { Resolvers } from '#vocabulary/references.ts'

/** The types of targets that a product's blocks may reference. */
export const catalogResolvers = (control: ControlDb): Resolvers<Db> => ({
  PRODUCT: findProducts,
  USER: (_cell, businessId, ids) => findPeople(control, businessId, ids),
})

/** The ids among these that exist. */
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
