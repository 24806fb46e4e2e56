// Mistakes that must not compile. `npm run types` checks each line below an expectation: one that compiled would be an error.
import type { ControlDb, ControlTx, Db, Tx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import { transaction } from '#platform/database/transaction.ts'
import { record } from '#platform/events/record.ts'
import { type CellJob, type ControlJob, enqueue } from '#platform/jobs/define.ts'

type Event = Parameters<typeof record>[1]

/** A statement sees the tables of one database. */
export function joins(control: ControlDb, cell: Db) {
  const businesses = control.selectFrom('access.businesses')
  const events = cell.selectFrom('cell.events')
  businesses.innerJoin('access.roles', 'access.roles.businessId', 'access.businesses.id')
  events.innerJoin('cell.eventCounters', 'cell.eventCounters.businessId', 'cell.events.businessId')
  // @ts-expect-error control has no table of a cell
  businesses.innerJoin('cell.events', 'cell.events.businessId', 'access.businesses.id')
  // @ts-expect-error a cell has no table of control
  events.innerJoin('access.businesses', 'access.businesses.id', 'cell.events.businessId')
  // @ts-expect-error control has no table of a cell
  control.selectFrom('cell.events')
  // @ts-expect-error a cell has no table of control
  cell.selectFrom('access.businesses')
  // @ts-expect-error a subquery is no way around it
  businesses.where('id', 'in', (query) => query.selectFrom('cell.events').select('businessId'))
  // @ts-expect-error a column that the table lacks
  businesses.where('tenantId', '=', 'x')
}

/** What must not be half done takes a transaction, of its own database. */
export async function transactions(db: Db, tx: Tx, control: ControlDb, controlTx: ControlTx, event: Event) {
  await record(tx, event)
  await transaction(db, (opened) => record(opened, event))
  // @ts-expect-error the pool is no transaction
  await record(db, event)
  // @ts-expect-error a transaction of the other database
  await record(controlTx, event)
  // @ts-expect-error neither a transaction nor the right database
  await record(control, event)
  // @ts-expect-error opened on the wrong database
  await transaction(control, (opened) => record(opened, event))
}

export async function controlTransactions(db: Db, tx: Tx, control: ControlDb, controlTx: ControlTx) {
  await notify(controlTx, 'topic', 'id')
  await transaction(control, (opened) => notify(opened, 'topic', 'id'))
  // @ts-expect-error the pool is no transaction
  await notify(control, 'topic', 'id')
  // @ts-expect-error a transaction of the other database
  await notify(tx, 'topic', 'id')
  // @ts-expect-error neither a transaction nor the right database
  await notify(db, 'topic', 'id')
  // @ts-expect-error opened on the wrong database
  await transaction(db, (opened) => notify(opened, 'topic', 'id'))
}

/** A job is enqueued in the database in whose queue it stands, and only together with what caused it. */
export async function jobs(
  db: Db,
  tx: Tx,
  control: ControlDb,
  controlTx: ControlTx,
  cellJob: CellJob,
  controlJob: ControlJob,
) {
  await enqueue(tx, cellJob, {})
  await enqueue(controlTx, controlJob, {})
  // @ts-expect-error a cell's job in a transaction of control
  await enqueue(controlTx, cellJob, {})
  // @ts-expect-error control's job in a transaction of a cell
  await enqueue(tx, controlJob, {})
  // @ts-expect-error the pool is no transaction
  await enqueue(db, cellJob, {})
  // @ts-expect-error the pool is no transaction
  await enqueue(control, controlJob, {})
}
