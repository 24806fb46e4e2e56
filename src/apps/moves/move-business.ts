import { setTimeout as sleep } from 'node:timers/promises'
import { findBusiness, freeWrites } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { Cell, Control } from '#platform/database/database.ts'
import { isDatabaseUnavailable } from '#platform/database/errors.ts'
import { snapshot, transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import type { JobContext } from '#platform/jobs/define.ts'
import { applyChanges, forgetAllChanges, forgetChanges, readChanges, Unsettled } from '#platform/moves/catch-up.ts'
import { forgetMove, Overtaken, readMoveState, setMoveState } from '#platform/moves/fence.ts'
import { endMove, type Move, noteMove, readMove, readPrints } from '#platform/moves/moves.ts'
import { addTriggers, dropTriggers, type Waiting } from '#platform/moves/triggers.ts'
import { deleteRows, type KnownTable } from '#platform/portable/rows.ts'
import { clearOld } from './clear-old.ts'
import { closeAndSwitch, holdTarget } from './close-and-switch.ts'
import { compareCells, Different } from './compare-cells.ts'
import { copyRows } from './copy-rows.ts'
import { areAsCopied, checkSame, movedTables, printsOf } from './tables.ts'

export type Context = Pick<JobContext<Control>, 'control' | 'cells' | 'cellJobs' | 'signal' | 'log' | 'fence'>

export type Work = Context & {
  move: Move
  source: Cell
  target: Cell
  tables: readonly KnownTable[]
  waiting: Waiting
}

/** With so few changes left, or in so short a time, the last of them are copied while nobody writes. */
const FEW_CHANGES = 200
const SHORT_MS = 700
/** Of the log at once. Rows that stand in each other's way may be further apart: then more, up to the most. */
const [CHANGES_AT_ONCE, MOST_CHANGES_AT_ONCE] = [20_000, 160_000]
const ROUND_MS = 100
/** Between two attempts to close it: somebody was in the middle of something. */
const AGAIN_MS = 500
/** Between two attempts while people write: longer each time. */
const [FAILED_MS, MOST_FAILED_MS] = [1_000, 10_000]
/** While nobody can write. */
const RETRY_MS = 250

/**
 * Moves a business, from wherever an earlier run has left it. What the cells and control say decides how to go on, never what this
 * process remembers: it may be killed at any moment. Until the source is closed it can stay; from then on it goes forward only.
 */
export async function moveBusiness(context: Context, moveId: string): Promise<void> {
  const { control, cells, log } = context
  const move = await readMove(control, moveId)
  if (!move || move.finishedAt) return
  const [source, target] = [cells.get(move.fromCell), cells.get(move.toCell)]
  if (!source || !target) throw new Error(`A cell of the move ${moveId} is off, or not known here`)
  try {
    const tables = await movedTables(source)
    const waiting: Waiting = { signal: context.signal, say: (text) => noteMove(control, moveId, { error: text }) }
    const work = { ...context, move, source, target, tables, waiting }
    if (move.takeBack && !(await isGone(work))) await letGo(work) // even if nobody gets to the other cell
    checkSame(tables, await movedTables(target))
    await carryOn(work)
  } catch (error) {
    const message = (error as Error).message.slice(0, 1_000)
    if (!(error instanceof Different)) {
      if (!(error instanceof Overtaken)) await noteMove(control, moveId, { error: message }).catch(() => {})
      throw error // tried again
    }
    await noteMove(control, moveId, { step: 'STOPPED', error: message })
    log.error({ businessId: move.businessId, moveId, message }, 'a business has moved, but its rows are not the same')
  }
}

async function carryOn(work: Work): Promise<void> {
  const { control, move, source, tables, log } = work
  const { businessId, id } = move
  if ((await findBusiness(control, businessId))?.cell !== move.toCell) {
    const closed = (await readMoveState(source, businessId))?.state === 'CLOSED'
    if (!closed && !(await bringOver(work))) return stay(work)
    if (!(await switchOver(work))) return stay(work)
    log.info({ businessId, moveId: id, from: move.fromCell, to: move.toCell }, 'a business lives in another cell')
  }
  const prints = await readPrints(control, id)
  const moved = { ...work, tables: prints ? tables.filter(({ table }) => Object.hasOwn(prints, table)) : tables }
  // Once they were the same, some of the old ones may be gone.
  if (!move.comparedAt && move.step !== 'CLEARING') {
    await noteMove(control, id, { step: 'COMPARING', error: null })
    await compareCells(moved)
    await fault('move.compared')
  }
  await noteMove(control, id, { step: 'CLEARING', comparedAt: move.comparedAt ?? now(), error: null })
  await clearOld(moved)
  await endMove(control, id, 'DONE')
}

/** It goes forward only. */
async function isGone({ control, move, source }: Work): Promise<boolean> {
  const { businessId, toCell } = move
  if ((await findBusiness(control, businessId))?.cell === toCell) return true
  return (await readMoveState(source, businessId))?.state === 'CLOSED'
}

class TakenBack extends Error {}

/** Copies all rows and follows their changes, until few are left. False: somebody wants it to stay. */
async function bringOver(work: Work): Promise<boolean> {
  const { control, move, source, tables } = work
  const { businessId, id } = move
  if (await isTakenBack(work)) return false
  // Copied already, by an earlier run? Then its log goes back to the copy, and nothing was missed, unless there is more to copy by now.
  const known = await readMoveState(source, businessId)
  const isCopied =
    known?.moveId === id &&
    (move.step === 'FOLLOWING' || move.step === 'CLOSING') &&
    areAsCopied(await readPrints(control, id), tables)
  if (!isCopied && !(await beginAnew(work))) return false
  await noteMove(control, id, { step: 'FOLLOWING', error: null })
  await fault('move.copied')
  try {
    return await follow(work)
  } catch (error) {
    if (!(error instanceof Unsettled)) throw error
    await noteMove(control, id, { step: 'COPYING', error: error.message })
    return (await beginAnew(work)) && follow(work)
  }
}

async function beginAnew(work: Work): Promise<boolean> {
  const { control, move, source, target, tables, waiting } = work
  const { businessId, id } = move
  const look = async () => {
    if (await isTakenBack(work)) throw new TakenBack()
  }
  await noteMove(control, id, { step: 'COPYING', rowsCopied: 0, rowsFollowed: 0, tables: printsOf(tables) })
  try {
    await setMoveState(target, move, 'COPIED')
    await addTriggers(target, tables, businessId, { ...waiting, look })
    await setMoveState(source, move, 'FOLLOWED')
    await addTriggers(source, tables, businessId, { ...waiting, look })
  } catch (error) {
    if (error instanceof TakenBack) return false
    throw error
  }
  await fault('move.triggers')
  await emptyTarget(work)
  return copyRows(work)
}

/**
 * One round after the other, each smaller than the one before, as long as copying is faster than selling. Where much is sold it gets
 * no smaller than what is sold while one lasts: so it is its time that counts.
 */
async function follow(work: Work): Promise<boolean> {
  for (;;) {
    if (await isTakenBack(work)) return false
    const since = performance.now()
    const { changes, isAll } = await followOnce(work)
    if (!isAll) continue
    if (changes <= FEW_CHANGES || performance.now() - since <= SHORT_MS) return true
    await sleep(ROUND_MS, undefined, { signal: work.signal })
  }
}

type Round = { changes: number; isAll: boolean }

/** Repeating it changes nothing: rows become what they are in the source, and only what was seen of the log is forgotten. */
async function followOnce(work: Work, limit = CHANGES_AT_ONCE): Promise<Round> {
  const { control, move, source, target, tables } = work
  const { businessId, id } = move
  let positions: number[] = []
  let rows = 0
  try {
    rows = await transaction(target, async (there) => {
      await holdTarget(there, move)
      return snapshot(source, async (tx) => {
        const changes = await readChanges(tx, businessId, limit)
        positions = changes.positions
        return applyChanges(tx, there, tables, businessId, changes)
      })
    })
  } catch (error) {
    const mayBeApart = error instanceof Unsettled && positions.length === limit && limit < MOST_CHANGES_AT_ONCE
    if (!mayBeApart) throw error
    return followOnce(work, limit * 2)
  }
  await fault('move.round')
  await forgetChanges(source, businessId, positions)
  move.rowsFollowed += rows
  if (rows > 0) await noteMove(control, id, { rowsFollowed: move.rowsFollowed })
  return { changes: positions.length, isAll: positions.length < limit }
}

/**
 * Tries until there is a moment in which nobody is in the middle of something; once it is closed, until it is open there. False:
 * somebody wants it to stay.
 */
async function switchOver(work: Work): Promise<boolean> {
  const { control, move, signal, log } = work
  for (let attempt = 1, failures = 0; ; attempt++) {
    signal.throwIfAborted()
    try {
      if ((await closeAndSwitch(work, attempt)) === 'SWITCHED') return true
      await sleep(AGAIN_MS * Math.min(attempt, 10), undefined, { signal })
      if (!(await follow(work))) return false
    } catch (error) {
      if (error instanceof Overtaken) throw error
      const mayStay = await stepBack(work)
      if (error instanceof Unsettled) await noteMove(control, move.id, { step: 'COPYING', error: error.message }) // begins anew
      if (!isDatabaseUnavailable(error)) throw error
      log.warn({ err: error, businessId: move.businessId }, 'a business could not be closed or opened; trying again')
      await noteMove(control, move.id, { error: (error as Error).message.slice(0, 1_000) }).catch(() => {})
      if (mayStay && (await isTakenBack(work))) return false
      await sleep(mayStay ? Math.min(FAILED_MS * 2 ** failures++, MOST_FAILED_MS) : RETRY_MS, undefined, { signal })
    }
  }
}

/** Until the source is closed it is well where it is, whatever is wrong with the other cell: nobody waits for us any longer. */
async function stepBack({ control, move, source }: Work): Promise<boolean> {
  const known = await readMoveState(source, move.businessId).catch(() => 'AWAY' as const)
  if (known === 'AWAY' || known?.state === 'CLOSED') return false
  await freeWrites(control, move.businessId)
  return true
}

async function isTakenBack({ control, move, signal }: Work): Promise<boolean> {
  signal.throwIfAborted()
  return (await readMove(control, move.id))?.takeBack ?? false
}

/** Everything is as it was before somebody wanted it to move. */
async function stay(work: Work): Promise<void> {
  const { control, move, target, tables, waiting, log } = work
  const { businessId, id } = move
  await letGo(work)
  await fault('move.staying')
  if ((await readMoveState(target, businessId))?.moveId === id) await emptyTarget(work)
  await dropTriggers(target, tables, businessId, waiting)
  await forgetMove(target, move, 'COPIED')
  await endMove(control, id, 'TAKEN_BACK')
  log.info({ businessId, moveId: id }, 'a business stays where it is')
}

/** The source is as if it had never moved. */
async function letGo({ control, move, source, tables, waiting }: Work): Promise<void> {
  const { businessId } = move
  await forgetMove(source, move, 'FOLLOWED')
  await freeWrites(control, businessId)
  await dropTriggers(source, tables, businessId, waiting)
  await forgetAllChanges(source, businessId)
}

/** What an earlier run has copied. Only where the business does not live. */
async function emptyTarget({ move, target, tables, signal }: Work): Promise<void> {
  const { businessId } = move
  for (const table of tables.toReversed()) {
    for (let after: string[] | undefined; ; ) {
      signal.throwIfAborted()
      const { last } = await transaction(target, async (tx) => {
        await holdTarget(tx, move)
        return deleteRows(tx, table, businessId, { after, limit: 1_000 })
      })
      if (!last) break
      after = last
    }
  }
}
