import { paymentFailed } from './errors.ts'
import { type PaymentContext, providerOf, type SessionDetails } from './payable.ts'
import type { Payment } from './payment.ts'
import { fitLines } from './session-lines.ts'

/** Opens the payment's session at the provider, or finds it: the same idempotency key returns the same session. */
export async function requestSession(
  context: PaymentContext,
  payment: Payment,
  { business, email, successUrl, cancelUrl, interval, ...lines }: SessionDetails,
) {
  const provider = providerOf(context, payment)
  // The account of one that came with an archive may be anybody's, and no session says whose.
  if (!provider || payment.isUnconfirmed) throw paymentFailed()
  const { businessId, subject, account, currency, expiresAt } = payment
  return provider.openSession({
    businessId,
    subject,
    key: `${subject}:${payment.attempt}`,
    account,
    currency,
    ...fitLines(provider, payment, lines),
    business,
    email,
    successUrl,
    cancelUrl,
    expiresAt,
    ...(interval && { interval }),
  })
}
