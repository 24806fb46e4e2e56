import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

export const customerTables: readonly BusinessTable[] = [
  cellTable('kept', 'customers.customers', ['user_id']),
  cellTable('kept', 'customers.comments', ['user_id', 'id']),
  cellTable('kept', 'customers.aliases', ['guest_id']),
  cellTable('kept', 'customers.erasures', ['user_id'], { hearsEarly: true }),
  cellTable('kept', 'customers.kept_orders', ['order_id']),
  cellTable('derived', 'customers.counted', ['order_id']),
  cellTable('derived', 'customers.spent', ['user_id', 'currency']),
  cellTable('derived', 'customers.bought', ['product_id', 'user_id']),
  cellTable('derived', 'customers.words', ['word', 'user_id']),
]
