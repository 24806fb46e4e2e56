import { sql } from 'kysely'
import { readStates } from '#modules/newsletter/index.ts'
import type { Tx } from '#platform/database/database.ts'
import { quarterOf } from './periods.ts'

/** Many days are asked for at once, as of sales; and all the time before them. */
export const READER_GRAINS = [1, 4, 8, 16, 32, 96, 3_072] as const

type Place = { businessId: string; id: string }
type Kept = Place & { collectionId: string; isActive: boolean }

/** Notes who became active and who is no longer, once each. The caller holds the lock. */
export async function countSubscriptions(tx: Tx, places: readonly Place[]): Promise<void> {
  if (places.length === 0) return
  const known = await readKept(tx, places)
  const changes = (await readStates(tx, places)).flatMap((state) => {
    const isActive = state.status === 'ACTIVE'
    const before = known.get(`${state.businessId} ${state.id}`)
    if (isActive === (before?.isActive ?? false)) return []
    // Who was late with a payment has kept `activatedAt`, from before they left.
    const isNew = isActive && !before
    const at = isNew ? (state.activatedAt ?? state.updatedAt) : state.updatedAt
    const { businessId, id, collectionId } = state
    return [{ businessId, id, collectionId, isActive, quarter: quarterOf(at) }]
  })
  if (changes.length === 0) return
  const made = sql`
    json_to_recordset(${JSON.stringify(changes)}::json)
      as made ("businessId" text, id text, "collectionId" text, "isActive" boolean, quarter integer)`
  await sql`
    insert into reports.subscriptions (business_id, subscription_id, collection_id, is_active)
    select made."businessId", made.id, made."collectionId", made."isActive" from ${made}
    on conflict (business_id, subscription_id) do update set is_active = excluded.is_active`.execute(tx)
  await sql`
    insert into reports.readers as known (business_id, collection_id, grain, at, joined, "left")
    select made."businessId", made."collectionId", grain, made.quarter - made.quarter % grain,
           count(*) filter (where made."isActive"), count(*) filter (where not made."isActive")
      from ${made}
     cross join unnest(${[...READER_GRAINS]}::integer[]) as grain
     group by 1, 2, 3, 4
    on conflict (business_id, grain, at, collection_id) do update
       set joined = known.joined + excluded.joined, "left" = known."left" + excluded."left"`.execute(tx)
}

async function readKept(tx: Tx, places: readonly Place[]): Promise<Map<string, Kept>> {
  const { rows } = await sql<Kept>`
    select subscriptions.business_id, subscriptions.subscription_id as id, subscriptions.collection_id, subscriptions.is_active
      from unnest(${places.map(({ businessId }) => businessId)}::text[], ${places.map(({ id }) => id)}::text[])
           as wanted (business_id, id)
      join reports.subscriptions on subscriptions.business_id = wanted.business_id and subscriptions.subscription_id = wanted.id`.execute(
    tx,
  )
  return new Map(rows.map((row) => [`${row.businessId} ${row.id}`, row]))
}
