import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import { executePrepared } from '#platform/database/hot.ts'
import type { MarketPrice } from './product.ts'
import type { VariantKey } from './stock.ts'

/** A variant as somebody who buys it sees it. */
export type Goods = VariantKey & {
  /** Of its product; what is not ACTIVE cannot be bought. */
  status: string
  name: string
  sku: string
  prices: MarketPrice[]
  /** One order by checkout has no more of it. */
  maxPerOrder: number | null
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

/** The same, and the answer to another question in the same round trip; undefined where there are no goods. */
export async function lockGoodsAsking<Answer>(
  tx: Tx,
  businessId: string,
  variants: readonly VariantKey[],
  question: RawBuilder<Answer>,
): Promise<{ goods: Goods[]; answer: Answer | undefined }> {
  const asked = sql`, case when row_number() over () = 1 then (${question}) end as answer`
  const goods = (await read(tx, businessId, variants, sql`for update`, asked)) as (Goods & { answer: Answer | null })[]
  return { goods, answer: goods[0]?.answer ?? undefined }
}

// Key by key (`limit 1` sees to it): a plan that is kept must not read small tables whole when they have grown.
async function read(
  db: Db,
  businessId: string,
  variants: readonly VariantKey[],
  lock: ReturnType<typeof sql>,
  asked: ReturnType<typeof sql> = sql``,
): Promise<Goods[]> {
  if (variants.length === 0) return []
  const productIds = variants.map(({ productId }) => productId)
  const variantIds = variants.map(({ variantId }) => variantId)
  const query = sql<Goods>`
    with stock as materialized (
      select stock.*
        from (select product_id, variant_id
                from unnest((select ${productIds}::text[]), (select ${variantIds}::text[])) as wanted (product_id, variant_id)
               order by product_id collate "C", variant_id collate "C") as wanted
       cross join lateral (
         select product_id, variant_id, tracked, quantity
           from catalog.stock
          where business_id = ${businessId} and product_id = wanted.product_id and variant_id = wanted.variant_id
            and position is not null
          limit 1 ${lock}) as stock
    )
    select product.id as product_id, variant.id as variant_id, product.status, ${NAMES} as name, variant.sku, variant.prices,
           variant.max_per_order, stock.tracked, stock.quantity ${asked}
      from stock
     cross join lateral (
       select id, status, name from catalog.products where business_id = ${businessId} and id = stock.product_id limit 1) as product
     cross join lateral (
       select id, name, sku, prices, max_per_order
         from catalog.variants
        where business_id = ${businessId} and product_id = stock.product_id and id = stock.variant_id
        limit 1) as variant
     where product.status <> 'DELETED'`
  return executePrepared(db, query)
}
