import { sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import type { MarketPrice } from './product.ts'
import type { VariantKey } from './stock.ts'

/** A variant as somebody who buys it sees it. */
export type Goods = VariantKey & {
  /** Of its product; what is not ACTIVE cannot be bought. */
  status: string
  name: string
  sku: string
  prices: MarketPrice[]
  tracked: boolean
  quantity: number
}

const NAMES = sql`product.name || case when variant.name = '' then '' else ', ' || variant.name end`

/** Those of the variants that there are. Deleted products and removed variants are not. */
export const findGoods = (db: Db, businessId: string, variants: readonly VariantKey[]) =>
  read(db, businessId, variants, sql``)

/** The same, and nobody else changes their stock until the transaction ends. Locked in the order of their keys. */
export const lockGoods = (tx: Tx, businessId: string, variants: readonly VariantKey[]) =>
  read(tx, businessId, variants, sql`for update`)

async function read(
  db: Db,
  businessId: string,
  variants: readonly VariantKey[],
  lock: ReturnType<typeof sql>,
): Promise<Goods[]> {
  if (variants.length === 0) return []
  const productIds = variants.map(({ productId }) => productId)
  const variantIds = variants.map(({ variantId }) => variantId)
  const { rows } = await sql<Goods>`
    with stock as materialized (
      select product_id, variant_id, tracked, quantity
        from catalog.stock
       where business_id = ${businessId} and position is not null
         and (product_id, variant_id) in (select * from unnest(${productIds}::text[], ${variantIds}::text[]))
       order by product_id, variant_id ${lock}
    )
    select product.id as product_id, variant.id as variant_id, product.status, ${NAMES} as name, variant.sku, variant.prices,
           stock.tracked, stock.quantity
      from stock
      join catalog.products as product on product.business_id = ${businessId} and product.id = stock.product_id
      join catalog.variants as variant on variant.business_id = ${businessId}
           and variant.product_id = stock.product_id and variant.id = stock.variant_id
     where product.status <> 'DELETED'`.execute(db)
  return rows
}
