import { sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { newId } from '#vocabulary/ids.ts'
import { checkedLately, nothingToStop } from './errors.ts'

/** How long a business waits before it can ask again. */
export const PAUSE_MS = 3_600_000

/** A person wants a check. One that waits for its turn in the night goes first now. */
export const askForCheck = (db: Db, businessId: string): Promise<void> =>
  transaction(db, async (tx) => {
    if (await hurry(tx, businessId)) return
    const { rows } = await sql`
      insert into checks.businesses as known (business_id, asked_at) values (${businessId}, ${now()})
      on conflict (business_id) do update
        set asked_at = excluded.asked_at
        where known.asked_at is null or known.asked_at <= ${new Date(nowMs() - PAUSE_MS)}
      returning business_id`.execute(tx)
    if (rows.length === 0) throw await toRefusal(tx, businessId)
    await tx
      .insertInto('checks.runs')
      .values({ businessId, id: newId('chk'), isNightly: false, createdAt: now() })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })

async function hurry(tx: Tx, businessId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('checks.runs')
    .set({ isNightly: false })
    .where('businessId', '=', businessId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function toRefusal(tx: Tx, businessId: string): Promise<Error> {
  const { askedAt } = await tx
    .selectFrom('checks.businesses')
    .select('askedAt')
    .where('businessId', '=', businessId)
    .executeTakeFirstOrThrow()
  const seconds = Math.max(1, Math.ceil(((askedAt?.getTime() ?? nowMs()) + PAUSE_MS - nowMs()) / 1000))
  return checkedLately({ minutes: Math.ceil(seconds / 60), seconds })
}

export async function stopCheck(db: Db, businessId: string): Promise<void> {
  const { numDeletedRows } = await db.deleteFrom('checks.runs').where('businessId', '=', businessId).executeTakeFirst()
  if (numDeletedRows === 0n) throw nothingToStop()
}
