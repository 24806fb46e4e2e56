import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { type Returning, writeReturning } from '#platform/database/write.ts'
import { decodeCursor, type Page, toPage } from '#vocabulary/paging.ts'
import type { PageOnly } from '#vocabulary/schemas.ts'
import { toSeconds } from '#vocabulary/time.ts'
import { variantNotFound } from '../errors.ts'
import { MAX_QUANTITY, type StockKind, type StockMovement, type VariantParams } from '../schemas.ts'

export type VariantKey = { productId: string; variantId: string }
/** A map key for a variant. */
export const keyOf = ({ productId, variantId }: VariantKey) => `${productId}/${variantId}`

/**
 * A change by `delta`, or to `quantity`; `reference` names the cause. A variant may come several times with a `delta`:
 * one ledger row each, in this order, all or none.
 */
export type StockChange = VariantKey & ({ delta: number } | { quantity: number }) & { reference?: string }
export type StockCause = { kind: StockKind; reason?: string | null; userId?: string | undefined; at?: Date }
/** `moved` says whether the ledger got new rows; `quantity` and `version` are those after the change. */
export type StockOutcome = VariantKey & {
  tracked: boolean
  delta: number
  moved: boolean
  quantity: number
  version: number
}

const HOURS_BETWEEN_NEWS = 24

/**
 * The only function that changes stock: counter and ledger together, in one statement. A variant whose stock would
 * leave the range (mostly: fall below zero) is not `moved` while the others are; the caller decides whether to roll
 * back. Variants that are not tracked have no stock to take. Rows are locked in the order of their keys, so that two
 * transactions that want the same goods queue instead of deadlocking. Stock that falls to its threshold is marked, once
 * a day, for `announceLowStock`.
 */
export const changeStock = (
  tx: Tx,
  businessId: string,
  changes: readonly StockChange[],
  cause: StockCause,
): Promise<StockOutcome[]> => writeReturning(tx, stockChange(businessId, changes, cause))

/** `changeStock` as a part of a larger statement (`writeReturning`). Undefined: nothing to change. */
export function stockChange(
  businessId: string,
  changes: readonly StockChange[],
  { kind, reason = null, userId, at = now() }: StockCause,
): Returning<StockOutcome> | undefined {
  if (changes.length === 0) return undefined
  const quietSince = new Date(at.getTime() - HOURS_BETWEEN_NEWS * 3_600_000)
  const productIds = changes.map(({ productId }) => productId)
  const variantIds = changes.map(({ variantId }) => variantId)
  const deltas = changes.map((change) => ('delta' in change ? change.delta : null))
  const targets = changes.map((change) => ('quantity' in change ? change.quantity : null))
  const references = changes.map(({ reference }) => reference ?? null)
  const parts = sql`
    asked as (
      select product_id, variant_id, max(target) as target, array_agg(reference order by at) as causes,
             array_agg(delta order by at) as deltas, sum(delta) as delta, min(running) as lowest, max(running) as highest
        from (select *, sum(delta) over (partition by product_id, variant_id order by at) as running
                from unnest((select ${productIds}::text[]), (select ${variantIds}::text[]), (select ${deltas}::integer[]),
                            (select ${targets}::integer[]), (select ${references}::text[]))
                     with ordinality as change (product_id, variant_id, delta, target, reference, at)) as step
       group by product_id, variant_id
    ), wanted as (
      select stock.business_id, stock.product_id, stock.variant_id, stock.tracked, stock.quantity, stock.version, change.delta,
             asked.causes, case when asked.target is null then asked.deltas else array[change.delta] end as deltas,
             (asked.target is not null and change.delta <> 0 or array_position(asked.deltas, 0) is null and asked.target is null)
               and (stock.tracked or ${kind} <> 'ORDER')
               and stock.quantity + coalesce(asked.lowest, change.delta) >= 0
               and stock.quantity + coalesce(asked.highest, change.delta) <= ${MAX_QUANTITY} as moved,
             coalesce(stock.tracked
                  and stock.quantity > stock.low_stock_threshold
                  and stock.quantity + change.delta <= stock.low_stock_threshold
                  and (stock.low_at is null or stock.low_at < ${quietSince}), false) as is_news
        from (select * from asked order by product_id collate "C", variant_id collate "C") as asked
       cross join lateral (
         select *
           from catalog.stock
          where business_id = ${businessId} and product_id = asked.product_id and variant_id = asked.variant_id
          limit 1 for update) as stock
       cross join lateral (select coalesce(asked.delta, asked.target - stock.quantity)::integer as delta) as change
    ), changed as (
      update catalog.stock
         -- the locked value, not the row's: this statement's snapshot may be older than the lock
         set quantity = wanted.quantity + wanted.delta,
             version = wanted.version + cardinality(wanted.deltas),
             low_at = case when wanted.is_news then ${at} else stock.low_at end,
             low_news_due = stock.low_news_due or wanted.is_news
        from wanted
       where stock.business_id = wanted.business_id -- with a constant here, the generic plan scans a large business
         and stock.product_id = wanted.product_id and stock.variant_id = wanted.variant_id
         and wanted.moved
      returning stock.product_id, stock.variant_id, wanted.quantity, wanted.version, wanted.deltas, wanted.causes
    ), ledger as (
      insert into catalog.stock_movements
             (business_id, product_id, variant_id, number, delta, quantity, kind, reason, reference, user_id, created_at)
      select ${businessId}, product_id, variant_id, version + step, delta,
             quantity + sum(delta) over (partition by product_id, variant_id order by step),
             ${kind}, ${reason}, cause, ${userId ?? null}, ${at}
        from changed
       cross join lateral unnest(deltas, causes) with ordinality as movement (delta, cause, step)
    )`
  const result = sql<StockOutcome>`
    select product_id, variant_id, tracked, delta, moved,
           quantity + case when moved then delta else 0 end as quantity,
           version + case when moved then cardinality(deltas) else 0 end as version
      from wanted`
  return { parts, result }
}

/** Removed variants count, because their ledger stays. */
const variantEverExisted = (db: Db, businessId: string, productId: string, id: string) =>
  db
    .selectFrom('catalog.variants')
    .select('id')
    .where((variant) => variant.and({ businessId, productId, id }))
    .executeTakeFirst()

/** The ledger of a variant, newest first. */
export async function listMovements(
  db: Db,
  { businessId, id: productId, variantId }: VariantParams,
  { limit = 20, cursor }: PageOnly,
): Promise<Page<StockMovement>> {
  const filters = { list: 'stock-movements', businessId, productId, variantId }
  const after = decodeCursor(filters, cursor, ['number'])?.[0] as number | undefined
  const rows = await db
    .selectFrom('catalog.stockMovements')
    .selectAll()
    .where((movement) => movement.and({ businessId, productId, variantId }))
    .$if(after !== undefined, (query) => query.where('number', '<', sql<number>`${after}::bigint`))
    .orderBy('number', 'desc')
    .limit(limit + 1)
    .execute()
  if (rows.length === 0 && !(await variantEverExisted(db, businessId, productId, variantId))) throw variantNotFound()
  return toPage(
    rows,
    limit,
    filters,
    (row) => [row.number],
    (row) => ({
      number: row.number,
      productId,
      variantId,
      delta: row.delta,
      quantity: row.quantity,
      kind: row.kind as StockKind,
      reason: row.reason,
      reference: row.reference,
      userId: row.userId,
      createdAt: toSeconds(row.createdAt),
    }),
  )
}
