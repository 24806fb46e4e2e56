import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { findBusiness } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { type CellJob, defineJob, enqueue } from '#platform/jobs/define.ts'
import { isHere } from '#platform/moves/fence.ts'
import { BusinessId } from '#vocabulary/schemas.ts'
import { KEEP_DAYS, RUNNING } from './bulk-edit.ts'
import { lockBulkEdit } from './queries.ts'
import { BulkEditId } from './schemas.ts'
import { fail, workOff } from './work-off.ts'

/** How long one run of the job may take: short enough for a graceful stop, and for other jobs to get their turn. */
const RUN_MS = 10_000
/** After each batch it rests so many times as long, so that those who read and buy notice little of it. */
const REST = 1.5
const DROP_ROWS = 10_000
const MAX_ATTEMPTS = 8 // with exponential backoff: an hour and a half
const Payload = Type.Object({ businessId: BusinessId, bulkEditId: BulkEditId })

/** Works a bulk edit off, batch by batch; after some seconds it enqueues itself again and goes on there. */
export const workOffBulkEdit: CellJob<typeof Payload> = defineJob({
  name: 'catalog.work-off-bulk-edit',
  on: 'cell',
  payload: Payload,
  maxAttempts: MAX_ATTEMPTS,
  async run({ businessId, bulkEditId }, { db, control, fence, signal, attempt }) {
    const business = await findBusiness(control, businessId)
    if (!business) return
    const end = nowMs() + RUN_MS
    try {
      while (nowMs() < end && !signal.aborted) {
        const begun = performance.now()
        if (!(await workOff(db, { business, bulkEditId, fence }))) return
        await sleep((performance.now() - begun) * REST)
      }
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS) await giveUp(db, businessId, bulkEditId)
      throw error
    }
    await transaction(db, async (tx) => {
      await fence(tx)
      await enqueue(tx, workOffBulkEdit, { businessId, bulkEditId })
    })
  },
})

/** Says so, instead of being under way for ever. */
const giveUp = (db: Db, businessId: string, bulkEditId: string) =>
  transaction(db, async (tx) => {
    const edit = await lockBulkEdit(tx, businessId, bulkEditId)
    if (edit && RUNNING.some((status) => status === edit.status)) await fail(tx, edit, 'INTERNAL')
  })

/** Deletes one that was thrown away, its rows in slices: a hundred thousand are more than one statement has time for. */
export const dropBulkEdit = defineJob({
  name: 'catalog.drop-bulk-edit',
  on: 'cell',
  payload: Payload,
  async run({ businessId, bulkEditId }, { db, signal }) {
    for (let gone = DROP_ROWS; gone === DROP_ROWS; ) {
      if (signal.aborted) throw new Error('stopped; the rest goes with the next attempt')
      const { numAffectedRows } = await sql`
        delete from catalog.bulk_edit_items
         where business_id = ${businessId} and bulk_edit_id = ${bulkEditId}
           and number <= (select max(number)
                            from (select number from catalog.bulk_edit_items
                                   where business_id = ${businessId} and bulk_edit_id = ${bulkEditId}
                                   order by number
                                   limit ${DROP_ROWS}) as slice)`.execute(db)
      gone = Number(numAffectedRows)
    }
    await sql`
      delete from catalog.bulk_edits
       where business_id = ${businessId} and id = ${bulkEditId} and status = 'DISCARDED'`.execute(db)
  },
})

/** After 30 days they go. */
export const tidyBulkEdits = defineJob({
  name: 'catalog.tidy-bulk-edits',
  on: 'cell',
  payload: Type.Object({}),
  cron: '37 * * * *',
  async run(_payload, { db }) {
    const before = new Date(now().getTime() - KEEP_DAYS * 86_400_000)
    await transaction(db, async (tx) => {
      const { rows } = await sql<{ businessId: string; id: string }>`
        update catalog.bulk_edits set status = 'DISCARDED', updated_at = ${now()}
         where created_at < ${before} and status <> all (${RUNNING}::text[]) and ${isHere('business_id')}
        returning business_id, id`.execute(tx)
      for (const { businessId, id } of rows) await enqueue(tx, dropBulkEdit, { businessId, bulkEditId: id })
    })
  },
})
