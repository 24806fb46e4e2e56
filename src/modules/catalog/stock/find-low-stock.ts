import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import type { StockLevel } from './schemas.ts'

type LowStock = Pick<
  StockLevel,
  'productId' | 'variantId' | 'productName' | 'variantName' | 'sku' | 'quantity' | 'lowStockThreshold'
>

/** Variants at or below their threshold, the lowest first, by the copy that the worker keeps. */
export async function findLowStock(db: Db, businessId: string, limit: number): Promise<LowStock[]> {
  const { rows } = await sql<LowStock>`
    select listed.product_id, listed.variant_id, products.name as product_name, variants.name as variant_name, variants.sku,
           stock.quantity, stock.low_stock_threshold
      from (select product_id, variant_id, quantity
              from catalog.stock_list
             where business_id = ${businessId} and is_low
             order by quantity, product_id, variant_id
             limit ${limit}) as listed
      join catalog.stock
        on stock.business_id = ${businessId} and stock.product_id = listed.product_id
           and stock.variant_id = listed.variant_id and stock.position is not null
      join catalog.products
        on products.business_id = ${businessId} and products.id = listed.product_id and products.status <> 'DELETED'
      join catalog.variants
        on variants.business_id = ${businessId} and variants.product_id = listed.product_id
           and variants.id = listed.variant_id
     order by listed.quantity, listed.product_id, listed.variant_id`.execute(db)
  return rows
}
