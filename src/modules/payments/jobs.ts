import { Type } from 'typebox'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { type AnyJob, defineJob, type JobContext } from '#platform/jobs/define.ts'
import { NotTheirs, type PaymentProvider, providerNamed } from '#platform/payments/provider.ts'
import { Id, Nullable } from '#vocabulary/schemas.ts'
import { type Payable, providerOf } from './payable.ts'
import { noteApplied, pruneEvents } from './provider-events.ts'
import { findPayment } from './queries.ts'
import { syncPayment } from './sync-payment.ts'

const Subject = Type.String({ maxLength: 200 })

/** An event only says that something happened to a payment; the current state is read from the provider. */
export const applyEvent = (payables: readonly Payable[]) =>
  defineJob({
    name: 'payments.apply-event',
    on: 'cell',
    payload: Type.Object({ businessId: Id, subject: Subject, eventId: Type.String({ maxLength: 255 }) }),
    async run({ businessId, subject, eventId }, { db, services, log }) {
      const payment = await findPayment(db, businessId, subject)
      if (payment) await syncPayment({ ...services, payables, log }, db, payment)
      await fault('apply-event.synced')
      await transaction(db, (tx) => noteApplied(tx, businessId, eventId))
      await fault('apply-event.applied')
    },
  })

/** Deletes stored provider events once nobody needs to look them up. */
const tidyEvents = defineJob({
  name: 'payments.tidy-events',
  on: 'cell',
  payload: Type.Object({}),
  cron: '22 * * * *',
  async run(_payload, { db, signal }) {
    while (!signal.aborted && (await pruneEvents(db)) > 0);
  },
})

/** Cancels the recurring charge of a subscription that has ended. Retried until the provider confirms it. */
export const cancelSubscription = defineJob({
  name: 'payments.cancel-subscription',
  on: 'cell',
  payload: Type.Object({ businessId: Id, subject: Subject, subscriptionId: Type.String() }),
  maxAttempts: 25,
  async run({ businessId, subject, subscriptionId }, { db, services, log }) {
    const payment = await findPayment(db, businessId, subject)
    const provider = payment && providerOf(services, payment)
    if (!provider) throw new Error('There is no such payment, or no provider: the renewal cannot be cancelled')
    await cancelTheirs(provider, { account: payment.account, subscriptionId, businessId }, log)
  },
})

type Cancelled = { account: string | null; subscriptionId: string; businessId: string }

/** Jobs come with archives, too, and may name a subscription of somebody else. Trying again would not make it theirs. */
async function cancelTheirs(
  provider: PaymentProvider,
  { account, subscriptionId, businessId }: Cancelled,
  log: JobContext<unknown>['log'],
): Promise<void> {
  await provider.cancelSubscription(account, subscriptionId, businessId).catch((error: unknown) => {
    if (!(error instanceof NotTheirs)) throw error
    log.error({ err: error, businessId, subscriptionId }, 'a renewal of another business is not cancelled')
  })
}

/** Jobs that processes of the previous release put into the queue. To be removed in the next release. */
const formerJobs = (payables: readonly Payable[]): AnyJob[] => [
  defineJob({ ...applyEvent(payables), name: 'checkout.apply-event' }),
  defineJob({ ...applyEvent(payables), name: 'newsletter.apply-event' }),
  defineJob({ name: 'checkout.tidy-events', on: 'cell', payload: tidyEvents.payload, run: tidyEvents.run }),
  defineJob({
    name: 'newsletter.cancel-renewal',
    on: 'cell',
    payload: Type.Object({ businessId: Id, account: Nullable(Type.String()), providerId: Type.String() }),
    maxAttempts: 25,
    async run({ businessId, account, providerId }, { services, log }) {
      const provider = providerNamed(services.payments, 'stripe')
      if (!provider) throw new Error('There is no payment provider: the renewal cannot be cancelled')
      await cancelTheirs(provider, { account, subscriptionId: providerId, businessId }, log)
    },
  }),
]

export const paymentJobs = (payables: readonly Payable[]): readonly AnyJob[] => [
  applyEvent(payables),
  cancelSubscription,
  tidyEvents,
  ...formerJobs(payables),
]
