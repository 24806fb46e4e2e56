import { now } from '#platform/clock.ts'
import type { PaymentProvider, Payments } from '#platform/payments/provider.ts'
import type { Business } from '#vocabulary/business.ts'

export type Payee = { provider: PaymentProvider; account: string | null }

/** The account that receives this business's money; undefined when there is none. */
export function findPayee({ providers, sharedAccount }: Payments, { paymentAccount }: Business): Payee | undefined {
  const [provider] = providers
  if (!provider || (paymentAccount === null && !sharedAccount)) return undefined
  return { provider, account: paymentAccount }
}

const SESSION_MS = 60 * 60_000

/** When a session that is opened now expires: in an hour, or as close to it as the provider allows. */
export const sessionEnd = ({ provider: { limits } }: Payee) =>
  new Date(now().getTime() + Math.min(Math.max(SESSION_MS, limits.minMs), limits.maxMs))
