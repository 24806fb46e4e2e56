import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { notify } from '#platform/database/listener.ts'
import type { Actor } from '#vocabulary/actor.ts'
import { newId } from '#vocabulary/ids.ts'

/** One session a login; `provider` as in the API: EMAIL, OAUTH_IDP, GUEST. */
export async function startSession(tx: ControlTx, userId: string, provider: string): Promise<string> {
  const id = newId('ses')
  await tx
    .insertInto('accounts.sessions')
    .values({ id, userId, provider, createdAt: now(), lastUsedAt: now() })
    .execute()
  return id
}

/** Ends it everywhere, at once: every process hears of it when `tx` commits. */
export async function revokeSession(tx: ControlTx, sessionId: string): Promise<void> {
  await tx
    .updateTable('accounts.sessions')
    .set({ revokedAt: now() })
    .where('id', '=', sessionId)
    .where('revokedAt', 'is', null)
    .execute()
  await notify(tx, 'session', sessionId)
}

/** Who is behind a session that is still alive. */
export async function findSessionActor(db: ControlDb, sessionId: string): Promise<Actor | undefined> {
  const row = await db
    .selectFrom('accounts.sessions')
    .innerJoin('accounts.users', 'accounts.users.id', 'accounts.sessions.userId')
    .select(['accounts.sessions.userId', 'accounts.users.email', 'accounts.users.isGuest'])
    .where('accounts.sessions.id', '=', sessionId)
    .where('accounts.sessions.revokedAt', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const kind = row.isGuest ? 'guest' : 'user'
  return { kind, userId: row.userId, email: row.email ?? undefined, sessionId, onlyBusinessId: undefined }
}
