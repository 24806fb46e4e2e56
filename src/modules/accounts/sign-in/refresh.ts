import { sql } from 'kysely'
import { audit } from '#modules/access/index.ts'
import { now, nowMs } from '#platform/clock.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { newId } from '#vocabulary/ids.ts'
import { type Provider, revokeSession } from '../credentials/sessions.ts'
import type { Tokens } from '../credentials/tokens.ts'
import { refreshRefused } from '../errors.ts'
import { authResult } from './auth-result.ts'

/** How long the previous token is still accepted: the response may get lost, or two tabs refresh at once. */
const GRACE_MS = 30_000
/** The same for a person at a dashboard, whose line may be gone for longer than a program's: a tunnel, a lid that was closed. */
const SHARED_GRACE_MS = 5 * 60_000

type Rotated = { userId: string; provider: Provider; email: string | null; refreshId: string }

type RefreshOptions = {
  /**
   * For tokens that many tabs share in a cookie: one that is younger than the grace period stays. Otherwise three tabs
   * that start together could rotate twice, and the first one's token would look like a stolen one. Whatever was
   * replaced is refused as always.
   */
  isShared?: boolean
  /** When a session ends that has no end yet. */
  endsAt?: Date
}

/**
 * Rotates the refresh token. Checking and rotating are one statement: of ten concurrent requests one rotates, and the
 * others, within the grace period, get the same successor. Reuse of any older token means theft or a bug: the whole
 * session ends.
 */
export async function refresh(
  control: ControlDb,
  tokens: Tokens,
  refreshToken: string,
  { isShared = false, endsAt }: RefreshOptions = {},
) {
  const claims = await tokens.verify('refresh', refreshToken)
  if (!claims) throw refreshRefused()
  const { sid: sessionId, jti } = claims
  const rotated =
    (isShared ? await findYoung(control, sessionId, jti) : undefined) ??
    (await rotate(control, sessionId, jti, endsAt)) ??
    (await findSuccessor(control, sessionId, jti, isShared ? SHARED_GRACE_MS : GRACE_MS))
  if (!rotated) {
    await endFamily(control, sessionId, claims.sub)
    throw refreshRefused()
  }
  return authResult(
    tokens,
    { id: sessionId, refreshId: rotated.refreshId },
    { id: rotated.userId, email: rotated.email },
    rotated.provider,
  )
}

/** Has not come to the end that a session of the dashboard has. */
const isOpen = () => sql`(session.ends_at is null or session.ends_at > ${now()})`

async function rotate(control: ControlDb, sessionId: string, jti: string, endsAt?: Date): Promise<Rotated | undefined> {
  const { rows } = await sql<Rotated>`
    update accounts.sessions session
       set previous_refresh_id = refresh_id, refresh_id = ${newId('tok')}, rotated_at = ${now()}, last_used_at = ${now()},
           ends_at = coalesce(ends_at, ${endsAt ?? null})
      from accounts.users account
     where session.id = ${sessionId} and session.refresh_id = ${jti} and session.revoked_at is null
       and ${isOpen()}
       and account.id = session.user_id and account.suspended_at is null
    returning session.user_id, session.provider, account.email, session.refresh_id`.execute(control)
  return rows[0]
}

async function findYoung(control: ControlDb, sessionId: string, jti: string): Promise<Rotated | undefined> {
  const { rows } = await sql<Rotated>`
    select session.user_id, session.provider, account.email, session.refresh_id
      from accounts.sessions session join accounts.users account on account.id = session.user_id
     where session.id = ${sessionId} and session.refresh_id = ${jti} and session.revoked_at is null
       and ${isOpen()}
       and session.rotated_at > ${new Date(nowMs() - GRACE_MS)} and account.suspended_at is null`.execute(control)
  return rows[0]
}

async function findSuccessor(
  control: ControlDb,
  sessionId: string,
  jti: string,
  graceMs: number,
): Promise<Rotated | undefined> {
  const { rows } = await sql<Rotated>`
    select session.user_id, session.provider, account.email, session.refresh_id
      from accounts.sessions session join accounts.users account on account.id = session.user_id
     where session.id = ${sessionId} and session.previous_refresh_id = ${jti} and session.revoked_at is null
       and ${isOpen()}
       and session.rotated_at > ${new Date(nowMs() - graceMs)} and account.suspended_at is null`.execute(control)
  return rows[0]
}

async function endFamily(control: ControlDb, sessionId: string, userId: string): Promise<void> {
  await transaction(control, async (tx) => {
    const user = await tx.selectFrom('accounts.users').select('suspendedAt').where('id', '=', userId).executeTakeFirst()
    if (user?.suspendedAt) return // refused for another reason, not for theft
    const session = await tx
      .selectFrom('accounts.sessions')
      .select('endsAt')
      .where('id', '=', sessionId)
      .executeTakeFirst()
    const action = session?.endsAt && session.endsAt <= now() ? 'session.ended' : 'session.reuse-detected'
    if (await revokeSession(tx, sessionId)) await audit(tx, { action, subject: userId, data: { sessionId } })
  })
}
