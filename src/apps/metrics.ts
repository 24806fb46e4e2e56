import { newsletterMetrics } from '#modules/newsletter/index.ts'
import { paymentMetrics } from '#modules/payments/index.ts'
import type { MetricDefinition } from '#platform/observability/define-metric.ts'
import * as platform from '#platform/observability/metric-list.ts'

const { RUNTIME_METRICS, ...ofPlatform } = platform

/**
 * Every metric of ours. A test holds that the API and the worker export these and no others; `npm run monitoring` makes the
 * table, the board and the alert rules from it.
 */
export const METRICS: readonly MetricDefinition[] = [
  ...Object.values<MetricDefinition>(ofPlatform),
  ...paymentMetrics,
  ...newsletterMetrics,
]

/** Those of Node itself that the board and the alerts use. */
export { RUNTIME_METRICS }
