import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

export const paymentTables: readonly BusinessTable[] = [
  // An archive may name sessions and intents of anybody: the provider is asked whose they are.
  cellTable('kept', 'payments.payments', ['id'], { set: { is_unconfirmed: 'true' } }),
  cellTable('kept', 'payments.refunds', ['id']),
  cellTable('kept', 'payments.events', ['id']),
]
