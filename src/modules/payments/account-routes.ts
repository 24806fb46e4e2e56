import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { handle } from '#platform/http/operation.ts'
import type { Payments } from '#platform/payments/provider.ts'
import { getPaymentAccount } from './operations.ts'
import { findPayee } from './payee.ts'

const SHOWN = 4

/** Where the money of a business goes. The account is set on the command line only, and never shown whole. */
export const accountRoutes: FastifyPluginAsyncTypebox<{ payments: Payments }> = async (app, { payments }) => {
  handle(app, getPaymentAccount, ({ business }) => {
    const payee = findPayee(payments, business)
    return {
      status: payee ? (payee.account === null ? 'SHARED' : 'OWN') : 'NONE',
      provider: payee?.provider.name ?? null,
      lastFour: payee?.account?.slice(-SHOWN) ?? null,
    } as const
  })
}
