import { Type } from 'typebox'
import { findFlaw } from './flaw.ts'
import { type BusinessTable, cellTable, controlTable } from './tables.ts'

/** Far below where bigint ends: events of all businesses are numbered in one statement, which would fail for all. */
const Counter = Type.Object({ last_number: Type.Integer({ minimum: 0, maximum: 2 ** 48 }) })

/** The feed of a business, and answers that are kept for a day. */
export const platformTables: readonly BusinessTable[] = [
  cellTable('kept', 'cell.events', ['number', 'sequenced_at'], { byMonth: 'sequenced_at', hearsEarly: true }),
  cellTable('kept', 'cell.event_counters', [], { hearsEarly: true, check: (row) => findFlaw(Counter, row) }),
  cellTable('queue', 'cell.followed', ['topic', 'position'], { hearsEarly: true }),
  // Retried at once after an import: the attempts that an archive says could overflow, and stop the projection for all businesses.
  cellTable('queue', 'cell.skipped_subjects', ['topic', 'subject'], {
    hearsEarly: true,
    set: { attempts: '0', retry_at: 'now()' },
  }),
  cellTable('queue', 'cell.event_outbox', ['position'], { hearsEarly: true }),
  cellTable('kept', 'cell.idempotency_keys', ['caller', 'key'], { hearsEarly: true, passesOver: 'workers' }),
  // What it used is for the operator of this deployment to know.
  cellTable('left out', 'cell.usage', ['since'], { passesOver: 'all' }),
  cellTable('left out', 'cell.usage_days', ['day'], { passesOver: 'all' }),
  // A business that moves leaves them behind, and finds none.
  cellTable('left out', 'cell.moves', [], { moves: false }),
  cellTable('left out', 'cell.changed_rows', ['position'], { moves: false }),
  cellTable('left out', 'cell.moving_jobs', ['id'], { moves: false }),
  controlTable('kept', 'control.idempotency_keys', ['caller', 'key']),
  controlTable('left out', 'control.moves', ['id']),
]
