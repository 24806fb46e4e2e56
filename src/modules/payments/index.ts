import type { EventDefinition } from '#platform/events/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import * as events from './events.ts'

export { carryOutRefunds } from './carry-out-refunds.ts'
export { closeSession, closeSessionOf } from './close-session.ts'
export { eraseOrderPayers, erasePayers } from './erase-payers.ts'
export { noPayee, nothingLeft, notPaidHere, tooMuch } from './errors.ts'
export { cancelSubscription, paymentJobs } from './jobs.ts'
export { openSession } from './open-session.ts'
export type { Payable, PaymentContext, SessionDetails, Settlement } from './payable.ts'
export { findPayee, type Payee, sessionEnd } from './payee.ts'
export type { Payment } from './payment.ts'
export { findPayment, listPaymentsSince, lockPayment, newPayments } from './queries.ts'
export { reconcileStale } from './reconcile-stale.ts'
export { findRefund, leftOf, listRefunds, type Refund, requestRefund } from './refunds.ts'
export { fitLines, type SessionLines } from './session-lines.ts'
export { subjectOf } from './subject.ts'
export { syncPayment } from './sync-payment.ts'
export { webhookRoutes } from './webhook-routes.ts'

export const paymentEvents: readonly EventDefinition[] = Object.values(events)
export const paymentRefusals: readonly AnyRefusal[] = Object.values(errors)
