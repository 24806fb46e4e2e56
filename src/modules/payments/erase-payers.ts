import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'
import { subjectOf } from './subject.ts'

/** Clocks of two processes are closer than this. */
const CLOCKS_DIFFER_MS = 3_600_000

/** Takes a person out of the payments of these orders, and out of what the provider told about them. Money stays. */
export async function erasePayers(tx: Tx, businessId: string, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length === 0) return
  const subjects = orderIds.map((id) => subjectOf('order', id))
  const { rows } = await sql<{ pageId: string | null; intentId: string | null; createdAt: Date }>`
    update payments.payments set email = null
     where business_id = ${businessId} and subject = any (${subjects}::text[])
    returning page_id, intent_id, created_at`.execute(tx)
  const names = rows.flatMap(({ pageId, intentId }) => [pageId, intentId]).filter((name) => name !== null)
  if (names.length === 0) return
  const first = new Date(Math.min(...rows.map(({ createdAt }) => createdAt.getTime())) - CLOCKS_DIFFER_MS)
  // They are kept for 90 days, and read by nobody once they are applied. None is older than the first of these payments.
  await sql`
    update payments.events set body = '{}'
     where business_id = ${businessId} and applied_at is not null and received_at >= ${first} and body <> '{}'
       and exists (select from unnest(${names}::text[]) as name where position(name in body) > 0)`.execute(tx)
}
