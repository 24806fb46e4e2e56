import { audit } from '#modules/access/index.ts'
import { now } from '#platform/clock.ts'
import type { ControlDb, ControlTx } from '#platform/database/database.ts'
import { transaction } from '#platform/database/transaction.ts'
import { passkeyInvalid } from '../errors.ts'
import { useChallenge } from './challenges.ts'
import { orInvalid, type RelyingParty, readClientData, relyingPartyId, webauthn } from './relying-party.ts'
import type { Passkey } from './schemas.ts'

export type PasskeyContext = RelyingParty & { control: ControlDb }

/** The library compares counters before it looks at the signature. We do it after, so that nobody can feign a copy. */
const ANY_COUNTER = -1

/**
 * Judges the answer of a passkey: whose it is, and a function that takes its challenge and its counter in the
 * transaction of what it is for. `onlyOf`: another user's passkey is as good as none.
 */
export async function judgePasskey(
  context: PasskeyContext,
  passkey: Passkey,
  { onlyOf }: { onlyOf?: string } = {},
): Promise<{ userId: string; take: (tx: ControlTx) => Promise<void> }> {
  const { control, publicUrl } = context
  const known = await control
    .selectFrom('accounts.passkeys')
    .select(['userId', 'id', 'publicKey', 'counter'])
    .where('credentialId', '=', Buffer.from(passkey.id, 'base64url'))
    .executeTakeFirst()
  if (!known || (onlyOf !== undefined && known.userId !== onlyOf)) throw passkeyInvalid()
  const { userHandle, ...response } = passkey.response
  if (userHandle && Buffer.from(userHandle, 'base64url').toString() !== known.userId) throw passkeyInvalid()
  const { challenge, origin } = await readClientData(context, 'login', response.clientDataJSON)
  const { verifyAuthenticationResponse } = await webauthn()
  const { authenticationInfo } = await orInvalid(
    verifyAuthenticationResponse({
      response: { id: passkey.id, rawId: passkey.rawId, type: passkey.type, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: relyingPartyId(publicUrl),
      requireUserVerification: true,
      credential: { id: passkey.id, publicKey: new Uint8Array(known.publicKey), counter: ANY_COUNTER },
    }),
  )
  const { newCounter } = authenticationInfo
  const counts = newCounter > 0 || known.counter > 0 // many keep no counter: theirs is always 0
  if (counts && newCounter <= known.counter) {
    const { userId, id } = known
    await transaction(control, (tx) =>
      audit(tx, { action: 'passkey.copied', subject: userId, data: { id, counter: newCounter, seen: known.counter } }),
    )
    throw passkeyInvalid()
  }
  return {
    userId: known.userId,
    async take(tx) {
      await useChallenge(tx, challenge)
      const { numUpdatedRows } = await tx
        .updateTable('accounts.passkeys')
        .set({ counter: newCounter, lastUsedAt: now() })
        .where((row) => row.and({ userId: known.userId, id: known.id }))
        .where('counter', '<=', counts ? newCounter - 1 : 0)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) throw passkeyInvalid() // removed, or used twice at once
    },
  }
}
