import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { type PaymentKind, subjectOf } from './subject.ts'

export const eraseOrderPayers = (tx: Tx, businessId: string, orderIds: readonly string[]): Promise<void> =>
  erasePayers(tx, businessId, 'order', orderIds)

/**
 * Takes a person out of the payments of these subjects, out of what the provider told about them, and out of why staff
 * gave money back. Money stays. May run twice.
 */
export async function erasePayers(
  tx: Tx,
  businessId: string,
  kind: PaymentKind,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const subjects = ids.map((id) => subjectOf(kind, id))
  const { rows } = await sql<{ id: string }>`
    update payments.payments set email = null, erased_at = coalesce(erased_at, ${now()})
     where business_id = ${businessId} and subject = any (${subjects}::text[])
    returning id`.execute(tx)
  if (rows.length === 0) return
  // Nobody reads them: an event only says that the provider has to be asked.
  await sql`
    update payments.events set body = '{}'
     where business_id = ${businessId} and subject = any (${subjects}::text[]) and body <> '{}'`.execute(tx)
  await sql`
    update payments.refunds set reason = null
     where business_id = ${businessId} and payment_id = any (${rows.map(({ id }) => id)}::text[]) and reason is not null`.execute(
    tx,
  )
}
