import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { notify } from '#platform/database/listener.ts'
import type { Business } from '#vocabulary/business.ts'
import { audit } from './audit.ts'
import { BUSINESS_CHANGED } from './directory.ts'
import { stripeAccountTaken } from './errors.ts'
import { lockBusiness } from './queries.ts'

/** Suspended, nobody gets at it through the API; what is under way (payments, expiry) is brought to its end. */
export async function suspendBusiness(tx: ControlTx, id: string, isSuspended: boolean): Promise<Business> {
  const before = await lockBusiness(tx, id)
  if ((before.suspendedAt !== null) === isSuspended) return before
  const suspendedAt = isSuspended ? now() : null
  await tx.updateTable('access.businesses').set({ suspendedAt, updatedAt: now() }).where('id', '=', id).execute()
  await audit(tx, { businessId: id, action: isSuspended ? 'business.suspended' : 'business.resumed', subject: id })
  await notify(tx, BUSINESS_CHANGED, id)
  return { ...before, suspendedAt }
}

/** Whose account at the payment provider gets its money; null: nobody's, or the one that is shared. */
export async function setStripeAccount(tx: ControlTx, id: string, account: string | null): Promise<Business> {
  const before = await lockBusiness(tx, id)
  if (before.stripeAccountId === account) return before
  try {
    await tx
      .updateTable('access.businesses')
      .set({ stripeAccountId: account, updatedAt: now() })
      .where('id', '=', id)
      .execute()
  } catch (error) {
    throw violatedConstraint(error) === 'businesses_stripe_account_key' ? stripeAccountTaken(account ?? '') : error
  }
  await audit(tx, { businessId: id, action: 'business.payments-set', subject: id, data: { account } })
  await notify(tx, BUSINESS_CHANGED, id)
  return { ...before, stripeAccountId: account }
}

export type BusinessSummary = {
  id: string
  name: string
  slug: string
  cell: string
  createdAt: Date
  suspendedAt: Date | null
  /** Those who are ADMIN there. */
  adminIds: string[]
}

const BATCH = 500

/** All of them, oldest first, some at a time. */
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
