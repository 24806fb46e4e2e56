import { sql } from 'kysely'
import type { MarkCustomers, Wanted } from '#modules/newsletter/index.ts'
import { markOf } from './queries.ts'

/**
 * Whoever subscribed is known by the id that they had then, which may have been a guest's, or, after an import, by the
 * email address alone: what holds of a customer is told for each of them. Two customers with one address are one reader.
 *
 * Every `in` below is looked up in a hash that PostgreSQL makes once. As joins they would be planned by guesses: it
 * knows nothing about how many rows a with-query of several parts has.
 */
export const markCustomers: MarkCustomers = (businessId, wanted) => {
  const ids = wanted.map((_, place) => sql.ref(`held_${place}`))
  const bits = ids.map(
    (held, place) => sql`case when user_id in (select user_id from ${held}) then ${2 ** place}::integer else 0 end`,
  )
  return {
    sets: [
      ...wanted.map((one, place) => sql`${ids[place]} as materialized (${holdersSql(businessId, one)})`),
      sql`
        held_addresses as materialized (
          select lower(email) collate "C" as key, bits
            from (select email, ${sql.join(bits, sql` | `)} as bits
                    from customers.customers
                   where business_id = ${businessId} and email is not null
                  offset 0) as customer -- the bits are found once
           where bits <> 0
        )`,
    ],
    holds: (place, { userId, emailKey }) => sql`
      (coalesce(${userId} in (select user_id from ${ids[place]})
                or ${userId} in (select guest_id from customers.aliases -- "is true": no join, which would go through all
                                  where business_id = ${businessId}
                                    and (user_id in (select user_id from ${ids[place]})) is true), false)
       or ${emailKey} in (select key from held_addresses where bits & ${2 ** place}::integer <> 0))`,
  }
}

const holdersSql = (businessId: string, wanted: Wanted) =>
  'tags' in wanted
    ? sql`
      select user_id from customers.words
       where business_id = ${businessId} and word = any (${wanted.tags.map(markOf)}::text[])`
    : sql`
      select user_id from customers.bought
       where business_id = ${businessId} and product_id = any (array(${wanted.products}))
             ${wanted.since === undefined ? sql`` : sql`and last_at >= ${wanted.since}`}`
