import { sql } from 'kysely'
import type { Tx } from '#platform/database/database.ts'

/** What staff wrote when goods of these orders came back. The movements stay. */
export async function forgetReasons(tx: Tx, businessId: string, orderIds: readonly string[]): Promise<void> {
  await sql`
    update catalog.stock_movements set reason = null
     where business_id = ${businessId} and reference = any (${orderIds}::text[]) and reason is not null`.execute(tx)
}
