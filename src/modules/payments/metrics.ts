import { defineMetric } from '#platform/observability/define-metric.ts'

export const paymentEvents = defineMetric({
  name: 'kontor_payment_events_total',
  kind: 'counter',
  unit: 'events',
  area: 'Payments',
  of: 'api',
  help: 'Events of the payment provider: stored, repeated, foreign (none of ours), forged (the signature is wrong).',
  labels: { outcome: ['stored', 'repeated', 'foreign', 'forged'] },
})
