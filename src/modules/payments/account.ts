import type { PaymentProvider, Payments } from '#platform/payments/provider.ts'
import type { Business } from '#vocabulary/business.ts'
import { providerNotConfigured } from '#vocabulary/errors.ts'

export type Payee = { provider: PaymentProvider; account: string | null }

/** Who gets the money of this business; undefined when nobody can. */
export function findPayee({ provider, sharedAccount }: Payments, { stripeAccountId }: Business): Payee | undefined {
  if (!provider || (stripeAccountId === null && !sharedAccount)) return undefined
  return { provider, account: stripeAccountId }
}

export const noPayee = () => providerNotConfigured('payment')
