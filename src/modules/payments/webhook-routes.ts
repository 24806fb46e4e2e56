import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Counter } from 'prom-client'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { cellOf } from '#platform/http/cells.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import type { PaymentProvider, Payments, ProviderEvent } from '#platform/payments/provider.ts'
import type { Business } from '#vocabulary/business.ts'
import { badRequest, unavailable } from '#vocabulary/errors.ts'
import { Success } from '#vocabulary/schemas.ts'
import { noPayee } from './account.ts'
import { findPayment, storeEvent } from './payments.ts'

export type WebhookOptions = {
  payments: Payments
  findBusiness: (id: string) => Promise<Business | undefined> | Business | undefined
  cells: ReadonlyMap<string, Db>
  metrics: Metrics
  /** Sees to it that somebody looks at what the event is about; part of the transaction that stores it. */
  apply: (tx: Tx, event: { businessId: string; subject: string; eventId: string }) => Promise<void>
}

const signatureInvalid = () =>
  badRequest('This event is not signed by the payment provider, or was signed too long ago.', [
    { field: 'stripe-signature', error: 'SIGNATURE_INVALID', message: 'The signature does not fit.' },
  ])

export const webhookRoutes: FastifyPluginAsyncTypebox<WebhookOptions> = async (app, options) => {
  const { payments, findBusiness, cells, metrics, apply } = options
  const counted = new Counter({
    name: 'kontor_payment_events_total',
    help: 'Events of the payment provider, by what became of them',
    labelNames: ['outcome'],
    registers: [metrics.registry],
  })
  // The signature is over the bytes as they came.
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, raw, done) => done(null, raw))

  app.post(
    '/v1/payments/webhooks/stripe',
    {
      config: { access: 'public', business: 'provider' },
      schema: {
        operationId: 'receiveStripeEvent',
        tags: ['Checkout'],
        summary: 'Take an event of the payment provider',
        description: 'For Stripe. What it says is a hint: the provider is asked before anything is believed.',
        response: { 200: Success },
      },
    },
    async ({ headers, body, log }) => {
      if (!payments.provider) throw noPayee()
      const signature = headers['stripe-signature']
      const raw = body as Buffer | undefined
      const event = raw && payments.provider.readEvent(raw, typeof signature === 'string' ? signature : undefined)
      if (!raw || !event) {
        counted.inc({ outcome: 'forged' })
        throw signatureInvalid()
      }
      const named = await withNames(payments.provider, event).catch((error: unknown) => {
        log.error({ err: error, eventId: event.id, type: event.type }, 'nobody says whose payment was refunded')
        throw unavailable('The payment provider does not answer. Send this event again later.') // it does, for days
      })
      const outcome = await receive(named, raw.toString())
      counted.inc({ outcome })
      if (outcome === 'foreign')
        log.info({ eventId: event.id, type: event.type }, 'a payment event that names none of ours')
      return { success: true } as const
    },
  )

  async function receive({ id, type, account, businessId = '', subject = '' }: ProviderEvent, body: string) {
    const business = businessId && subject ? await findBusiness(businessId) : undefined
    const cell = business && cellOf(cells, business, app.log)
    const payment = cell && (await findPayment(cell, businessId, subject))
    // Whoever can sign events of one account must not be able to speak for another.
    if (!cell || !payment || payment.account !== account) return 'foreign'
    await fault('webhook.received')
    const isNew = await transaction(cell, async (tx) => {
      const stored = await storeEvent(tx, { businessId, id, type, account, body })
      if (stored) await apply(tx, { businessId, subject, eventId: id })
      await fault('webhook.stored')
      return stored
    })
    await fault('webhook.after-commit')
    return isNew ? 'stored' : 'repeated'
  }
}

/** A refund made at the provider itself carries none of our names. The payment that it gives back does. */
async function withNames(provider: PaymentProvider, event: ProviderEvent): Promise<ProviderEvent> {
  const { account, businessId, subject, refunded } = event
  if (!refunded || (businessId && subject)) return event
  const names = await provider.readNames(account, refunded)
  return { ...event, businessId: names.businessId, subject: names.subject }
}
