import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Db } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { cellOf } from '#platform/http/cells.ts'
import { handle } from '#platform/http/operation.ts'
import { enqueue } from '#platform/jobs/define.ts'
import { openCounter } from '#platform/observability/define-metric.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { type PaymentProvider, type Payments, type ProviderEvent, providerNamed } from '#platform/payments/provider.ts'
import type { Business } from '#vocabulary/business.ts'
import { noPayee, sendEventAgain, signatureInvalid } from './errors.ts'
import { applyEvent } from './jobs.ts'
import { paymentEvents } from './metrics.ts'
import { receiveEvent } from './operations.ts'
import type { Payable } from './payable.ts'
import { storeEvent } from './provider-events.ts'
import { findPayment } from './queries.ts'

export type WebhookOptions = {
  payments: Payments
  payables: readonly Payable[]
  findBusiness: (id: string) => Promise<Business | undefined> | Business | undefined
  cells: ReadonlyMap<string, Db>
  metrics: Metrics
}

/** This webhook exists even where the provider is not configured, and says so. */
const ALWAYS = 'stripe'

export const webhookRoutes: FastifyPluginAsyncTypebox<WebhookOptions> = async (app, options) => {
  const { payments, payables, findBusiness, cells, metrics } = options
  const apply = applyEvent(payables)
  const counted = openCounter(metrics, paymentEvents)
  // The signature covers the raw bytes.
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, raw, done) => done(null, raw))

  for (const name of new Set([ALWAYS, ...payments.providers.map((provider) => provider.name)])) {
    handle(app, receiveEvent(name), async ({ headers, body, log }) => {
      const provider = providerNamed(payments, name)
      if (!provider) throw noPayee()
      const raw = body as Buffer | undefined
      const event = raw && provider.readEvent(raw, headers)
      if (!raw || !event) {
        counted.inc({ outcome: 'forged' })
        throw signatureInvalid({ provider: name })
      }
      const named = await withNames(provider, event).catch((error: unknown) => {
        log.error({ err: error, eventId: event.id, type: event.type }, 'nobody says whose payment was refunded')
        // The provider repeats it for days.
        throw sendEventAgain()
      })
      const outcome = await receive(name, named, raw.toString())
      counted.inc({ outcome })
      if (outcome === 'foreign')
        log.info({ eventId: event.id, type: event.type }, 'a payment event that names none of ours')
      return { success: true } as const
    })
  }

  async function receive(provider: string, event: ProviderEvent, body: string) {
    const { id, type, account, businessId = '', subject = '' } = event
    const business = businessId && subject ? await findBusiness(businessId) : undefined
    const cell = business && cellOf(cells, business, app.log)
    const payment = cell && (await findPayment(cell, businessId, subject))
    // A key that signs events of one provider or account must not be able to speak for another.
    if (!cell || payment?.provider !== provider || payment.account !== account) return 'foreign'
    await fault('webhook.received')
    const isNew = await transaction(cell, async (tx) => {
      const stored = await storeEvent(tx, {
        businessId,
        id,
        type,
        provider,
        account,
        subject,
        body: payment.erasedAt ? '{}' : body,
      })
      if (stored) await enqueue(tx, apply, { businessId, subject, eventId: id })
      await fault('webhook.stored')
      return stored
    })
    await fault('webhook.after-commit')
    return isNew ? 'stored' : 'repeated'
  }
}

/** A refund made at the provider itself carries none of our metadata; its payment does. */
async function withNames(provider: PaymentProvider, event: ProviderEvent): Promise<ProviderEvent> {
  const { account, businessId, subject, refunded } = event
  if (!refunded || (businessId && subject)) return event
  const names = await provider.readNames(account, refunded)
  return { ...event, businessId: names.businessId, subject: names.subject }
}
