import { sql } from 'kysely'
import { findGoods, keyOf, readOffers, type VariantKey } from '#modules/catalog/index.ts'
import { readUnfinished } from '#modules/orders/index.ts'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { Business } from '#vocabulary/business.ts'
import { newId } from '#vocabulary/ids.ts'
import { productUrlOf } from '#vocabulary/origins.ts'
import type { AutomationRow } from './automation.ts'
import type { Due } from './plan-due.ts'
import { announceWishes, isBuyable } from './wishes.ts'

/** What a letter says about its occasion: the names of products, and where to find them. */
export type ShownGoods = { names: string; url: string | null }

/** What became of it meanwhile: a reason why nothing is sent, or what the letter can say. */
export type Occasion = { reason: string | null; goods: ShownGoods | null }

/** By the cause of each letter. */
export function learnOccasions(
  db: Db,
  business: Business,
  { trigger }: AutomationRow,
  due: readonly Due[],
): Promise<Map<string, Occasion>> {
  if (due.length === 0 || trigger === 'WELCOME') return Promise.resolve(new Map())
  return trigger === 'CHECKOUT_UNFINISHED' ? readCheckouts(db, business, due) : readStock(db, business, due)
}

async function readCheckouts(db: Db, business: Business, due: readonly Due[]): Promise<Map<string, Occasion>> {
  const orders = await readUnfinished(
    db,
    business.id,
    due.map(({ cause }) => cause),
  )
  const url = business.allowedOrigins[0] ?? null
  return new Map(
    orders.map(({ id, names, isOver }) => [
      id,
      { reason: isOver ? 'ORDERED' : null, goods: isOver ? null : { names: names.join(', '), url } },
    ]),
  )
}

async function readStock(db: Db, business: Business, due: readonly Due[]): Promise<Map<string, Occasion>> {
  const wanted = new Map(due.map((each) => [keyOf(variantOf(each)), variantOf(each)]))
  const goods = (await findGoods(db, business.id, [...wanted.values()])).filter(isBuyable)
  const offers = await readOffers(db, business.id, [...new Set(goods.map(({ productId }) => productId))])
  const urls = new Map(offers.map(({ id, slug }) => [id, productUrlOf(business, slug)]))
  const names = new Map(goods.map((each) => [keyOf(each), each.name]))
  return new Map(
    due.map((each): [string, Occasion] => {
      const name = names.get(keyOf(variantOf(each)))
      if (name === undefined) return [each.cause, { reason: 'SOLD_OUT', goods: null }]
      const url = urls.get(each.productId ?? '') ?? business.allowedOrigins[0] ?? null
      return [each.cause, { reason: null, goods: { names: name, url } }]
    }),
  )
}

const variantOf = ({ productId, variantId }: Pick<Due, 'productId' | 'variantId'>): VariantKey => ({
  productId: productId ?? '',
  variantId: variantId ?? '',
})

/** Whoever was not told, because it was sold out again before the letter was due, goes on waiting. */
export async function returnWishes(
  tx: Tx,
  { businessId, collectionId }: AutomationRow,
  due: readonly Due[],
): Promise<void> {
  if (due.length === 0) return
  const { rows } = await sql<VariantKey & { subscriptionId: string }>`
    insert into newsletter.wishes (business_id, product_id, variant_id, subscription_id, id, collection_id, created_at)
    select ${businessId}, product_id, variant_id, subscription_id, id, ${collectionId}, ${now()}
      from unnest(${due.map(({ productId }) => productId)}::text[], ${due.map(({ variantId }) => variantId)}::text[],
                  ${due.map(({ subscriptionId }) => subscriptionId)}::text[], ${due.map(() => newId('wsh'))}::text[])
           as again (product_id, variant_id, subscription_id, id)
    on conflict do nothing
    returning product_id, variant_id, subscription_id`.execute(tx)
  await announceWishes(tx, businessId, collectionId, rows)
}
