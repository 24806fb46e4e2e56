import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'

export type Reservation = { businessId: string; day: string; tokens: number }

/**
 * Sets tokens of the day aside before they are spent; undefined when the day has not that many left. One statement, so that
 * callers who race for the last ones cannot all get them. A process that dies leaves its reservation behind: too much is
 * counted then, never too little.
 */
export async function reserveTokens(
  db: Db,
  businessId: string,
  tokens: number,
  dailyTokens: number,
): Promise<Reservation | undefined> {
  const day = now().toISOString().slice(0, 10)
  const { rows } = await sql`
    insert into content.generation_usage as usage (business_id, day, tokens, requests)
    select ${businessId}, ${day}::date, ${tokens}::bigint, 1
     where ${tokens}::bigint <= ${dailyTokens}::bigint
        on conflict on constraint generation_usage_pkey do update
       set tokens = usage.tokens + excluded.tokens, requests = usage.requests + 1
     where usage.tokens + excluded.tokens <= ${dailyTokens}::bigint
    returning 1 as reserved`.execute(db)
  return rows.length > 0 ? { businessId, day, tokens } : undefined
}

/** What was reserved becomes what was spent, on the day of the reservation. */
export async function settleTokens(db: Db, { businessId, day, tokens }: Reservation, spent: number): Promise<void> {
  if (spent === tokens) return
  await sql`
    update content.generation_usage
       set tokens = greatest(0, tokens + ${spent - tokens}::bigint)
     where business_id = ${businessId} and day = ${day}::date`.execute(db)
}

const DAY_MS = 86_400_000

export const secondsUntilTomorrow = (at = now()): number => Math.ceil((DAY_MS - (at.getTime() % DAY_MS)) / 1000)
