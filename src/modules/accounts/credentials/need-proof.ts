import { sql } from 'kysely'
import { nowMs } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { reauthenticationRequired } from '../errors.ts'

const FRESH_MS = 10 * 60_000

type Found = { hasFactor: boolean; hasPasskey: boolean; provenAt: Date | null; secondFactorAt: Date | null }

/**
 * Refuses whoever has not proven themselves in this session within ten minutes: with the second factor if the account
 * has one, else with password, identity provider or passkey. Who has a passkey must show it, or else a stolen password
 * could add a factor of the thief's own. Read from the database, because a cached actor may be older than the proof.
 *
 * `of: 'those-with-a-factor'` asks nothing of accounts without a second factor.
 */
export async function needFreshProof(
  db: ControlDb,
  { userId, sessionId }: Actor,
  { of = 'everybody' }: { of?: 'everybody' | 'those-with-a-factor' } = {},
): Promise<void> {
  const { rows } = await sql<Found>`
    select exists (select from accounts.second_factors
                    where user_id = ${userId} and confirmed_at is not null) as has_factor,
           exists (select from accounts.passkeys where user_id = ${userId}) as has_passkey,
           coalesce(session.proven_at, session.created_at) as proven_at, session.second_factor_at
      from (select) as caller
      left join accounts.sessions as session
             on session.id = ${sessionId ?? ''} and session.user_id = ${userId} and session.revoked_at is null`.execute(
    db,
  )
  const [found] = rows
  if (!found?.hasFactor && of === 'those-with-a-factor') return
  const proven = found?.hasFactor || found?.hasPasskey ? found.secondFactorAt : found?.provenAt
  if (!proven || proven < new Date(nowMs() - FRESH_MS)) throw reauthenticationRequired()
}
