import { type BusinessTable, cellTable } from '#platform/portable/tables.ts'

// Deliveries of many businesses are noted in one statement. What is not noted is delivered again.
const IN_BATCHES = { passesOver: 'workers' } as const

export const webhookTables: readonly BusinessTable[] = [
  // Without the secret nothing can be signed: an endpoint is off until somebody has made a new one.
  cellTable('kept', 'webhooks.endpoints', ['id'], {
    ...IN_BATCHES,
    toSetAgain: 'the secrets of its webhook endpoints: they are off until somebody rotates and enables them',
    without: ['secret', 'old_secret', 'old_secret_until'],
    set: {
      secret: `''::bytea`,
      is_enabled: 'false',
      disabled_reason: `coalesce(disabled_reason, 'PERSON')`,
      disabled_at: 'coalesce(disabled_at, now())',
    },
  }),
  cellTable('kept', 'webhooks.positions', ['endpoint_id'], IN_BATCHES),
  cellTable('kept', 'webhooks.deliveries', ['endpoint_id', 'number'], { ...IN_BATCHES, endless: ['next_at'] }),
  cellTable('kept', 'webhooks.attempts', ['endpoint_id', 'number', 'id'], IN_BATCHES),
  cellTable('kept', 'webhooks.feeds', [], { ...IN_BATCHES, without: ['lease'], leases: ['lease'] }),
]
