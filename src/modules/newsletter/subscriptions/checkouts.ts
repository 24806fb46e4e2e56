import type { Selectable } from 'kysely'
import type { NewsletterCheckouts } from '#platform/database/cell-tables.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { keyReused } from '#platform/http/refusals.ts'

/** A paid plan that somebody has chosen and not yet paid. */
export type Checkout = Selectable<NewsletterCheckouts>

/** False when the same request created it before. */
export async function insertCheckout(tx: Tx, checkout: Checkout): Promise<boolean> {
  const inserted = await tx
    .insertInto('newsletter.checkouts')
    .values(checkout)
    .onConflict((known) => known.constraint('checkouts_pkey').doNothing())
    .returning('id')
    .execute()
  if (inserted.length > 0) return true
  const known = await findCheckout(tx, checkout.businessId, checkout.id)
  const isSame = (['collectionId', 'email', 'planId', 'name', 'returnUrl', 'cancelUrl'] as const).every(
    (name) => known?.[name] === checkout[name],
  )
  if (!isSame) throw keyReused()
  return false
}

export const findCheckout = (db: Db, businessId: string, id: string) =>
  db
    .selectFrom('newsletter.checkouts')
    .selectAll()
    .where((checkout) => checkout.and({ businessId, id }))
    .executeTakeFirst()

export const lockCheckout = (tx: Tx, businessId: string, id: string) =>
  tx
    .selectFrom('newsletter.checkouts')
    .selectAll()
    .where((checkout) => checkout.and({ businessId, id }))
    .forUpdate()
    .executeTakeFirst()
