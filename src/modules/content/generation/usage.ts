import { sql } from 'kysely'
import { now } from '#platform/clock.ts'
import type { Db } from '#platform/database/database.ts'

export type Reservation = { businessId: string; day: string; tokens: number }

/**
 * Reserves tokens of the day before they are spent; undefined when too few are left. One statement, so that racing
 * callers cannot overdraw. A process that dies leaves its reservation behind: usage is overcounted then, never
 * undercounted.
 */
export async function reserveTokens(
  db: Db,
  businessId: string,
  tokens: number,
  dailyTokens: number,
): Promise<Reservation | undefined> {
  const day = today()
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

/** Replaces the reservation by the real usage, on the day of the reservation. */
export async function settleTokens(db: Db, { businessId, day, tokens }: Reservation, spent: number): Promise<void> {
  if (spent === tokens) return
  await sql`
    update content.generation_usage
       set tokens = greatest(0, tokens + ${spent - tokens}::bigint)
     where business_id = ${businessId} and day = ${day}::date`.execute(db)
}

/** What of today's tokens is spent or reserved. */
export async function readUsage(db: Db, businessId: string): Promise<{ usedTokens: number; requests: number }> {
  const { rows } = await sql<{ usedTokens: number; requests: number }>`
    select tokens as used_tokens, requests
      from content.generation_usage
     where business_id = ${businessId} and day = ${today()}::date`.execute(db)
  return rows[0] ?? { usedTokens: 0, requests: 0 }
}

const today = () => now().toISOString().slice(0, 10)

const DAY_MS = 86_400_000

export const secondsUntilTomorrow = (at = now()): number => Math.ceil((DAY_MS - (at.getTime() % DAY_MS)) / 1000)
