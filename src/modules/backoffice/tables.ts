import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

export const backofficeTables: readonly BusinessTable[] = [
  cellTable('kept', 'backoffice.saved_views', ['id'], { people: ['author_id'] }),
]
