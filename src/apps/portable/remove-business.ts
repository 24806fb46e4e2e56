import { Type } from 'typebox'
import { endGrace, forgetBusiness, hasExports, listToDelete, readMarks } from '#modules/access/index.ts'
import { deleteObjects, hasFiles } from '#modules/media/index.ts'
import { forgetToday } from '#modules/newsletter/index.ts'
import { archivesOf } from '#modules/operator/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { Cell, Control, ControlTx, Databases, Db } from '#platform/database/database.ts'
import { transaction, waitPatiently } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { dropJobsOf } from '#platform/jobs/graphile-internals.ts'
import { forgetFormerMoves } from '#platform/moves/fence.ts'
import { isOnTheMove } from '#platform/moves/moves.ts'
import { deleteRows, describeTables, findUnlisted } from '#platform/portable/rows.ts'
import { type BusinessTable, isDeleted, isItself } from '#platform/portable/tables.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { Id } from '#vocabulary/schemas.ts'
import { claim } from './claim.ts'
import { businessTables, cellTables, controlTables } from './tables.ts'

const HOUR_MS = 3_600_000
/** Each is a short transaction. */
const ROWS_AT_ONCE = 1_000

type Work = Pick<Databases, 'control' | 'cells'> & {
  storage: Storage | undefined
  /** Aborted: it stops between two batches, and goes on when it is called again. */
  signal?: AbortSignal
  seen?: (rows: number) => void
}
export type Removed = { rows: number; files: number; jobs: number }

/**
 * Removes every row, file and job of a business that nobody gets at any more. The row that is the business goes last, so
 * whoever is cut off begins again and goes on. Once more an hour later, for what was under way at that moment.
 */
export async function removeBusiness(work: Work, businessId: string): Promise<Removed> {
  const { control, cells } = work
  const business = await readMarks(control, businessId)
  if (!business) return { rows: 0, files: 0, jobs: 0 }
  const cell = cells.get(business.cell)
  if (!cell) throw new Error(`${businessId} lives in the cell "${business.cell}", which is not known here`)
  if (await isOnTheMove(control, businessId)) throw new Error(`${businessId} is on its way to another cell`)
  if (!(await endGrace(control, businessId))) throw new Error(`${businessId} is not to be deleted any more`)
  const mayGo = async (tx: ControlTx) => {
    const marks = await readMarks(tx, businessId)
    return marks === undefined || (marks.deleteAt !== null && marks.deleteAt <= now())
  }
  const removed = await sweep(work, cell, businessId, mayGo)
  await whileItMayGo(control, businessId, mayGo, async (tx) => {
    const due = { runAt: new Date(nowMs() + HOUR_MS), key: `business.look-again:${businessId}` }
    await enqueue(tx, lookAgain, { businessId, cell: business.cell }, due)
    await forgetBusiness(tx, businessId)
  })
  return removed
}

/** Asked before each step: somebody else may have removed it, and imported it again. */
type MayGo = (tx: ControlTx) => Promise<boolean>

class CameBack extends Error {}

/** Nobody brings the business in while a step lasts. Steps are short. */
const whileItMayGo = <Result>(
  control: Control,
  businessId: string,
  mayGo: MayGo,
  step: (tx: ControlTx) => Promise<Result>,
): Promise<Result> =>
  transaction(control, async (tx) => {
    await waitPatiently(tx) // a step may be one long statement in a cell
    await claim(tx, businessId)
    if (!(await mayGo(tx))) throw new CameBack(`${businessId} is not to be deleted any more`)
    return step(tx)
  })

