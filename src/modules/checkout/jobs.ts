import { Type } from 'typebox'
import { findPayment, noteApplied, pruneEvents } from '#modules/payments/index.ts'
import { transaction } from '#platform/database/transaction.ts'
import { fault } from '#platform/faults.ts'
import { type AnyJob, defineJob } from '#platform/jobs/define.ts'
import { Id } from '#vocabulary/schemas.ts'
import { sendConfirmation, sendNewOrder } from './mails.ts'
import { syncPage } from './payment-page.ts'

/** An event says that something has happened to a page; the provider itself says what. */
export const applyEvent = defineJob({
  name: 'checkout.apply-event',
  on: 'cell',
  payload: Type.Object({
    businessId: Id,
    subject: Type.String({ maxLength: 200 }),
    eventId: Type.String({ maxLength: 255 }),
  }),
  async run({ businessId, subject, eventId }, { db, services, log }) {
    const payment = await findPayment(db, businessId, subject)
    if (payment) await syncPage({ ...services, log }, db, payment)
    await fault('apply-event.synced')
    await transaction(db, (tx) => noteApplied(tx, businessId, eventId))
    await fault('apply-event.applied')
  },
})

/** What the provider sent is kept for as long as somebody might ask what it said. */
export const tidyEvents = defineJob({
  name: 'checkout.tidy-events',
  on: 'cell',
  payload: Type.Object({}),
  cron: '22 * * * *',
  async run(_payload, { db, signal }) {
    while (!signal.aborted && (await pruneEvents(db)) > 0);
  },
})

export const checkoutJobs: readonly AnyJob[] = [applyEvent, sendConfirmation, sendNewOrder, tidyEvents]
