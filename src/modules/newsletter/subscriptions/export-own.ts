import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import { toSeconds } from '#vocabulary/time.ts'
import type { GoneReader } from './erase-readers.ts'
import { presentSubscription, type SubscriptionRow } from './subscription.ts'

const BATCH = 100

type Wished = { subscriptionId: string; productId: string; variantId: string; createdAt: Date }

/** The subscriptions of a person, by their ids or the address of their account, with what they wait for. */
export async function* exportOwnSubscriptions(db: Db, { businessId, ids, emailKey }: GoneReader) {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { rows }: { rows: SubscriptionRow[] } = await sql<SubscriptionRow>`
      with theirs as materialized (
        select id from newsletter.subscriptions
         where business_id = ${businessId} and user_id = any (${ids}::text[]) and id > ${after}
         union
        select id from newsletter.subscriptions
         where business_id = ${businessId} and email_key = ${emailKey} and id > ${after}
      )
      select *
        from newsletter.subscriptions
       where business_id = ${businessId} and id = any (array(select id from theirs order by id limit ${BATCH}))
       order by id`.execute(db)
    // Under another address others may wait for something: whoever subscribed it need not be its owner.
    const own = rows.filter((row) => row.emailKey === emailKey).map(({ id }) => id)
    const { rows: wishes } = await sql<Wished>`
      select subscription_id, product_id, variant_id, created_at
        from newsletter.wishes
       where business_id = ${businessId} and subscription_id = any (${rows.map(({ id }) => id)}::text[])
         and (user_id = any (${ids}::text[]) or subscription_id = any (${own}::text[]))
       order by id`.execute(db)
    const wished = Map.groupBy(wishes, ({ subscriptionId }) => subscriptionId)
    yield rows.map((row) => ({
      ...presentSubscription(row),
      wishes: (wished.get(row.id) ?? []).map(({ productId, variantId, createdAt }) => ({
        productId,
        variantId,
        createdAt: toSeconds(createdAt),
      })),
    }))
    after = rows.length === BATCH ? rows.at(-1)?.id : undefined
  }
}
