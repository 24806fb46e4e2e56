import { sql } from 'kysely'
import type { Cell } from '../database/database.ts'
import { CELL_CHANNEL } from './heartbeat.ts'

/** Less than workers look often after they were told. */
const EVERY_MS = 5_000

/**
 * Tells the workers of a cell that this process has changed something in it, so that they look at once. After the transaction,
 * and not each time: a NOTIFY in every checkout would make all commits of the server wait for each other. Nothing depends on it;
 * without it they look a second later at most.
 */
export function tellWorkers(cell: Cell): void {
  let toldMs = Number.NEGATIVE_INFINITY
  cell.onCommitted = () => {
    if (performance.now() - toldMs < EVERY_MS) return
    toldMs = performance.now()
    sql`select pg_notify(${CELL_CHANNEL}, '')`.execute(cell).catch(() => {
      toldMs = Number.NEGATIVE_INFINITY
    })
  }
}
