import { sql } from 'kysely'
import type { Write } from '#platform/database/write.ts'
import type { StockTarget } from '../products/merge-product.ts'
import type { Product } from '../products/product.ts'
import { listingRows } from './rows.ts'

/** A product to list, with its state before, and what its stock is about to be set to. */
export type ListedProduct = { product: Product; before: Product | undefined; targets?: readonly StockTarget[] }

/**
 * Writes what lists know of these products, where that has changed. The quantities are those before the statement and those of
 * `targets`; what sales change is brought in by the worker.
 */
export function listingWrites(
  businessId: string,
  products: readonly ListedProduct[],
  { at, isRebuild }: { at: Date; isRebuild: boolean },
): Write[] {
  const changed = products.flatMap(({ product, before, targets = [] }) => {
    const made = listingRows(product, at)
    const isKnown = before && targets.length === 0 && !isDue(before, at)
    if (isKnown && isSame(made, listingRows(before, at)) && isSame(trackedOf(product), trackedOf(before))) return []
    return { ...made, ...stockOf(product, targets), is_new: !before && !isRebuild }
  })
  if (changed.length === 0) return []
  return [upsertRows(businessId, changed), deleteRows(businessId, changed)]
}

type Changed = ReturnType<typeof listingRows> & ReturnType<typeof stockOf> & { is_new: boolean }

/** A planned price has begun or ended since: what is stored is not what the product as it was would say now. */
const isDue = ({ pricesChangeAt }: Product, at: Date) => pricesChangeAt !== null && pricesChangeAt <= at

const trackedOf = ({ variants }: Product) => variants.map(({ id, tracked }) => [id, tracked])
const isSame = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b)

/** Whether it is in stock already by what is known here, and the variants whose stock decides otherwise. */
function stockOf({ variants }: Product, targets: readonly StockTarget[]) {
  const known = new Map(targets.map(({ variantId, quantity }) => [variantId, quantity]))
  return {
    has_stock: variants.some(({ id, tracked }) => !tracked || (known.get(id) ?? 0) > 0),
    counted: variants.filter(({ id, tracked }) => tracked && !known.has(id)).map(({ id }) => id),
  }
}

// Sorted, so that two writers of the same rows queue instead of deadlocking.
const upsertRows = (businessId: string, changed: readonly Changed[]) => sql`
  insert into catalog.listing (business_id, market_id, product_id, status, name_key, price, category, is_in_stock, marks, sold)
  select ${businessId}, priced.market_id, made.product_id, made.status, made.name_key, priced.price, made.category,
         stocked.is_in_stock, made.marks,
         coalesce((select sold from catalog.listing
                    where business_id = ${businessId} and market_id = '' and product_id = made.product_id), 0)
    from json_to_recordset(${JSON.stringify(changed)}::json)
      as made (product_id text, status text, name_key text, category text, marks text[], prices json, has_stock boolean, counted text[])
   cross join lateral (
     select made.has_stock or exists (
              select from catalog.stock
               where business_id = ${businessId} and product_id = made.product_id
                 and variant_id = any (made.counted) and quantity > 0) as is_in_stock
    offset 0) as stocked
   cross join lateral json_to_recordset(made.prices) as priced (market_id text, price bigint)
   order by priced.market_id collate "C", made.product_id collate "C"
  on conflict (business_id, market_id, product_id) do update
     set status = excluded.status, name_key = excluded.name_key, price = excluded.price, category = excluded.category,
         is_in_stock = excluded.is_in_stock, marks = excluded.marks
   where (listing.status, listing.name_key, listing.price, listing.category, listing.is_in_stock, listing.marks)
         is distinct from (excluded.status, excluded.name_key, excluded.price, excluded.category, excluded.is_in_stock, excluded.marks)`

/** Markets in which there is no price any more. */
function deleteRows(businessId: string, changed: readonly Changed[]): Write {
  const kept = changed
    .filter(({ is_new }) => !is_new)
    .map(({ product_id, prices }) => ({ product_id, markets: prices.map(({ market_id }) => market_id) }))
  if (kept.length === 0) return undefined
  return sql`
    delete from catalog.listing
     using json_to_recordset(${JSON.stringify(kept)}::json) as kept (product_id text, markets text[])
     where listing.business_id = ${businessId} and listing.product_id = kept.product_id
       and listing.market_id <> all (kept.markets)`
}
