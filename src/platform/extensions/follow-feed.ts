import type { FastifyBaseLogger } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { Id } from '#vocabulary/schemas.ts'
import type { Db } from '../database/database.ts'
import { transaction } from '../database/transaction.ts'
import { findEvent, presentEvent, readAfter, readLastNumber } from '../events/feed.ts'
import { FOLLOW_BATCH, FOLLOW_PAGE, followInTurn } from '../events/follow-in-turn.ts'
import { fault } from '../faults.ts'
import { type CellJob, defineJob, enqueueAll } from '../jobs/define.ts'
import { isHere } from '../moves/fence.ts'
import { type Extension, schemaOf } from './define.ts'

const OfEvent = Type.Object({ businessId: Id, number: Type.Integer({ minimum: 1 }) })

const jobNameOf = (name: string, type: string) => `${name}.on.${type}`

/** A job for each kind of event that the extension handles. */
export const handlerJobs = ({ name, on = {} }: Pick<Extension, 'name' | 'on'>): CellJob<typeof OfEvent>[] =>
  Object.entries(on).map(([type, handler]) =>
    defineJob({
      name: jobNameOf(name, type),
      on: 'cell',
      payload: OfEvent,
      async run({ businessId, number }, context) {
        const event = await findEvent(context.db, businessId, number)
        if (event) await handler(presentEvent(event), context)
        else context.log.warn({ businessId, number }, 'the event has left the feed; nothing is left to handle')
      },
    }),
  )

/** Makes jobs of the events that the extension handles. Returns how many events were looked at. */
export function followFeed(
  db: Db,
  extension: Extension,
  log: FastifyBaseLogger,
  signal?: AbortSignal,
): Promise<number> {
  const jobs = new Map(handlerJobs(extension).map((job) => [job.name, job]))
  return followInTurn({
    listBehind: (after) => listBehind(db, schemaOf(extension), after),
    followBatch: (businessId) => followBatch(db, extension, jobs, businessId),
    failed: (businessId, error) =>
      log.error({ err: error, businessId, extension: extension.name }, 'the feed cannot be followed for an extension'),
    signal,
  })
}

const positionsOf = (schema: string) => sql.table(`${schema}.feed_positions`)

async function listBehind(db: Db, schema: string, after: string): Promise<string[]> {
  const { rows } = await sql<{ businessId: string }>`
    select counter.business_id
      from cell.event_counters as counter
      left join ${positionsOf(schema)} as position on position.business_id = counter.business_id
     where counter.last_number > coalesce(position.number, 0) and counter.business_id > ${after}
       and ${isHere('counter.business_id')}
     order by counter.business_id
     limit ${FOLLOW_PAGE}`.execute(db)
  return rows.map(({ businessId }) => businessId)
}

/** The jobs and how far it got are one: whatever dies, each event becomes one job. */
function followBatch(
  db: Db,
  extension: Extension,
  jobs: ReadonlyMap<string, CellJob<typeof OfEvent>>,
  businessId: string,
): Promise<number> {
  const positions = positionsOf(schemaOf(extension))
  return transaction(db, async (tx) => {
    await sql`insert into ${positions} (business_id, number) values (${businessId}, 0) on conflict do nothing`.execute(
      tx,
    )
    const { rows } = await sql<{ number: number }>`
      select number from ${positions} where business_id = ${businessId} for update skip locked`.execute(tx)
    const [position] = rows
    if (!position) return 0 // another process is at it
    const newest = await readLastNumber(tx, businessId)
    const events = await readAfter(tx, businessId, position.number, FOLLOW_BATCH)
    // Without any, those up to the newest have left the feed. A business that never gets there would take others' turn.
    const reached = events.at(-1)?.number ?? newest
    for (const [type, happened] of Map.groupBy(events, (event) => event.type)) {
      const job = jobs.get(jobNameOf(extension.name, type))
      if (!job) continue
      const payloads = happened.map(({ number }) => ({ businessId, number }))
      await enqueueAll(tx, [job], payloads)
    }
    await sql`update ${positions} set number = ${reached} where business_id = ${businessId}`.execute(tx)
    await fault('extension.followed')
    return events.length
  })
}

/** Whether something happened of which the extension has not heard. This looks at every business: not to be asked often. */
export const isBehind = (extension: Extension) => sql`
  exists (select
            from cell.event_counters as counter
            left join ${positionsOf(schemaOf(extension))} as position on position.business_id = counter.business_id
           where counter.last_number > coalesce(position.number, 0) and ${isHere('counter.business_id')})`
