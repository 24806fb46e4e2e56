import { sql } from 'kysely'
import { Type } from 'typebox'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import { defineJob } from '#platform/jobs/define.ts'
import { KEEP_MS, MAX_KEPT } from './limits.ts'

const BATCH = 5_000

/** Forgets deliveries and attempts after 14 days, and of an endpoint that refuses event after event the older ones before. */
export const tidyWebhooks = defineJob({
  name: 'webhooks.tidy',
  on: 'cell',
  payload: Type.Object({}),
  cron: '47 * * * *',
  async run(_payload, { db, signal }) {
    const before = new Date(nowMs() - KEEP_MS)
    while (!signal.aborted && (await forgetAttempts(db, before)) === BATCH);
    while (!signal.aborted && (await forgetDeliveries(db, before)) === BATCH);
    for (const target of await findLong(db)) while (!signal.aborted && (await forgetOldest(db, target)) === BATCH);
  },
})

async function forgetAttempts(db: Db, before: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhooks.attempts
     where ctid = any (array(select ctid from webhooks.attempts where at < ${before} limit ${BATCH}))`.execute(db)
  return Number(numAffectedRows)
}

/** Those that wait are younger: they are tried for three days, or as soon as their endpoint is enabled. */
async function forgetDeliveries(db: Db, before: Date): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from webhooks.deliveries
     where ctid = any (array(select ctid from webhooks.deliveries where updated_at < ${before} limit ${BATCH}))`.execute(
    db,
  )
  return Number(numAffectedRows)
}

type Long = { businessId: string; endpointId: string; oldest: number }

/** `oldest`: what is before that is too much. */
async function findLong(db: Db): Promise<Long[]> {
  const { rows } = await sql<Long>`
    select long.business_id, long.endpoint_id, kept.number as oldest
      from (select business_id, endpoint_id from webhooks.deliveries group by 1, 2 having count(*) > ${MAX_KEPT}) as long
     cross join lateral (
             select number from webhooks.deliveries as each
              where each.business_id = long.business_id and each.endpoint_id = long.endpoint_id
              order by number desc
             offset ${MAX_KEPT} limit 1) as kept`.execute(db)
  return rows
}

async function forgetOldest(db: Db, { businessId, endpointId, oldest }: Long): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from webhooks.deliveries
       where business_id = ${businessId} and endpoint_id = ${endpointId}
         and number = any (array(select number from webhooks.deliveries
                                  where business_id = ${businessId} and endpoint_id = ${endpointId} and number <= ${oldest}
                                    and status <> 'PENDING'
                                  order by number limit ${BATCH}))
      returning number
    ), attempts as (
      delete from webhooks.attempts
       where business_id = ${businessId} and endpoint_id = ${endpointId} and number in (select number from gone)
    )
    select count(*)::integer as count from gone`.execute(db)
  return rows[0]?.count ?? 0
}
