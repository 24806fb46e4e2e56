import { sql } from 'kysely'
import type { MarkCustomers } from '#modules/newsletter/index.ts'
import { markOf } from './queries.ts'

/**
 * Whoever subscribed is known by the id that they had then, which may have been a guest's, or, after an import, by the
 * email address alone: what holds of a customer is told for each of them. Two customers with one address are one reader.
 */
export const markCustomers: MarkCustomers = (businessId, wanted) => {
  const holders = wanted.map((one) =>
    'tags' in one
      ? sql`
        select user_id, ${one.bit}::integer as bit
          from customers.words
         where business_id = ${businessId} and word = any (${one.tags.map(markOf)}::text[])`
      : sql`
        select bought.user_id, ${one.bit}::integer as bit
          from ${one.products} as wanted
          join customers.bought on bought.business_id = ${businessId} and bought.product_id = wanted.product_id
         where ${one.since === undefined ? sql`true` : sql`bought.last_at >= ${one.since}`}`,
  )
  return {
    byId: sql`
      with holder as materialized (
        select user_id, bit_or(bit) as bits
          from (${sql.join(holders, sql` union all `)}) as held
         group by user_id
      )
      select user_id as key, bits from holder
       union all
      select aliases.guest_id, bits
        from holder
        join customers.aliases on aliases.business_id = ${businessId} and aliases.user_id = holder.user_id`,
    byEmail: sql`
      select lower(customers.email) collate "C" as key, bit_or(by_id.bits) as bits
        from by_id
        join customers.customers on customers.business_id = ${businessId} and customers.user_id = by_id.key
       where customers.email is not null
       group by 1`,
  }
}
