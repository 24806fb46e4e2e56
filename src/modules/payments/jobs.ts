import { Type } from 'typebox'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { type AnyJob, defineJob } from '#platform/jobs/define.ts'
import { NotTheirs } from '#platform/payments/provider.ts'
import { Id } from '#vocabulary/schemas.ts'
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
    if (!provider) throw new Error('Payment or payment provider not found, so the renewal cannot be canceled')
    await provider.cancelSubscription(payment.account, subscriptionId, businessId).catch((error: unknown) => {
      // An archive can bring a job that names the subscription of another business. Retrying would not make it theirs.
      if (!(error instanceof NotTheirs)) throw error
      log.error({ err: error, businessId, subscriptionId }, 'a renewal of another business is not cancelled')
    })
  },
})

export const paymentJobs = (payables: readonly Payable[]): readonly AnyJob[] => [
  applyEvent(payables),
  cancelSubscription,
  tidyEvents,
]
