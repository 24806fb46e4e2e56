import type { MetricDefinition } from '#platform/observability/define-metric.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'
import * as metrics from './metrics.ts'

export { accountRoutes as paymentAccountRoutes } from './account-routes.ts'
export { carryOutRefunds } from './carry-out-refunds.ts'
export { closeSession, closeSessionOf } from './close-session.ts'
export { eraseOrderPayers, erasePayers } from './erase-payers.ts'
export { noPayee, nothingLeft, notPaidHere, tooMuch } from './errors.ts'
export { findTroubles } from './find-troubles.ts'
export { cancelSubscription, paymentJobs } from './jobs.ts'
export { openSession } from './open-session.ts'
export type { Payable, PaymentContext, SessionDetails, Settlement } from './payable.ts'
export { findPayee, type Payee, sessionEnd } from './payee.ts'
export type { Payment } from './payment.ts'
export { findPayment, listPaymentsSince, lockPayment, newPayments } from './queries.ts'
export { hasUnreconciled, reconcileStale } from './reconcile-stale.ts'
export { findRefund, hasPendingRefunds, leftOf, listRefunds, type Refund, requestRefund } from './refunds.ts'
export { fitLines, type SessionLines } from './session-lines.ts'
export { subjectOf } from './subject.ts'
export { syncPayment } from './sync-payment.ts'
export { paymentTables } from './tables.ts'
export { webhookRoutes } from './webhook-routes.ts'

export const paymentEvents = Object.values(events)
export const paymentRefusals: readonly AnyRefusal[] = Object.values(errors)
export const paymentMetrics: readonly MetricDefinition[] = Object.values(metrics)
