import { type RawBuilder, sql } from 'kysely'
import { foldCode } from '#modules/catalog/index.ts'
import type { OrderFilters } from './schemas.ts'
import { markOf, quoteTerm } from './search-row.ts'
import { type Range, readTyped, type Typed, toTermQuery } from './typed.ts'

export type Condition = RawBuilder<unknown>

/** Whether an order is the first of its customer that was paid; handed in, because reports know it. */
export type IsFirstSql = (businessId: RawBuilder<unknown>, orderId: RawBuilder<unknown>) => RawBuilder<unknown>

/** What is asked for, ready for SQL. `customerIds`: only orders of these. */
export type Asked = Omit<OrderFilters, 'customerId' | 'query'> & {
  isFirst?: IsFirstSql | undefined
  businessId: string
  customerIds: readonly string[] | undefined
  typed: Typed | undefined
}

export const toAsked = (
  businessId: string,
  { customerId: _customerId, query, promoCode, ...filters }: OrderFilters,
  customerIds: readonly string[] | undefined,
  isFirst?: IsFirstSql,
): Asked => ({
  businessId,
  customerIds,
  ...(filters.customer && { isFirst }),
  typed: query?.trim() ? readTyped(query) : undefined,
  ...(promoCode && { promoCode: promoCode.map(foldCode) }),
  ...filters,
})

/** As `fulfillmentOf` has it. */
export const FULFILLMENT = sql`
  coalesce(orders.fulfillment,
           case when orders.status in ('SHIPPED', 'DELIVERED') then 'FULFILLED'
                when orders.status = 'REFUNDED'
                     and (select entry ->> 'status'
                            from json_array_elements(orders.statuses) with ordinality as history (entry, position)
                           where entry ->> 'status' <> 'REFUNDED'
                           order by position desc
                           limit 1) in ('SHIPPED', 'DELIVERED') then 'FULFILLED'
                else 'UNFULFILLED' end)`

const isAny = (value: RawBuilder<unknown>, values: readonly string[]) => sql`${value} = any (${values}::text[])`

/** What the row of an order itself tells. */
export function orderConditions(asked: Asked): Condition[] {
  const { id, status, paymentStatus, fulfillment, market, tag, promoCode, customerIds } = asked
  const { currency, variantId, createdFrom, createdTo, totalFrom, totalTo } = asked
  return [
    id && isAny(sql`orders.id`, id),
    customerIds && isAny(sql`orders.customer_id`, customerIds),
    status && isAny(sql`orders.status`, status),
    paymentStatus && isAny(sql`orders.payment_status`, paymentStatus),
    fulfillment && isAny(FULFILLMENT, fulfillment),
    market && isAny(sql`orders.market`, market),
    currency && isAny(sql`orders.currency`, currency),
    variantId && ofVariant(asked, variantId),
    asked.customer &&
      asked.isFirst &&
      sql`${asked.isFirst(sql`orders.business_id`, sql`orders.id`)} = ${asked.customer === 'NEW'}`,
    promoCode && isAny(sql`orders.promo_code`, promoCode),
    tag && sql`orders.tags && ${tag}::text[]`,
    createdFrom === undefined ? undefined : sql`orders.created_at >= to_timestamp(${createdFrom})`,
    createdTo === undefined ? undefined : sql`orders.created_at < to_timestamp(${createdTo})`,
    totalFrom === undefined ? undefined : sql`orders.total >= ${totalFrom}::bigint`,
    totalTo === undefined ? undefined : sql`orders.total <= ${totalTo}::bigint`,
  ].filter((condition) => condition !== undefined)
}

const ofVariant = ({ productId }: Asked, variantId: readonly string[]) => sql`
  exists (select from json_array_elements(orders.lines) as line
           where line ->> 'variantId' = any (${variantId}::text[])
             ${productId ? sql`and line ->> 'productId' = any (${productId}::text[])` : sql``})`

const anyMark = (words: readonly string[]) => words.map(quoteTerm).join(' | ')
export const productTerms = ({ productId }: Asked) => productId && anyMark(productId.map(markOf.product))
export const marketTerms = ({ market }: Asked) => market && anyMark(market.map(markOf.market))

/**
 * What the words tell. Asked from a search row, it alone is looked at. Asked from an order, its number and address are
 * the order's own, so that one without a search row yet is found by them.
 */
export function searchConditions(asked: Asked, from: 'search' | 'orders'): Condition[] {
  const products = productTerms(asked)
  const inTerms = (terms: string) => {
    const matches = sql`search.terms @@ ${terms}::tsquery`
    return from === 'search'
      ? matches
      : // Not `exists`: PostgreSQL might read all rows with the words first, however many.
        sql`coalesce((
          select ${matches} from orders.search
           where search.business_id = orders.business_id and search.order_id = orders.id), false)`
  }
  return [
    products === undefined ? undefined : inTerms(products),
    asked.typed && typedCondition(asked.typed, from, inTerms),
  ].filter((condition) => condition !== undefined)
}

/** A text that is neither the beginning of anything nor holds a word finds nothing. */
function typedCondition(typed: Typed, from: 'search' | 'orders', inTerms: (terms: string) => Condition): Condition {
  const terms = toTermQuery(typed)
  const ways = [
    typed.number && within(from === 'search' ? sql`search.number` : sql`orders.number`, typed.number),
    typed.email && within(from === 'search' ? sql`search.email` : EMAIL, lowered(typed.email)),
    terms === undefined ? undefined : inTerms(terms),
  ].filter((way) => way !== undefined)
  return ways.length === 0 ? sql`false` : sql`(${sql.join(ways, sql` or `)})`
}

/** Spelled as in its index. */
export const EMAIL = sql`lower(orders.contact_email) collate "C"`
// That of PostgreSQL on both sides: that of JavaScript differs for some letters.
export const lowered = ({ from, to }: Range) => ({ from: sql`lower(${from}::text)`, to: sql`lower(${to}::text)` })
export const within = (value: Condition, { from, to }: Record<keyof Range, unknown>) =>
  sql`(${value} >= ${from} and ${value} < ${to})`

export const all = (conditions: readonly Condition[]) =>
  conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
