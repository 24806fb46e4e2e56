import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import type { MarketPrice, Product } from './product.ts'

/** What a letter shows of a product: texts, pictures, and the prices of each of its variants. */
export type Offer = Pick<Product, 'id' | 'name' | 'slug' | 'translations' | 'gallery'> & { prices: MarketPrice[][] }

/** Only of those that are for sale. */
export async function readOffers(db: Db, businessId: string, ids: readonly string[]): Promise<Offer[]> {
  const { rows } = await sql<Offer>`
    select id, name, slug, translations, gallery,
           (select coalesce(json_agg(variant.prices), '[]')
              from catalog.variants as variant
             where variant.business_id = ${businessId} and variant.product_id = product.id) as prices
      from catalog.products as product
     where business_id = ${businessId} and id = any (${ids}) and status = 'ACTIVE'`.execute(db)
  return rows
}
