import { type BusinessTable, cellTable, controlTable } from './tables.ts'

/** The feed of a business, and answers that are kept for a day. */
export const platformTables: readonly BusinessTable[] = [
  cellTable('kept', 'cell.events', ['number', 'sequenced_at'], { byMonth: 'sequenced_at', hearsEarly: true }),
  cellTable('kept', 'cell.event_counters', [], { hearsEarly: true }),
  cellTable('queue', 'cell.followed', ['topic', 'position'], { hearsEarly: true }),
  cellTable('queue', 'cell.event_outbox', ['position'], { hearsEarly: true }),
  cellTable('kept', 'cell.idempotency_keys', ['caller', 'key'], { hearsEarly: true }),
  // What it used is for the operator of this deployment to know.
  cellTable('left out', 'cell.usage', ['since']),
  cellTable('left out', 'cell.usage_days', ['day']),
  controlTable('kept', 'control.idempotency_keys', ['caller', 'key']),
]
