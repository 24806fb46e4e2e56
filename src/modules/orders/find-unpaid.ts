import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'

/** Those of these orders that wait for their money, in the same order. */
export async function findUnpaid(db: Db, businessId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id
      from orders.orders
     where business_id = ${businessId} and id = any (${ids}::text[])
       and status <> 'CANCELLED' and payment_status in ('PENDING', 'FAILED')`.execute(db)
  const unpaid = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => unpaid.has(id))
}
