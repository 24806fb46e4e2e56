import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

export const paymentTables: readonly BusinessTable[] = [
  cellTable('kept', 'payments.payments', ['id']),
  cellTable('kept', 'payments.refunds', ['id']),
  cellTable('kept', 'payments.events', ['id']),
]
