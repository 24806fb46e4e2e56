import { sql } from 'kysely'
import type { Db } from '#platform/database/database.ts'
import type { SendRow } from '../sending/send.ts'
import type { ShownGoods } from './occasions.ts'

/** What the letter says to each of these readers about its occasion. */
export async function readGoods(
  db: Db,
  { businessId, id }: Pick<SendRow, 'businessId' | 'id'>,
  subscriptionIds: readonly string[],
): Promise<Map<string, ShownGoods>> {
  if (subscriptionIds.length === 0) return new Map()
  const { rows } = await sql<{ subscriptionId: string; goods: ShownGoods }>`
    select subscription_id, goods
      from newsletter.due_letters
     where business_id = ${businessId} and send_id = ${id} and subscription_id = any (${subscriptionIds}::text[])
       and goods is not null`.execute(db)
  return new Map(rows.map(({ subscriptionId, goods }) => [subscriptionId, goods]))
}
