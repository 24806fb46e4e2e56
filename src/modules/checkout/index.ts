import type { AnyJob } from '#platform/jobs/define.ts'
import type { AnyRefusal } from '#vocabulary/define-refusal.ts'
import * as errors from './errors.ts'
import { sendConfirmation, sendNewOrder } from './mails.ts'

export { type CheckoutContext, createCheckout } from './checkout.ts'
export { endExpired } from './end-expired.ts'
export { confirmationMail, newOrderMail } from './mails.ts'
export { closeOrderSession, orderPayable } from './payable.ts'
export { price, toPricingInput } from './pricing.ts'
export { refundRoutes } from './refunds/routes.ts'
export { resultPage } from './result-page.ts'
export { checkoutRoutes } from './routes.ts'

export const checkoutJobs: readonly AnyJob[] = [sendConfirmation, sendNewOrder]

export const checkoutRefusals: readonly AnyRefusal[] = Object.values(errors)
