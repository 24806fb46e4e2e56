import type { Db } from '#platform/database/database.ts'
import type { Clicker } from './counted-link.ts'

export const findChooser = (db: Db, { businessId, subscriptionId: id }: Clicker) =>
  db
    .selectFrom('newsletter.subscriptions')
    .select('countsClicks')
    .where((subscription) => subscription.and({ businessId, id }))
    .executeTakeFirst()

/** A reader says whether their clicks are counted from now on. False if there is no such reader. */
export async function chooseCounting(db: Db, clicker: Clicker, countsClicks: boolean): Promise<boolean> {
  const { businessId, subscriptionId: id } = clicker
  const changed = await db
    .updateTable('newsletter.subscriptions')
    .set({ countsClicks })
    .where((subscription) => subscription.and({ businessId, id }))
    .returning('id')
    .execute()
  return changed.length > 0
}
