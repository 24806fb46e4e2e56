import { transaction } from '#platform/database/transaction.ts'
import { passkeyInvalid, suspended } from '../errors.ts'
import { findChallenged } from '../second-factor/login-challenge.ts'
import { lockUser } from '../second-factor/queries.ts'
import { authResult } from '../sign-in/auth-result.ts'
import { beginSession } from '../sign-in/begin-session.ts'
import type { LoginContext } from '../sign-in/login.ts'
import { CHALLENGE_MS, newChallenge } from './challenges.ts'
import { judgePasskey, type PasskeyContext } from './judge-passkey.ts'
import { listCredentials } from './own-passkeys.ts'
import { relyingPartyId } from './relying-party.ts'
import type { Passkey } from './schemas.ts'

/** What the browser needs to ask for a passkey. With the challenge of a login, it asks for one of that account. */
export async function askForPasskey({ control, box, publicUrl }: PasskeyContext, challenge: string | undefined) {
  const userId = challenge === undefined ? undefined : await findChallenged(control, challenge)
  return {
    challenge: newChallenge(box, 'login'),
    rpId: relyingPartyId(publicUrl),
    timeout: CHALLENGE_MS,
    userVerification: 'required' as const,
    allowCredentials: userId === undefined ? [] : await listCredentials(control, userId),
  }
}

/** Both factors at once: nothing more is asked. */
export async function loginWithPasskey(context: LoginContext & PasskeyContext, passkey: Passkey) {
  const { control, tokens, endsAt, caller } = context
  const { userId, take } = await judgePasskey(context, passkey)
  const { session, user } = await transaction(control, async (tx) => {
    const account = await lockUser(tx, userId)
    if (!account) throw passkeyInvalid()
    if (account.suspendedAt) throw suspended()
    await take(tx)
    const guestId = caller?.kind === 'guest' ? caller.userId : null
    const login = {
      userId,
      provider: 'PASSKEY' as const,
      guestId,
      endsAt: endsAt ?? null,
      sealedProviderToken: null,
      newIdentity: null,
    }
    return { session: await beginSession(tx, context, login, 'PASSKEY'), user: account }
  })
  return authResult(tokens, session, user, 'PASSKEY')
}
