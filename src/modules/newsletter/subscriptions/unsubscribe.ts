import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { Db, Tx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { recordOptOut } from '../bounces/suppress.ts'
import { tokenInvalid } from '../errors.ts'
import { subscriptionCancelled } from '../events.ts'
import { cancelRenewal } from './cancel-renewal.ts'
import { findSubscription, lockSubscription, saveSubscription } from './queries.ts'
import { recordSubscriptionEvent } from './subscribe.ts'
import type { SubscriptionRow } from './subscription.ts'
import { isProof, type Purpose, readToken } from './token.ts'

/** The subscription of a mailed token; 422 for any invalid token, whatever is wrong with it. */
export async function findByToken(
  db: Db,
  box: SecretBox,
  businessId: string,
  token: string,
  purpose: Purpose,
): Promise<SubscriptionRow> {
  const named = readToken(token)
  const found = named?.businessId === businessId ? await findSubscription(db, businessId, named.id) : undefined
  if (!named || !found || !isProof(box, named.proof, found, purpose)) throw tokenInvalid()
  return found
}

/** Stops mails, and payments after the paid period. Idempotent. */
export async function unsubscribe(
  db: Db,
  box: SecretBox,
  businessId: string,
  token: string,
  { everything = false, sendId }: { everything?: boolean | undefined; sendId?: string | undefined } = {},
): Promise<void> {
  const { id, emailKey, status } = await findByToken(db, box, businessId, token, 'leave')
  await transaction(db, async (tx) => {
    const ids = everything ? await listOfAddress(tx, businessId, emailKey) : [id]
    if (everything) await recordOptOut(tx, businessId, emailKey)
    for (const each of ids) await cancel(tx, await lockSubscription(tx, businessId, each)) // a handful per address
    if (sendId !== undefined && status !== 'CANCELLED') await noteLetter(tx, businessId, sendId, id)
  })
}

/** Which letter it was that the reader left by; only one that they got. */
const noteLetter = (tx: Tx, businessId: string, sendId: string, subscriptionId: string) =>
  sql`
    insert into newsletter.unsubscribes (business_id, send_id, subscription_id, left_at)
    select business_id, send_id, subscription_id, ${now()}
      from newsletter.recipients
     where business_id = ${businessId} and send_id = ${sendId} and subscription_id = ${subscriptionId}
    on conflict do nothing`.execute(tx)

async function listOfAddress(tx: Tx, businessId: string, emailKey: string): Promise<string[]> {
  const rows = await tx
    .selectFrom('newsletter.subscriptions')
    .select('id')
    .where((subscription) => subscription.and({ businessId, emailKey }))
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Mails end now, payments after the paid period. */
export async function cancel(tx: Tx, row: SubscriptionRow | undefined): Promise<void> {
  if (!row || row.status === 'CANCELLED') return
  const after: SubscriptionRow = { ...row, status: 'CANCELLED', activatedAt: null, updatedAt: now() }
  await saveSubscription(tx, after)
  await recordSubscriptionEvent(tx, after, subscriptionCancelled)
  const { businessId, checkoutId, providerId } = row
  if (checkoutId && providerId) await cancelRenewal(tx, businessId, checkoutId, providerId)
}
