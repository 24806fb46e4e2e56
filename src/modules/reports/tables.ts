import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

export const reportTables: readonly BusinessTable[] = [
  cellTable('derived', 'reports.orders', ['order_id']),
  cellTable('derived', 'reports.subjects', ['kind', 'key', 'variant_id']),
  cellTable('derived', 'reports.sums', ['kind', 'grain', 'at', 'subject', 'market', 'currency']),
  cellTable('derived', 'reports.subscriptions', ['subscription_id']),
  cellTable('derived', 'reports.readers', ['grain', 'at', 'collection_id']),
  cellTable('derived', 'reports.rebuilding', []),
  cellTable('shared', 'reports.filling', ['kind']),
]
