import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

export const reportTables: readonly BusinessTable[] = [
  cellTable('derived', 'reports.orders', ['order_id']),
  cellTable('derived', 'reports.subjects', ['kind', 'key', 'variant_id'], {
    numbered: { column: 'number', within: 'kind' },
  }),
  cellTable('derived', 'reports.sums', ['kind', 'grain', 'at', 'subject', 'market', 'currency'], {
    // Of all sales: ALL and FIRST of sums.ts.
    refersTo: { table: 'reports.subjects', column: 'subject', within: 'kind', except: ['SALES'] },
  }),
  cellTable('derived', 'reports.subscriptions', ['subscription_id']),
  cellTable('derived', 'reports.readers', ['grain', 'at', 'collection_id']),
  cellTable('derived', 'reports.rebuilding', []),
]
