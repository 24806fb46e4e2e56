import { openCounter, openGauge } from '#platform/observability/define-metric.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { newsletterMails, newsletterSendsDue } from '../metrics.ts'
import type { Result } from './recipients.ts'

/** What a cell's deliverer tells. */
export type SendMeter = { settled(results: readonly Result[]): void; due(sends: number): void }

const OUTCOMES: Record<Result['state'], string> = {
  SENT: 'sent',
  FAILED: 'failed',
  UNCERTAIN: 'uncertain',
  SUPPRESSED: 'suppressed',
  PLANNED: 'later',
}

/** A meter for each cell. */
export function measureSends(metrics: Metrics): (cell: string) => SendMeter {
  const mails = openCounter(metrics, newsletterMails)
  const sends = openGauge(metrics, newsletterSendsDue)
  return (cell) => ({
    settled(results) {
      for (const { state } of results) mails.inc({ outcome: OUTCOMES[state] })
    },
    due: (count) => sends.set({ cell }, count),
  })
}
