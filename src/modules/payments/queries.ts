import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { insertion, type Write } from '#platform/database/write.ts'
import { isHere } from '#platform/moves/fence.ts'
import { newId } from '#vocabulary/ids.ts'
import type { Payment } from './payment.ts'
import type { PaymentKind } from './subject.ts'

export type NewPayment = Pick<
  Payment,
  'businessId' | 'subject' | 'amount' | 'currency' | 'provider' | 'account' | 'expiresAt'
>

/** Written together with the subject, before the provider is called, so that every session that may exist is known. */
export const newPayments = (payments: readonly NewPayment[]): Write =>
  insertion(
    'payments.payments',
    payments.map((payment) => ({
      ...payment,
      id: newId('pay'),
      attempt: 1,
      status: 'OPENING',
      checkedAt: now(),
      createdAt: now(),
      updatedAt: now(),
    })),
  )

/** The latest payment for the subject, if any. */
export async function findPayment(db: Db, businessId: string, subject: string): Promise<Payment | undefined> {
  const row = await db
    .selectFrom('payments.payments')
    .selectAll()
    .where((payment) => payment.and({ businessId, subject }))
    .orderBy('attempt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row as Payment | undefined
}

export async function findPaymentById(db: Db, businessId: string, id: string): Promise<Payment | undefined> {
  const row = await db
    .selectFrom('payments.payments')
    .selectAll()
    .where((payment) => payment.and({ businessId, id }))
    .executeTakeFirst()
  return row as Payment | undefined
}

const PAGE = 500

/** Payments of a kind created since then, in batches: `after` is the last one of the batch before. */
export async function listPaymentsSince(
  db: Db,
  since: Date,
  after: Payment | undefined,
  kind: PaymentKind,
): Promise<Payment[]> {
  const { rows } = await sql<Payment>`
    select *
      from payments.payments
     where created_at >= ${since} and starts_with(subject, ${`${kind}:`})
       and (business_id, id) > (${after?.businessId ?? ''}, ${after?.id ?? ''})
     order by business_id, id
     limit ${PAGE}`.execute(db)
  return rows
}

export async function lockPayment(tx: Tx, businessId: string, id: string): Promise<Payment> {
  const row = await tx
    .selectFrom('payments.payments')
    .selectAll()
    .where((payment) => payment.and({ businessId, id }))
    .forUpdate()
    .executeTakeFirstOrThrow()
  return row as Payment
}

/** Stores the id and URL of an open session. Does nothing when the payment has moved on meanwhile. */
export const saveSession = (
  db: Db,
  { businessId, id }: Payment,
  { sessionId, url }: { sessionId: string; url: string },
) =>
  db
    .updateTable('payments.payments')
    .set({ status: 'OPEN', pageId: sessionId, url, updatedAt: now(), checkedAt: now() })
    .where((payment) => payment.and({ businessId, id, status: 'OPENING' }))
    .execute()

export async function savePayment(tx: Tx, { businessId, id, ...values }: Payment): Promise<void> {
  await tx
    .updateTable('payments.payments')
    .set(values)
    .where((payment) => payment.and({ businessId, id }))
    .execute()
}

/** Ends a payment that never had a session. */
export const endPayment = (tx: Tx, { businessId, id }: Payment) =>
  tx
    .updateTable('payments.payments')
    .set({ status: 'ENDED', updatedAt: now() })
    .where((payment) => payment.and({ businessId, id }))
    .where('status', 'in', ['OPENING', 'OPEN'])
    .execute()

/** Open payments of these kinds without news since then: after 5 minutes, then 10, 20, 40, as most are just not paid. */
const isStale = (since: Date, kinds: readonly PaymentKind[]) => sql`
  status in ('OPENING', 'OPEN') and checked_at < ${since} and split_part(subject, ':', 1) = any (${kinds}::text[])
  and ${isHere('business_id')} and (status = 'OPENING' or checked_at - created_at < ${now()} - checked_at)`

export const hasStale = (since: Date, kinds: readonly PaymentKind[]) =>
  sql`exists (select from payments.payments where ${isStale(since, kinds)})`

/**
 * Claims open payments of these kinds without news since then. Each goes to one worker, because its time is moved on at
 * once.
 */
export async function claimStale(
  db: Db,
  since: Date,
  limit: number,
  kinds: readonly PaymentKind[],
  except: readonly string[] = [],
): Promise<Payment[]> {
  const { rows } = await sql<Payment>`
    update payments.payments
       set checked_at = ${now()}
      from (select business_id, id
              from payments.payments
             where ${isStale(since, kinds)} and business_id <> all (${[...except]}::text[])
             order by checked_at
             limit ${limit}
               for update skip locked) as stale
     where payments.business_id = stale.business_id and payments.id = stale.id
    returning payments.*`.execute(db)
  return rows
}
