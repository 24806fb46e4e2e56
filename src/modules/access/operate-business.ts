import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { notify } from '#platform/database/listener.ts'
import type { Business } from '#vocabulary/business.ts'
import { audit } from './audit.ts'
import { BUSINESS_CHANGED } from './directory.ts'
import { paymentAccountTaken } from './errors.ts'
import { businessUpdated } from './events.ts'
import { tell } from './outbox.ts'
import { lockBusiness } from './queries.ts'

/** A suspended business cannot be reached through the API; payments and expiry in progress are brought to their end. */
export async function suspendBusiness(tx: ControlTx, id: string, isSuspended: boolean): Promise<Business> {
  const before = await lockBusiness(tx, id)
  if ((before.suspendedAt !== null) === isSuspended) return before
  const suspendedAt = isSuspended ? now() : null
  await tx.updateTable('access.businesses').set({ suspendedAt, updatedAt: now() }).where('id', '=', id).execute()
  await audit(tx, { businessId: id, action: isSuspended ? 'business.suspended' : 'business.resumed', subject: id })
  await notify(tx, BUSINESS_CHANGED, id)
  return { ...before, suspendedAt }
}

/** The account at the payment provider that receives the money; null: none, or the shared one. */
export async function setPaymentAccount(tx: ControlTx, id: string, account: string | null): Promise<Business> {
  const before = await lockBusiness(tx, id)
  if (before.paymentAccount === account) return before
  try {
    await tx
      .updateTable('access.businesses')
      .set({ paymentAccount: account, updatedAt: now() })
      .where('id', '=', id)
      .execute()
  } catch (error) {
    throw violatedConstraint(error) === 'businesses_stripe_account_key'
      ? paymentAccountTaken({ account: account ?? '' })
      : error
  }
  await audit(tx, { businessId: id, action: 'business.payments-set', subject: id, data: { account } })
  await tell(tx, businessUpdated({ businessId: id, subject: id, data: { fields: ['paymentAccount'] } }))
  await notify(tx, BUSINESS_CHANGED, id)
  return { ...before, paymentAccount: account }
}

export type BusinessSummary = {
  id: string
  name: string
  slug: string
  cell: string
  createdAt: Date
  suspendedAt: Date | null
  /** Users with the role ADMIN. */
  adminIds: string[]
}

const BATCH = 500

/** All businesses, oldest first, in batches. */
export async function* listAllBusinesses(db: ControlDb): AsyncGenerator<BusinessSummary[]> {
  for (let last = { createdAt: new Date(0), id: '' }; ; ) {
    const { rows } = await sql<BusinessSummary>`
      select business.id, business.name, slug, cell, business.created_at, suspended_at,
             array(select distinct user_id
                     from access.memberships
                     join access.roles on roles.business_id = memberships.business_id and roles.id = role_id
                    where memberships.business_id = business.id and 'ADMIN' = any (permissions)
                    order by user_id) as admin_ids
        from access.businesses as business
       where (date_trunc('milliseconds', business.created_at), business.id) > (${last.createdAt}, ${last.id})
       order by date_trunc('milliseconds', business.created_at), business.id
       limit ${BATCH}`.execute(db)
    yield rows
    const end = rows.at(-1)
    if (!end || rows.length < BATCH) return
    last = end
  }
}
