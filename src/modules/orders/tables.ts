import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

export const orderTables: readonly BusinessTable[] = [
  cellTable('kept', 'orders.orders', ['id']),
  cellTable('kept', 'orders.comments', ['order_id', 'id']),
  cellTable('kept', 'orders.shipments', ['order_id', 'id']),
  cellTable('kept', 'orders.refund_lines', ['order_id', 'refund_id', 'position']),
  cellTable('derived', 'orders.committed', ['product_id', 'variant_id', 'order_id']),
  cellTable('derived', 'orders.search', ['order_id']),
  cellTable('derived', 'orders.words', ['word']),
]
