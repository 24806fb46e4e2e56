import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { violatedConstraint } from '#platform/database/errors.ts'
import { notify } from '#platform/database/listener.ts'
import type { Actor } from '#vocabulary/actor.ts'
import type { Business, BusinessLimits } from '#vocabulary/business.ts'
import { auditOperator } from './audit.ts'
import { BUSINESS_CHANGED } from './directory.ts'
import { paymentAccountTaken } from './errors.ts'
import { businessUpdated } from './events.ts'
import { type BusinessState, stateOf } from './list-for-operator.ts'
import { tell } from './outbox.ts'
import { findBusiness, lockBusiness } from './queries.ts'

/**
 * A suspended business cannot be reached through the API; payments and expiry in progress are brought to their end.
 * `actor` is undefined on the command line. Says whether anything changed.
 */
export async function suspendBusiness(
  tx: ControlTx,
  id: string,
  isSuspended: boolean,
  { actor, reason = null }: { actor?: Actor; reason?: string | null } = {},
): Promise<{ business: Business; isChanged: boolean }> {
  const before = await lockBusiness(tx, id)
  if ((before.suspendedAt !== null) === isSuspended) return { business: before, isChanged: false }
  const changes = { suspendedAt: isSuspended ? now() : null, suspendedReason: isSuspended ? reason : null }
  await tx
    .updateTable('access.businesses')
    .set({ ...changes, updatedAt: now() })
    .where('id', '=', id)
    .execute()
  const action = isSuspended ? 'business.suspended' : 'business.resumed'
  await auditOperator(tx, { businessId: id, action, subject: id, actor, data: reason === null ? {} : { reason } })
  await notify(tx, BUSINESS_CHANGED, id)
  return { business: { ...before, ...changes }, isChanged: true }
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
    throw violatedConstraint(error) === 'businesses_payment_account_key'
      ? paymentAccountTaken({ account: account ?? '' })
      : error
  }
  await auditOperator(tx, { businessId: id, action: 'business.payments-set', subject: id, data: { account } })
  await tell(tx, businessUpdated({ businessId: id, subject: id, data: { fields: ['paymentAccount'] } }))
  await notify(tx, BUSINESS_CHANGED, id)
  return { ...before, paymentAccount: account }
}

export type LimitChanges = { [Name in keyof BusinessLimits]?: number | null }

/**
 * Limits of one business. Null takes one away; what is not sent stays. Every process heeds them from the next request on.
 * What is as it was is not written, nor written down.
 */
export async function setLimits(tx: ControlTx, id: string, changes: LimitChanges, actor: Actor): Promise<void> {
  const { limits: before } = await lockBusiness(tx, id)
  const names = Object.keys(changes) as (keyof BusinessLimits)[]
  if (names.every((name) => (changes[name] ?? null) === (before?.[name] ?? null))) return
  const kept = Object.entries({ ...before, ...changes }).filter(([, limit]) => limit !== null && limit !== undefined)
  const limits = kept.length === 0 ? null : JSON.stringify(Object.fromEntries(kept))
  await tx.updateTable('access.businesses').set({ limits, updatedAt: now() }).where('id', '=', id).execute()
  await auditOperator(tx, { businessId: id, action: 'business.limits-set', subject: id, actor, data: { ...changes } })
  await notify(tx, BUSINESS_CHANGED, id)
}

/** The bytes that a business may store, for workers: `quota` unless the operator has set another limit. */
export const createQuotaOf = (control: ControlDb, quota: number) => async (businessId: string) =>
  (await findBusiness(control, businessId))?.limits?.mediaBytes ?? quota

const JOB_LIMITS_MS = 10_000
const MAX_KNOWN = 10_000

/**
 * How many jobs of a business may run at once, for workers; undefined: as many as of any other. What is known is answered
 * at once, and looked up again in the background: the queue does not wait for control.
 */
export function createJobsAtOnceOf(control: ControlDb, log: Pick<FastifyBaseLogger, 'warn'>) {
  const known = new Map<string, { most: number | undefined; askedMs: number }>()
  async function ask(businessId: string): Promise<void> {
    try {
      const most = (await findBusiness(control, businessId))?.limits?.jobsAtOnce
      known.set(businessId, { most, askedMs: performance.now() })
    } catch (error) {
      log.warn({ err: error, businessId }, 'the limits of a business could not be read')
    }
  }
  return (businessId: string): number | undefined => {
    const found = known.get(businessId)
    if (found && performance.now() - found.askedMs < JOB_LIMITS_MS) return found.most
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(businessId, { most: found?.most, askedMs: performance.now() })
    void ask(businessId)
    return found?.most
  }
}

export type BusinessSummary = {
  id: string
  name: string
  slug: string
  cell: string
  createdAt: Date
  suspendedAt: Date | null
  state: BusinessState
  /** Users with the role ADMIN. */
  adminIds: string[]
}

type SummaryRow = Omit<BusinessSummary, 'state'> & Parameters<typeof stateOf>[0] & { position: string }

const BATCH = 500

/** All businesses, oldest first, in batches. */
export async function* listAllBusinesses(db: ControlDb): AsyncGenerator<BusinessSummary[]> {
  // Times have microseconds, which a Date has not: as text, the next batch begins exactly after this one.
  for (let last = { position: '-infinity', id: '' }; ; ) {
    const { rows } = await sql<SummaryRow>`
      select business.created_at::text as position,
             business.id, business.name, slug, cell, business.created_at, suspended_at, delete_at, import_of,
             array(select distinct user_id
                     from access.memberships
                     join access.roles on roles.business_id = memberships.business_id and roles.id = role_id
                    where memberships.business_id = business.id and 'ADMIN' = any (permissions)
                    order by user_id) as admin_ids
        from access.businesses as business
       where (business.created_at, business.id) > (${last.position}::timestamptz, ${last.id})
       order by business.created_at, business.id
       limit ${BATCH}`.execute(db)
    yield rows.map(({ position, deleteAt, importOf, ...business }) => {
      last = { position, id: business.id }
      return { ...business, state: stateOf({ suspendedAt: business.suspendedAt, deleteAt, importOf }) }
    })
    if (rows.length < BATCH) return
  }
}
