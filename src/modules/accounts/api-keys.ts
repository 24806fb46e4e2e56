import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import type { Actor } from '#vocabulary/actor.ts'

/** A key is found by its keyed hash; under every SECRET_KEY, so that rotating it breaks no key. */
export async function findApiKeyActor(db: ControlDb, box: SecretBox, value: string): Promise<Actor | undefined> {
  const row = await db
    .selectFrom('accounts.apiKeys')
    .innerJoin('accounts.users', 'accounts.users.id', 'accounts.apiKeys.userId')
    .select(['accounts.apiKeys.userId', 'accounts.apiKeys.businessId', 'accounts.users.email'])
    .where('accounts.apiKeys.keyHash', 'in', hashApiKey(box, value))
    .executeTakeFirst()
  if (!row) return undefined
  return {
    kind: 'api',
    userId: row.userId,
    email: row.email ?? undefined,
    sessionId: undefined,
    onlyBusinessId: row.businessId ?? undefined,
  }
}

export const hashApiKey = (box: SecretBox, value: string) => box.hashes('api-key', value)
