import { sql } from 'kysely'
import { Type } from 'typebox'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { eachBusinessAlone } from '#platform/jobs/each-alone.ts'
import { isHere } from '#platform/moves/fence.ts'
import { productUpdated } from '../events.ts'
import { lockProducts, readLocked } from './lock-products.ts'
import { writeProducts } from './write-products.ts'

const BATCH = 200

/**
 * Brings into the stored texts what was planned for a moment that has come. Quotes and checkouts do not wait for it: they
 * take the price of the moment.
 */
export const refreshPrices = defineJob({
  name: 'catalog.refresh-prices',
  on: 'cell',
  payload: Type.Object({}),
  cron: '* * * * *',
  run: (_payload, { db, log, signal }) =>
    eachBusinessAlone({
      log,
      signal,
      failed: 'prices not refreshed, retrying',
      limit: BATCH,
      list: (except) => listDue(db, except),
      work: (businessId, ids) => refresh(db, businessId, ids),
    }),
})

async function listDue(db: Db, except: readonly string[]): Promise<{ businessId: string; id: string }[]> {
  const { rows } = await sql<{ businessId: string; id: string }>`
    select business_id, id
      from catalog.products
     where prices_change_at <= ${now()} and status <> 'DELETED' and ${isHere('business_id')}
       and business_id <> all (${[...except]}::text[])
     order by prices_change_at
     limit ${BATCH}`.execute(db)
  return rows
}

const refresh = (db: Db, businessId: string, ids: string[]) =>
  transaction(db, async (tx) => {
    await lockProducts(tx, businessId, ids)
    const at = now()
    const found = await readLocked(tx, businessId, ids, { lockStock: false })
    // Somebody may have written some of them since.
    const due = found.filter(({ product }) => product.pricesChangeAt && product.pricesChangeAt <= at)
    if (due.length === 0) return
    const written = due.map(({ product: before }) => ({ product: { ...before, version: before.version + 1 }, before }))
    await writeProducts(tx, businessId, written, { at })
    const fields = ['variants']
    await record(tx, ...due.map(({ product }) => productUpdated({ businessId, subject: product.id, data: { fields } })))
  })

const FORGOTTEN_AT_ONCE = 10_000

/** Nobody asks for prices of more than 30 days ago. */
export const forgetPastPrices = defineJob({
  name: 'catalog.forget-past-prices',
  on: 'cell',
  payload: Type.Object({}),
  cron: '17 3 * * *',
  async run(_payload, { db, signal }) {
    while (!signal.aborted) {
      // A day's sales of a whole cell are more than one statement has time for.
      const { numAffectedRows } = await sql`
        delete from catalog.price_history
         where ctid = any (array(
           select ctid
             from catalog.price_history
            where until < ${now()}::timestamptz - interval '40 days' and ${isHere('business_id')}
            limit ${FORGOTTEN_AT_ONCE}))`.execute(db)
      if (Number(numAffectedRows) < FORGOTTEN_AT_ONCE) return
    }
  },
})
