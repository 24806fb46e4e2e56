import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

export const newsletterTables: readonly BusinessTable[] = [
  cellTable('kept', 'newsletter.subscriptions', ['id']),
  cellTable('kept', 'newsletter.checkouts', ['id']),
  cellTable('kept', 'newsletter.suppressions', ['email_key']),
  cellTable('kept', 'newsletter.wishes', ['product_id', 'variant_id', 'subscription_id']),
  cellTable('kept', 'newsletter.automations', ['id']),
  cellTable('kept', 'newsletter.due_letters', ['automation_id', 'subscription_id', 'cause']),
  cellTable('kept', 'newsletter.sends', ['id']),
  cellTable('kept', 'newsletter.recipients', ['send_id', 'subscription_id']),
  cellTable('kept', 'newsletter.clicks', ['send_id', 'subscription_id', 'link']),
  cellTable('kept', 'newsletter.opens', ['send_id', 'subscription_id']),
  cellTable('kept', 'newsletter.unsubscribes', ['send_id', 'subscription_id']),
  cellTable('kept', 'newsletter.imports', ['id']),
  cellTable('kept', 'newsletter.import_rows', ['import_id', 'number']),
  cellTable('kept', 'newsletter.feed_positions', []),
  // How many mails were sent in this second.
  cellTable('left out', 'newsletter.rates', [], { of: 'key', moves: false }),
]
