import { type Selectable, sql } from 'kysely'
import { now, nowMs } from '#platform/clock.ts'
import type { PaymentsPayments } from '#platform/database/cell-tables.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { insertion, type Write } from '#platform/database/write.ts'
import type { PageState } from '#platform/payments/provider.ts'
import { newId } from '#vocabulary/ids.ts'

export type PaymentStatus = 'OPENING' | 'OPEN' | 'PAID' | 'ENDED' | 'WRONG'
export type Payment = Omit<Selectable<PaymentsPayments>, 'status'> & { status: PaymentStatus }

/** What a payment can be for. Its subject is `<kind>:<id>`, and each kind is looked after by a module of its own. */
export type PaymentKind = 'order' | 'newsletter'

export type NewPayment = Pick<Payment, 'businessId' | 'subject' | 'amount' | 'currency' | 'account' | 'expiresAt'>

/** Written with what is to be paid, before the provider hears of it: a page that may be there is always known of. */
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

/** The latest payment for it, if any. */
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

/** Those of a kind made since then, some hundreds at a time: `after` is the last that was seen. */
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

/** The page is open: where it is. Says nothing about a payment that has moved on meanwhile. */
export const notePage = (db: Db, { businessId, id }: Payment, { pageId, url }: { pageId: string; url: string }) =>
  db
    .updateTable('payments.payments')
    .set({ status: 'OPEN', pageId, url, updatedAt: now(), checkedAt: now() })
    .where((payment) => payment.and({ businessId, id, status: 'OPENING' }))
    .execute()

/** What the provider said; money only ever grows. */
export async function noteState(tx: Tx, payment: Payment, state: PageState): Promise<Payment> {
  const paid = state.status === 'PAID' ? state.amount : payment.paid
  const refunded = Math.max(payment.refunded, Math.min(state.refunded, paid))
  const after: Payment = {
    ...payment,
    status: laterOf(payment.status, state.status),
    pageId: state.pageId,
    intentId: state.intentId ?? payment.intentId,
    email: state.email ?? payment.email,
    paid,
    refunded,
    refunding: Math.min(payment.refunding, paid - refunded),
    checkedAt: now(),
    updatedAt: now(),
  }
  await savePayment(tx, after)
  return after
}

/** An answer may be older than what is known already: a page never opens again. */
function laterOf(known: PaymentStatus, said: PageState['status']): PaymentStatus {
  if (known === 'WRONG') return 'WRONG'
  if (known === 'PAID' || said === 'PAID') return 'PAID'
  return known === 'ENDED' || said === 'ENDED' ? 'ENDED' : 'OPEN'
}

/** It was paid, but not what was asked for. */
export const noteWrong = (tx: Tx, payment: Payment) =>
  savePayment(tx, { ...payment, status: 'WRONG', checkedAt: now(), updatedAt: now() })

export async function savePayment(tx: Tx, { businessId, id, ...values }: Payment): Promise<void> {
  await tx
    .updateTable('payments.payments')
    .set(values)
    .where((payment) => payment.and({ businessId, id }))
    .execute()
}

/** No page was ever opened, and none will be. */
export const endPayment = (tx: Tx, { businessId, id }: Payment) =>
  tx
    .updateTable('payments.payments')
    .set({ status: 'ENDED', updatedAt: now() })
    .where((payment) => payment.and({ businessId, id }))
    .where('status', 'in', ['OPENING', 'OPEN'])
    .execute()

/** Open pages of a kind of which nothing was heard since. Taken by one worker at a time: their time is moved on at once. */
export async function takeSilent(db: Db, since: Date, limit: number, kind: PaymentKind): Promise<Payment[]> {
  const { rows } = await sql<Payment>`
    update payments.payments
       set checked_at = ${now()}
      from (select business_id, id
              from payments.payments
             where status in ('OPENING', 'OPEN') and checked_at < ${since}
               and starts_with(subject, ${`${kind}:`})
               -- after 5 minutes, then 10, 20, 40: most are just not paid
               and (status = 'OPENING' or checked_at - created_at < ${now()} - checked_at)
             order by checked_at
             limit ${limit}
               for update skip locked) as silent
     where payments.business_id = silent.business_id and payments.id = silent.id
    returning payments.*`.execute(db)
  return rows
}

export type NewEvent = { businessId: string; id: string; type: string; account: string | null; body: string }

/** False when it has come before. */
export async function storeEvent(tx: Tx, event: NewEvent): Promise<boolean> {
  const rows = await tx
    .insertInto('payments.events')
    .values({ ...event, receivedAt: now() })
    .onConflict((known) => known.columns(['businessId', 'id']).doNothing())
    .returning('id')
    .execute()
  return rows.length > 0
}

export const noteApplied = (tx: Tx, businessId: string, id: string) =>
  tx
    .updateTable('payments.events')
    .set({ appliedAt: now() })
    .where((event) => event.and({ businessId, id }))
    .execute()

const KEEP_EVENTS_DAYS = 90

/** Forgets old events, some thousands at a time. Answers how many. */
export async function pruneEvents(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from payments.events
     where ctid = any (array(
       select ctid from payments.events
        where received_at < ${new Date(nowMs() - KEEP_EVENTS_DAYS * 86_400_000)}
        limit 5000))`.execute(db)
  return Number(numAffectedRows)
}
