import { sql } from 'kysely'
import { nowMs } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { reauthenticationRequired } from '../errors.ts'

const FRESH_MS = 10 * 60_000

/**
 * Refuses whoever has not proven themselves in this session within ten minutes: with the second factor if the account
 * has one, else with password, identity provider or passkey. Read from the database, because a cached actor may be
 * older than the proof. `of: 'those-with-a-factor'` asks nothing of accounts without one.
 */
export async function needFreshProof(
  db: ControlDb,
  { userId, sessionId }: Actor,
  { of = 'everybody' }: { of?: 'everybody' | 'those-with-a-factor' } = {},
): Promise<void> {
  const { rows } = await sql<{ hasFactor: boolean; provenAt: Date | null; secondFactorAt: Date | null }>`
    select exists (select from accounts.second_factors
                    where user_id = ${userId} and confirmed_at is not null) as has_factor,
           coalesce(session.proven_at, session.created_at) as proven_at, session.second_factor_at
      from (select) as caller
      left join accounts.sessions session
             on session.id = ${sessionId ?? ''} and session.user_id = ${userId} and session.revoked_at is null`.execute(
    db,
  )
  const [found] = rows
  if (!found?.hasFactor && of === 'those-with-a-factor') return
  const proven = found?.hasFactor ? found.secondFactorAt : found?.provenAt
  if (!proven || proven < new Date(nowMs() - FRESH_MS)) throw reauthenticationRequired()
}
