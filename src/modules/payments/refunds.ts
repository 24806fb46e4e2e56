import { type Selectable, sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { PaymentsRefunds } from '#platform/database/cell-tables.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { conflict, invalid } from '#vocabulary/errors.ts'
import { newId } from '#vocabulary/ids.ts'
import { type Payment, savePayment } from './payments.ts'

export type Refund = Omit<Selectable<PaymentsRefunds>, 'status'> & { status: 'ASKED' | 'DONE' | 'FAILED' }

const nothingLeft = () => conflict('amount', 'NOTHING_TO_REFUND', 'Nothing is paid, or all of it is refunded already.')
const tooMuch = (left: number) => invalid('amount', 'TOO_LARGE', `At most ${left} can still be refunded.`)

/** Sets money of a locked payment apart, never more than is left of it; without `amount` all of that. */
export async function askRefund(
  tx: Tx,
  payment: Payment,
  { amount, reason, actor }: { amount?: number | undefined; reason?: string | null; actor: Actor | undefined },
): Promise<Refund> {
  const left = payment.paid - payment.refunded - payment.refunding
  if (left <= 0) throw nothingLeft()
  if (amount !== undefined && amount > left) throw tooMuch(left)
  const wanted = amount ?? left
  await savePayment(tx, { ...payment, refunding: payment.refunding + wanted, updatedAt: now() })
  const refund = {
    businessId: payment.businessId,
    id: newId('ref'),
    paymentId: payment.id,
    providerId: null,
    amount: wanted,
    reason: reason ?? null,
    status: 'ASKED' as const,
    actor: actor ? JSON.stringify(actor) : null,
    dueAt: now(),
    createdAt: now(),
    updatedAt: now(),
  }
  await tx.insertInto('payments.refunds').values(refund).execute()
  return refund
}

export type AskedRefund = Pick<Refund, 'businessId' | 'id' | 'paymentId' | 'amount'>

const RETRY_SECONDS = 30

/** Refunds that nobody is asking for right now. Each is this caller's for half a minute. */
export async function takeAsked(db: Db, limit: number): Promise<AskedRefund[]> {
  const { rows } = await sql<AskedRefund>`
    update payments.refunds
       set due_at = ${new Date(nowMs() + RETRY_SECONDS * 1000)}
      from (select business_id, id
              from payments.refunds
             where status = 'ASKED' and due_at <= ${now()}
             order by due_at
             limit ${limit}
               for update skip locked) as due
     where refunds.business_id = due.business_id and refunds.id = due.id
    returning refunds.business_id, refunds.id, refunds.payment_id, refunds.amount`.execute(db)
  return rows
}

/** Done or refused. The money that was set apart is free again: what is refunded, the provider's own figure tells. */
export async function closeRefund(
  tx: Tx,
  payment: Payment,
  { businessId, id }: AskedRefund,
  outcome: { status: 'DONE' | 'FAILED'; providerId: string | null },
): Promise<boolean> {
  const closed = await tx
    .updateTable('payments.refunds')
    .set({ ...outcome, updatedAt: now() })
    .where((refund) => refund.and({ businessId, id, status: 'ASKED' }))
    .returning('id')
    .execute()
  if (closed.length === 0) return false
  const { asked } = await tx
    .selectFrom('payments.refunds')
    .select((refund) => refund.fn.coalesce(refund.fn.sum<number>('amount'), sql<number>`0`).as('asked'))
    .where((refund) => refund.and({ businessId, paymentId: payment.id, status: 'ASKED' }))
    .executeTakeFirstOrThrow()
  const refunding = Math.min(asked, payment.paid - payment.refunded)
  await savePayment(tx, { ...payment, refunding, updatedAt: now() })
  return true
}
