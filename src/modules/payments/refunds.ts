import { type Selectable, sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { PaymentsRefunds } from '#platform/database/cell-tables.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { isHere } from '#platform/moves/fence.ts'
import { type Actor, withoutEmail } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'
import { nothingLeft, tooMuch } from './errors.ts'
import type { ClosedRefund } from './payable.ts'
import type { Payment } from './payment.ts'
import { savePayment } from './queries.ts'

export type Refund = Omit<Selectable<PaymentsRefunds>, 'status'> & { status: 'PENDING' | 'SUCCEEDED' | 'FAILED' }

/** What can still be refunded: neither refunded nor set apart for it. */
export const leftOf = ({ paid, refunded, refunding }: Payment): number => paid - refunded - refunding

/** Reserves an amount of a locked payment, at most what is left of it; without `amount`, all of that. */
export async function requestRefund(
  tx: Tx,
  payment: Payment,
  { amount, reason, actor }: { amount?: number | undefined; reason?: string | null; actor: Actor | undefined },
): Promise<Refund> {
  const left = leftOf(payment)
  if (left <= 0) throw nothingLeft()
  if (amount !== undefined && amount > left) throw tooMuch({ left })
  const wanted = amount ?? left
  await savePayment(tx, { ...payment, refunding: payment.refunding + wanted, updatedAt: now() })
  const refund = {
    businessId: payment.businessId,
    id: newId('ref'),
    paymentId: payment.id,
    providerId: null,
    amount: wanted,
    reason: reason ?? null,
    status: 'PENDING' as const,
    actor: actor ? JSON.stringify(withoutEmail(actor)) : null,
    dueAt: now(),
    createdAt: now(),
    updatedAt: now(),
  }
  await tx.insertInto('payments.refunds').values(refund).execute()
  return refund
}

/** The refunds of a payment, newest first, from below an id on. */
export async function listRefunds(
  db: Db,
  { businessId, id: paymentId }: Pick<Payment, 'businessId' | 'id'>,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<Refund[]> {
  const rows = await db
    .selectFrom('payments.refunds')
    .selectAll()
    .where((refund) => refund.and({ businessId, paymentId }))
    .$if(after !== undefined, (query) => query.where('id', '<', after as string))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  return rows as Refund[]
}

export async function findRefund(
  db: Db,
  { businessId, id: paymentId }: Pick<Payment, 'businessId' | 'id'>,
  id: string,
): Promise<Refund | undefined> {
  const row = await db
    .selectFrom('payments.refunds')
    .selectAll()
    .where((refund) => refund.and({ businessId, paymentId, id }))
    .executeTakeFirst()
  return row as Refund | undefined
}

export type PendingRefund = Pick<Refund, 'businessId' | 'id' | 'paymentId' | 'amount'>

const RETRY_SECONDS = 30

const isDue = () => sql`status = 'PENDING' and due_at <= ${now()} and ${isHere('business_id')}`

/** Whether a refund waits for the provider. */
export const hasPendingRefunds = () => sql`exists (select from payments.refunds where ${isDue()})`

/** Claims refunds that no worker is carrying out, each for half a minute. */
export async function claimPendingRefunds(
  db: Db,
  limit: number,
  except: readonly string[] = [],
): Promise<PendingRefund[]> {
  const { rows } = await sql<PendingRefund>`
    update payments.refunds
       set due_at = ${new Date(nowMs() + RETRY_SECONDS * 1000)}
      from (select business_id, id
              from payments.refunds
             where ${isDue()} and business_id <> all (${[...except]}::text[])
             order by due_at
             limit ${limit}
               for update skip locked) as due
     where refunds.business_id = due.business_id and refunds.id = due.id
    returning refunds.business_id, refunds.id, refunds.payment_id, refunds.amount`.execute(db)
  return rows
}

/** The idempotency key, which the provider returns with the refund. */
export const keyOfRefund = (id: string) => `refund:${id}`
export const idOfRefund = (key: string) => key.slice(keyOfRefund('').length)

export type Outcome = Pick<Refund, 'id' | 'providerId'> & Pick<ClosedRefund, 'status'>

/**
 * Closes those refunds of a locked payment that are still pending, and returns them with the payment as it is to be
 * saved: their amounts are no longer reserved. What they add to `refunded` has to be saved with it, in one transaction.
 */
export async function closeRefunds(
  tx: Tx,
  payment: Payment,
  outcomes: readonly Outcome[],
): Promise<{ closed: ClosedRefund[]; payment: Payment }> {
  if (outcomes.length === 0) return { closed: [], payment }
  const { businessId, id: paymentId, paid, refunded } = payment
  const { rows: closed } = await sql<ClosedRefund>`
    update payments.refunds
       set status = outcome.status, provider_id = outcome.provider_id, updated_at = ${now()}
      from unnest(${outcomes.map(({ id }) => id)}::text[], ${outcomes.map(({ status }) => status)}::text[],
                  ${outcomes.map(({ providerId }) => providerId)}::text[]) as outcome (id, status, provider_id)
     where refunds.business_id = ${businessId} and refunds.payment_id = ${paymentId} and refunds.id = outcome.id
       and refunds.status = 'PENDING'
    returning refunds.id, refunds.amount, refunds.status`.execute(tx)
  if (closed.length === 0) return { closed, payment }
  const { pending } = await tx
    .selectFrom('payments.refunds')
    .select((refund) => refund.fn.coalesce(refund.fn.sum<number>('amount'), sql<number>`0`).as('pending'))
    .where((refund) => refund.and({ businessId, paymentId, status: 'PENDING' }))
    .executeTakeFirstOrThrow()
  return { closed, payment: { ...payment, refunding: Math.min(pending, paid - refunded), updatedAt: now() } }
}
