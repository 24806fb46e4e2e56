import { sql } from 'kysely'
import type { ControlDb } from '../database/database.ts'

export const MOVE_STEPS = [
  'WAITING',
  'COPYING',
  'FOLLOWING',
  'CLOSING',
  'COMPARING',
  'CLEARING',
  'DONE',
  'TAKEN_BACK',
  'STOPPED',
] as const
export type MoveStep = (typeof MOVE_STEPS)[number]

/** A business on its way from one cell to another, as control keeps it. */
export type Move = {
  id: string
  businessId: string
  fromCell: string
  toCell: string
  step: MoveStep
  takeBack: boolean
  keepSeconds: number
  rowsCopied: number
  rowsFollowed: number
  rowsCompared: number
  rowsDeleted: number
  pauseMs: number | null
  error: string | null
  createdAt: Date
  updatedAt: Date
  copiedAt: Date | null
  switchedAt: Date | null
  comparedAt: Date | null
  finishedAt: Date | null
}

const MOVE = sql`
  id, business_id, from_cell, to_cell, step, take_back, keep_seconds, rows_copied, rows_followed, rows_compared, rows_deleted,
  pause_ms, error, created_at, updated_at, copied_at, switched_at, compared_at, finished_at`

export async function readMove(db: ControlDb, id: string): Promise<Move | undefined> {
  const { rows } = await sql<Move>`select ${MOVE} from control.moves where id = ${id}`.execute(db)
  return rows[0]
}

/** The last one of a business. */
export async function findMove(db: ControlDb, businessId: string): Promise<Move | undefined> {
  const { rows } = await sql<Move>`
    select ${MOVE} from control.moves where business_id = ${businessId} order by created_at desc, id desc limit 1`.execute(
    db,
  )
  return rows[0]
}

/** Of each table that is copied, a print of its columns. */
export type Prints = Readonly<Record<string, string>>

/** Undefined where nothing is copied yet, or it began in a version that did not keep them. */
export async function readPrints(db: ControlDb, id: string): Promise<Prints | undefined> {
  const { rows } = await sql<{ tables: Prints | null }>`select tables from control.moves where id = ${id}`.execute(db)
  return rows[0]?.tables ?? undefined
}

/** Those that are not over. `stopped`: businesses whose moves wait for somebody to look. */
export async function countMoves(db: ControlDb): Promise<{ underWay: number; stopped: string[] }> {
  const { rows } = await sql<{ businessId: string; step: Move['step'] }>`
    select business_id, step from control.moves where finished_at is null`.execute(db)
  return {
    underWay: rows.length,
    stopped: rows.filter(({ step }) => step === 'STOPPED').map(({ businessId }) => businessId),
  }
}

/** Whether some business is on its way into or out of a cell. */
export async function isCellInMoves(db: ControlDb, cell: string): Promise<boolean> {
  const { rows } = await sql`
    select from control.moves where finished_at is null and ${cell} in (from_cell, to_cell) limit 1`.execute(db)
  return rows.length > 0
}

export async function isOnTheMove(db: ControlDb, businessId: string): Promise<boolean> {
  const { rows } = await sql`
    select from control.moves where finished_at is null and business_id = ${businessId}`.execute(db)
  return rows.length > 0
}

type Noted = Partial<
  Pick<
    Move,
    | 'step'
    | 'rowsCopied'
    | 'rowsFollowed'
    | 'rowsCompared'
    | 'rowsDeleted'
    | 'pauseMs'
    | 'error'
    | 'takeBack'
    | 'comparedAt'
  > & { tables: Prints }
>

export async function noteMove(db: ControlDb, id: string, { tables, ...changes }: Noted): Promise<void> {
  await db
    .updateTable('control.moves')
    .set({ ...changes, ...(tables && { tables: JSON.stringify(tables) }), updatedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .where('finishedAt', 'is', null) // whoever was given up for dead has nothing to say any more
    .execute()
}

/** It is over, in one way or the other. */
export async function endMove(db: ControlDb, id: string, step: 'DONE' | 'TAKEN_BACK'): Promise<void> {
  await sql`
    update control.moves set step = ${step}, error = null, finished_at = now(), updated_at = now()
     where id = ${id} and finished_at is null`.execute(db)
}
