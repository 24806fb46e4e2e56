import { sql } from 'kysely'
import { nowMs } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'
import type { SendStatus } from '../schemas.ts'

export const OPEN_STATES = ['SCHEDULED', 'RUNNING', 'PAUSED'] as const
/** `FAILED`: over within a week, and some readers did not get it, or perhaps did not. */
export const OPERATOR_SEND_STATES = [...OPEN_STATES, 'FAILED'] as const
export type OperatorSendState = (typeof OPERATOR_SEND_STATES)[number]

const LATELY_MS = 7 * 24 * 3_600_000

export type OperatorSend = {
  businessId: string
  id: string
  entryId: string
  collectionId: string
  status: SendStatus
  problem: string | null
  total: number
  sent: number
  failed: number
  suppressed: number
  uncertain: number
  scheduledAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

const COLUMNS = sql`
  business_id, id, entry_id, collection_id, status, problem, total, sent, failed, suppressed, uncertain,
  scheduled_at, started_at, finished_at`

/** Letters of all businesses of a cell, newest first: how they are getting on, not what they say. */
export async function listSendsOfCell(
  db: Db,
  query: {
    states: readonly OperatorSendState[]
    businessId?: string | undefined
    before?: string | undefined
    limit: number
  },
): Promise<OperatorSend[]> {
  const { states, businessId, before, limit } = query
  const narrowed = sql`
    ${businessId === undefined ? sql`true` : sql`business_id = ${businessId}`}
    and ${before === undefined ? sql`true` : sql`id < ${before}`}`
  const { rows } = await sql<OperatorSend>`
    select *
      from (select ${COLUMNS}
              from newsletter.sends
             where status in ('SCHEDULED', 'RUNNING', 'PAUSED') and status = any (${[...states]}::text[]) and ${narrowed}
             union all
            select ${COLUMNS}
              from newsletter.sends
             where ${states.includes('FAILED')} and finished_at > ${new Date(nowMs() - LATELY_MS)} and status = 'DONE'
               and failed + uncertain > 0 and ${narrowed}) as sends
     order by id desc
     limit ${limit}`.execute(db)
  return rows
}

/** How many letters of a cell are under way, to come, and stopped by a problem. */
export async function countSendsOfCell(db: Db) {
  const { rows } = await sql<{ running: number; scheduled: number; paused: number; stopped: number }>`
    select count(*) filter (where status = 'RUNNING')::integer as running,
           count(*) filter (where status = 'SCHEDULED')::integer as scheduled,
           count(*) filter (where status = 'PAUSED')::integer as paused,
           count(*) filter (where status = 'PAUSED' and problem is not null)::integer as stopped
      from newsletter.sends
     where status in ('SCHEDULED', 'RUNNING', 'PAUSED')`.execute(db)
  return rows[0] as { running: number; scheduled: number; paused: number; stopped: number }
}

/** Of every business of a cell that has any: how many letters a problem has stopped. */
export async function countStoppedByBusiness(db: Db): Promise<{ businessId: string; count: number }[]> {
  const { rows } = await sql<{ businessId: string; count: number }>`
    select business_id, count(*)::integer as count
      from newsletter.sends
     where status in ('SCHEDULED', 'RUNNING', 'PAUSED') and status = 'PAUSED' and problem is not null
     group by business_id`.execute(db)
  return rows
}
