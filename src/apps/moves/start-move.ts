import { Type } from 'typebox'
import { auditOperator, findBusiness, lockBusiness, readMarks } from '#modules/access/index.ts'
import { mayPin } from '#platform/cells/choose-cell.ts'
import type { Cell, Control, ControlTx, Databases } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { transaction } from '#platform/database/transaction.ts'
import { defineJob, enqueue } from '#platform/jobs/define.ts'
import { hurryJob } from '#platform/jobs/graphile-internals.ts'
import { readMoveState } from '#platform/moves/fence.ts'
import { findMove, type Move, readMove } from '#platform/moves/moves.ts'
import { findUsed } from '#platform/portable/rows.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { Id } from '#vocabulary/schemas.ts'
import { moveBusiness } from './move-business.ts'
import { checkKeys, checkSame, movedTables, NotMovable } from './tables.ts'

/** Longer than a process that hears nothing of control goes on reading where the business lived (`CONTROL_AWAY_SECONDS`). */
export const KEEP_SECONDS = 120

type Wanted = { businessId: string; to: string; keepSeconds?: number; actor?: Actor }
type Places = Pick<Databases, 'control' | 'cells'>

/** Asks for a move. A worker carries it out, and whoever takes over from it when it dies. */
export async function startMove({ control, cells }: Places, wanted: Wanted): Promise<Move> {
  const { businessId, to, keepSeconds = KEEP_SECONDS, actor } = wanted
  const business = await findBusiness(control, businessId)
  if (!business) throw new NotMovable(`Business ${businessId} not found.`)
  const { cell: from } = business
  if (from === to) throw new NotMovable(`${businessId} lives in ${to} already.`)
  const [source, target] = [cellNamed(cells, from), cellNamed(cells, to)]
  await checkPlaces(source, target, businessId)
  const id = newId('mov')
  try {
    await transaction(control, async (tx) => {
      const { cell } = await lockBusiness(tx, businessId)
      if (cell !== from) throw new NotMovable(`${businessId} has moved to ${cell} meanwhile.`)
      const { importOf, deleteAt } = (await readMarks(tx, businessId)) ?? {}
      if (importOf) throw new NotMovable(`${businessId} is not imported yet: cli business import goes on.`)
      if (deleteAt) throw new NotMovable(`${businessId} is going to be deleted.`)
      if (!(await mayPin(tx, to))) throw new NotMovable(`The cell ${to} takes no businesses: cli cells list shows why.`)
      await tx.insertInto('control.moves').values({ id, businessId, fromCell: from, toCell: to, keepSeconds }).execute()
      await auditOperator(tx, { action: 'business.move-started', subject: businessId, data: { from, to }, actor })
      await carryOn(tx, id)
    })
  } catch (error) {
    if (violatedConstraint(error) === 'moves_under_way') throw new NotMovable(`${businessId} is on its way already.`)
    throw error
  }
  return (await readMove(control, id)) as Move
}

function cellNamed(cells: ReadonlyMap<string, Cell>, name: string): Cell {
  const cell = cells.get(name)
  if (!cell) throw new NotMovable(`The cell ${name} is off, or not known here: cli cells list`)
  return cell
}

async function checkPlaces(source: Cell, target: Cell, businessId: string): Promise<void> {
  const [here, there] = await Promise.all([movedTables(source), movedTables(target)])
  checkSame(here, there)
  await checkKeys(source, here, businessId)
  const { state } = (await readMoveState(target, businessId)) ?? {}
  // A process may have written late what it had counted for a business that lived there before: it goes when rows are copied.
  const counting = there.filter(({ passesOver }) => passesOver === 'nobody')
  const used = state === undefined || state === 'MOVED' ? await findUsed(target, counting, businessId) : []
  if (used.length > 0)
    throw new NotMovable(`There are rows of ${businessId} in ${target.name} already, in ${used.join(', ')}.`)
}

/** Before it is closed where it lives, it can stay there. Afterwards, it moves back like any other. */
export async function takeBack({ control, cells }: Places, businessId: string): Promise<Move> {
  const closed = await findClosed(cells, await findMove(control, businessId)) // a cell may hang: nothing of control waits for it
  return transaction(control, async (tx) => {
    const move = await findMove(tx, businessId)
    if (!move || move.finishedAt) throw new NotMovable(`${businessId} is not on its way.`)
    if (move.switchedAt || move.id === closed)
      throw new NotMovable(`${businessId} lives in ${move.toCell} already. When it has arrived, it can move back.`)
    // Whoever carries it out looks for this between two batches.
    await tx.updateTable('control.moves').set({ takeBack: true }).where('id', '=', move.id).execute()
    await auditMove(tx, 'business.move-taken-back', move)
    await carryOn(tx, move.id)
    return { ...move, takeBack: true }
  })
}

/** The move that has closed the old cell. Of one that cannot be reached nobody knows: the worker looks again, and says in the end where the business lives. */
async function findClosed(cells: Places['cells'], move: Move | undefined): Promise<string | undefined> {
  const cell = move && cells.get(move.fromCell)
  const known = cell && (await readMoveState(cell, move.businessId).catch(() => undefined))
  return known?.state === 'CLOSED' ? known.moveId : undefined
}

/** It stopped because something was wrong, or waits for its next attempt, and somebody has looked: it goes on at once. */
export const resumeMove = (control: Control, businessId: string): Promise<Move> =>
  transaction(control, async (tx) => {
    const move = await findMove(tx, businessId)
    if (!move || move.finishedAt) throw new NotMovable(`${businessId} is not on its way.`)
    await auditMove(tx, 'business.move-resumed', move)
    await carryOn(tx, move.id)
    return move
  })

const auditMove = (tx: ControlTx, action: string, { businessId, fromCell: from, toCell: to }: Move): Promise<string> =>
  auditOperator(tx, { action, subject: businessId, data: { from, to } })

/** Its job is running, waits for its next attempt, has died, or was discarded by somebody. There is never a second one. */
async function carryOn(tx: ControlTx, moveId: string): Promise<void> {
  const key = `business.move:${moveId}`
  if (!(await hurryJob(tx, key))) await enqueue(tx, carryOutMove, { moveId }, { key })
}

/** Tried again for days: a cell may be away. */
const ATTEMPTS = 50

const carryOutMove = defineJob({
  name: 'business.move',
  on: 'control',
  isLong: true,
  payload: Type.Object({ moveId: Id }),
  maxAttempts: ATTEMPTS,
  run: ({ moveId }, context) => moveBusiness(context, moveId),
})

export const moveJobs = [carryOutMove]
