import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '#platform/database/database.ts'
import { executePrepared } from '#platform/database/prepared.ts'
import type { MarketPrice } from '../products/product.ts'
import type { VariantKey } from './change-stock.ts'

/** A variant as a buyer sees it. */
export type Goods = VariantKey & {
  /** Status of the product; only ACTIVE ones can be bought. */
  status: string
  name: string
  sku: string
  prices: MarketPrice[]
  taxClass: string
  /** The limit per checkout. */
  maxPerOrder: number | null
  tracked: boolean
  quantity: number
}

const NAMES = sql`product.name || case when variant.name = '' then '' else ', ' || variant.name end`

/** The variants that exist. Deleted products and removed variants are left out. */
export const findGoods = (db: Db, businessId: string, variants: readonly VariantKey[]) =>
  read(db, businessId, variants, sql``)

/** `findGoods`, with the stock rows locked until the transaction ends, in the order of their keys. */
export const lockGoods = (tx: Tx, businessId: string, variants: readonly VariantKey[]) =>
  read(tx, businessId, variants, sql`for update`)

/** `lockGoods`, with another query answered in the same round trip; undefined where there are no goods. */
export async function lockGoodsAndQuery<Answer>(
  tx: Tx,
  businessId: string,
  variants: readonly VariantKey[],
  question: RawBuilder<Answer>,
): Promise<{ goods: Goods[]; answer: Answer | undefined }> {
  const asked = sql`, case when row_number() over () = 1 then (${question}) end as answer`
  const goods = (await read(tx, businessId, variants, sql`for update`, asked)) as (Goods & { answer: Answer | null })[]
  return { goods, answer: goods[0]?.answer ?? undefined }
}

// `limit 1` forces a lookup by key: a generic plan made while the tables are small would otherwise keep scanning them
// whole.
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
           variant.max_per_order, product.tax_class, stock.tracked, stock.quantity ${asked}
      from stock
     cross join lateral (
       select id, status, name, tax_class from catalog.products where business_id = ${businessId} and id = stock.product_id limit 1) as product
     cross join lateral (
       select id, name, sku, prices, max_per_order
         from catalog.variants
        where business_id = ${businessId} and product_id = stock.product_id and id = stock.variant_id
        limit 1) as variant
     where product.status <> 'DELETED'`
  return executePrepared(db, query)
}
