import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

export const webhookTables: readonly BusinessTable[] = [
  // Without the secret nothing can be signed: an endpoint is off until somebody has made a new one.
  cellTable('kept', 'webhooks.endpoints', ['id'], {
    toSetAgain: 'the secrets of its webhook endpoints: they are off until somebody rotates and enables them',
    without: ['secret', 'old_secret', 'old_secret_until'],
    set: {
      secret: `''::bytea`,
      is_enabled: 'false',
      disabled_reason: `coalesce(disabled_reason, 'PERSON')`,
      disabled_at: 'coalesce(disabled_at, now())',
    },
  }),
  cellTable('kept', 'webhooks.positions', ['endpoint_id']),
  cellTable('kept', 'webhooks.deliveries', ['endpoint_id', 'number']),
  cellTable('kept', 'webhooks.attempts', ['endpoint_id', 'number', 'id']),
  cellTable('kept', 'webhooks.feeds', [], { without: ['lease'] }),
]
