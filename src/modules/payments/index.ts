export { findPayee, noPayee, type Payee } from './account.ts'
export {
  endPayment,
  findPayment,
  findPaymentById,
  listPaymentsSince,
  lockPayment,
  newPayments,
  noteApplied,
  notePage,
  noteState,
  noteWrong,
  type Payment,
  pruneEvents,
  takeSilent,
} from './payments.ts'
export { type AskedRefund, askRefund, closeRefund, takeAsked } from './refunds.ts'
export { webhookRoutes } from './webhook-routes.ts'
