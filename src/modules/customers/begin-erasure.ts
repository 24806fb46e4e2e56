import { sql } from 'kysely'
import { newPromoCustomer } from '#modules/orders/index.ts'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { eraseIn } from './erase-customers.ts'
import { enqueueErasure } from './erasure-jobs.ts'
import { lockSums } from './queries.ts'

/** Somebody whose account was deleted, under all ids that they had. `emailKey`: the address that they had confirmed. */
export type GonePerson = { businessId: string; userId: string; ids: readonly string[]; emailKey: string | null }

/**
 * Empties the customer at once, so that nothing is written about them again; a job does the rest. May run twice: what is
 * under way goes on.
 */
export async function beginErasure(db: Db, { businessId, userId, ids, emailKey }: GonePerson): Promise<void> {
  await transaction(db, async (tx) => {
    await lockSums(tx)
    for (const id of ids) await eraseIn(tx, { businessId, userId: id })
    await sql`
      insert into customers.erasures (business_id, user_id, ids, email_key, promo_customer, step, due_at, created_at)
      values (${businessId}, ${userId}, ${ids.toSorted()}::text[], ${emailKey}, ${newPromoCustomer()}, 'READERS', ${now()}, ${now()})
      on conflict do nothing`.execute(tx)
    await enqueueErasure(tx, { businessId, userId })
  })
  await fault('erase-person.begun')
}
