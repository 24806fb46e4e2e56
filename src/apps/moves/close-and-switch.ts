import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { changeHome, freeWrites, holdWrites } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { isLockTimeout } from '#platform/database/errors.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { addJobs, countJobsOf, forgetTakenOut, readTakenOut, takeOut } from '#platform/jobs/graphile-internals.ts'
import { applyChanges, forgetChanges, hasMoreChanges, readChanges } from '#platform/moves/catch-up.ts'
import { asMover, holdMoveState, lockOut, Overtaken, readMoveState, setMoveState } from '#platform/moves/fence.ts'
import { noteMove } from '#platform/moves/moves.ts'
import { deleteRows, type KnownTable, readAllRows, writeRows } from '#platform/portable/rows.ts'
import type { Work } from './move-business.ts'
import { holdTables } from './tables.ts'

/** Longer than it takes. Requests that write wait for no more than three of them. */
const HOLD_SECONDS = 5
/** Requests that were let in before come to their end. */
const DRAIN_MS = 250
const LOCK_MS = 300
const LOCK_TRIES = 3
const MOST_CHANGES = 2_000
/** More than come while everybody is held. */
const MOST_LAST_CHANGES = 10_000
const MOST_WAITING = 5_000
/** After so many attempts it no longer waits for the jobs of the business to end: where they fail, they go after it. */
const PATIENT_ATTEMPTS = 10

export type Closing = 'SWITCHED' | 'BUSY'

/**
 * The only time in which nobody can write: holds requests, shuts out whoever is still writing, copies the last changes and what waits
 * in queues, and takes out the jobs; then the source is closed, the target opened, with the jobs, and control says where it lives, in
 * this order. So whatever dies in between, no two cells take its writes, and no job waits in both; and a process that has not heard of
 * it meets a closed door.
 */
export async function closeAndSwitch(work: Work, attempt: number): Promise<Closing> {
  const { control, move, source, target, fence } = work
  const { businessId, id } = move
  const isClosed = async () => (await readMoveState(source, businessId))?.state === 'CLOSED'
  if (!(await isClosed())) {
    if (await isBusy(work, attempt)) return 'BUSY'
    await transaction(target, (there) => holdTarget(there, move)) // nobody waits for a cell that takes no writes
  }
  const since = performance.now()
  await noteMove(control, id, { step: 'CLOSING' })
  await holdWrites(control, businessId, HOLD_SECONDS)
  await fault('move.held')
  if (!(await isClosed())) {
    await sleep(DRAIN_MS)
    if (!(await close(work))) {
      await freeWrites(control, businessId)
      return 'BUSY'
    }
  }
  await fault('move.closed')
  await open(work)
  await fault('move.opened')
  await transaction(control, async (tx) => {
    await fence(tx)
    if (!(await changeHome(tx, businessId, { from: move.fromCell, to: move.toCell }))) throw new Overtaken(move)
    await sql`
      update control.moves
         set step = 'COMPARING', switched_at = now(), updated_at = now(), error = null, pause_ms = ${Math.round(performance.now() - since)}
       where id = ${id}`.execute(tx)
  })
  move.switchedAt = now()
  await fault('move.switched')
  await forgetTakenOut(source, businessId)
  return 'SWITCHED'
}

/** Too much is under way for a short pause. */
async function isBusy(work: Work, attempt: number): Promise<boolean> {
  const { move, source, tables } = work
  const { businessId } = move
  const { running, waiting } = await countJobsOf(source, jobsOf(work))
  if (waiting > MOST_WAITING || (running > 0 && attempt <= PATIENT_ATTEMPTS)) return true
  for (const table of tables.filter(({ is }) => is === 'queue')) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (select from ${sql.table(table.table)} where business_id = ${businessId} limit ${MOST_WAITING}) as waiting`.execute(
      source,
    )
    if ((rows[0]?.count ?? 0) >= MOST_WAITING) return true
  }
  return hasMoreChanges(source, businessId, MOST_CHANGES)
}

const jobsOf = ({ move, cellJobs }: Work) => ({ businessId: move.businessId, names: cellJobs })

/** So many changes that they are copied while people write. */
class TooMany extends Error {}

/** False: somebody was writing for too long, or too much. */
async function close(work: Work): Promise<boolean> {
  const { move, source, target, tables } = work
  const { businessId } = move
  for (let attempt = 1; attempt <= LOCK_TRIES; attempt++) {
    try {
      await transaction(source, async (tx) => {
        await lockOut(tx, businessId, LOCK_MS)
        await asMover(tx, businessId)
        await holdTables(tx, tables)
        const changes = await readChanges(tx, businessId, MOST_LAST_CHANGES)
        if (changes.positions.length === MOST_LAST_CHANGES) throw new TooMany()
        await transaction(target, async (there) => {
          await holdTarget(there, move)
          await applyChanges(tx, there, tables, businessId, changes)
          for (const table of tables.filter(({ is }) => is === 'queue')) await copyQueue(tx, there, table, businessId)
        })
        await fault('move.caught-up')
        await forgetChanges(tx, businessId, changes.positions)
        await takeOut(tx, jobsOf(work))
        await setMoveState(tx, move, 'CLOSED')
      })
      return true
    } catch (error) {
      if (error instanceof TooMany) return false
      if (!isLockTimeout(error)) throw error
    }
  }
  return false
}

/** Whoever writes copies holds this: one that was given up for dead cannot write old rows over newer ones, nor into an open business. */
export async function holdTarget(there: Tx, move: Work['move']): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`kontor.move into ${move.businessId}`}, 0))`.execute(there)
  await asMover(there, move.businessId)
  await holdMoveState(there, move, ['COPIED'])
}

/**
 * Positions are counted anew, in the same order. What an earlier attempt has written goes first. In the source they stay, for nobody
 * to take: a worker that is about to take one waits for us, and we would wait for it.
 */
async function copyQueue(tx: Tx, there: Tx, table: KnownTable, businessId: string): Promise<void> {
  for (let after: string[] | undefined; ; ) {
    const { last } = await deleteRows(there, table, businessId, { after, limit: 5_000 })
    if (!last) break
    after = last
  }
  for await (const { lines } of readAllRows(tx, table, businessId)) await writeRows(there, table, businessId, lines)
}

/** Its workers may do what there is to do from now on. The jobs that were taken out of the other queue come with that, once. */
const open = ({ move, source, target }: Work): Promise<void> =>
  transaction(target, async (tx) => {
    if ((await readMoveState(tx, move.businessId))?.state === 'OPENED') return
    await holdTarget(tx, move)
    await addJobs(tx, move.businessId, await readTakenOut(source, move.businessId))
    await setMoveState(tx, move, 'OPENED')
  })
