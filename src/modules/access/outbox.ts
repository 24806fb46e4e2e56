import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Cell, Control, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import type { NewEvent } from '#platform/events/define.ts'
import { recordCarried, toEventRow } from '#platform/events/record.ts'
import { fault } from '#platform/faults.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { BusinessId } from '#vocabulary/schemas.ts'
import { readMarks } from './delete-business.ts'
import { findBusiness } from './queries.ts'

const BATCH = 500

/** Records an event of a business in control, in the transaction of the change. It reaches the business's feed by a job. */
export async function tell(tx: ControlTx, event: NewEvent): Promise<void> {
  const row = toEventRow(event)
  await tx
    .insertInto('access.eventOutbox')
    .values({ ...row, data: JSON.stringify(row.data) })
    .execute()
  const { businessId } = event
  await enqueue(tx, carryEvents, { businessId }, { key: `access.carry-events:${businessId}` })
}

/** Every few minutes for all of them: a cell may have been away for longer than the job was tried. */
export const carryEvents = defineJob({
  name: 'access.carry-events',
  on: 'control',
  payload: Type.Object({ businessId: Type.Optional(BusinessId) }),
  cron: '*/5 * * * *',
  async run({ businessId }, { db, cells }) {
    const failures: unknown[] = []
    for (const id of businessId ? [businessId] : await listWaiting(db)) {
      await carry(db, cells, id).catch((error: unknown) => failures.push(error)) // the next one may live elsewhere
    }
    if (failures.length > 0) throw failures[0]
  },
})

async function listWaiting(control: Control): Promise<string[]> {
  const rows = await control.selectFrom('access.eventOutbox').select('businessId').distinct().limit(BATCH).execute()
  return rows.map(({ businessId }) => businessId)
}

/** May run twice, even at once: the cell takes each event once, and what it has taken may be forgotten here. */
async function carry(control: Control, cells: ReadonlyMap<string, Cell>, businessId: string): Promise<void> {
  const business = await findBusiness(control, businessId)
  if ((await readMarks(control, businessId))?.importOf) return // its cell takes nothing but the archive until it is whole
  const cell = cells.get(business?.cell ?? '')
  if (!cell) throw new Error(`The events of ${businessId} cannot be carried: its cell is not known here`)
  for (;;) {
    const rows = await control
      .selectFrom('access.eventOutbox')
      .selectAll()
      .where('businessId', '=', businessId)
      .orderBy('position')
      .limit(BATCH)
      .execute()
    if (rows.length === 0) return
    await transaction(cell, (tx) => recordCarried(tx, businessId, rows))
    await fault('access.events-carried')
    await control
      .deleteFrom('access.eventOutbox')
      .where('businessId', '=', businessId)
      .where('position', '=', sql<number>`any(${rows.map(({ position }) => position)})`)
      .execute()
  }
}
