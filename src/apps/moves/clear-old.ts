import { setTimeout as sleep } from 'node:timers/promises'
import { forgetToday } from '#modules/newsletter/index.ts'
import { nowMs } from '#platform/clock.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { forgetAllChanges } from '#platform/moves/catch-up.ts'
import { asMover, holdMoveState, setMoveState } from '#platform/moves/fence.ts'
import { noteMove } from '#platform/moves/moves.ts'
import { dropTriggers } from '#platform/moves/triggers.ts'
import { deleteRows } from '#platform/portable/rows.ts'
import { Different } from './compare-cells.ts'
import type { Work } from './move-business.ts'
import { findForgotten, leftTables } from './tables.ts'

const ROWS_AT_ONCE = 1_000
const PAUSE_MS = 10

/**
 * The old rows go, and all that watched over them. Not before a request can have ended that began when the business still lived there:
 * without triggers nobody would stop it.
 */
export async function clearOld({ control, move, source, target, tables, signal, waiting }: Work): Promise<void> {
  const { businessId, id, keepSeconds, switchedAt } = move
  const waitMs = (switchedAt?.getTime() ?? nowMs()) + keepSeconds * 1_000 - nowMs()
  if (waitMs > 0) await sleep(waitMs, undefined, { signal })
  const forgotten = await findForgotten(source, tables, businessId)
  if (forgotten.length > 0)
    throw new Different(
      `${source.name} has rows of the business in ${forgotten.join(', ')}, which came after it was copied. They have not moved, and are ` +
        `not deleted: bring over what is missing in ${target.name}, delete them in ${source.name}, then cli business move ${businessId} --resume`,
    )
  let rows = 0
  for (const table of (await leftTables(source, tables)).toReversed()) {
    for (let after: string[] | undefined; ; ) {
      signal.throwIfAborted()
      const gone = await transaction(source, async (tx) => {
        await holdMoveState(tx, move, ['CLOSED', 'MOVED'])
        await asMover(tx, businessId)
        return deleteRows(tx, table, businessId, { after, limit: ROWS_AT_ONCE })
      })
      rows += gone.rows
      await fault('move.clearing')
      if (!gone.last) break
      after = gone.last
      await noteMove(control, id, { rowsDeleted: rows })
      await sleep(PAUSE_MS)
    }
  }
  await forgetToday(source, businessId)
  await noteMove(control, id, { rowsDeleted: rows })
  // Jobs that come late are still handed on.
  await setMoveState(source, move, 'MOVED')
  await setMoveState(target, move, 'ARRIVED') // what is written is logged no longer: triggers may stay for hours, if somebody reads
  for (const cell of [source, target]) {
    await dropTriggers(cell, tables, businessId, waiting)
    await forgetAllChanges(cell, businessId)
  }
}
