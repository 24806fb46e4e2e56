import { audit } from '#modules/access/index.ts'
import type { SecretBox } from '#platform/crypto/secret-box.ts'
import type { ControlDb } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { revokeSession } from '../credentials/sessions.ts'
import { type IdentityProvider, revokeAtProvider } from './oauth.ts'

/** Ends the session of the token; for OAUTH_IDP it also revokes the identity provider's token. */
export async function logout(
  { control, box, provider }: { control: ControlDb; box: SecretBox; provider: IdentityProvider },
  sessionId: string,
): Promise<void> {
  const session = await control
    .selectFrom('accounts.sessions')
    .select(['userId', 'sealedProviderToken'])
    .where('id', '=', sessionId)
    .executeTakeFirst()
  if (!session) return
  const ended = await transaction(control, async (tx) => {
    const live = await revokeSession(tx, sessionId)
    if (live) await audit(tx, { action: 'session.ended', subject: session.userId, data: { sessionId } })
    return live
  })
  const token = ended && session.sealedProviderToken ? box.open(session.sealedProviderToken)?.toString() : undefined
  if (token) await revokeAtProvider(provider, token)
}
