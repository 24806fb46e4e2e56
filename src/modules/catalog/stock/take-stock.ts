import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { insertion, write } from '#platform/database/write.ts'
import { record } from '#platform/events/record.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { conflictingFields, type Detail, invalidFields } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { toSeconds } from '#vocabulary/time.ts'
import * as refusal from '../errors.ts'
import { changeStock, keyOf } from './change-stock.ts'
import { lockGoods } from './goods.ts'
import type { NewCount, NewStocktake, Stocktake } from './schemas.ts'
import { toStockChanged } from './stock-changed.ts'

/**
 * Brings the books to what was counted, all variants or none. `number` and `committed` tell the moment of a count: it is
 * compared with the quantity of then, so that whatever happened since stays as it is. Another count since then has
 * brought in the same difference already, so that one is refused.
 */
export async function takeStock(
  tx: Tx,
  businessId: string,
  actor: Actor,
  { items, reason = null }: NewStocktake,
): Promise<Stocktake> {
  const known = new Map((await lockGoods(tx, businessId, items)).map((goods) => [keyOf(goods), goods]))
  checkItems(items, (item) => known.has(keyOf(item)))
  const books = await readBooks(tx, businessId, items)
  checkBooks(items, books)

  const id = newId('stk')
  const at = now()
  const deltas = items.map((item, index) => deltaOf(item, books[index] as Book))
  const changes = items.flatMap(({ productId, variantId }, index) => {
    const delta = deltas[index] as number
    return delta === 0 ? [] : [{ productId, variantId, delta, reference: id }]
  })
  const cause = { kind: 'COUNT' as const, reason, userId: actor.userId, at }
  const outcomes = await changeStock(tx, businessId, changes, cause)
  const moved = new Map(outcomes.map((outcome) => [keyOf(outcome), outcome]))
  checkMoved(items.map((item) => moved.get(keyOf(item))))

  const counted = items.map((item, index) => {
    const { productId, variantId } = item
    const { quantity, version } = moved.get(keyOf(item)) ?? (books[index] as Book)
    const delta = deltas[index] as number
    return { productId, variantId, counted: 'counted' in item ? item.counted : null, delta, quantity, number: version }
  })
  const summary = {
    id,
    reason,
    userId: actor.userId,
    variants: items.length,
    changed: changes.length,
    delta: deltas.reduce((sum, delta) => sum + delta, 0),
  }
  await write(tx, insertion('catalog.stocktakes', [{ businessId, ...summary, items: counted, createdAt: at }]))
  const news = { businessId, subject: id, kind: 'COUNT' as const, reference: id, actor }
  await record(tx, ...toStockChanged(news, outcomes))
  return { ...summary, items: counted, createdAt: toSeconds(at) }
}

function checkItems(items: readonly NewCount[], isKnown: (item: NewCount) => boolean): void {
  const seen = new Set<string>()
  const details = items.flatMap((item, index) => {
    const { productId, variantId } = item
    if (seen.has(keyOf(item))) return refusal.countedTwice.asDetail({ index })
    seen.add(keyOf(item))
    if (!isKnown(item)) return refusal.countedUnknown.asDetail({ index, variantId, productId })
    return 'delta' in item && item.delta === 0 ? refusal.countWithoutChange.asDetail({ index }) : []
  })
  if (details.length > 0) throw invalidFields(details)
}

/** The stock of a locked variant now, and as it was when it was counted; `since` is the last count after that. */
type Book = {
  quantity: number
  version: number
  then: number
  since: { number: number; delta: number } | null
}

/** One for each item, in their order. */
async function readBooks(tx: Tx, businessId: string, items: readonly NewCount[]): Promise<Book[]> {
  const { rows } = await sql<Book>`
    select stock.quantity, stock.version,
           coalesce((select movement.quantity
                       from catalog.stock_movements as movement
                      where movement.business_id = ${businessId} and movement.product_id = wanted.product_id
                        and movement.variant_id = wanted.variant_id and movement.number = wanted.number), 0) as then,
           (select json_build_object('number', movement.number, 'delta', movement.delta)
              from catalog.stock_movements as movement
             where movement.business_id = ${businessId} and movement.product_id = wanted.product_id
               and movement.variant_id = wanted.variant_id and movement.number > wanted.number and movement.kind = 'COUNT'
             order by movement.number desc
             limit 1) as since
      from unnest(${items.map(({ productId }) => productId)}::text[], ${items.map(({ variantId }) => variantId)}::text[],
                  ${items.map((item) => ('number' in item ? item.number : null))}::integer[])
           with ordinality as wanted (product_id, variant_id, number, at)
      join catalog.stock on stock.business_id = ${businessId} and stock.product_id = wanted.product_id
           and stock.variant_id = wanted.variant_id
     order by wanted.at`.execute(tx)
  return rows
}

function checkBooks(items: readonly NewCount[], books: readonly Book[]): void {
  const unknown: Detail[] = []
  const counted: Detail[] = []
  for (const [index, item] of items.entries()) {
    const { version, since } = books[index] as Book
    if ('number' in item && item.number > version)
      unknown.push(refusal.numberUnknown.asDetail({ index, last: version }))
    else if (since) counted.push(refusal.countedSince.asDetail({ index, ...since }))
  }
  if (unknown.length > 0) throw invalidFields(unknown)
  if (counted.length > 0) throw conflictingFields(counted)
}

const deltaOf = (item: NewCount, { then }: Book): number =>
  'delta' in item ? item.delta : item.counted - item.committed - then

type Moved = { moved: boolean; delta: number; quantity: number } | undefined

function checkMoved(outcomes: readonly Moved[]): void {
  const refused = outcomes.flatMap((outcome, index) => (outcome && !outcome.moved ? { ...outcome, index } : []))
  const below = refused.filter(({ delta }) => delta < 0).map((each) => refusal.countBelowZero.asDetail(each))
  if (below.length > 0) throw conflictingFields(below)
  if (refused.length > 0) throw invalidFields(refused.map(({ index }) => refusal.countTooLarge.asDetail({ index })))
}
