import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

/** An import ends with a check of its own. */
export const checkTables: readonly BusinessTable[] = [
  cellTable('left out', 'checks.businesses', [], { passesOver: 'workers' }),
  cellTable('left out', 'checks.broken', ['rule'], { passesOver: 'workers' }),
  cellTable('left out', 'checks.runs', [], { passesOver: 'workers' }),
]