async function sweep(work: Work, cell: Cell, businessId: string, mayGo: MayGo): Promise<Removed> {
  const { control, storage, signal, seen = () => {} } = work
  const step: Step = (run) => whileItMayGo(control, businessId, mayGo, run)
  if (!storage && ((await hasFiles(cell, businessId)) || (await hasExports(control, businessId))))
    throw new Error(`${businessId} has files, and MEDIA_STORAGE names no store that they could be deleted from`)
  const removed = { rows: 0, files: 0, jobs: 0 }
  if (storage) removed.files = await deleteFiles(storage, businessId, { signal, step })
  await fault('remove.files')
  for (const each of work.cells.values()) if (each !== cell) await step(() => forgetFormerMoves(each, businessId))
  const ofCell = [...cellTables, ...(await findUnlisted(cell, businessTables, 'cell'))]
  // A worker may have written a row meanwhile: it is done when there was nothing to do.
  for (let found = 1; found > 0; ) {
    found = 0
    const count = (rows: number) => {
      found += rows
      seen(removed.rows + found)
    }
    removed.jobs += await step(() => dropJobsOf(cell, businessId))
    await deleteAll(cell, ofCell, businessId, { signal, count, step: (run) => step(() => run(cell)) })
    await step(() => forgetToday(cell, businessId))
    removed.jobs += await step((tx) => dropJobsOf(tx, businessId))
    await deleteAll(
      control,
      controlTables.filter((table) => !isItself(table)),
      businessId,
      { signal, count, step: (run) => step((tx) => run(tx as unknown as Db)) },
    )
    removed.rows += found
  }
  return removed
}

type Step = <Result>(run: (tx: ControlTx) => Promise<Result>) => Promise<Result>
type Going = { signal: AbortSignal | undefined; step: Step }

/** A store is not asked in a transaction. Whoever brings the business in writes its row first, and its files afterwards. */
async function deleteFiles(storage: Storage, businessId: string, { signal, step }: Going): Promise<number> {
  const careful: Pick<Storage, 'list' | 'delete'> = {
    list: (prefix) => storage.list(prefix),
    async delete(keys) {
      await step(async () => {})
      await storage.delete(keys)
    },
  }
  const files = await deleteObjects(careful, businessId, signal)
  for await (const { key } of careful.list(archivesOf(businessId))) await careful.delete([key])
  return files
}

type Deleting = {
  signal: AbortSignal | undefined
  /** Runs one batch, on the connection that it is to use. */
  step: <Result>(run: (db: Db) => Promise<Result>) => Promise<Result>
  count: (rows: number) => void
}

/** Those that refer to others go before them. */
async function deleteAll(
  db: Cell | Control,
  tables: readonly BusinessTable[],
  businessId: string,
  { signal, step, count }: Deleting,
): Promise<void> {
  for (const table of (await describeTables(db as Cell, tables.filter(isDeleted))).toReversed()) {
    for (let after: string[] | undefined; ; ) {
      signal?.throwIfAborted()
      const { rows, last } = await step((on) => deleteRows(on, table, businessId, { after, limit: ROWS_AT_ONCE }))
      count(rows)
      await fault('remove.batch')
      if (!last) break
      after = last
    }
  }
}

/** What workers wrote that were at work on the business when it went. */
const lookAgain = defineJob({
  name: 'business.look-again',
  on: 'control',
  isLong: true,
  payload: Type.Object({ businessId: Id, cell: Type.String() }),
  async run({ businessId, cell: name }, { control, cells, services: { storage }, signal, log }) {
    const cell = cells.get(name)
    if (!cell || (await readMarks(control, businessId))) return // it was imported again
    try {
      const mayGo: MayGo = async (tx) => !(await readMarks(tx, businessId))
      const removed = await sweep({ control, cells, storage, signal }, cell, businessId, mayGo)
      log.info({ businessId, ...removed }, 'looked once more after a business was deleted')
    } catch (error) {
      if (!(error instanceof CameBack)) throw error // imported again meanwhile
    }
  },
})

/** Every hour those whose time is up, each in a job of its own. */
const removeDue = defineJob({
  name: 'business.remove',
  on: 'control',
  isLong: true,
  payload: Type.Object({ businessId: Type.Optional(Id) }),
  cron: '23 * * * *',
  maxAttempts: 25,
  async run({ businessId }, { db, control, cells, services: { storage }, signal, log }) {
    if (businessId === undefined) {
      for (const id of await listToDelete(db))
        await transaction(db, (tx) => enqueue(tx, removeDue, { businessId: id }, { key: `business.remove:${id}` }))
      return
    }
    const marks = await readMarks(db, businessId)
    if (!marks?.deleteAt || marks.deleteAt > now()) return // undone meanwhile
    const removed = await removeBusiness({ control, cells, storage, signal }, businessId)
    log.info({ businessId, ...removed }, 'a business was deleted')
  },
})

export const removalJobs = [removeDue, lookAgain]
