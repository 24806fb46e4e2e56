import { type RawBuilder, sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Tx } from '#platform/database/database.ts'
import { addFollowed } from '#platform/events/sequencer.ts'
import { showSuppressions } from '../bounces/suppress.ts'
import type { NewSubscription } from '../schemas.ts'
import { toRow } from './subscribe.ts'
import { emailKeyOf, isPaidFor, type SubscriptionRow } from './subscription.ts'

/** A row of an import file. `planId`: undefined keeps the plan. */
export type ImportedSubscriber = Pick<NewSubscription, 'email' | 'name'> & {
  planId: string | null | undefined
  status: 'ACTIVE' | 'CANCELLED'
}

/** Subscriptions that an import has made or changed, for whoever follows them: there is no event for each. */
export const IMPORTED_TOPIC = 'subscriptions-imported'

export const NOTHING = { created: 0, updated: 0, skipped: 0 }
export type Outcome = typeof NOTHING

/**
 * Four statements at most for any number of rows: inserts new addresses, reads known ones, updates those that change.
 */
export async function subscribeMany(
  tx: Tx,
  businessId: string,
  collectionId: string,
  imported: readonly ImportedSubscriber[],
): Promise<Outcome> {
  const byKey = Map.groupBy(imported, ({ email }) => emailKeyOf(email))
  const made = [...byKey.values()].map((same) =>
    settleAll(toRow(businessId, collectionId, same[0] as ImportedSubscriber, null), same),
  )
  const inserted = await write(
    tx,
    made.map(({ after }) => after),
    NOT_THOSE_KNOWN,
  )
  await showSuppressions(tx, businessId, [...inserted])
  const fresh = made.filter(({ after }) => inserted.has(after.emailKey))

  const others = [...byKey.keys()].filter((key) => !inserted.has(key))
  const known = others.length > 0 ? await lockByEmails(tx, businessId, collectionId, others) : []
  if (known.length < others.length) throw new Error('An address that is subscribed cannot be found')
  const settled = known.map((before) => ({ before, ...settleAll(before, byKey.get(before.emailKey) ?? []) }))
  const changed = settled.filter(({ before, after }) => isChanged(before, after)).map(({ after }) => after)
  if (changed.length > 0) await write(tx, changed, CHANGE_THOSE_KNOWN)

  const touched = [...fresh.map(({ after }) => after), ...changed]
  await addFollowed(tx, IMPORTED_TOPIC, touched)

  const sum = (pick: (one: { updated: number; skipped: number }) => number) =>
    [...fresh, ...settled].reduce((total, one) => total + pick(one), 0)
  return {
    created: fresh.length,
    updated: sum(({ updated }) => updated) - fresh.length, // the first row of each address created it
    skipped: sum(({ skipped }) => skipped),
  }
}

/** Applies all rows of one address to its subscription, in order. */
function settleAll(before: SubscriptionRow, imported: readonly ImportedSubscriber[]) {
  let after = before
  let skipped = 0
  for (const one of imported) {
    if (isLeftAlone(after)) skipped++
    else after = settle(after, one)
  }
  return { after, skipped, updated: imported.length - skipped }
}

/** A file neither brings back a subscriber who has left, nor changes a subscription that is paid for. */
const isLeftAlone = (row: SubscriptionRow) => row.status === 'CANCELLED' || isPaidFor(row)

const settle = (row: SubscriptionRow, { name, planId, status }: ImportedSubscriber): SubscriptionRow => ({
  ...row,
  name: name ?? row.name,
  planId: planId === undefined ? row.planId : planId,
  status,
  activatedAt: status === 'CANCELLED' ? null : row.status === 'ACTIVE' ? (row.activatedAt ?? now()) : now(),
})

const isChanged = (before: SubscriptionRow, after: SubscriptionRow) =>
  before.name !== after.name || before.planId !== after.planId || before.status !== after.status

const NOT_THOSE_KNOWN = sql`do nothing`
const CHANGE_THOSE_KNOWN = sql`
  do update set name = excluded.name, plan_id = excluded.plan_id, status = excluded.status,
                activated_at = excluded.activated_at, updated_at = excluded.updated_at`

/**
 * Returns the addresses that were written. They are sorted, so that concurrent imports queue instead of deadlocking.
 * Changes are inserts with `on conflict`, too: with outdated statistics, an update with a join might scan all
 * subscribers.
 */
async function write(tx: Tx, rows: readonly SubscriptionRow[], onConflict: RawBuilder<unknown>): Promise<Set<string>> {
  const column = <Name extends keyof SubscriptionRow>(name: Name) => rows.map((row) => row[name])
  const { rows: written } = await sql<{ emailKey: string }>`
    insert into newsletter.subscriptions (business_id, collection_id, id, email, email_key, name, plan_id, status,
                                          activated_at, created_at, updated_at)
    select made.*, ${now()}
      from unnest(${column('businessId')}::text[], ${column('collectionId')}::text[], ${column('id')}::text[],
                  ${column('email')}::text[], ${column('emailKey')}::text[], ${column('name')}::text[],
                  ${column('planId')}::text[], ${column('status')}::text[],
                  ${column('activatedAt')}::timestamptz[], ${column('createdAt')}::timestamptz[])
           as made (business_id, collection_id, id, email, email_key, name, plan_id, status, activated_at, created_at)
     order by made.email_key collate "C"
    on conflict on constraint subscriptions_email_key ${onConflict}
    returning email_key`.execute(tx)
  return new Set(written.map(({ emailKey }) => emailKey))
}

/** Looks each address up through the index, for the same reason. */
async function lockByEmails(tx: Tx, businessId: string, collectionId: string, emailKeys: readonly string[]) {
  const { rows } = await sql<SubscriptionRow>`
    select subscription.*
      from unnest(${emailKeys.toSorted()}::text[]) as wanted (email_key)
     cross join lateral (select *
                           from newsletter.subscriptions
                          where business_id = ${businessId} and collection_id = ${collectionId}
                            and email_key = wanted.email_key
                            for update) as subscription`.execute(tx)
  return rows
}
