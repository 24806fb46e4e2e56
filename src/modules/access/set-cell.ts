import { type CellRow, changeCell, countByCell, lockCell } from '#platform/cells/cells.ts'
import { type ControlTx, MAIN_CELL } from '#platform/database/database.ts'
import { isCellInMoves } from '#platform/moves/moves.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { auditOperator } from './audit.ts'
import { isCellUsed } from './queries.ts'

const CELL_CHANGED = 'cell.changed'

export type CellChanges = Partial<Pick<CellRow, 'state' | 'weight' | 'region'>>

/**
 * `NO_CELL`: there is none of this name. `IS_MAIN`: it holds control, and cannot be switched off. `IN_USE`: businesses live
 * there, who would get 503. `ON_THE_WAY`: one is moving out of it, or into it.
 */
export type CellSet =
  | { outcome: 'SET'; cell: CellRow }
  | { outcome: 'NO_CELL' | 'IS_MAIN' | 'ON_THE_WAY' }
  | { outcome: 'IN_USE'; businesses: number }

/**
 * Changes what a cell takes, under its lock, so that no business is placed there meanwhile. What is as it was is not
 * written, nor written down. `actor` is undefined on the command line.
 */
export async function setCell(
  tx: ControlTx,
  id: string,
  wanted: CellChanges,
  { actor, force = false }: { actor?: Actor; force?: boolean } = {},
): Promise<CellSet> {
  const before = await lockCell(tx, id)
  if (!before) return { outcome: 'NO_CELL' }
  const names = (Object.keys(wanted) as (keyof CellChanges)[]).filter((name) => wanted[name] !== before[name])
  if (names.length === 0) return { outcome: 'SET', cell: before }
  const changes: CellChanges = Object.fromEntries(names.map((name) => [name, wanted[name]]))
  if (changes.state === 'OFF') {
    if (id === MAIN_CELL) return { outcome: 'IS_MAIN' }
    if (!force && (await isCellUsed(tx, id)))
      return { outcome: 'IN_USE', businesses: (await countByCell(tx)).get(id) ?? 0 }
    if (!force && (await isCellInMoves(tx, id))) return { outcome: 'ON_THE_WAY' }
  }
  await changeCell(tx, id, changes)
  const data = { ...changes, ...(changes.state && { before: before.state }) }
  await auditOperator(tx, { action: CELL_CHANGED, subject: id, actor, data })
  return { outcome: 'SET', cell: { ...before, ...changes } }
}
