import { sql } from 'kysely'
import { erasePayers } from '#modules/payments/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { hideSuppressions } from '../bounces/suppress.ts'
import { newErasedAddress } from './erased-address.ts'
import type { SubscriptionRow } from './subscription.ts'
import { cancel } from './unsubscribe.ts'

/** A person whose account is gone: the ids that they had, and the address that they had confirmed. */
export type GoneReader = { businessId: string; ids: readonly string[]; emailKey: string | null }

/**
 * Ends the next subscriptions of a person, also at the payment provider, and forgets addresses and names in them and in
 * checkouts of plans. The rows stay, so that what letters came to stays counted. Returns false when nothing is left. May
 * run twice: what names nobody any more is not found again.
 */
export async function eraseReaders(tx: Tx, { businessId, ids, emailKey }: GoneReader, limit: number): Promise<boolean> {
  // Each by its own index, whatever the planner thinks of the limit.
  const { rows } = await sql<SubscriptionRow>`
    with theirs as materialized (
      (select id from newsletter.subscriptions where business_id = ${businessId} and user_id = any (${ids}::text[]) limit ${limit})
       union
      (select id from newsletter.subscriptions where business_id = ${businessId} and email_key = ${emailKey} limit ${limit})
    )
    select *
      from newsletter.subscriptions
     where business_id = ${businessId} and id = any (array(select id from theirs order by id limit ${limit}))
     order by id
       for update`.execute(tx)
  await hideSuppressions(tx, businessId, [...rows.map((row) => row.emailKey), ...(emailKey ? [emailKey] : [])])
  const paid = []
  for (const row of rows) paid.push(...(await eraseReader(tx, row)))
  const { rows: begun } = await sql<{ id: string }>`
    select id
      from newsletter.checkouts
     where business_id = ${businessId} and user_id = any (${ids}::text[])
     limit ${limit}
       for update`.execute(tx)
  for (const { id } of begun) await eraseCheckout(tx, businessId, id, newErasedAddress())
  await erasePayers(tx, businessId, 'newsletter', [...paid, ...begun.map(({ id }) => id)])
  return rows.length === limit || begun.length === limit
}

/** Returns its checkout, if it is paid for. */
async function eraseReader(tx: Tx, row: SubscriptionRow): Promise<string[]> {
  const { businessId, id, checkoutId } = row
  await cancel(tx, row)
  const address = newErasedAddress()
  await sql`
    update newsletter.subscriptions
       set email = ${address}, email_key = ${address}, name = '', user_id = null, updated_at = ${now()}
     where business_id = ${businessId} and id = ${id}`.execute(tx)
  await sql`delete from newsletter.wishes where business_id = ${businessId} and subscription_id = ${id}`.execute(tx)
  if (checkoutId === null) return []
  await eraseCheckout(tx, businessId, checkoutId, address) // the same: by it the provider's last word finds the subscription
  return [checkoutId]
}

const eraseCheckout = (tx: Tx, businessId: string, id: string, address: string) =>
  sql`
    update newsletter.checkouts
       set email = ${address}, name = '', user_id = null, return_url = null, cancel_url = null
     where business_id = ${businessId} and id = ${id}`.execute(tx)
