import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

export const calloutTables: readonly BusinessTable[] = [
  // Asked again where they are missing; gone after ten minutes.
  cellTable('left out', 'callouts.answers', ['input_hash'], { moves: false }),
]
