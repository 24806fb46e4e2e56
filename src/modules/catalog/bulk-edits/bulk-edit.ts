import type { Actor } from '#vocabulary/actor.ts'
import { toSeconds } from '#vocabulary/time.ts'
import {
  type BulkEdit,
  type Change,
  type Failure,
  type Filters,
  type Status,
  WARNINGS,
  type Warning,
} from './schemas.ts'

export const KEEP_DAYS = 30

export type BulkEditRow = {
  businessId: string
  id: string
  status: Status
  filters: Filters | null
  changes: Change[]
  total: number
  changing: number
  unchanged: number
  refused: number
  applied: number
  skipped: number
  undone: number
  kept: number
  changedValues: number
  warned: number
  warnings: Partial<Record<Warning, number>>
  /** How far the filters have been followed; null: all products are selected. */
  selectedUpTo: string | null
  /** The last item that the work under way is done with. */
  position: number
  failure: Failure | null
  actor: Actor
  appliedBy: Actor | null
  undoneBy: Actor | null
  createdAt: Date
  appliedAt: Date | null
  undoneAt: Date | null
}

/** Whether a worker has something to do for it. */
export const RUNNING = ['DRY_RUN', 'APPLYING', 'UNDOING'] as const satisfies Status[]
export const isRunning = (status: Status) => RUNNING.some((each) => each === status)

/** Whether products were changed by it: only then is there something to undo. */
export const hasWritten = ({ applied }: Pick<BulkEditRow, 'applied'>) => applied > 0

/** With how many of all products the work is done. One that failed was at the last work that it had begun. */
function doneOf({
  status,
  total,
  changing,
  unchanged,
  refused,
  applied,
  skipped,
  undone,
  kept,
  appliedAt,
  undoneAt,
}: BulkEditRow) {
  if (status === 'UNDOING' || status === 'UNDONE' || (status === 'FAILED' && undoneAt))
    return total - applied + undone + kept
  if (status === 'APPLYING' || status === 'DONE' || (status === 'FAILED' && appliedAt))
    return unchanged + refused + applied + skipped
  return changing + unchanged + refused
}

const inSeconds = (moment: Date | null) => moment && toSeconds(moment)

export function presentBulkEdit(row: BulkEditRow): BulkEdit {
  return {
    id: row.id,
    list: 'products',
    status: row.status,
    filters: row.filters,
    changes: row.changes,
    total: row.total,
    done: doneOf(row),
    changing: row.changing,
    unchanged: row.unchanged,
    refused: row.refused,
    applied: row.applied,
    skipped: row.skipped,
    undone: row.undone,
    kept: row.kept,
    changedValues: row.changedValues,
    warned: row.warned,
    warnings: WARNINGS.flatMap((code) => ({ code, count: row.warnings[code] ?? 0 })).filter(({ count }) => count > 0),
    failure: row.failure,
    createdBy: row.actor.userId,
    appliedBy: row.appliedBy?.userId ?? null,
    undoneBy: row.undoneBy?.userId ?? null,
    createdAt: toSeconds(row.createdAt),
    appliedAt: inSeconds(row.appliedAt),
    undoneAt: inSeconds(row.undoneAt),
    expiresAt: toSeconds(row.createdAt) + KEEP_DAYS * 86_400,
  }
}
